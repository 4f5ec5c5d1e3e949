import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Values that are too long for a store: faults of their objects.
@Suite struct ImportLongValueTests {
  private static let book = Mapping("Book", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("title", .string, at: "about.title")
    Attribute("cover", .data)
    Attribute("extra", .json)
    Attribute.rest("rest")
    ToMany("pages", page)
    ToOne("author", author)
  }
  private static let page = Mapping("Page") { Attribute("text", .string) }
  private static let author = Mapping("Author", primaryKey: "name") {
    Attribute("name", .string)
    Attribute("bio", .string)
  }

  private static func expected(_ count: Int) -> String {
    "expected a value of at most 12 bytes, found one of \(count) bytes"
  }

  private static func imported(
    _ json: String, into kind: StoreKind, _ options: ImportOptions = .skipping
  ) throws -> (errors: [String], dump: String) {
    let world = try World(kind, Self.book)
    let report = try imported(json, world.plan(), limited: world.store, options)
    let errors = report.errors.map {
      "\($0)".replacing("; nothing was removed from this list", with: "")
        .replacing("; this relationship stays as it was", with: "")
    }
    return try (errors, world.dump())
  }

  private static func imported<S: Store>(
    _ json: String, _ plan: Plan, limited store: S, _ options: ImportOptions
  ) throws -> ImportReport {
    var capabilities = store.capabilities
    capabilities.mostValueBytes = 12
    let limited = ObservedStore(store, capabilities: capabilities) { _ in }
    return try Mapper(limited).importJSON(json, as: plan, options: options)
  }

  static let cases: [(json: String, errors: [String], dump: String)] = [
    (
      #"[{"id":1,"about":{"title":"123456789012"}},{"id":2,"about":{"title":"1234567890123"}},{"id":3}]"#,
      ["$[1].about.title: \(expected(13)) (line 1, column 69)"], "Book 1 title=\"123456789012\"\nBook 3"
    ),
    (
      #"[{"id":1,"extra":[1234,5678,90]},{"id":2,"extra":[12345,678,90]},{"id":3,"cover":"MTIzNDU2Nzg5MDEyMw=="}]"#,
      [
        "$[0].extra: \(expected(14)) (line 1, column 18)", "$[1].extra: \(expected(14)) (line 1, column 50)",
        "$[2].cover: \(expected(13)) (line 1, column 82)",
      ], ""
    ),
    (
      #"[{"id":1,"x":"123456"},{"id":2,"x":1}]"#, ["$[0]: \(expected(14)) (line 1, column 2)"],
      "Book 2 rest={\"x\":1}"
    ),
    (
      #"[{"id":1,"author":{"name":"b","bio":"1234567890123"}},{"id":2,"author":"a"}]"#,
      ["$[0].author.bio: \(expected(13)) (line 1, column 37)"],
      "Book 1\nBook 2 author=\"a\"\nAuthor \"a\""
    ),
    (
      #"[{"id":1,"pages":[{"text":"a"},{"text":"1234567890123"}]}]"#,
      ["$[0].pages[1].text: \(expected(13)) (line 1, column 40)"],
      "Book 1 pages=[#1]\nPage #1 text=\"a\""
    ),
  ]

  @Test(arguments: StoreKind.allCases)
  func aValueThatIsTooLongIsAFaultOfItsObject(_ kind: StoreKind) throws {
    for test in Self.cases {
      let found = try Self.imported(test.json, into: kind)
      #expect((found.errors, found.dump) == (test.errors, test.dump))
    }
  }

  @Test func itEndsAnImportThatSkipsNothing() throws {
    let error = message {
      _ = try Self.imported(
        #"[{"id":1},{"id":2,"about":{"title":"1234567890123"}}]"#, into: .memory, ImportOptions())
    }
    #expect(error == "$[1].about.title: \(Self.expected(13)) (line 1, column 36)")
  }

  @Test(arguments: StoreKind.allCases) func aStoreDeclaresItsLimit(_ kind: StoreKind) throws {
    let limit = try World(kind, Self.book).store.capabilities.mostValueBytes
    switch kind {
    case .memory: #expect(limit == nil)
    case .lmdb, .remote: #expect(limit == 64 << 20)
    case .postgres: #expect(limit == 1_000_000_000)
    }
  }
}
