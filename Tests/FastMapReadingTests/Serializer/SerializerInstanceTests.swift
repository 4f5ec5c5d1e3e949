import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

private final class Knot {
  var id: Int?
  var one: Knot?
  var many: [Knot] = []

  static let mapping: Mapping<Knot> = Mapping(Knot.self, "Knot", primaryKey: "id", make: { Knot() }) {
    Attribute("id", \.id)
    ToOne("one", \.one, Knot.mapping)
    ToMany("many", \.many, Knot.mapping)
  }

  init() {}

  convenience init(_ id: Int?) {
    self.init()
    self.id = id
  }
}

/// The knot of records.
private let knot: Mapping<Record> = Mapping("Knot", primaryKey: "id") {
  Attribute("id", .integer)
  ToOne("one", knot)
  ToMany("many", knot)
}

/// Graphs of instances: they end, and leave nothing behind.
@Suite struct SerializerInstanceTests {
  private static func text(
    _ knot: Knot, _ change: (inout SerializerOptions) -> Void = { _ in }
  ) throws -> String {
    var options = SerializerOptions()
    change(&options)
    return try Serializer(Knot.mapping, options: options).json(of: knot)
  }

  /// FEM-194, WAM-112, BUG-55, BUG-62, Q-14: the same text as of the same graph in a store
  @Test(arguments: SerializerOptions.Cycles.allCases)
  func instancesAreWrittenAsStoredObjectsAre(_ cycles: SerializerOptions.Cycles) throws {
    var random = Random(seed: 7)
    for round in 0..<TestSize.rounds(small: 12, whole: 60) {
      let knots = (1...Int.random(in: 1...6, using: &random)).map { Knot($0 % 4 == 0 ? nil : $0) }
      var graph = Graph()
      for (index, knot) in knots.enumerated() {
        let one = Bool.random(using: &random) ? knots.indices.randomElement(using: &random) : nil
        let many = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in
          knots.indices.randomElement(using: &random)
        }
        knot.one = one.map { knots[$0] }
        knot.many = many.map { knots[$0] }
        graph.add(
          UInt64(index + 1), "Knot", knot.id.map { ["id": .init(.integer(Int64($0)))] } ?? [:],
          one: one.map { ["one": UInt64($0 + 1)] } ?? [:], many: ["many": many.map { UInt64($0 + 1) }])
      }
      let change: (inout SerializerOptions) -> Void = {
        $0.cycles = cycles
        $0.includesNulls = round % 2 == 0
        $0.depth = round % 3 == 0 ? 2 : nil
      }
      #expect(
        try Self.text(knots[0], change)
          == serialized(
            FastMapReadingTests.knot, graph, 1, in: round % 4 == 0 ? StoreKind.allCases : [], change))
      for knot in knots { (knot.one, knot.many) = (nil, []) }
    }
  }

  /// WAM-119, BUG-48: equal keys do not make two instances one
  @Test func twoInstancesWithOneKeyAreTwoObjects() throws {
    let outer = Knot(1)
    outer.one = Knot(1)
    outer.one?.many = [Knot(1), outer]
    for cycles in [SerializerOptions.Cycles.ancestorAsKey, .repeatAsKey] {
      #expect(
        try Self.text(outer) { $0.cycles = cycles }
          == #"{"id":1,"one":{"id":1,"many":[{"id":1},{"id":1}]}}"#)
    }
    outer.one?.many[0].one = Knot(9)
    for cycles in [SerializerOptions.Cycles.ancestorAsKey, .repeatAsKey] {
      #expect(
        try Self.text(outer) { $0.cycles = cycles }
          == #"{"id":1,"one":{"id":1,"many":[{"id":1,"one":{"id":9}},{"id":1}]}}"#)
    }
    outer.one = nil
  }

  @Test func relationshipsWithoutKeyPathAreWrittenIntoTheirOwner() throws {
    final class Owner {
      var id = 0
      var knot: Knot?
    }
    let inner = Mapping(Knot.self, "Knot", primaryKey: "id", make: { Knot() }) {
      Attribute("id", \.id, at: "knot.id")
    }
    let mapping = Mapping(Owner.self, "Owner", primaryKey: "id", make: Owner.init) {
      Attribute("id", \.id)
      ToOne("knot", \.knot, inner, at: .wholeValue)
    }
    let owner = Owner()
    #expect(try Serializer(mapping).json(of: owner) == #"{"id":0}"#)
    owner.knot = Knot(7)
    #expect(try Serializer(mapping).json(of: owner) == #"{"id":0,"knot":{"id":7}}"#)
  }

  @Test func deepGraphsNeedNoStack() throws {
    let depth = TestSize.count(small: 5000, whole: 100_000)
    let length = try onSmallStack {
      let knots = (0..<depth).map { _ in Knot() }
      for index in 1..<depth { knots[index - 1].one = knots[index] }
      // Or each would release the next.
      defer { for knot in knots { knot.one = nil } }
      return try Self.text(knots[0]).utf8.count
    }
    #expect(length == depth * 8 - 6)
  }

  @Test func nothingIsKeptAfterwards() throws {
    let serializer = try Serializer(Knot.mapping)
    weak var root: Knot?
    weak var target: Knot?
    try {
      let knot = Knot(1)
      knot.many = [Knot(2)]
      (root, target) = (knot, knot.many[0])
      let text = try serializer.json(of: knot)
      #expect(text == #"{"id":1,"many":[{"id":2}]}"#)
    }()
    #expect(root == nil)
    #expect(target == nil)
  }

  private final class Mirror {
    var id = 1
    var other: Mirror? {
      get { Mirror() }
      set {}
    }
    static let mapping: Mapping<Mirror> = Mapping(Mirror.self, "Mirror", primaryKey: "id", make: Mirror.init)
    {
      Attribute("id", \.id)
      ToOne("other", \.other, Mirror.mapping)
    }
  }

  @Test func aRelationshipThatMakesInstancesEndsWithADepth() throws {
    var options = SerializerOptions.with { ($0.depth, $0.cycles) = (2, .ancestorAsKey) }
    #expect(
      try Serializer(Mirror.mapping, options: options).json(of: Mirror())
        == #"{"id":1,"other":{"id":1,"other":{"id":1,"other":{"id":1}}}}"#)
    options = SerializerOptions()
    options.cycles = .entityAsKey
    #expect(
      try Serializer(Mirror.mapping, options: options).json(of: Mirror()) == #"{"id":1,"other":{"id":1}}"#)
    // By default it ends where the text has become too large.
    options.cycles = nil
    options.maxObjectBytes = 100_000
    #expect(throws: MappingError.self) { try Serializer(Mirror.mapping, options: options).json(of: Mirror()) }
  }
}
