import FastMapCore
import FastMapMemory
import Foundation
import TestSupport
import Testing

/// Numbers at the edge of their types keep their values.
@Suite struct ImportNumberTests {
  private static let largest = String(format: "%.0f", Double.greatestFiniteMagnitude)

  // Q-26, BUG-18: an integer beyond 64 bits is the nearest double, as any number is
  @Test(
    arguments: StoreKind.allCases,
    [
      ("9007199254740993", 9_007_199_254_740_992),
      ("9223372036854775807", 9_223_372_036_854_775_808),
      ("9223372036854775808", 9_223_372_036_854_775_808),
      ("-9223372036854775809", -9_223_372_036_854_775_808),
      ("12345678901234567890", 12_345_678_901_234_567_168),
      ("18446744073709551616", 18_446_744_073_709_551_616),
      ("99999999999999999999", 1e20),
      ("147573952589676412929", 147_573_952_589_676_412_928),  // 2⁶⁷ + 1
      ("1" + String(repeating: "0", count: 308), 1e308),
      (largest, .greatestFiniteMagnitude),
      ("-" + largest, -.greatestFiniteMagnitude),
      (largest.dropLast() + "9", .greatestFiniteMagnitude),
    ])
  func aNumberIsTheDoubleNearestToAnInteger(_ kind: StoreKind, _ test: (digits: String, value: Double)) throws
  {
    for subject in [ErrorSubject.types, .lenient] {
      let world = try World(kind, subject.plan(), holding: #"{"id":"a","number":\#(test.digits)}"#)
      try #expect(world.dump() == #"\#(subject.name) "a" number=\#(test.value)"#)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anIntegerBeyondTheLargestDoubleIsRefused(_ kind: StoreKind) throws {
    let world = try World(kind, ErrorSubject.types.plan())
    // As many digits as the largest one has, and more than it.
    let digits = "18" + Self.largest.dropFirst(2)
    #expect(
      world.failure(of: #"{"id":"a","number":\#(digits)}"#)
        == "$.number: expected a number that a Double can hold, found the number \(digits.prefix(40))… "
        + "(line 1, column 20)")
  }

  // BUG-17, Q-26
  @Test(arguments: StoreKind.allCases)
  func aLenientPropertyTakesEveryNumberOfItsTypeInAString(_ kind: StoreKind) throws {
    let world = try World(kind, LenientTyped.mapping)
    try world.load(
      #"{"id":"a","bool":0,"int8":"-128","uint64":"18446744073709551615","float":"1e38","double":"12345678901234567890","grade":"5"}"#
    )
    try #expect(
      world.dump()
        == #"LenientTyped "a" bool=false int8=-128 uint64=18446744073709551615 float=1e+38 double=1.2345678901234567e+19 grade=5"#
    )
    try world.load(#"{"id":"a","bool":1,"int8":127.0,"uint64":"7","grade":1.0}"#)
    try #expect(
      world.dump()
        == #"LenientTyped "a" bool=true int8=127 uint64=7 float=1e+38 double=1.2345678901234567e+19 grade=1"#)
  }

  // Q-26: within an array too
  @Test func elementsOfAPropertyKeepTheirDigits() throws {
    let bytes = Array(
      #"{"id":"a","big":[18446744073709551615,0,9223372036854775808],"gaps":[null,-9223372036854775808]}"#
        .utf8)
    let mapping = Collections.mapping
    let store = MemoryStore()
    let made = try #require(try Mapper(store).roundTrip(bytes, as: mapping).first)
    #expect((made.big, made.gaps) == ([.max, 0, 1 << 63], [nil, .min]))
    let read = try #require(try store.read { try $0.object(mapping, key: "a") })
    #expect((read.big, read.gaps) == ([.max, 0, 1 << 63], [nil, .min]))
  }

  @Test(arguments: ["[*,*]", "*"])
  func aTreeKeepsItsDigits(_ shape: String) throws {
    let object = #"{"id":"a","uint64":18446744073709551615}"#
    let json = shape.split(separator: "*", omittingEmptySubsequences: false).joined(separator: object)
    let mapping = Widths.mapping
    let store = MemoryStore()
    try Array(json.utf8).withUnsafeBytes { bytes in
      let document = try JSONDocument(parsing: bytes)
      _ = try Mapper(store).importJSON(document, as: mapping.plan())
    }
    try #expect(store.read { try $0.object(mapping, key: "a") }?.uint64 == .max)
  }

  @Test func aTransformSeesTheDigitsInTheText() throws {
    let store = MemoryStore()
    let digits = Transform<String>(reading: {
      .value($0.elements?.map(\.text).joined(separator: " ") ?? $0.text)
    })
    let mapping = Mapping(Typed.self, "Typed", primaryKey: "id", make: Typed.init) {
      Attribute("id", \.id)
      Attribute("string", \.string, transform: digits)
    }
    let bytes = Array(#"{"id":"a","string":[123456789012345678901234567890,1]}"#.utf8)
    let made = try Mapper(store).roundTrip(bytes, as: mapping)
    #expect(made.first?.string == "123456789012345678901234567890 1")
  }
}
