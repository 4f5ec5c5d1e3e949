import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapImport

/// Several files that are one payload: `JSONInput.files`.
@Suite struct SeveralFileTests {
  private static let item = Mapping("Item", rootPath: "items", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("n", .integer)
    Attribute("page", .integer, at: "@root.page")
  }

  /// Files of a test, in a directory that goes with them.
  private final class Files {
    let scratch = Scratch()
    let paths: [String]

    init(_ texts: [(name: String, text: String)]) throws {
      for (name, text) in texts { try scratch.write(text, to: name) }
      let scratch = scratch
      paths = texts.map { scratch.path($0.name) }
    }

    /// A text with the names of the files alone.
    func short(_ text: String?) -> String? { text?.replacing(scratch.path + "/", with: "") }
  }

  private static let pages: [(name: String, text: String)] = [
    ("2.json", #"{"page":1,"items":[{"id":1},{"id":2,"n":5}]}"#),
    ("1.ndjson", "{\"id\":3,\"page\":7}\n\n{\"id\":4}\n"),
    ("3.json", #"{"page":3,"items":{"id":1,"n":6}}"#),
  ]

  private static func mapping(_ text: String) throws -> Plan {
    let name = text.split(separator: "\"")[text.hasPrefix("\"") ? 0 : 1]
    return try MappingSet(file: #"{"fastmap": 1, "mappings": {\#(text)}}"#).plan(for: String(name))
  }

  private func options(_ change: (inout ImportOptions) -> Void = { _ in }) -> ImportOptions {
    var options = ImportOptions(format: .automatic)
    change(&options)
    return options
  }

  @Test(arguments: StoreKind.allCases, [nil, 1, 2, 100])
  func theyAreOnePayloadAndEachIsItsOwnDocument(_ kind: StoreKind, _ interval: Int?) throws {
    let files = try Files(Self.pages)
    let world = try World(kind, Self.item)
    let report = try Mapper(world.store).importJSON(
      .files(files.paths), as: world.plan(), options: options { $0.commitInterval = interval })
    #expect((summary(report), report.rootObjects) == ("Item +4", 5))
    #expect(report.bytes == Self.pages.map(\.text.utf8.count).reduce(0, +))
    try #expect(world.dump() == "Item 1 n=6 page=3\nItem 2 n=5 page=1\nItem 3 page=7\nItem 4")
  }

  @Test(arguments: [nil, 1])
  func theirUnreadMembersAreCountedTogether(_ interval: Int?) throws {
    let files = try Files([
      ("1.json", #"{"id":1,"x":1}"#), ("2.json", #"{"id":2,"x":1}"#), ("3.json", #"[{"id":3,"x":1}]"#),
      ("4.ndjson", "{\"id\":4,\"x\":1}\n{\"id\":5,\"y\":1}"),
    ])
    let plan = try Self.mapping(#""Item": {"primaryKey": "id", "attributes": {"id": "integer"}}"#)
    let report = try Mapper(World(.memory, plan).store).importJSON(
      .files(files.paths), as: plan, options: options { $0.commitInterval = interval })
    #expect(
      report.unread.map { "\($0.member) \($0.objects) \($0.paths[0])" } == [
        "Item.x 4 $.x", "Item.y 1 $[1].y",
      ])
  }

  @Test(arguments: StoreKind.allCases)
  func withoutAFaultNothingOfThemIsStored(_ kind: StoreKind) throws {
    let files = try Files(Self.pages + [("4.json", "{\n\"items\":[{\"id\":9},\n{\"id\":false}]}")])
    let world = try World(kind, Self.item)
    let message = message { _ = try Mapper(world.store).importJSON(.files(files.paths), as: world.plan()) }
    #expect(
      files.short(message) == "4.json: $.items[1].id: expected an integer, found false (line 3, column 7)")
    try #expect(world.dump().isEmpty)
    #expect(throws: MappingError.self) {
      try Mapper(world.store).importJSON(
        .files(files.paths), as: world.plan(), options: options { $0.commitInterval = 2 })
    }
    try #expect(world.dump() == "Item 1 n=6 page=3\nItem 2 n=5 page=1\nItem 3 page=7\nItem 4\nItem 9")
  }

  @Test func errorsBeginWithTheNameOfTheirFile() throws {
    let files = try Files([
      ("a.json", #"{"items":[{"id":1},{"id":"x"}]}"#), ("b.ndjson", "{\"id\":2}\n{\"id\":true}\n"),
      ("c.json", "{\"items\":[\n{\"id\":3},oops]}"),
    ])
    let world = try World(.memory, Self.item)
    let found = Collector<MappingError>()
    let message = message {
      _ = try Mapper(world.store).importJSON(
        .files(files.paths), as: world.plan(),
        options: options {
          $0.faults = .skip
          $0.onError = { found.add($0) }
        })
    }
    #expect(files.short(message) == "c.json: line 2, column 10: expected a value, found \"o\"")
    #expect(
      found.all.map { files.short($0.description) } == [
        #"a.json: $.items[1].id: expected an integer, found the string "x" (line 1, column 26)"#,
        "b.ndjson: $[1].id: expected an integer, found true (line 2, column 7)",
      ])
    #expect(found.all.map(\.file) == Array(files.paths[..<2]))
  }

  @Test(arguments: StoreKind.allCases)
  func aConflictNamesTheFileOfTheObjectThatIsLeftOut(_ kind: StoreKind) throws {
    let user = try Self.mapping(
      #""User": {"primaryKey": "id", "attributes": {"id": "integer", "mail": "string"}, "indexes": [{"fields": ["mail"], "unique": true}]}"#
    )
    let files = try Files((1...3).map { ("\($0).json", #"{"id":\#($0),"mail":"m\#($0 / 2)"}"#) })
    let world = try World(kind, user)
    let found = Collector<MappingError>()
    let report = try Mapper(world.store).importJSON(
      .files(files.paths), as: world.plan(),
      options: options {
        $0.faults = .skip
        $0.onError = { found.add($0) }
      })
    #expect(summary(report) == "User +2 !1")
    #expect(report.errors.map { files.short($0.file) } == ["3.json"])
    #expect(found.all.map { files.short($0.file) } == ["3.json"])
    try #expect(world.dump() == "User 1 mail=\"m0\"\nUser 2 mail=\"m1\"")
  }

  // MARK: Replaced objects

  @Test(arguments: StoreKind.allCases, [nil, 1])
  func aReplacementCountsOverAllOfThem(_ kind: StoreKind, _ interval: Int?) throws {
    let world = try World(kind, Self.item, holding: #"{"items":[{"id":1},{"id":4},{"id":8},{"id":9}]}"#)
    let files = try Files(Self.pages)
    let options = options { ($0.replaces, $0.commitInterval) = (.all, interval) }
    let report = try Mapper(world.store).importJSON(.files(files.paths), as: world.plan(), options: options)
    #expect(summary(report) == "Item +2 ~1 =1 -2")
  }

  @Test(
    arguments: StoreKind.allCases,
    [
      ("x.json", #"{"other":[]}"#, "x.json adds nothing, as it has nothing at the root path"),
      ("x.ndjson", "\n\n", nil), ("x.json", #"{"items":[]}"#, "deletes"),
    ] as [(String, String, String?)])
  func anInputWithoutObjectsKeepsTheStoredOnes(
    _ kind: StoreKind, _ other: (name: String, text: String, note: String?)
  ) throws {
    for order in [[0, 1], [1, 0]] {
      let world = try World(kind, Self.item, holding: #"{"items":[{"id":8}]}"#)
      let texts = [Self.pages[0], (other.name, other.text)]
      let files = try Files(order.map { texts[$0] })
      let options = options { $0.replaces = .all }
      let report = try Mapper(world.store).importJSON(.files(files.paths), as: world.plan(), options: options)
      let deletes = other.note == "deletes"
      let isKept = try world.dump(of: "Item 8") != nil
      #expect(isKept != deletes)
      let deleted = ["1 of 1 object of Item is deleted, which the payload does not have"]
      let kept = ["no missing objects were deleted, because the key of 1 root object could not be read"]
      #expect(
        report.notes.map { files.short($0) } == (deletes ? deleted : (other.note.map { [$0] } ?? []) + kept))
    }
  }

  @Test func filesWithoutALineReplaceNothing() throws {
    let files = try Files([("a.ndjson", ""), ("b.ndjson", "\n")])
    let world = try World(.memory, Self.item)
    let message = message {
      _ = try Mapper(world.store).importJSON(
        .files(files.paths), as: world.plan(), options: options { $0.replaces = .all })
    }
    #expect(message?.contains("expected at least one line") == true)
  }

  // MARK: The root path

  @Test(arguments: ["items", "pages[].items"] as [JSONKeyPath])
  func thePathIsMissingOnlyWhereAllLackIt(_ path: JSONKeyPath) throws {
    let lacking: [(name: String, text: String)] = [
      ("a.json", #"{"pages":[{}]}"#), ("b.json", #"{"x":1,"pages":[]}"#), ("c.json", #"{"pages":[null]}"#),
    ]
    let having = ("d.json", #"{"items":[{"id":1}],"pages":[{"items":[{"id":1}]}]}"#)
    let options = options { $0.rootPath = path }
    for position in 0...3 {
      let world = try World(.memory, Self.item)
      var texts = lacking
      texts.insert(having, at: position)
      let files = try Files(texts)
      let report = try Mapper(world.store).importJSON(.files(files.paths), as: world.plan(), options: options)
      #expect(summary(report) == "Item +1")
      // A list of pages may be empty.
      let names = path == "items" ? "a.json, b.json and c.json" : "a.json and c.json"
      #expect(
        report.notes.map { files.short($0) } == [
          "\(names) add nothing, as they have nothing at the root path"
        ])
    }
    let files = try Files([lacking[0], lacking[2]])
    let world = try World(.memory, Self.item)
    let message = message {
      _ = try Mapper(world.store).importJSON(.files(files.paths), as: world.plan(), options: options)
    }
    #expect(files.short(message)?.hasPrefix("a.json: $") == true, "\(message ?? "")")
    #expect(message?.contains("expected the objects to map at this root path, found nothing") == true)
  }

  // MARK: The format

  @Test(
    arguments: [
      ("a.json", "{\"id\":1}\n{\"id\":2}", 2), ("a", " \n{\"id\":1}\r\n\r\n{\"id\":2}\n", 2),
      ("a.JSONL", "{\"id\":1}\n", 1), ("a.json", "[{\"id\":1},\n{\"id\":2}]", 2),
      ("a.json", "{\"id\":1\n}\n", 1),
      ("a.json", "\u{FEFF}{\"id\":1}\n{\"id\":2}", 2), ("a.json", "[\n{\"id\":1}\n]\n", 1),
      ("a.json", "{\"id\":1}\n", 1),
    ])
  func linesAreRecognisedByTheFirstTwo(_ name: String, _ text: String, _ count: Int) throws {
    let plan = try Plan(Mapping("Item", primaryKey: "id") { Attribute("id", .integer) })
    let files = try Files([(name, text)])
    try #expect(
      Mapper(StoreKind.memory.make()).importJSON(.file(files.paths[0]), as: plan).rootObjects == count)
    for size in [1, 7, 1000] {
      let report = try Mapper(StoreKind.memory.make()).importStream(
        as: plan, options: options(), window: 16, stream(Array(text.utf8), inChunksOf: size))
      #expect(report.rootObjects == count)
    }
  }

  @Test(arguments: [
    "{\"id\":1}\n]", "{\"id\":1},\n{\"id\":2}", "{\"id\":1} {\"id\":2}\n{\"id\":3}", "", "{\"id\":\n",
  ])
  func otherTextsHaveTheErrorsOfJSON(_ text: String) throws {
    let plan = try Plan(Mapping("Item", primaryKey: "id") { Attribute("id", .integer) })
    func failure(_ format: JSONFormat) -> String? {
      message {
        _ = try Mapper(StoreKind.memory.make()).importJSON(
          text, as: plan, options: ImportOptions(format: format))
      }
    }
    #expect(failure(.automatic) == failure(.json))
    #expect(failure(.json) != nil)
  }

  // MARK: Transactions that run again

  private static func input(_ number: Int, _ text: String, repeats: Bool) -> ImportInput {
    ImportInput(name: "\(number).json", file: "\(number).json", format: .automatic, repeats: repeats) {
      .stream(stream(Array(text.utf8), inChunksOf: 100))
    }
  }

  @Test(arguments: [nil, 1, 70], [false, true])
  func aStoreThatMakesRoomReadsThemAgain(_ interval: Int?, _ readsAhead: Bool) throws {
    for repeats in [0b1111, 0b0000, 0b0101, 0b1010] {
      let store = try ScratchStore.growing()
      let plan = try Plan(Fixture.node)
      var options = ImportOptions(format: .automatic, commitInterval: interval)
      (options.readsAhead, options.alwaysReadsAhead) = (readsAhead, readsAhead)
      let name = String(repeating: "é", count: 200)
      let inputs = (0..<4).map { number in
        let objects = (number * 60..<(number + 1) * 60).map { #"{"id":\#($0),"n":"\#(name)"}"# }
        let text =
          number == 1
          ? objects.joined(separator: "\n") : number == 2 ? objects[0] : "[\(objects.joined(separator: ","))]"
        return Self.input(number, text, repeats: repeats >> number & 1 == 1)
      }
      let report = try Mapper(store).importJSON(inputs, as: plan, options: options)
      #expect((summary(report), report.rootObjects) == ("Node +181", 181), "\(repeats)")
      try #expect(store.read(plan) { try $0.records("Node").count } == 181)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func stateCrossesFromOneToTheNext(_ kind: StoreKind) throws {
    let node = try Self.mapping(
      #"""
      "Node": {
        "primaryKey": "id", "newerBy": "at", "deletedBy": "gone",
        "attributes": {"id": "integer", "at": "integer", "gone": "boolean"},
        "relationships": {"next": {"mapping": "Node", "weak": true}}}
      """#)
    let files = try Files([
      ("a.json", #"[{"id":1,"at":5,"next":{"id":3,"at":1}},{"id":2,"at":5,"gone":true}]"#),
      ("b.json", #"[{"id":1,"at":4},{"id":2,"at":4}]"#), ("c.ndjson", #"{"id":3,"at":2}"#),
    ])
    let world = try World(kind, node)
    for _ in 0..<2 {
      _ = try Mapper(world.store).importJSON(.files(files.paths), as: world.plan())
      try #expect(world.dump() == "Node 1 at=5 next=3\nNode 3 at=2")
    }
  }
}
