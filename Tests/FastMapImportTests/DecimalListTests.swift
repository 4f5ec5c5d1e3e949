import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

/// Lists of decimals: `"prices": ["decimal"]`.
@Suite struct DecimalListTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {"A": {
          "primaryKey": "id",
          "attributes": {
            "id": "integer", "prices": ["decimal"], "soft": {"type": ["decimal"], "lenient": true},
            "given": {"type": ["decimal"], "default": ["7.50", 1.10]},
            "sums": {"type": ["decimal"], "keyPath": "lines[].sum"}, "any": "json"}}}}
        """#)
  }

  static func world(_ kind: StoreKind) throws -> World { try World(kind, file.get().plan(for: "A")) }

  struct Case: Sendable, CustomTestStringConvertible {
    /// The members beside the key.
    var json: String
    /// The export; nil where it is the payload.
    var export: String?
    var failure: String?
    var testDescription: String { json }
  }

  private static let digits = String(repeating: "1234567890", count: 4)
  private static let expected = "expected a decimal of at most 38 digits, found "

  static let cases = [
    Case(json: #""prices":[1.10,-0.0,1E+400,12345678901234567890123456789.50,0,7],"given":[]"#),
    Case(
      json: #""prices":["12.340","-1e5",1.0],"given":[]"#, export: #""prices":[12.340,-1e5,1.0],"given":[]"#),
    Case(json: #""prices":[],"given":[0.10]"#),
    Case(json: #""prices":null"#, export: #""given":[7.50,1.10]"#),
    Case(json: #""soft":["3",1.50],"given":null"#, export: #""soft":[3,1.50],"given":null"#),
    Case(json: #""soft":"","given":[]"#, export: #""given":[]"#),
    Case(
      json: #""given":[],"lines":[{"sum":1.10},{},{"sum":"2.50"}]"#,
      export: #""given":[],"lines":[{"sum":1.10},null,{"sum":2.50}]"#),
    Case(json: #""prices":1.5"#, failure: "prices: expected an array, found the number 1.5"),
    Case(json: #""prices":[1.5,"x"]"#, failure: #"prices[1]: \#(expected)the string "x""#),
    Case(json: #""prices":[""]"#, failure: #"prices[0]: \#(expected)the string """#),
    Case(json: #""prices":[true]"#, failure: "prices[0]: \(expected)true"),
    Case(json: #""prices":[null]"#, failure: "prices[0]: \(expected)null"),
    Case(json: #""prices":[[1]]"#, failure: "prices[0]: \(expected)an array"),
    Case(
      json: #""prices":[1,\#(digits.prefix(39))]"#,
      failure: "prices[1]: \(expected)the number \(digits.prefix(39))"),
    Case(
      json: #""prices":[1e6145]"#,
      failure: "prices[0]: expected a decimal with an exponent from -6144 to 6144, found the number 1e6145"),
    Case(json: #""lines":[{"sum":1},{"sum":"x"}]"#, failure: #"lines[1].sum: \#(expected)the string "x""#),
  ]

  @Test(arguments: TestSize.onStores(cases, others: 7))
  func eachElementKeepsItsDigits(_ kind: StoreKind, _ example: Case) throws {
    try DecimalTests.expect(
      #"[{"id":1,\#(example.json)}]"#, export: #"[{"id":1,\#(example.export ?? example.json)}]"#,
      failure: example.failure
    ) { try Self.world(kind) }
  }

  @Test(arguments: StoreKind.allCases, ["prices", "any"])
  func filtersAreExact(_ kind: StoreKind, _ field: String) throws {
    let world = try Self.world(kind)
    let lists = [
      "[0.1]", "[0.1000000000000000055511151]", "[9007199254740993.0]", "[12345678901234567890123456789.5,2]",
      "[1e400,1e-400]",
    ]
    let objects = lists.enumerated().map { #"{"id":\#($0.offset),"\#(field)":\#($0.element)}"# }
    try world.load("[\(objects.joined(separator: ",")),{\"id\":9}]")
    for (test, keys) in [
      ("@ == 0.10", [0]), ("@ == 0.1000000000000000055511151", [1]), ("@ > 0.1 && @ < 1", [1]),
      ("@ < 0.1", [4]), ("0.10000000000000000001 > @ && @ > 1e-300", [0]), ("@ == 9007199254740993", [2]),
      ("@ == 9007199254740992", []), ("@ <= 9007199254740993.00 && @ > 9007199254740992.5", [2]),
      ("@ == 12345678901234567890123456789.50", [3]), ("@ == 12345678901234567890123456789", []),
      ("@ >= 12345678901234567890123456789.4", [3, 4]), ("@ == 2", [3]), ("@ == 1e400", [4]),
      ("@ > 1e399 && @ < 1e401", [4]), ("@ == 10e-401", [4]), ("@ != 0.1", [1, 2, 3, 4]),
    ] as [(String, [Int64])] {
      let filter = try Filter("@.\(field)[?\(test)]")
      let found = try world.store.read { try $0.keys(world.plan().where(filter)) }
      #expect(found == keys.map { .integer($0) }, "\(test)")
      #expect(try Filter(filter.description) == filter, "\(test)")
    }
    for (filter, keys) in [
      ("@.\(field)[0] == 0.10", [0]), ("@.\(field)[0] > 12345678901234567890123456789", [3, 4]),
      ("length(@.\(field)) == 2", [3, 4]), ("value(@.\(field)[?@ > 1e-9]) == 9007199254740993.00", [2]),
    ] as [(String, [Int64])] {
      let found = try world.store.read { try $0.keys(world.plan().where(Filter(filter))) }
      #expect(found == keys.map { .integer($0) }, "\(filter)")
    }
  }

  final class Basket {
    var id = 0
    var prices: [DecimalNumber] = []
    var tips: Set<DecimalNumber>?
    var rows: [[DecimalNumber]] = []
    var gaps: [DecimalNumber?] = []

    static let mapping = Mapping(Basket.self, "Basket", primaryKey: "id", make: { Basket() }) {
      Attribute("id", \.id)
      Attribute("prices", \.prices)
      Attribute("tips", \.tips)
      Attribute("rows", \.rows)
      Attribute("gaps", \.gaps)
    }
  }

  private static let baskets = #"""
    [{"id":1,"prices":[12.50,"0.10",12345678901234567890.10],"tips":[0.20,1],"rows":[[1.0],[],["2.50"]],"gaps":[1.0,null]},
     {"id":2,"prices":[3]}]
    """#
  private static let exported =
    #"[{"id":1,"prices":[12.50,0.10,12345678901234567890.10],"tips":[0.20,1],"rows":[[1.0],[],[2.50]],"gaps":[1.0,null]},"#

  @Test(arguments: StoreKind.allCases)
  func aPropertyHasAListOfDecimals(_ kind: StoreKind) throws {
    let world = try World(kind, Basket.mapping, holding: Self.baskets)
    try #expect(world.export() == Self.exported + #"{"id":2,"prices":[3],"rows":[],"gaps":[]}]"#)
    try #expect(world.load(Self.baskets) == "Basket =2")
    let found = try world.store.read { try $0.objects(Basket.mapping) }
    #expect(found[0].prices.map(\.text) == ["12.50", "0.10", "12345678901234567890.10"])
    #expect(found[0].tips == ["0.2", "1"] && found[0].rows == [["1"], [], ["2.5"]])
    #expect(found[0].gaps == ["1.0", nil] && found[1].prices == [3])
    let plain = try Basket.mapping.objects(from: Self.baskets)
    #expect(plain.map { $0.prices.map(\.text) } == found.map { $0.prices.map(\.text) })
    try #expect(
      Serializer(Basket.mapping).json(of: found[0]) == String(Self.exported.dropFirst().dropLast()))
    func keys(_ filter: Query<Mapping<Basket>>) throws -> [PrimaryKey] {
      try world.store.read { try $0.keys(filter) }
    }
    try #expect(keys(Basket.mapping.where { $0.prices.contains("12.5") }) == [1])
    try #expect(keys(Basket.mapping.where { $0.prices.contains("12345678901234567890.1") }) == [1])
    try #expect(keys(Basket.mapping.where { $0.prices.contains("12345678901234567890.2") }) == [])
    try #expect(keys(Basket.mapping.where { $0.prices.contains(3) && $0.prices.count == 1 }) == [2])
    #expect(
      world.failure(of: #"{"id":3,"rows":[[1],["x"]]}"#)
        == #"$.rows[1][0]: expected a decimal of at most 38 digits, found the string "x" (line 1, column 22)"#
    )
  }
}
