import FastMapCore
import TestSupport
import Testing

/// A number that is none is a value like others, on every store.
@Suite struct NotANumberTests {
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
    }
  }

  @Test(arguments: StoreKind.allCases)
  func itIsKeptAndGivenBack(_ kind: StoreKind) throws {
    let world = try World(kind, Measure.mapping)
    try world.load(#"[{"id":1,"value":"none"},{"id":2},{"id":3,"value":5}]"#)
    func expect(_ filter: String, _ keys: [PrimaryKey]) throws {
      let query = try Query(Measure.mapping).where(Filter(filter)).sorted(by: "value")
      let found = try world.store.read(world.plan()) { try $0.keys(query) }
      #expect(found == keys, "\(filter)")
    }
    try expect("@.id > 0", [2, 3, 1])
    try expect("@.value", [3, 1])
    try expect("@.value == null", [2])
    try expect("@.value > 1", [3])
    try expect("@.value < 1e300", [3])
    try expect("@.value != 5", [2, 1])
    let values = try world.store.read(world.plan()) { try $0.objects(Measure.mapping).map(\.value) }
    #expect(values.map { $0?.isNaN } == [true, nil, false])
    let text = try world.export()
    #expect(text.contains(#"{"id":1}"#), "\(text)")

    try world.store.withContext(for: Measure.mapping) { context in
      let measure = try context.object(Measure.mapping, key: 3)
      measure?.value = .nan
      try context.save()
    }
    let edited = try world.store.read(world.plan()) { try $0.object(Measure.mapping, key: 3) }
    #expect(edited?.value?.isNaN == true)
    try expect("@.value > 1", [])
  }
}
