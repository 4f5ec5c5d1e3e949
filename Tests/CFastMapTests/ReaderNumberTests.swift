import CFastMap
import CFastMapJansson
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

@Suite struct ReaderNumberTests {
  /// Numbers that have been read wrongly by somebody, and those at the edges of the three algorithms.
  @Test(arguments: [
    "0.1", "0.2", "0.3", "1e22", "1e23", "8.5e22", "9007199254740991.0", "9007199254740992.0",
    "9007199254740993.0",
    "9007199254740992.5", "9007199254740993.00000000000000000000000000000000001", "4503599627370496.5",
    "4503599627370497.5",
    "2.2250738585072011e-308", "2.2250738585072012e-308", "2.2250738585072014e-308",
    "4.9406564584124654e-324",
    "2.4703282292062327e-324", "2.4703282292062328e-324", "1.7976931348623157e308", "1.7976931348623158e308",
    "6.631236846766476e-316", "3.2378839133029012895883524125015321748630094e-319", "7.2057594037927933e16",
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203126", "123456789012345678901234567890e-30",
    "100000000000000016777215.0", "100000000000000016777216.0", "0.000000000000000000000000000000000000001",
    "65.613616999999977", "43.420273000000009", "9.5367431640625e-7", "1448997445238699.0",
  ]) func hardNumbersAreReadAsStrtodReadsThem(_ text: String) {
    expectNearest(text)
    expectNearest("-\(text)")
  }

