import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// The values of lenient attributes, and the keys of lenient mappings.
@Suite struct LenientTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let type: AttributeType
    /// A value that the attribute has before.
    let before: String
    let json: String
    /// The value as it is exported; nil for no value.
    let expected: String?
    var testDescription: String { "\(json) as \(type)" }
  }

  /// A case a line: the value, an arrow, and the value as it is exported.
  private static func table(_ type: AttributeType, before: String, _ rows: String) -> [Case] {
    rows.split(separator: "\n").map { row in
      let parts = row.split(separator: " → ").map(String.init)
      return Case(
        type: type, before: before, json: parts[0], expected: parts[1] == "nothing" ? nil : parts[1])
    }
  }

  private static let digits = "123456789012345678901234567890"

  static let cases: [Case] =
    table(
      .integer, before: "3",
      """
      12 → 12
      "12" → 12
      5.0 → 5
      "5.0" → 5
      -0.0 → 0
      "-7" → -7
      1e3 → 1000
      "1E3" → 1000
      1.50e1 → 15
      "0.001e5" → 100
      1e18 → 1000000000000000000
      9007199254740993.0 → 9007199254740993
      "9007199254740993.0" → 9007199254740993
      9223372036854775807.000 → 9223372036854775807
      -9223372036854775808.0 → -9223372036854775808
      "922337203685477580.7e1" → 9223372036854775807
      0e999999999999 → 0
      "" → nothing
      null → nothing
      """)
    + table(
      .boolean, before: "true",
      """
      false → false
      0 → false
      1 → true
      "0" → false
      "1" → true
      "true" → true
      "false" → false
      "" → nothing
      """)
    + table(
      .number, before: "3",
      """
      "3.14" → 3.14
      "-1.5e-3" → -0.0015
      "12" → 12
      "5.0" → 5
      "\(digits)" → 1.2345678901234568e29
      "" → nothing
      """)
    + table(
      .string, before: #""x""#,
      """
      12 → "12"
      -9223372036854775808 → "-9223372036854775808"
      1.50 → "1.50"
      7.0 → "7.0"
      1e2 → "1e2"
      -0.0 → "-0.0"
      18446744073709551616 → "18446744073709551616"
      \(digits) → "\(digits)"
      true → "true"
      false → "false"
      "12" → "12"
      " 012 " → " 012 "
      "" → ""
      null → nothing
      """)
    + table(
      .date(.epoch), before: "3",
      """
      90 → 90
      "90" → 90
      "90.5" → 90.5
      "-1e2" → -100
      "" → nothing
      """)
    + table(
      .date(.epochMilliseconds), before: "3",
      """
      "90" → 90
      "90.5" → 90.5
      "" → nothing
      """)
    + table(
      .date([.iso8601, .epoch]), before: "3",
      """
      "90" → "1970-01-01T00:01:30Z"
      "1970-01-02" → "1970-01-02T00:00:00Z"
      "" → nothing
      """)
    + table(
      .date(.pattern("%Y")), before: #""1970""#,
      """
      "2020" → "2020"
      "" → nothing
      """)
    + table(.date(.iso8601), before: #""1970-01-01""#, #""" → nothing"#)
    + table(
      .data, before: #""AA==""#,
      """
      "AP8=" → "AP8="
      "" → nothing
      """)
    + table(
      .json, before: "3",
      """
      "12" → "12"
      {"a":""} → {"a":""}
      "" → nothing
      """)

  private static func mapping(_ type: AttributeType) -> Mapping<Record> {
    Mapping("X", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("v", type).lenient
    }
  }

  @Test(arguments: TestSize.onStores(cases, others: 12))
  func aValueThatMeansOneOfTheTypeIsTaken(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Self.mapping(test.type))
    let expected = test.expected.map { #"[{"id":1,"v":\#($0)}]"# } ?? #"[{"id":1}]"#
    for size in [nil, 1] {
      try world.load(#"{"id":1,"v":\#(test.before)}"#)
      _ = try world.report(#"[{"id":1,"v":\#(test.json)}]"#, inChunksOf: size)
      try #expect(world.export() == expected)
    }
    try #expect(world.load(world.export()) == "X =1")
    let copy = try World(kind, Self.mapping(test.type), holding: world.export())
    try #expect(copy.dump() == world.dump())
  }

  static let faults: [(type: AttributeType, json: String)] =
    [
      #"" 12""#, #""12 ""#, #""012""#, #""1e999""#, #""+1""#, #""1.""#, #"".5""#, #""0x1""#, #""1_000""#,
      "5.5",
      #""5.5""#, "true", #""true""#, "[]", "{}", "1e19", #""9223372036854775808""#, "9223372036854775808.0",
      "1e-1",
      #""１""#, #"" ""#, #""1\n""#, "[1]",
    ].map { (.integer, $0) }
    + [
      "2", "-1", "1.0", #""2""#, #""1.0""#, #""yes""#, #""TRUE""#, #""on""#, #"" true""#, #""null""#, "[]",
    ].map { (.boolean, $0) }
    + [#""1e999""#, #""NaN""#, #""Infinity""#, #""1,5""#, "true", #""true""#, #"" 1""#].map { (.number, $0) }
    + ["[]", "{}", #"["x"]"#].map { (.string, $0) }
    + ["true", #""x""#, #"" 90""#, #""1e999""#, #""1970-01-01""#].map { (.date(.epoch), $0) }
    + ["90", #""90""#, "true"].map { (.date(.iso8601), $0) }
    + ["2020", "true"].map { (.date(.pattern("%Y")), $0) }
    + ["1", "true", #""A""#].map { (.data, $0) }

  @Test(arguments: TestSize.onStores(faults, others: 6))
  func anyOtherValueIsAFault(_ kind: StoreKind, _ test: (type: AttributeType, json: String)) throws {
    let world = try World(kind, Self.mapping(test.type))
    #expect(world.failure(of: #"{"id":1,"v":\#(test.json)}"#)?.hasPrefix("$.v: expected ") == true)
    try #expect(world.dump() == "")
  }

  /// Integers with their point and exponent anywhere.
  @Test func anIntegerIsReadExactlyWhereverItsPointStands() throws {
    var random = Random(for: "lenient integers")
    let world = try World(.memory, Self.mapping(.integer))
    for _ in 0..<TestSize.rounds(small: 300, whole: 2000) {
      let value = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random)
      var digits = "\(value.magnitude)" + String(repeating: "0", count: Int.random(in: 0..<4, using: &random))
      let exponent = digits.count - "\(value.magnitude)".count
      digits = String(repeating: "0", count: Int.random(in: 0..<3, using: &random)) + digits
      let point = Int.random(in: 0...digits.count, using: &random)
      var whole = String(digits.prefix(point).drop { $0 == "0" })
      if whole.isEmpty { whole = "0" }
      let fraction = digits.dropFirst(point)
      let text =
        (value < 0 ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + fraction)
        + "e\(fraction.count - exponent)"
      for json in [text, "\"\(text)\""] {
        try world.load(#"{"id":1,"v":\#(json)}"#)
        try #expect(world.export() == #"[{"id":1,"v":\#(value)}]"#, "\(json)")
      }
    }
  }

  // A real of a tree has no text.
  @Test(arguments: [
    (AttributeType.string, "1.50", #""1.5""#), (.string, "7.0", #""7.0""#), (.string, "1e2", #""100.0""#),
    (.string, "12", #""12""#), (.string, "18446744073709551616", #""18446744073709551616""#),
    (.integer, "5.0", "5"), (.integer, "1e16", "10000000000000000"), (.boolean, #""1""#, "true"),
  ])
  func aTreeGivesRealsInTheirShortestForm(_ type: AttributeType, _ json: String, _ expected: String) throws {
    let world = try World(.memory, Self.mapping(type))
    #expect(try world.failure(ofTree: #"{"id":1,"v":\#(json)}"#) == nil)
    try #expect(world.export() == #"[{"id":1,"v":\#(expected)}]"#)
  }

  // MARK: Keys

  private static func keyed(_ type: AttributeType) -> Mapping<Record> {
    let target = Mapping("Q", primaryKey: "id") {
      Attribute("id", type)
      Attribute("name", .string)
    }.lenient
    return Mapping("P", primaryKey: "id") {
      Attribute("id", type)
      Attribute("name", .string)
      ToOne("one", target)
      ToMany("many", target)
      ToOne(
        "bare",
        Mapping("QRef", entity: "Q", primaryKey: "id") { Attribute("id", type, at: .wholeValue) }.lenient)
    }.lenient
  }

  @Test(arguments: StoreKind.allCases, [1, 4096])
  func anIntegerKeyIsOneHoweverItIsWritten(_ kind: StoreKind, _ batchSize: Int) throws {
    let world = try World(kind, Self.keyed(.integer))
    try #expect(
      world.load(
        #"[{"id":12},{"id":"12","name":"a"},{"id":12.0,"one":"5","many":[5,"5",5.0,{"id":"6"},"7"],"bare":"5"}]"#,
        options: ImportOptions(batchSize: batchSize)) == "P +1, Q +3")
    try #expect(world.dump() == "P 12 name=\"a\" one=5 many=[5 5 5 6 7] bare=5\nQ 5\nQ 6\nQ 7")
    try #expect(world.load(#"{"id":"1.2e1","one":{"id":5.0,"name":"q"}}"#) == "P =1, Q ~1")
    try #expect(world.load(world.export()) == "P =1, Q =3")
    #expect(
      world.failure(of: #"{"id":""}"#)
        == "$.id: expected an integer, the primary key of P, found null (line 1, column 7)")
    #expect(
      world.failure(of: #"{"id":" 1"}"#)
        == #"$.id: expected an integer, found the string " 1" (line 1, column 7)"#)
  }

  @Test(arguments: StoreKind.allCases, [1, 4096])
  func aStringKeyIsTheTextOfANumber(_ kind: StoreKind, _ batchSize: Int) throws {
    let world = try World(kind, Self.keyed(.string))
    try #expect(
      world.load(
        #"[{"id":7},{"id":"7","name":"a"},{"id":7.0},{"id":"7.0","name":"b"},{"id":1.10,"one":2.50,"many":[2.5,"2.50",true]}]"#,
        options: ImportOptions(batchSize: batchSize)) == "P +3, Q +3")
    try #expect(
      world.dump() == """
        P "1.10" one="2.50" many=["2.5" "2.50" "true"]
        P "7" name="a"
        P "7.0" name="b"
        Q "2.5"
        Q "2.50"
        Q "true"
        """)
    try #expect(world.load(world.export()) == "P =3, Q =3")
  }

  // The representation is kept as text until its object is made.
  @Test(arguments: StoreKind.allCases)
  func aRepresentationThatWaitsKeepsTheTextOfItsNumbers(_ kind: StoreKind) throws {
    let target = Mapping("Q", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("code", .string).lenient
      Attribute("any", .json)
    }
    let mapping = Mapping("P", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("weak", target, isWeak: true)
      ToOne("strong", target)
    }
    for batchSize in [1, 4096] {
      let world = try World(kind, mapping)
      try world.load(
        #"[{"id":1,"weak":{"id":2,"code":1.50,"any":1.50}},{"id":3},{"id":4},{"id":5,"strong":2}]"#,
        options: ImportOptions(batchSize: batchSize))
      try #expect(world.dump().contains(#"Q 2 code="1.50" any=1.5"#))
    }
  }
}
