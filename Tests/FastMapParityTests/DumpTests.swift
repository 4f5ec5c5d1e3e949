import FastMapCore
import TestSupport
import Testing

/// Whole stores as text, from each store into each other one, and back.
@Suite struct DumpTests {
  private let scratch = Scratch()

  private func load(_ text: String, into store: some Store) throws -> DumpLoadReport {
    try scratch.write(text, to: "all.dump")
    return try store.load(JSONLines(scratch.path("all.dump")))
  }

  private func expectSound(_ store: any Store, _ place: SourceLocation = #_sourceLocation) throws {
    guard let store = store as? any PersistentStore else { return }
    #expect(try store.check().problems == [], sourceLocation: place)
  }

  private func expectEqual(
    _ found: String, _ expected: String, _ place: SourceLocation = #_sourceLocation
  ) {
    guard found != expected else { return }
    let (a, b) = (found.split(separator: "\n"), expected.split(separator: "\n"))
    let line = zip(a, b).enumerated().first { $1.0 != $1.1 }?.offset ?? min(a.count, b.count)
    Issue.record(
      "line \(line + 1): found \(a.dropFirst(line).first ?? "nothing"), expected \(b.dropFirst(line).first ?? "nothing")",
      sourceLocation: place)
  }

  // MARK: Stores of every kind

  private static let mappings = Result { try MappingSet(file: Array(mappingFile.utf8)) }