  @Test func theTextsOfRealsAreKeptWhereTheyAreWanted() {
    var options = fastmap_read_options()
    options.keeps_reals = true
    withTree(of: "[1.50,7,-2e+3,{\"a\":12345678901234567890,\"b\":\"1.5\"},-0.0]".utf8, options: options) {
      node, result in
      func text(_ node: UnsafePointer<json_t>?) -> String? {
        var length = 0
        guard let text = fastmap_number_text(result.big_integers, node, &length) else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
      }
      let object = json_array_get(node, 3)
      #expect((0..<5).map { text(json_array_get(node, $0)) } == ["1.50", nil, "-2e+3", nil, "-0.0"])
      #expect(text(json_object_get(object, "a")) == "12345678901234567890")
      #expect(text(json_object_get(object, "b")) == nil)
      var length = 0
      #expect(fastmap_big_integer_text(result.big_integers, json_array_get(node, 0), &length) == nil)
    }
    withTree(of: "1.5".utf8) { _, result in #expect(result.big_integers == nil) }
    withTree(of: "[1E400,-1e400]".utf8, options: options) { node, _ in
      #expect(json_real_value(json_array_get(node, 0)) == .greatestFiniteMagnitude)
      #expect(json_real_value(json_array_get(node, 1)) == -.greatestFiniteMagnitude)
    }
    var result = fastmap_read_result()
    #expect(fastmap_skip("1E400", 5, &options, &result) && !fastmap_skip("1E400", 5, nil, &result))
  }

  @Test func randomNumbersAreReadAsStrtodReadsThem() {
    var random = Random(for: "random numbers")
    var text: [UInt8] = []
    for _ in 0..<TestSize.rounds(small: 20_000, whole: 200_000) {
      text.removeAll(keepingCapacity: true)
      appendNumber(to: &text, &random)
      expectNearest(text)
    }
  }

  /// Half-way between two doubles, a digit below, a digit above: 53 bits decide nothing there.
  @Test func tiesAreBrokenToEven() {
    var random = Random(for: "ties")
    for _ in 0..<TestSize.rounds(small: 2000, whole: 10_000) {
      let odd = (UInt64(1) << 53) + UInt64.random(in: 0..<(1 << 52), using: &random) * 2 + 1
      let (tie, overflow) = odd.multipliedReportingOverflow(
        by: UInt64(1) << UInt64.random(in: 0..<10, using: &random))
      if overflow { continue }
      for tail in [".0", ".00000000000000000000000000000000000001", "e0"] { expectNearest("\(tie)\(tail)") }
      expectNearest("\(tie - 1).99999999999999999999999999999999999999")
    }
  }

  /// Half of the smallest double is 5^1075 × 10^-1075: 752 digits, all of which count.
  @Test func aTieIsBrokenByItsLastDigit() {
    for factor in [1, 3, 5] {
      let least = Double.leastNonzeroMagnitude
      let below = least * Double(factor / 2), above = below + least
      var digits = [factor]  // the lowest first
      for _ in 0..<1075 {
        var carry = 0
        for index in digits.indices {
          (carry, digits[index]) = (digits[index] * 5 + carry).quotientAndRemainder(dividingBy: 10)
        }
        if carry > 0 { digits.append(carry) }
      }
      let tie = digits.reversed().map(String.init).joined()
      let isUp = factor % 4 == 3
      expectNearest("\(tie)e-1075", is: isUp ? above : below)
      expectNearest("\(tie.dropLast())4e-1075", is: below)
      expectNearest("\(tie.dropLast())6e-1075", is: above)
      expectNearest("\(tie)\(String(repeating: "0", count: 200))1e-1276", is: above)
      expectNearest("\(tie)\(String(repeating: "0", count: 200))0e-1276", is: isUp ? above : below)
    }
  }

  @Test(arguments: [
    ("9223372036854775807", Int64.max), ("-9223372036854775808", .min), ("-0", 0),
    ("1000000000000000000", 1_000_000_000_000_000_000),
    ("-999999999999999999", -999_999_999_999_999_999),
  ]) func integersAreExact(_ text: String, value: Int64) {
    withTree(of: text.utf8) { node, result in
      #expect(node?.pointee.type == JSON_INTEGER)
      #expect(json_integer_value(node) == value)
      #expect(result.big_integers == nil)
    }
  }

  @Test(arguments: [  // Q-26
    ("9223372036854775808", 9_223_372_036_854_775_808), ("-9223372036854775809", -9_223_372_036_854_775_808),
    ("18446744073709551615", 18_446_744_073_709_551_616),
    ("18446744073709551616", 18_446_744_073_709_551_616),
    ("123456789012345678901234567890", 1.2345678901234568e29), ("9999999999999999999", 1e19),
  ]) func integersBeyondInt64KeepTheirDigits(_ text: String, value: Double) {
    withTree(of: "[1,\(text),2.5]".utf8) { node, result in
      let big = json_array_get(node, 1)
      #expect(big?.pointee.type == JSON_REAL)
      #expect(json_real_value(big) == value)
      #expect(digits(of: big, in: result) == text)
      #expect(digits(of: json_array_get(node, 0), in: result) == nil)
      #expect(digits(of: json_array_get(node, 2), in: result) == nil)
    }
  }

  @Test func integersBeyondDoubleAreTheLargestDoubleAndKeepTheirDigits() {
    let text = String(repeating: "9", count: 400)
    withTree(of: "[-\(text)]".utf8) { node, result in
      #expect(json_real_value(json_array_get(node, 0)) == -Double.greatestFiniteMagnitude)
      #expect(digits(of: json_array_get(node, 0), in: result) == "-" + text)
    }
  }

  @Test func manyBigIntegersAreTold() {
    let base = 10_000_000_000_000_000_000 as UInt64
    let json = "[" + (0..<5_000).map { "\(base + UInt64($0))" }.joined(separator: ",") + "]"
    withTree(of: json.utf8) { node, result in
      for index in 0..<5_000 {
        #expect(digits(of: json_array_get(node, index), in: result) == "\(base + UInt64(index))")
      }
    }
  }

  @Test func anEvictedBigIntegerLendsNoDigits() {
    let members = (0..<50).map { #""a":\#(UInt64.max - UInt64($0)),"a":1.5,"b\#($0)":2.5"# }.joined(
      separator: ",")
    withTree(of: "{\(members)}".utf8) { node, result in
      for index in 0..<50 { #expect(digits(of: json_object_get(node, "b\(index)"), in: result) == nil) }
      #expect(digits(of: json_object_get(node, "a"), in: result) == nil)
    }
  }
}

private func digits(of node: UnsafePointer<json_t>?, in result: fastmap_read_result) -> String? {
  var length = 0
  guard let text = fastmap_big_integer_text(result.big_integers, node, &length) else { return nil }
  return UnsafeRawBufferPointer(start: text, count: length).withMemoryRebound(to: UInt8.self) {
    String(decoding: $0, as: UTF8.self)
  }
}

private func expectNearest(_ text: String) { expectNearest(Array(text.utf8)) }

/// Reads a number here and with strtod.
private func expectNearest(_ text: [UInt8]) {
  var result = fastmap_read_result()
  _ = text.withUnsafeBytes { fastmap_read(nil, $0.baseAddress, $0.count, nil, &result) }
  defer {
    fastmap_tree_release(result.tree)
    fastmap_big_integers_free(result.big_integers)
  }
  let expected = (text + [0]).withUnsafeBytes {
    strtod($0.baseAddress!.assumingMemoryBound(to: CChar.self), nil)
  }
  let node = result.tree?.assumingMemoryBound(to: json_t.self)
  let isRight =
    expected.isInfinite
    ? result.error == FASTMAP_READ_NUMBER_OVERFLOW
    : node != nil && json_number_value(node).bitPattern == expected.bitPattern
  if !isRight { Issue.record("\(String(decoding: text, as: UTF8.self)) is \(expected)") }
}

private func expectNearest(_ text: String, is expected: Double) {
  withTree(of: text.utf8) { node, _ in
    #expect(json_real_value(node).bitPattern == expected.bitPattern, "\(text)")
  }
  expectNearest(text)
}

/// Any number but an integer: up to 25 digits before the point and 25 behind, and an exponent that takes some beyond
/// both ends of a double's range.
private func appendNumber(to text: inout [UInt8], _ random: inout Random) {
  func appendDigits(_ count: Int) {
    for _ in 0..<count { text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: random.next() % 10)) }
  }
  let shape = random.next()
  if shape & 1 == 1 { text.append(UInt8(ascii: "-")) }
  if shape & 0b110 == 0 {
    text.append(UInt8(ascii: "0"))
  } else {
    text.append(UInt8(ascii: "1") + UInt8(truncatingIfNeeded: random.next() % 9))
    appendDigits(Int(shape >> 8 % 25))
  }
  text.append(UInt8(ascii: "."))
  if shape & 0b11000 == 0 { text += Array(repeating: UInt8(ascii: "0"), count: Int(shape >> 16 % 30)) }
  appendDigits(1 + Int(shape >> 24 % 25))
  if shape & 0b100000 == 0 { text += Array("e\(Int(shape >> 32 % 700) - 350)".utf8) }
}
