import FastMapCore
import FastMapMemory
import Synchronization
import TestSupport
import Testing

/// Gathers the pieces of an export.
private struct Pieces {
  var pieces: [String] = []
  var text: String { pieces.joined() }
  mutating func take(_ bytes: UnsafeRawBufferPointer) {
    pieces.append(String(decoding: bytes, as: UTF8.self))
  }
}

private let person: Mapping<Record> = Mapping(
  "Person", rootPath: "result.people", primaryKey: "id", missingPrimaryKey: .insert
) {
  Attribute("id", .integer)
  Attribute("text", .string)
  Attribute("when", .date(.iso8601), at: "info.when")
  ToOne("next", person)
}

@Suite struct SerializerExportTests {
  private static let people = Graph { graph in
    for id in 1...3 { graph.add(UInt64(id), "Person", ["id": .init(.integer(Int64(id)))]) }
  }

  private static let lines: ExportOptions = {
    return ExportOptions(format: .ndjson)
  }()

  // MARK: The text

  /// FEM-133, FEM-134, FEM-193, WAM-117, WAM-121
  @Test func allObjectsAreOneArrayOrOneALine() throws {
    let serializer = try Serializer(person)
    var reader = try GraphReader(Self.people, serializer.plan.schema)
    var array = Pieces()
    var report = try serializer.export(from: &reader) { array.take($0) }
    #expect(array.pieces == [#"{"result":{"people":[{"id":1},{"id":2},{"id":3}]}}"#])
    #expect((report.objects, report.bytes) == (3, array.text.utf8.count))

    var lines = Pieces()
    report = try serializer.export(from: &reader, options: Self.lines) { lines.take($0) }
    #expect(lines.pieces == ["{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n"])
    #expect((report.objects, report.bytes) == (3, lines.text.utf8.count))

    var none = Pieces()
    try serializer.exportTable(from: &reader, limit: 0) { none.take($0) }
    #expect(none.pieces == [#"{"result":{"people":[]}}"#])
    try serializer.export([], from: &reader, options: Self.lines) { none.take($0) }
    #expect(none.pieces.count == 1)
  }

  @Test func prettyExportsHaveAnElementOnItsLines() throws {
    let serializer = try Serializer(Graph.author)
    var reader = try GraphReader(Graph { $0.add(1, "Author", ["id": 1]) }, serializer.plan.schema)
    var options = ExportOptions(isPretty: true)
    var pieces = Pieces()
    try serializer.export(from: &reader, options: options) { pieces.take($0) }
    #expect(pieces.text == "[\n  {\n    \"id\": 1\n  }\n]")
    options.format = .ndjson
    pieces = Pieces()
    try serializer.export(from: &reader, options: options) { pieces.take($0) }
    #expect(pieces.text == "{\"id\":1}\n")
  }

  @Test func someObjectsKeepTheirOrder() throws {
    let serializer = try Serializer(person)
    var reader = try GraphReader(Self.people, serializer.plan.schema)
    var pieces = Pieces()
    let report = try serializer.export(
      [reader[3], reader[9], reader[1], reader[3]], from: &reader, options: Self.lines
    ) { pieces.take($0) }
    #expect(pieces.text == "{\"id\":3}\n{\"id\":1}\n{\"id\":3}\n")
    #expect(report.objects == 3)
  }

  @Test(arguments: StoreKind.allCases)
  func keysAndLimitsChooseAmongTheStored(_ kind: StoreKind) throws {
    let store = try kind.make()
    let serializer = try Serializer(person)
    let json = #"{"result":{"people":[{"id":3},{"text":"-"},{"id":1},{"id":2}]}}"#
    _ = try Mapper(store).importJSON(Array(json.utf8), as: serializer.plan)
    func text(_ keys: KeyRange?, _ limit: Int = .max) throws -> String {
      var pieces = Pieces()
      _ = try store.read(serializer.plan) { reader in
        try serializer.exportTable(from: &reader.reader, keys: keys, limit: limit, options: Self.lines) {
          pieces.take($0)
        }
      }
      return pieces.text
    }
    #expect(try text(nil) == "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n{\"text\":\"-\"}\n")
    #expect(try text(nil, 1) == "{\"id\":1}\n")
    #expect(try text(KeyRange(from: 2)) == "{\"id\":2}\n{\"id\":3}\n")
    #expect(try text(KeyRange(from: 3, to: 2)) == "")
  }

