import FastMapCore
import FastMapModels
import FastMapStoreTesting
import TestSupport
import Testing

/// Numbers in filters have an exact meaning beside integers, also numbers that no `Double` holds.
@Suite struct ExactNumberTests {
  private static func mapping(_ indexes: [Index]) -> Mapping<Record> {
    Mapping("Sample", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("i", .integer)
      Attribute("n", .number)
      Attribute("j", .json)
      for index in indexes { index }
    }
  }

  /// The integers of the samples, by their keys. A field of integers cannot hold the sixth one, but JSON can.
  private static let integers = [
    "9007199254740992", "9007199254740993", "9007199254740994", "-9223372036854775808",
    "9223372036854775807", "18446744073709551615", "0", "1", "-1",
  ]

  /// Filters, and the keys that they find.
  static let cases: [(filter: String, keys: [Int])] = [
    ("@.i == 9007199254740993.0", [1]),
    ("@.i == 9007199254740992.0", [0]),
    ("@.i == 90071992547409930e-1", [1]),
    ("@.i == 9007199254740992.5", []),
    ("@.i == 9007199254740993.0 || @.i == 9007199254740992.5 || @.i == 1e400", [1]),
    ("@.i == 18446744073709551615 || @.i == 18446744073709551616 || @.i == 1", [7]),
    ("@.id == 18446744073709551615 || @.id == 18446744073709551616 || @.id == 1", [1]),
    ("@.id == 18446744073709551615", []),
    ("@.i != 9007199254740992.5", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
    ("@.i >= 9007199254740992.5 && @.i < 9007199254740993.5", [1]),
    ("9007199254740992.5 < @.i && 9007199254740993.5 >= @.i", [1]),
    ("@.i == -9223372036854775809", []),
    ("@.i == -9223372036854775808.0", [3]),
    ("@.i < -9223372036854775808.5", []),
    ("@.i <= -9223372036854775807.5", [3]),
    ("@.i > -9223372036854775809", [0, 1, 2, 3, 4, 6, 7, 8]),
    ("@.j.i > 18446744073709551614.5 && @.j.i == 18446744073709551615.0", [5]),
    ("@.i >= 18446744073709551616", []),
    ("@.i < 18446744073709551615.5", [0, 1, 2, 3, 4, 6, 7, 8]),
    ("@.i > 9223372036854775807.5", []),
    ("@.i == 9223372036854775807.0", [4]),
    ("@.i == 0.99999999999999999999", []),
    ("@.i < 0.99999999999999999999 && @.i > -1e-400", [6]),
    ("@.i > 1e-400 && @.i < 1.00000000000000000001", [7]),
    ("@.i > -1e999 && @.i < 1e-999999999999999999999", [3, 6, 8]),
    ("@.i == 1e400 || @.i == 10e-1", [7]),
    // Beside a number, the nearest number is meant, as which a payload's number is stored.
    ("@.n == 1.152921504606847e18", [0]),
    ("@.n == 1152921504606846976.0", [0]),
    ("@.n == 9007199254740993.0", [1]),
    ("@.n == 9007199254740992", [1]),
    ("@.n == 9007199254740993", [1]),
    ("9007199254740993 == @.n", [1]),
    ("@.n < 9007199254740993", [2, 3, 4, 5, 6, 7, 8]),
    ("@.n == 9007199254740993 || @.n == 1152921504606846977", [0, 1]),
    // JSON has both.
    ("@.j.i == 9007199254740993.0", [1]),
    ("9007199254740992.5 > @.j.i && @.j.i >= 9007199254740991.5", [0]),
    ("@.j.n == 1.152921504606847e18", [0]),
    ("@.j.n == 1152921504606847000.1 || @.j.n == 1152921504606846976", []),
    ("@.j[?@ == 9007199254740993.0]", [1]),
    ("@.j[?9007199254740992.5 > @ && @ >= 9007199254740991.5]", [0]),
    ("@.j[?@ > -9223372036854775809 && @ < -9223372036854775807.5]", [3]),
    ("@.j[?@ == 9007199254740993.0 && 9007199254740993.0 > 9007199254740992]", [1]),
    ("9007199254740993.0 == 9007199254740993", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
    ("9007199254740993.0 == 9007199254740992", []),
    ("@.id > 8.5 && @.id < 9.5", [9]),
    ("count(@.j[*]) > 1.99999999999999999999999", [0, 1, 2, 3, 4, 5, 6, 7, 8]),
  ]

  @Test(arguments: StoreKind.allCases, [[], [Index("i"), Index("n")]])
  func aNumberFindsExactlyItsIntegers(_ kind: StoreKind, _ indexes: [Index]) throws {
    let mapping = Self.mapping(indexes)
    let world = try World(kind, mapping)
    let numbers = ["1.152921504606847e18", "9007199254740993.0"]
    let objects = Self.integers.enumerated().map { id, integer in
      let number = id < numbers.count ? numbers[id] : "\(id).5"
      let kept = id == 5 ? "null" : integer
      return #"{"id":\#(id),"i":\#(kept),"n":\#(number),"j":{"i":\#(integer),"n":\#(number)}}"#
    }
    try world.load("[\(objects.joined(separator: ",")),{\"id\":9}]")
    for (text, keys) in Self.cases {
      let filter = try Filter(text)
      let found = try world.store.read(mapping) { try $0.keys(mapping.where(filter)) }
      #expect(found == keys.map { PrimaryKey($0) }, "\(text)")
      #expect(try Filter(filter.description) == filter, "\(text)")
    }
  }

  /// A range of keys, and not a scan.
  @Test func aBoundBetweenTwoIntegersIsABoundOfKeys() throws {
    let world = try World(.memory, Self.mapping([]))
    for (text, access) in [
      ("@.id > 9007199254740992.5", "keys from 9007199254740993"), ("@.id < 1.5", "keys to 1"),
      ("@.id == 1.0", "the key 1"), ("@.id == 1.5", "nothing, as the filter is never true"),
    ] {
      let explanation = try world.store.read(Self.mapping([])) {
        try $0.explain(Self.mapping([]).where(Filter(text)))
      }
      #expect("\(explanation.access)" == access, "\(text)")
    }
  }

  @Test func theKeyOfAnObjectIsExact() throws {
    let plan = try Model.person.plan()
    for (text, key) in [("@.boss == 9007199254740993.0", Int64(9_007_199_254_740_993)), ("@ == 2.0", 2)] {
      let bound = try Filter(text).bound(to: plan)
      guard case .compare(_, .equal, .literal(.integer(key))) = bound.condition else {
        Issue.record("\(bound.condition)")
        continue
      }
    }
  }

  /// An object is compared by its key, as the key itself.
  @Test(arguments: StoreKind.allCases)
  func aNumberThatNoKeyHasIsComparedWithAnObjectToo(_ kind: StoreKind) throws {
    let world = try World(kind, QueryTests.Book.mapping)
    try world.load(
      #"[{"id":1,"author":{"id":7}},{"id":2,"author":{"id":9007199254740993}},{"id":3},{"id":4,"author":{"id":-9223372036854775808}}]"#
    )
    let numbers = [
      "7.5", "6.5", "9007199254740992.5", "1e30", "-1e30", "1e400", "-1e400", "99999999999999999999",
      "9223372036854775808", "18446744073709551615", "-9223372036854775808.5", "7.0",
    ]
    for number in numbers {
      for comparison in ["==", "!=", "<", "<=", ">", ">="] {
        func found(_ text: String) throws -> [PrimaryKey] {
          try world.store.read { try $0.keys(QueryTests.Book.mapping.where(Filter(text))) }
        }
        for (object, key) in [("@.author", "@.author.id"), ("@", "@.id")] {
          let expected = try found("\(key) \(comparison) \(number)")
          #expect(
            try found("\(object) \(comparison) \(number)") == expected, "\(object) \(comparison) \(number)")
          let mirrored = ["<": ">", "<=": ">=", ">": "<", ">=": "<="][comparison] ?? comparison
          #expect(try found("\(number) \(mirrored) \(object)") == expected, "\(number) \(mirrored) \(object)")
        }
      }
    }
  }

  /// The printer and the exporter write a number as it is read.
  @Test(arguments: [
    0x1p53, 0x1p53 + 2, -0x1p53, 0x1p60, 0x1p63, -0x1p63, 0x1p63 + 2048, 0x1p64, 1e22, 0x1p1000, 0.1, 1e-300,
  ])
  func aNumberIsWrittenAsItIsRead(_ number: Double) throws {
    let filter = Filter(
      .compare(.path(FilterPath([FilterStep(.name("i"))])), .equal, .literal(.number(number))))
    #expect(try Filter(filter.description) == filter, "\(filter)")
    var writer = JSONWriter()
    writer.shortestNumber(number)
    let text = writer.withBytes { String(decoding: $0, as: UTF8.self) }
    #expect(Double(text) == number)
    #expect(Int64(text) == nil || number.magnitude < 0x1p53, "\(text)")
  }
}
