import FastMapCore
import FastMapMemory
import Synchronization
import TestSupport
import Testing

/// Keys that a store cannot hold: an error like any other of the data.
@Suite struct ImportRefusedKeyTests {
  private static let person = Mapping("Person", primaryKey: "id") {
    Attribute("id", .string)
    Attribute("name", .string)
    ToOne("team", Mapping("Team", primaryKey: "id") { Attribute("id", .string) })
    ToMany("friends", friend, at: "f")
  }
  private static let friend = Mapping("Friend", entity: "Person", primaryKey: "id") {
    Attribute("id", .string)
  }

  private static func run(_ json: String, _ options: ImportOptions = ImportOptions()) throws -> (
    String, [String], String
  ) {
    let plan = try Plan(person)
    let store = PickyStore()
    let report = try Mapper(store).importJSON(Array(json.utf8), as: plan, options: options)
    let names = try store.read(plan) { reader in
      try plan.schema.entities.map { entity in
        try reader.records(entity.name).map { "\($0.key.map { "\($0)" } ?? "-")" }.joined(separator: " ")
      }
    }
    return (summary(report), report.errors.map { "\($0)" }, names.joined(separator: "; "))
  }

  @Test func aRefusedKeyAborts() {
    let error = #expect(throws: MappingError.self) {
      try Self.run(#"[{"id":"a"},{"id":"b","f":[{"id":"c"},{"id":"too long"}]}]"#)
    }
    #expect(error.map { "\($0)" } == "$[1].f[1].id: the key is too long (line 1, column 45)")
  }

  @Test func aRefusedKeyIsSkippedWhereverItIsMet() throws {
    let (report, errors, keys) = try Self.run(
      #"[{"id":"too long","f":["x"]},{"id":"a","f":[{"id":"much too long"},{"id":"b"},"too long"]},{"id":"z"}]"#,
      .skipping)
    #expect(keys == #""a" "b" "z"; "#)
    #expect(report == "Person +3 !3")
    #expect(
      errors == [
        "$[0].id: the key is too long (line 1, column 8)",
        "$[1].f[0].id: the key is too long (line 1, column 51)",
        "$[1].f[2]: the key is too long (line 1, column 79)",
      ], "in payload order")
  }

  // Places are counted on from the last one, and keys are refused in their own order
  @Test func placesAreRightInWhateverOrderFaultsAreFound() throws {
    let lines = (0..<500).map { number in
      switch number % 50 {
      case 10: "{\"id\":\"too long \(1000 - number)\"}"
      case 20: "{\"name\":\"é\",\"f\":[{\"id\":true}],\"id\":\"\(number)\"}"
      default: "{\"id\":\"\(number)\"}"
      }
    }
    let plan = try Plan(Self.person)
    let text = "\u{FEFF}[" + lines.joined(separator: ",\n") + "]"
    let report = try Mapper(PickyStore()).importJSON(Array(text.utf8), as: plan, options: .skipping)
    #expect(report.errors.count == 20)
    for (index, error) in report.errors.enumerated() {
      let number = index / 2 * 50 + (index % 2 == 0 ? 10 : 20)
      let column = index % 2 == 0 ? 7 : 24
      #expect(error.location == TextLocation(line: number + 1, column: column), "\(error)")
    }
  }

  @Test func aKeyRefusedForOneEntityIsAKeyOfAnother() throws {
    // Only persons are refused: the team of that name stays, with its link.
    let (report, errors, keys) = try Self.run(
      #"[{"id":"a","team":{"id":"too long"}},{"id":"too long","name":"x"},{"id":"b"}]"#, .skipping)
    #expect(keys == #""a" "b"; "too long""#)
    #expect(report == "Person +2 !1, Team +1")
    #expect(errors == ["$[1].id: the key is too long (line 1, column 44)"])
  }

  // In one root, so that they are in one batch
  @Test func manyRefusedKeysAreAskedForTwice() throws {
    let store = PickyStore()
    let friends = (0..<5000).map { $0 % 5 == 4 ? "\"\($0)\"" : "\"too long \($0)\"" }
    let text = "{\"id\":\"a\",\"f\":[\(friends.joined(separator: ","))]}"
    let report = try Mapper(store).importJSON(
      Array(text.utf8), as: Plan(Self.person), options: .skipping)
    #expect(summary(report) == "Person +1001 !4000")
    #expect(report.errors.first?.path == JSONPath([.member("f"), .index(0)]))
    #expect(store.asked.withLock { $0 } == 5001 + 1001)
  }

  @Test func refusedKeysAreFoundAmongMany() throws {
    let people = (0..<300).map {
      #"{"id":"\#($0 % 3 == 0 ? "too long \($0)" : "\($0)")","team":{"id":"t\#($0 % 7)"}}"#
    }
    let (report, errors, _) = try Self.run("[\(people.joined(separator: ","))]", .skipping)
    #expect(report == "Person +200 !100, Team +7")
    #expect(errors.count == 100)
  }
}

/// A memory store that refuses persons whose keys have more than six bytes.
private final class PickyStore: Store {
  private let store = MemoryStore()
  /// How many keys of persons were asked for.
  let asked = Mutex(0)

  func read<R>(_ schema: Schema, _ body: (inout MemoryReader) throws -> R) throws -> R {
    try store.read(schema, body)
  }

  func write<R>(_ schema: Schema, _ body: (inout Writer) throws -> TransactionCompletion<R>) throws -> R {
    try store.write(schema) { inner in
      var writer = Writer(inner: inner, person: schema.entity(named: "Person"), store: self)
      defer { inner = writer.inner }
      return try body(&writer)
    }
  }

  struct Writer: StoreWriter {
    var inner: MemoryWriter
    let person: Int?
    let store: PickyStore

    var reader: MemoryReader {
      get { inner.reader }
      set { inner.reader = newValue }
    }

    mutating func find(_ keys: KeyBatch, of entity: Int, into ids: UnsafeMutableBufferPointer<ObjectID?>)
      throws
    {
      if entity == person {
        store.asked.withLock { $0 += keys.count }
        let refused = keys.indices.filter { keys[$0].bytes?.count ?? 0 > 6 }
        let reasons = refused.map { ($0, "the key is too long") }
        if !refused.isEmpty { throw RefusedKeysError(Dictionary(uniqueKeysWithValues: reasons)) }
      }
      try inner.find(keys, of: entity, into: ids)
    }

    mutating func reserve(_ count: Int, of entity: Int) -> ObjectID { inner.reserve(count, of: entity) }
    mutating func apply(_ changes: inout ChangeBatch) throws { try inner.apply(&changes) }
    func reference(to id: ObjectID, of entity: Int, after last: Reference?) -> Reference? {
      inner.reference(to: id, of: entity, after: last)
    }
    mutating func delete(_ id: ObjectID, of entity: Int) -> Bool { inner.delete(id, of: entity) }
    func isChanged(_ id: ObjectID, of entity: Int) -> Bool { inner.isChanged(id, of: entity) }
  }
}
