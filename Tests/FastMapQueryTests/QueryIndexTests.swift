import FastMapCore
import FastMapQueries
import TestSupport
import Testing

/// Conditions of a filter that an index cannot decide, among so many objects that the index is used.
@Suite struct QueryIndexTests {
  private static func expectIndex(
    _ snapshot: inout Snapshot, _ query: Query<Plan>, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let explanation = try snapshot.explain(query)
    if case .index = explanation.access { return }
    Issue.record("\(explanation)", sourceLocation: location)
  }

  private static let stores = StoreKind.allCases.filter { $0 == .memory || $0 == .lmdb }

  /// An entry has the start of a long string only.
  @Test(arguments: stores)
  func aPrefixThatIsLongerThanAnEntryIsTestedOfEachObject(_ kind: StoreKind) throws {
    let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string)
      Index("name")
    }
    let world = try World(kind, item)
    let long = String(repeating: "a", count: 400)
    let items = (0..<200).map {
      #"{"id":\#($0),"name":"\#($0 < 10 ? long + ($0 % 2 == 0 ? "b" : "c") : "z\($0)")"}"#
    }
    try world.load("[\(items.joined(separator: ","))]")
    let path = FilterPath([FilterStep(.name("name"))])
    let filter = Filter(.text(.path(path), .hasPrefix, .literal(.string(long + "b"))))
    try world.store.read(world.plan()) { snapshot in
      let query = world.plan().where(filter)
      try Self.expectIndex(&snapshot, query)
      try #expect((snapshot.count(query), snapshot.keys(query)) == (5, [0, 2, 4, 6, 8]))
    }
  }

  /// The bound that leaves out more counts, in whichever order they stand.
  @Test(arguments: StoreKind.allCases)
  func twoBoundsAtOneKeyOrValueLeaveItOut(_ kind: StoreKind) throws {
    let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("number", .integer)
      Index("number")
    }
    let world = try World(kind, item)
    let items = (0..<100).map { #"{"id":\#($0),"number":\#($0)}"# }
    try world.load("[\(items.joined(separator: ","))]")
    try world.store.read(world.plan()) { snapshot in
      for (text, count) in [
        ("@.id <= 5 && @.id < 5", 5), ("@.id < 5 && @.id <= 5", 5), ("@.id >= 95 && @.id > 95", 4),
        ("@.id > 95 && @.id >= 95", 4), ("@.number <= 5 && @.number < 5", 5),
        ("@.number < 5 && @.number <= 5", 5), ("@.number >= 95 && @.number > 95", 4),
        ("@.number > 95 && @.number >= 95", 4),
      ] {
        let query = world.plan().where(try Filter(text))
        try #expect(snapshot.count(query) == count, "\(text)")
        try #expect(snapshot.keys(query).count == count, "\(text)")
      }
    }
  }

  private final class Measure {
    var id = 0
    var value: Double?
    static let mapping: Mapping<Measure> = Mapping(
      Measure.self, "Measure", primaryKey: "id", make: { Measure() }
    ) {
      Attribute("id", \.id)
      Attribute(
        "value", \.value,
        transform: Transform(reading: { value in
          value.string == "none" ? .value(.nan) : value.number.map { .value($0) } ?? .null
        }))
      Index("value")
    }
  }

  /// It sorts behind all numbers, and is not greater than one. A store in memory keeps no index of objects of a class.
  @Test(arguments: stores.filter { $0 == .lmdb })
  func notANumberIsAboveNoBound(_ kind: StoreKind) throws {
    let store = try kind.make()
    let items = (0..<200).map { #"{"id":\#($0),"value":\#($0 < 3 ? "\"none\"" : $0 == 3 ? "2" : "-1")}"# }
    _ = try Mapper(store).importJSON("[\(items.joined(separator: ","))]", as: Measure.mapping)
    let plan = try Measure.mapping.plan()
    try store.read(plan) { snapshot in
      for text in ["@.value > 1", "@.value >= 2", "@.value > 1 && @.value < 3"] {
        let query = plan.where(try Filter(text))
        try Self.expectIndex(&snapshot, query)
        try #expect(snapshot.count(query) == 1, "\(text)")
        try #expect(snapshot.records(query).map(\.key) == [3], "\(text)")
      }
    }
  }
}
