import FastMapCore
import TestSupport
import Testing

@Suite struct SerializerCycleTests {
  /// FEM-194, WAM-112, WAM-114, BUG-55, BUG-61, BUG-62, Q-14
  @Test(arguments: [
    (
      SerializerOptions.Cycles.ancestorAsKey,
      #"{"meta":{"id":1,"members":[{"id":"a","club":{"meta":{"id":1}},"friend":{"id":"b","#
        + #""club":{"meta":{"id":1}},"friend":{"id":"a"}}},{"id":"b","club":{"meta":{"id":1}},"#
        + #""friend":{"id":"a","club":{"meta":{"id":1}},"friend":{"id":"b"}}}]},"name":"C"}"#
    ),
    (
      .entityAsKey,
      #"{"meta":{"id":1,"members":[{"id":"a","club":{"meta":{"id":1}},"friend":{"id":"b"}},"#
        + #"{"id":"b","club":{"meta":{"id":1}},"friend":{"id":"a"}}]},"name":"C"}"#
    ),
    (
      .repeatAsKey,
      #"{"meta":{"id":1,"members":[{"id":"a","club":{"meta":{"id":1}},"friend":{"id":"b","#
        + #""club":{"meta":{"id":1}},"friend":{"id":"a"}}},{"id":"b"}]},"name":"C"}"#
    ),
  ])
  func cyclesEndInKeys(_ cycles: SerializerOptions.Cycles, _ expected: String) throws {
    #expect(try serialized(Graph.club, Graph.clubs) { $0.cycles = cycles } == expected)
  }