  /// An export of a mapping is one of all objects. Only a narrowed query writes owned objects by themselves.
  @Test(arguments: StoreKind.allCases)
  func aMappingIsExportedAsTheWholeTable(_ kind: StoreKind) throws {
    let comment: Mapping<Record> = Mapping("Comment") {
      Attribute("text", .string)
      ToMany("replies", .named("Comment"))
    }
    let plan = try MappingSet([comment]).plan(for: "Comment")
    let serializer = Serializer(plan)
    let store = try kind.make(#"[{"text":"a","replies":[{"text":"b"}]},{"text":"c"}]"#, as: plan)
    func text(_ query: (any QueryConvertible)?) throws -> String {
      var pieces = Pieces()
      _ = try store.read(plan) { try serializer.export(query, from: &$0.reader) { pieces.take($0) } }
      return pieces.text
    }
    let whole = try text(nil)
    #expect(whole == #"[{"text":"a","replies":[{"text":"b"}]},{"text":"c"}]"#)
    #expect(try text(plan) == whole)
    #expect(try text(plan.limit(1)) == #"[{"text":"a","replies":[{"text":"b"}]}]"#)
    #expect(try text(plan.where(Filter("@.text == 'b'"))) == #"[{"text":"b"}]"#)
    #expect(throws: FilterError.self) { try text(Mapping("Other") { Attribute("text", .string) }) }
  }

  // MARK: Memory

  /// The largest piece is 64 KiB and the text of one object, however many objects there are.
  @Test(arguments: [JSONFormat.json, .ndjson])
  func theTextIsHandedOutInPieces(_ format: JSONFormat) throws {
    let serializer = try Serializer(person)
    var graph = Graph()
    let text = String(repeating: "x", count: 1000)
    for id in 1...UInt64(2000) { graph.add(id, "Person", ["text": .init(.string(text))]) }
    var reader = try GraphReader(graph, serializer.plan.schema)
    let options = ExportOptions(format: format)
    var pieces = Pieces()
    let report = try serializer.export(from: &reader, options: options) { pieces.take($0) }
    let object = #"{"text":"\#(text)"}"#
    let whole =
      format == .json
      ? #"{"result":{"people":["# + Array(repeating: object, count: 2000).joined(separator: ",") + "]}}"
      : String(repeating: object + "\n", count: 2000)
    #expect(pieces.text == whole)
    #expect(report.bytes == whole.utf8.count)
    let sizes = pieces.pieces.map(\.utf8.count)
    #expect(sizes.count == 31)
    #expect(sizes.dropLast().allSatisfy { $0 >= 65_536 })
    #expect(sizes.max() ?? 0 < 65_536 + object.utf8.count + 30)
  }

  /// Counts its instances, so only one test may have it.
  private final class Tracked {
    static let live = Mutex((now: 0, most: 0))
    var id = 0
    var other: Tracked?

    init() {
      Self.live.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
    }
    deinit { Self.live.withLock { $0.now -= 1 } }

    static let mapping: Mapping<Tracked> = Mapping(
      Tracked.self, "Tracked", primaryKey: "id", make: { Tracked() }
    ) {
      Attribute("id", \.id)
      ToOne("other", \.other, Tracked.mapping)
    }
  }

  /// They are made as they are asked for, and let go once they are written.
  @Test func instancesNeedNotBeThereAllAtOnce() throws {
    let serializer = try Serializer(Tracked.mapping)
    let objects = (0..<1000).lazy.map { id in
      let object = Tracked()
      object.id = id
      object.other = Tracked()
      return object
    }
    var pieces = Pieces()
    let report = try serializer.export(objects, options: Self.lines) { pieces.take($0) }
    #expect(report.objects == 1000)
    #expect(pieces.text.hasSuffix("{\"id\":999,\"other\":{\"id\":0}}\n"))
    #expect(Tracked.live.withLock { $0.now } == 0)
    #expect(Tracked.live.withLock { $0.most } <= 4)
  }

  private final class Pair {
    var id = 0
    var other: Pair?

    static let mapping: Mapping<Pair> = Mapping(Pair.self, "Pair", primaryKey: "id", make: { Pair() }) {
      Attribute("id", \.id)
      ToOne("other", \.other, Pair.mapping)
    }
  }

  /// WAM-114: a line is a document of its own
  @Test func repeatsAreCountedWithinADocument() throws {
    let options = SerializerOptions.with { $0.cycles = .repeatAsKey }
    let serializer = try Serializer(Pair.mapping, options: options)
    let shared = Pair()
    let two = (1...2).map { id in
      let object = Pair()
      (object.id, object.other) = (id, shared)
      return object
    }
    shared.other = Pair()
    var array = Pieces()
    try serializer.export(two) { array.take($0) }
    #expect(array.text == #"[{"id":1,"other":{"id":0,"other":{"id":0}}},{"id":2,"other":{"id":0}}]"#)
    var lines = Pieces()
    try serializer.export(two, options: Self.lines) { lines.take($0) }
    #expect(
      lines.text == #"{"id":1,"other":{"id":0,"other":{"id":0}}}"# + "\n"
        + #"{"id":2,"other":{"id":0,"other":{"id":0}}}"# + "\n")
  }
}