  private static let mappingFile = #"""
    {"fastmap": 1, "mappings": {
      "All": {"primaryKey": "id", "indexes": [["text", "-whole"], ["next"], {"fields": ["at"], "unique": true}],
        "attributes": {
          "id": "string", "yes": "boolean", "whole": "integer", "real": "number", "text": "string", "exact": "decimal",
          "at": "date", "bytes": "data", "any": "json"},
        "relationships": {
          "next": {"mapping": "All"}, "friends": {"mapping": "All", "toMany": true},
          "parts": {"mapping": "Part", "toMany": true}, "one": {"mapping": "Part"},
          "notes": {"mapping": "Note", "toMany": true, "policy": "replace"},
          "issues": {"mapping": "Issue", "toMany": true}, "steps": {"mapping": "Step", "toMany": true},
          "later": {"mapping": "Key", "toMany": true}}},
      "Part": {"attributes": {"name": "string"}, "relationships": {"all": {"mapping": "All"}}},
      "Note": {"primaryKey": "number", "missingPrimaryKey": "insert",
        "attributes": {"number": "integer", "text": "string"}},
      "Issue": {"primaryKey": ["repo", "number"], "attributes": {"repo": "string", "number": "integer"}},
      "Step": {"primaryKey": "number", "keyScope": "parent", "attributes": {"number": "integer", "text": "string"}},
      "Key": {"entity": "Later", "primaryKey": "id", "attributes": {"id": {"type": "integer", "keyPath": null}}},
      "Event": {"primaryKey": "id", "kinds": {"keyPath": "type", "values": {"p": "Push", "w": "Watch"}}},
      "Push": {"entity": "Event", "primaryKey": "id", "attributes": {"id": "integer", "size": "integer"}},
      "Watch": {"entity": "Event", "primaryKey": "id", "attributes": {"id": "integer", "action": "string"}},
      "Empty": {"primaryKey": "id", "attributes": {"id": "integer"}, "indexes": [["-id"]]}}}
    """#

  private static let payloads = [
    (
      "All",
      #"""
      [{"id": "b", "yes": true, "whole": -9223372036854775808, "real": 0.1, "text": "a\u0000\"\u0001é😀\n",
        "exact": "1.50", "at": "2026-11-22T07:54:21.000000001Z", "bytes": "AP8=",
        "any": {"x": [1, 1.50, 12345678901234567890123, null], "a": "\u0000"},
        "next": {"id": "a", "friends": [{"id": "b"}, {"id": "c"}, {"id": "b"}]},
        "parts": [{"name": "p"}, {"name": "q", "all": {"id": "b"}}, {}], "one": {"name": "r"},
        "notes": [{"number": 7, "text": "x"}, {"number": -1}], "later": [5, 1, 3],
        "issues": [{"repo": "r", "number": 1}, {"repo": "r", "number": 10}], "steps": [{"number": 1, "text": "s"}]},
       {"id": "", "real": -0.0, "text": "", "bytes": "", "any": "s", "yes": false, "at": "1969-12-31T23:59:59Z"},
       {"id": "e\u0301", "real": 5e-324}, {"id": "\u00e9", "exact": "-0.00000000000000000000001"},
       {"id": "\u0000"}, {"id": "\u0000\u0001"}, {"id": "\u0001"}, {"id": "a\u0000"}, {"id": "\u007f"},
       {"id": "d", "real": 1e300, "whole": 9223372036854775807, "any": 1E400, "exact": "99999999999999999999999999999999999999",
        "steps": [{"number": 1, "text": "t"}], "at": "9999-12-31T23:59:59Z"}]
      """#
    ),
    ("Part", #"[{"name": "nobody's"}]"#),
    // Numbers with gaps, and lists that were changed in the middle.
    (
      "All",
      #"[{"id": "b", "parts": [{"name": "p"}], "notes": [{"number": -1}], "at": "2020-01-01T00:00:00Z"}]"#
    ),
    ("Note", #"[{"number": 9}, {"text": "no number"}, {"text": "nor here"}]"#),
    ("Part", #"[{"name": "last"}]"#),
    ("Event", #"[{"id": 1, "size": 3, "type": "p"}, {"id": 2, "action": "x", "type": "w"}]"#),
    ("Empty", #"[{"id": 4}]"#), ("Key", "[1]"),
  ]

  private func fill(_ store: some Store) throws {
    for (name, json) in Self.payloads {
      _ = try Mapper(store).importJSON(Array(json.utf8), as: Self.mappings.get().plan(for: name))
    }
    let bits = [
      "7ff0000000000000", "fff0000000000000", "7ff8000000000000", "fff800000000beef", "8000000000000000",
      "0000000000000001",
    ]
    let json = bits.map { #"{"id": "\#($0)", "real": "\#($0)", "whole": 18446744073709551615}"# }
    _ = try Mapper(store).importJSON(Array("[\(json.joined(separator: ","))]".utf8), as: Measure.mapping)
  }

  private final class Measure {
    var id = ""
    var whole: UInt64 = 0
    var real = 0.0

    static let mapping = Mapping(Measure.self, "Measure", primaryKey: "id", make: { Measure() }) {
      Attribute("id", \.id)
      Attribute("whole", \.whole)
      Attribute(
        "real", \.real,
        transform: Transform<Double>(reading: {
          .value(Double(bitPattern: UInt64($0.string ?? "", radix: 16) ?? 0))
        }))
    }
  }

  private static let ways = StoreKind.allCases.flatMap { from in StoreKind.allCases.map { (from, $0) } }

  @Test(arguments: ways)
  func aLoadedStoreHasTheSameDump(_ from: StoreKind, _ to: StoreKind) throws {
    let (store, loaded) = (try from.make(), try to.make())
    try fill(store)
    let text = try store.dumped()
    #expect(text.contains("fff800000000beef") && text.contains(#"{"fields":["at"],"unique":true}"#))
    let report = try load(text, into: loaded)
    #expect(report.objectCount == text.split(separator: "\n").count { $0.contains(#""values":"#) })
    expectEqual(try loaded.dumped(), text)
    try expectSound(loaded)
    // Both go on alike.
    let plan = try Self.mappings.get().plan(for: "All")
    let json = Array(
      #"[{"id": "a", "text": "new"}, {"id": "z", "friends": [{"id": "b"}], "parts": [{"name": "y"}]}]"#.utf8)
    for store in [store, loaded] {
      let report = try Mapper(store).importJSON(json, as: plan)
      #expect(report["All"]?.inserted == 1 && report["All"]?.updated == 1, "\(report)")
      let duplicate = Array(#"[{"id": "y", "at": "2020-01-01T00:00:00Z"}]"#.utf8)
      #expect(throws: MappingError.self) { try Mapper(store).importJSON(duplicate, as: plan) }
    }
    expectEqual(try loaded.dumped(), try store.dumped())
    #expect(try loaded.exported(plan) == store.exported(plan))
    try expectSound(loaded)
  }

  @Test(arguments: StoreKind.allCases)
  func aLongListIsManyLines(_ kind: StoreKind) throws {
    let node: Mapping<Record> = Mapping("Node", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("others", Mapping("Other", primaryKey: "id") { Attribute("id", .integer) })
      ToMany("more", Mapping("Other", primaryKey: "id") { Attribute("id", .integer) })
    }
    let targets = (0..<2501).map { "\(($0 * 7) % 300)" }.joined(separator: ",")
    let store = try kind.make()
    _ = try Mapper(store).importJSON(
      Array(
        #"[{"id": 1, "others": [\#(targets)], "more": [2, 1]}, {"id": 0, "others": [\#(targets)]}]"#.utf8),
      as: node)
    let text = try store.dumped()
    #expect(text.split(separator: "\n").count { $0.contains(#""list":"others""#) } == 6)
    let loaded = try kind.make()
    #expect(try load(text, into: loaded).targetCount == 5004)
    expectEqual(try loaded.dumped(), text)
    #expect(try loaded.exported(node) == store.exported(node))
    try expectSound(loaded)
  }

  /// More objects than are read and written together, with links to later ones.
  @Test(arguments: StoreKind.allCases)
  func manyObjectsComeInBatches(_ kind: StoreKind) throws {
    let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("next", Mapping("Item", primaryKey: "id") { Attribute("id", .integer) })
      Index("next", "-id")
    }
    let count = 9000
    let rows = (0..<count).map { #"{"id": \#(($0 * 7919) % count), "next": {"id": \#(($0 * 31) % count)}}"# }
    let store = try kind.make()
    _ = try Mapper(store).importJSON(Array("[\(rows.joined(separator: ","))]".utf8), as: item)
    let loaded = try kind.make()
    let text = try store.dumped()
    #expect(try load(text, into: loaded).objectCount == count)
    expectEqual(try loaded.dumped(), text)
    try expectSound(loaded)
  }

  @Test(arguments: StoreKind.allCases)
  func namesThatSwiftHasEqualAreToldApart(_ kind: StoreKind) throws {
    let schema = Schema(entities: [
      .init(name: "Caf\u{E9}", fields: [.init(name: "na\u{EF}ve", kind: .attribute(.string))], keyKind: nil),
      .init(
        name: "Cafe\u{301}", fields: [.init(name: "nai\u{308}ve", kind: .attribute(.string))], keyKind: nil),
    ])
    let store = try kind.make()
    try store.make(schema)
    let loaded = try kind.make()
    let text = try store.dumped()
    _ = try load(text, into: loaded)
    expectEqual(try loaded.dumped(), text)
  }

  @Test(arguments: StoreKind.allCases)
  func aStoreWithoutObjectsIsLoadedAndGoesOn(_ kind: StoreKind) throws {
    let item = Mapping<Record>("Item", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("price", .decimal)
      ToMany("notes", Mapping("Note") { Attribute("text", .string) })
      Index("price")
    }
    let (none, store, loaded) = (try kind.make(), try kind.make(), try kind.make())
    #expect(try load(none.dumped(), into: store).objectCount == 0)
    _ = try Mapper(store).importJSON("[]", as: item)
    let text = try store.dumped()
    #expect(try load(text, into: loaded).objectCount == 0)
    // A write that changes nothing keeps no entities in some stores.
    for json in ["[]", #"{"id": "a", "price": 1.50, "notes": [{"text": "x"}]}"#] {
      for store in [store, loaded] {
        #expect(try Mapper(store).importJSON(json, as: item).notes == [])
        try expectSound(store)
      }
    }
    expectEqual(try loaded.dumped(), try store.dumped())
  }

  // MARK: Faults

  private static let small = """
    {"fastmapDump":1,"entities":[{"name":"A","key":"id","objects":2,"fields":[{"name":"id","type":"integer"},{"name":"n","type":"string"},{"name":"to","toOne":"A"},{"name":"all","toMany":"A"}],"indexes":[{"fields":["n"],"unique":true}]}]}
    {"entity":"A","object":1,"values":{"id":5,"n":"x","to":2}}
    {"entity":"A","object":1,"list":"all","targets":[2,1,2]}
    {"entity":"A","object":2,"values":{"id":6,"n":"y"}}
    {"end":true,"objects":2,"targets":3}