  /// Q-14
  @Test(arguments: [
    (0, #"{"meta":{"id":1,"members":[{"id":"a"},{"id":"b"}]},"name":"C"}"#),
    (
      1,
      #"{"meta":{"id":1,"members":[{"id":"a","club":{"meta":{"id":1}},"friend":{"id":"b"}},"#
        + #"{"id":"b","club":{"meta":{"id":1}},"friend":{"id":"a"}}]},"name":"C"}"#
    ),
  ])
  func depthIsCountedInRelationships(_ depth: Int, _ expected: String) throws {
    #expect(try serialized(Graph.club, Graph.clubs) { $0.depth = depth } == expected)
  }

  @Test func objectsWithoutAKeyAreNestedAtAnyDepth() throws {
    let stored = Graph {
      $0.add(1, "Part", ["n": 1], one: ["inner": 2])
      $0.add(2, "Part", ["n": 2], many: ["parts": [3, 4]])
      $0.add(3, "Part")
      $0.add(4, "Part", ["n": 4])
    }
    for cycles in SerializerOptions.Cycles.allCases {
      let text = try serialized(Graph.part, stored) {
        $0.depth = 0; $0.cycles = cycles
      }
      #expect(text == #"{"n":1,"inner":{"n":2,"parts":[{},{"n":4}]}}"#)
    }
  }

  /// WAM-113, WAM-120, BUG-59: it has no short form
  @Test func anObjectWithoutAKeyIsLeftOutInsideOfItself() throws {
    let parts = Graph {
      $0.add(1, "Part", ["n": 1], one: ["inner": 2], many: ["parts": [1]])
      $0.add(2, "Part", ["n": 2], one: ["inner": 1], many: ["parts": [1, 2, 3]])
      $0.add(3, "Part", ["n": 3])
    }
    // its mapping has a key, and it has none
    let members = Graph {
      $0.add(1, "Member", one: ["friend": 2])
      $0.add(2, "Member", ["id": "x"], one: ["friend": 1])
    }
    for cycles in SerializerOptions.Cycles.allCases {
      #expect(
        try serialized(Graph.part, parts) { $0.cycles = cycles }
          == #"{"n":1,"inner":{"n":2,"parts":[{"n":3}]}}"#)
      #expect(try serialized(Graph.member, members) { $0.cycles = cycles } == #"{"friend":{"id":"x"}}"#)
    }
  }

  /// BUG-60: a store may give objects of two entities the same number
  @Test(arguments: SerializerOptions.Cycles.allCases)
  func objectsWithTheSameNumberAreNotMistaken(_ cycles: SerializerOptions.Cycles) throws {
    let inner = Mapping("B", primaryKey: "id") { Attribute("id", .string) }
    let middle = Mapping("C", primaryKey: "id") {
      Attribute("id", .string)
      ToOne("one", inner)
    }
    let mapping = Mapping("A", primaryKey: "id") {
      Attribute("id", .string)
      ToOne("one", middle)
      ToMany("many", inner)
      ToOne("last", middle)
    }
    let plan = try Plan(mapping)
    let options = SerializerOptions.with { $0.cycles = cycles }
    var reader = SameNumberReader(schema: plan.schema)
    var output = JSONWriter()
    try Serializer(plan, options: options).write(ObjectID(rawValue: 1), from: &reader, to: &output)
    let last = cycles != .ancestorAsKey ? #"{"id":"C"}"# : #"{"id":"C","one":{"id":"B"}}"#
    #expect(
      String(decoding: output.bytes, as: UTF8.self)
        == #"{"id":"A","one":{"id":"C","one":{"id":"B"}},"many":[{"id":"B"}],"last":\#(last)}"#)
  }

  /// One object in each entity, with the number 1 and the entity's name for a key.
  private struct SameNumberReader: StoreReader {
    let schema: Schema

    mutating func use(_ schema: Schema) {}
    mutating func find(_ keys: [PrimaryKey], of entity: Int) -> [ObjectID?] { keys.map { _ in nil } }
    mutating func read(_ ids: [ObjectID], of entity: Int, _ body: (Int, Row) throws -> Void) throws {
      var buffer = RowBuffer()
      for (index, id) in ids.enumerated() where read(id, of: entity, into: &buffer) {
        try body(index, buffer.row)
      }
    }
    mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) -> Bool {
      buffer.reset(count: schema.entities[entity].fields.count)
      for (index, field) in schema.entities[entity].fields.enumerated() {
        switch field.kind {
        case .attribute: buffer.set(.string(schema.entities[entity].name), at: index)
        case .toOne: buffer.copy(.target(ObjectID(rawValue: 1)), at: index)
        case .toMany: break
        }
      }
      return true
    }
    mutating func targets(of owners: [ObjectID], entity: Int, fields: [Int]) -> [[[ObjectID]]] {
      fields.map { _ in owners.map { _ in [ObjectID(rawValue: 1)] } }
    }
    mutating func forEachPage(
      of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
      _ body: (inout Self, ObjectPage) throws -> Bool
    ) {}
    mutating func count(of entity: Int) -> Int { 1 }
  }

  // WAM-114, WAM-115, BUG-61, Q-14: a root object is written in full, and so is an object that another root has
  // written, unless repeats are asked for
  @Test(arguments: StoreKind.allCases)
  func anExportBeginsAnewWithEachRootObject(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.member)
    try world.load(#"[{"id":1,"club":{"id":5,"name":"Z"}},{"id":2,"club":{"id":5,"members":[2,1]}}]"#)
    func export(_ cycles: SerializerOptions.Cycles?) throws -> String {
      let options = SerializerOptions.with { $0.cycles = cycles }
      return try world.export(nil, options)
    }
    let club = #"{"id":5,"name":"Z","members":[{"id":2},{"id":1}]}"#
    try #expect(export(nil) == #"[{"id":1,"club":\#(club)},{"id":2,"club":\#(club)}]"#)
    let first = #"{"id":5,"name":"Z","members":[{"id":2,"club":{"id":5}},{"id":1}]}"#
    try #expect(export(.repeatAsKey) == #"[{"id":1,"club":\#(first)},{"id":2,"club":{"id":5}}]"#)
  }
}
