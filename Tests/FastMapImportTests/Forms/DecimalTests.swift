import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

/// Attributes of the type `decimal`.
@Suite struct DecimalTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "A": {"primaryKey": "id", "newerBy": "version", "indexes": [["rank"]], "attributes": {
            "id": "integer", "price": "decimal", "rank": "decimal", "version": "decimal", "name": "string",
            "soft": {"type": "decimal", "lenient": true}, "given": {"type": "decimal", "default": "7.50"},
            "number": "number", "integer": "integer"}},
          "U": {"primaryKey": "id", "indexes": [{"fields": ["code"], "unique": true}],
            "attributes": {"id": "integer", "code": "decimal"}}}}
        """#)
  }

  static func world(_ kind: StoreKind, _ name: String = "A") throws -> World {
    try World(kind, file.get().plan(for: name))
  }

  struct Case: Sendable, CustomTestStringConvertible {
    /// The value in the payload.
    var json: String
    /// The value in the export; nil where it is the payload's.
    var text: String?
    var failure: String?
    var testDescription: String { json.count < 60 ? json : "\(json.prefix(50))…" }
  }

  private static let digits = String(repeating: "1234567890", count: 4)
  private static let long = "expected a decimal of at most 38 digits, found "
  private static let far = "expected a decimal with an exponent from -6144 to 6144, found "

  static let cases = [
    Case(json: "1.10"), Case(json: "0"), Case(json: "-0"), Case(json: "-0.0"), Case(json: "7"),
    Case(json: "1e3"),
    Case(json: "0.10"), Case(json: "12.5E-3"), Case(json: "1E+400"), Case(json: "-1e-6144"),
    Case(json: "9e6144"),
    Case(json: "9007199254740993.000"), Case(json: "18446744073709551616"),
    Case(json: String(digits.prefix(38))), Case(json: "-0." + digits.prefix(38)),
    Case(json: "0." + String(repeating: "0", count: 60) + "1"),
    Case(json: #""12.340""#, text: "12.340"), Case(json: #""-1e5""#, text: "-1e5"),
    Case(json: "\"\(digits.prefix(38))\"", text: String(digits.prefix(38))),
    Case(json: "null", text: ""),
    Case(json: "true", failure: long + "true"),
    Case(json: "[1]", failure: long + "an array"),
    Case(json: #"{"a":1}"#, failure: long + "an object"),
    Case(json: #""""#, failure: long + #"the string """#),
    Case(json: #""abc""#, failure: long + #"the string "abc""#),
    Case(json: #"" 1""#, failure: long + #"the string " 1""#),
    Case(json: #""1,5""#, failure: long + #"the string "1,5""#),
    Case(json: #""01""#, failure: long + #"the string "01""#),
    Case(json: #""+1""#, failure: long + #"the string "+1""#),
    Case(json: #"".5""#, failure: long + #"the string ".5""#),
    Case(json: #""NaN""#, failure: long + #"the string "NaN""#),
    Case(json: String(digits.prefix(39)), failure: long + "the number \(digits.prefix(39))"),
    Case(
      json: "1." + String(repeating: "0", count: 38),
      failure: long + "the number 1.00000000000000000000000000000000000000"),
    Case(json: "1e6145", failure: far + "the number 1e6145"),
    Case(json: "-1e-6145", failure: far + "the number -1e-6145"),
    Case(json: #""1e99999999999999999999999""#, failure: far + #"the string "1e99999999999999999999999""#),
    Case(json: "1e999999999", failure: far + "the number 1e999999999"),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func aDecimalKeepsItsDigits(_ kind: StoreKind, _ example: Case) throws {
    let member = example.text == "" ? "" : #""price":\#(example.text ?? example.json),"#
    try Self.expect(
      #"[{"id":1,"price":\#(example.json)}]"#, export: #"[{"id":1,\#(member)"given":7.50}]"#,
      failure: example.failure.map { "price: \($0)" }
    ) { try Self.world(kind) }
  }

  /// Imports an object of A and compares its export, or the failure of the import.
  static func expect(
    _ json: String, export: String, failure: String?, in makeWorld: () throws -> World
  ) throws {
    let world = try makeWorld()
    if let failure {
      for size in [nil, 7] as [Int?] {
        let found = world.failure(of: json, inChunksOf: size)
        #expect(found?.hasPrefix("$[0].\(failure)") == true, "\(found ?? "none")")
      }
      return
    }
    try #expect(summary(world.report(json, inChunksOf: 5)) == "A +1")
    try #expect(world.export() == export)
    try #expect(world.load(json) == "A =1")
    let copy = try makeWorld()
    try copy.load(export)
    try #expect(copy.export() == export)
    try #expect(copy.load(json) == "A =1")
  }

  @Test(arguments: [
    ("1.10", "1.1", true), ("1.10", #""110e-2""#, true), ("0.10", "0.1", true), ("-0.0", "0.00", true),
    ("100", "1e2", true),
    ("1.10", "1.11", false), ("9007199254740993", "9007199254740992", false), ("0.1", "-0.1", false),
    ("0.1", "0.1000000000000000055511151", false), ("1e400", "1e401", false), ("5", "null", false),
  ])
  func equalDecimalsAreNoUpdate(_ old: String, _ new: String, areEqual: Bool) throws {
    for kind in StoreKind.allCases {
      let world = try Self.world(kind)
      try world.load(#"{"id":1,"price":\#(old),"given":null}"#)
      try #expect(world.load(#"{"id":1,"price":\#(new)}"#) == (areEqual ? "A =1" : "A ~1"), "\(kind)")
      let text = areEqual ? old : new
      let export = text == "null" ? #"[{"id":1,"given":null}]"# : #"[{"id":1,"price":\#(text),"given":null}]"#
      try #expect(world.export() == export, "\(kind)")
      // Beside another change it keeps its digits, too.
      if areEqual {
        try #expect(world.load(#"{"id":1,"name":"x","price":\#(new)}"#) == "A ~1", "\(kind)")
        try #expect(world.export() == #"[{"id":1,"price":\#(old),"name":"x","given":null}]"#, "\(kind)")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func theLastOfOnePayloadCounts(_ kind: StoreKind) throws {
    let world = try Self.world(kind)
    try #expect(world.load(#"[{"id":1,"price":1.0},{"id":1,"price":1.00},{"id":1}]"#) == "A +1")
    try #expect(world.load(#"[{"id":1,"price":2},{"id":1,"price":1.000}]"#) == "A =1")
    try #expect(world.load(#"[{"id":1,"price":1},{"id":1,"price":2.0}]"#) == "A ~1")
    try #expect(world.export() == #"[{"id":1,"price":2.0,"given":7.50}]"#)
  }

  /// In their order, two of each.
  static let ranks = [
    "-1e6144", "-12345678901234567890.1", "-1", "-0.5", "0", "1e-6144", "0.1", "0.1000000000000000055511151",
    "9007199254740992", "9007199254740993", "123456789012345678901234567.8901234567",
    "123456789012345678901234567.8901234568", "1e300", "1e999", "1e6144",
  ]

  static func ranked(_ kind: StoreKind) throws -> World {
    let world = try world(kind)
    let objects = ranks.enumerated().reversed().map {
      #"{"id":\#($0.offset),"rank":\#($0.element),"price":\#($0.element)}"#
    }
    try world.load("[\(objects.joined(separator: ",")),{\"id\":99}]")
    return world
  }

  @Test(arguments: StoreKind.allCases, ["rank", "price"])
  func filtersAreExact(_ kind: StoreKind, _ field: String) throws {
    let world = try Self.ranked(kind)
    func keys(_ filter: String) throws -> [PrimaryKey] {
      try world.store.read { try $0.keys(world.plan().where(Filter(filter))) }
    }
    let all = Self.ranks.indices
    for (place, text) in Self.ranks.enumerated() {
      for (sign, mirrored, range) in [
        ("==", "==", place..<(place + 1)), ("<", ">", 0..<place), ("<=", ">=", 0..<(place + 1)),
        (">", "<", (place + 1)..<all.count), (">=", "<=", place..<all.count),
      ] {
        let expected = range.map { PrimaryKey.integer(Int64($0)) }
        try #expect(keys("@.\(field) \(sign) \(text)") == expected, "\(sign) \(text)")
        try #expect(keys("\(text) \(mirrored) @.\(field)") == expected, "\(text) \(mirrored)")
      }
    }
    try #expect(keys("@.\(field) == 0.10 || @.\(field) == 9007199254740993.0 || @.\(field) == 5") == [6, 9])
    try #expect(keys("@.\(field) == null") == [99])
    try #expect(keys("@.\(field) != 0 && @.\(field) >= -0.50 && @.\(field) <= 0.1") == [3, 5, 6])
  }

  @Test(arguments: StoreKind.allCases)
  func aDecimalIsComparedWithOtherNumbers(_ kind: StoreKind) throws {
    let world = try Self.world(kind)
    try world.load(
      #"""
      [{"id":1,"price":0.10,"number":0.1,"integer":0},{"id":2,"price":9007199254740993,"number":9007199254740992,
        "integer":9007199254740993},{"id":3,"price":-1.5,"number":-1.25,"integer":-1}]
      """#)
    for (filter, keys) in [
      ("@.price == @.number", [1]), ("@.price > @.number", [2]), ("@.price < @.number", [3]),
      ("@.price == @.integer", [2]), ("@.integer < @.price", [1]), ("@.price == @.given", []),
    ] as [(String, [PrimaryKey])] {
      try #expect(world.store.read { try $0.keys(world.plan().where(Filter(filter))) } == keys, "\(filter)")
    }
    for (filter, reason) in [
      ("@.price == \"1\"", "expected values of one kind, found a decimal and a string"),
      (
        "@.price < 123456789012345678901234567890123456789",
        "expected a decimal of at most 38 digits, found 123456789012345678901234567890123456789"
      ),
    ] {
      let found = message { _ = try world.store.read { try $0.keys(world.plan().where(Filter(filter))) } }
      #expect(found?.contains(reason) == true, "\(found ?? "none")")
    }
  }

  @Test(arguments: StoreKind.allCases, ["rank", "price"])
  func theyHaveTheOrderOfTheirValues(_ kind: StoreKind, _ field: String) throws {
    let world = try Self.ranked(kind)
    try world.store.read(world.plan()) { snapshot in
      for isDescending in [false, true] {
        let query = world.plan().query.sorted(by: [field], descending: isDescending)
        let keys = [99] + Self.ranks.indices.map { PrimaryKey.integer(Int64($0)) }
        let expected = isDescending ? keys.reversed() : keys
        try #expect(snapshot.keys(query) == expected)
        for place in [0, 4, expected.count - 2] {
          try #expect(snapshot.keys(query.after(key: expected[place])) == Array(expected[(place + 1)...]))
        }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func inAUniqueIndexEqualDecimalsAreOneValue(_ kind: StoreKind) throws {
    let world = try Self.world(kind, "U")
    try world.load(#"[{"id":1,"code":1.10},{"id":2,"code":1.11},{"id":3},{"id":4}]"#)
    for code in ["1.1", "1.100", #""11e-1""#] {
      let found = world.failure(of: #"{"id":5,"code":\#(code)}"#)
      #expect(
        found?.contains("unique in \"code\", found one with the key 5 that has 1") == true,
        "\(found ?? "none")")
    }
    try #expect(world.load(#"[{"id":1,"code":1.11},{"id":2,"code":1.1}]"#) == "U ~2")
    try #expect(world.export() == #"[{"id":1,"code":1.11},{"id":2,"code":1.1},{"id":3},{"id":4}]"#)
  }

  @Test(arguments: StoreKind.allCases)
  func olderVersionsAreStale(_ kind: StoreKind) throws {
    let world = try Self.world(kind)
    try world.load(#"{"id":1,"version":9007199254740993.10,"name":"a"}"#)
    try #expect(world.load(#"{"id":1,"version":9007199254740993,"name":"b"}"#) == "A <1")
    try #expect(world.load(#"{"id":1,"version":9007199254740993.1,"name":"c"}"#) == "A ~1")
    try #expect(world.load(#"{"id":1,"version":9007199254740993.11,"name":"d"}"#) == "A ~1")
    try #expect(world.export() == #"[{"id":1,"version":9007199254740993.11,"name":"d","given":7.50}]"#)
  }

  @Test(arguments: StoreKind.allCases)
  func lenientDecimalsTakeAnEmptyString(_ kind: StoreKind) throws {
    let world = try Self.world(kind)
    try world.load(#"[{"id":1,"soft":""},{"id":2,"soft":"1.50"},{"id":3,"soft":1.50}]"#)
    try #expect(
      world.export()
        == #"[{"id":1,"given":7.50},{"id":2,"soft":1.50,"given":7.50},{"id":3,"soft":1.50,"given":7.50}]"#)
    #expect(
      world.failure(of: #"{"id":4,"soft":true}"#)
        == "$.soft: expected a decimal of at most 38 digits, found true (line 1, column 16)")
  }

  @Test func aRealWithoutItsTextHasItsShortestForm() throws {
    let world = try Self.world(.memory)
    let text = #"[{"id":1,"price":1.10},{"id":2,"price":1e22},{"id":3,"price":-0.0},{"id":4,"price":5}]"#
    let document = try Array(text.utf8).withUnsafeBytes { try JSONDocument(parsing: $0) }
    _ = try Mapper(world.store).importJSON(document, as: world.plan())
    try #expect(
      world.export()
        == #"[{"id":1,"price":1.1,"given":7.50},{"id":2,"price":1e22,"given":7.50},{"id":3,"price":-0.0,"given":7.50},{"id":4,"price":5,"given":7.50}]"#
    )
  }

  @Test(arguments: [
    (
      #""primaryKey": "d", "attributes": {"d": "decimal"}"#,
      "integer or string"
    ),
    (#""primaryKey": ["id", "d"], "attributes": {"id": "integer", "d": "decimal"}"#, "integer or string"),
    (
      #""attributes": {"d": {"type": "decimal", "default": "x"}}"#,
      #"expected a decimal of at most 38 digits, found the string "x""#
    ),
    (#""attributes": {"d": "decimals"}"#, #"did you mean "decimal"?"#),
    (#""attributes": {"d": {"type": "decimal", "keyPath": "a[].b"}}"#, "a key path with [] gives a list"),
  ])
  func aMappingThatCannotHoldIsRefused(_ content: String, _ reason: String) {
    let found = message {
      _ = try MappingSet(file: #"{"fastmap": 1, "mappings": {"A": {\#(content)}}}"#).plan(for: "A")
    }
    #expect(found?.contains(reason) == true, "\(found ?? "no fault")")
  }

  @Test(arguments: [
    ("0.1", 0.1), ("5", 5.0), ("-0.0", -0.0), ("1e22", 1e22), ("9007199254740992.0", 0x1p53),
    ("1e-300", 1e-300),
  ])
  func aDoubleGivesItsShortestText(_ text: String, _ number: Double) {
    #expect(DecimalNumber(number)?.text == text)
  }

  @Test func infinitiesAreNoDecimals() {
    for number in [Double.infinity, -.infinity, .nan] { #expect(DecimalNumber(number) == nil) }
  }
}