    """

  private static let damages: [(old: String, new: String, message: String)] = [
    (#""n":"x""#, #""n":7"#, "line 2, $.values.n: expected a string, found the number 7"),
    (#""to":2"#, #""to":3"#, "line 2, $.values.to: object 3 of A is missing from the dump"),
    ("[2,1,2]", "[2,3,2]", "line 3, $.targets[1]: object 3 of A is missing from the dump"),
    (
      #""object":2,"#, #""object":1,"#,
      "line 4, $.object: expected 2, the next object of its entity, found the number 1"
    ),
    (#""id":6"#, #""id":5"#, "line 4, $.values.id: the key 5 occurs twice"),
    (#""id":6"#, #""id":4"#, "line 4, $.values.id: the keys of an entity must ascend"),
    (
      #""object":1,"values""#, #""object":1,"keyless":true,"values""#,
      "line 4, $.values.id: objects with a key"
    ),
    (#""n":"y""#, #""n":"x""#, "\"x\""),
    ("[2,1,2]", "[2,1]", "line 5, $.targets: the dump has 2 targets, its last line says 3"),
    (#""targets":3}"#, #""targets":3,"checksum":"00000000"}"#, "the checksum does not match"),
    (
      #""objects":2,"fields""#, #""objects":9000000000000000,"fields""#, "line 5: the dump has 2 objects of A"
    ),
    ("\n{\"end\":true,\"objects\":2,\"targets\":3}", "", "the dump is truncated"),
  ]

  @Test(arguments: StoreKind.allCases)
  func aFaultyDumpLeavesTheStoreWithoutObjects(_ kind: StoreKind) throws {
    let store = try kind.make()
    let mapping = Mapping<Record>("A", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("n", .string)
    }
    for damage in Self.damages {
      let text = Self.small.replacing(damage.old, with: damage.new, maxReplacements: 1)
      #expect(text != Self.small)
      do {
        _ = try load(text, into: store)
        Issue.record("the dump was loaded: \(damage.new)")
      } catch {
        #expect("\(error)".contains(damage.message), "\(error)")
      }
      #expect(try store.read(mapping) { try $0.records("A").count } == 0)
    }
    #expect(try load(Self.small, into: store).objectCount == 2)
    let before = try store.dumped()
    #expect(before.contains(#""targets":[2,1,2]"#))
    let refused = try #require(throws: DumpError.self) { try load(Self.small, into: store) }
    #expect(
      refused.reason == "the store already has 2 objects; a dump can only be loaded into an empty store")
    #expect(try store.dumped() == before)
  }

  @Test(arguments: StoreKind.allCases)
  func aKeyThatTheStoreCannotHoldIsNamed(_ kind: StoreKind) throws {
    let key = String(repeating: "k", count: 3000)
    let text = Self.small.replacing(#""name":"id","type":"integer""#, with: #""name":"id","type":"string""#)
      .replacing(#""id":5"#, with: #""id":"b""#).replacing(#""id":6"#, with: "\"id\":\"\(key)\"")
    let store = try kind.make()
    do {
      #expect(try load(text, into: store).objectCount == 2)
      #expect(kind == .memory)
    } catch let error as DumpError {
      #expect(error.line == 4 && error.reason.hasPrefix("expected a key of at most"), "\(error)")
      #expect(kind != .memory)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func leftoversOfAnImportKeepADumpBack(_ kind: StoreKind) throws {
    let store = try kind.make()
    let plan = try Plan(Mapping<Record>("A", primaryKey: "id") { Attribute("id", .integer) })
    _ = try Mapper(store).importJSON(#"[{"id":1},{"id":2}]"#, as: plan)
    let keeper = try store.keepLeftover(1, of: plan)
    let refused = try #require(throws: DumpError.self) { try store.dumped() }
    #expect(
      refused.description
        == "the store: an import in several commits is running, or has ended before its last one; import again, and dump then"
    )
    try store.takeLeftovers(of: keeper, plan)
    #expect(try store.dumped().contains(#""objects":2"#))
  }
}

extension Store {
  fileprivate func make(_ schema: Schema) throws {
    _ = try prepare(schema)
    try write(schema) { _ in .commit(()) }
  }

  fileprivate func keepLeftover(_ key: PrimaryKey, of plan: Plan) throws -> AnyObject? {
    try write(plan.schema) { writer in
      let id = try #require(try writer.reader.find([key], of: 0)[0])
      let left = Leftover(id: id, entity: 0, isOwned: false, deletesShared: false)
      return .commit(try writer.keepLeftovers([left], of: nil))
    }
  }

  fileprivate func takeLeftovers(of keeper: AnyObject?, _ plan: Plan) throws {
    try write(plan.schema) { writer in .commit(_ = try writer.claimLeftovers(of: keeper)) }
  }

  fileprivate func dumped() throws -> String {
    var bytes: [UInt8] = []
    try dump { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }
}
