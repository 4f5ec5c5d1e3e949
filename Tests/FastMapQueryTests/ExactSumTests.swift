import FastMapStoreKit
import TestSupport
import Testing

@testable import FastMapQueryEngine

/// Sums beside slower ones with whole numbers of any length.
@Suite struct ExactSumTests {
  private func sum(_ values: [Value]) -> ExactSum {
    var sum = ExactSum()
    for value in values {
      let literal = LiteralSlot(value)
      withExtendedLifetime(literal) { sum.add(literal.slot) }
    }
    return sum
  }

  private func sum(of numbers: [Double]) -> Double? { sum(numbers.map { .number($0) }).quotient(by: 1) }

  private static let least = Double.leastNonzeroMagnitude

  static let sums: [([Double], Double?)] = [
    ([], 0), ([0.1, 0.2, 0.3], 0.6), ([1e308, 1e308, -1e308], 1e308), ([1e308, 1e308], nil),
    ([.infinity, 1], .infinity),
    ([1, 1e100, 1, -1e100], 2), ([least, least], 2 * least), ([1e16, 1, 1e-16], 10_000_000_000_000_002),
    ([1e16, 1], 10_000_000_000_000_000), ([-1e16, -1, -1e-300], -10_000_000_000_000_002), ([-0.0], 0),
    ([.leastNormalMagnitude, -least], .leastNormalMagnitude - least), ([-1, 1], 0),
    ([.greatestFiniteMagnitude, .greatestFiniteMagnitude.ulp / 2], nil),
    ([.greatestFiniteMagnitude, .greatestFiniteMagnitude.ulp / 4], .greatestFiniteMagnitude),
  ]

  @Test(arguments: sums)
  func aSumOfNumbersIsRoundedOnceInAnyOrder(_ test: ([Double], Double?)) {
    #expect(sum(of: test.0) == test.1)
    #expect(sum(of: test.0.reversed()) == test.1)
  }

  static let averages: [([Value], Double)] = [
    ([.integer(1), .integer(2)], 1.5),
    ([.integer(.max), .integer(.max), .integer(.min)], Double(Int64.max / 3)),
    ([.number(1e308), .number(1e308)], 1e308), ([.number(least), .number(0)], 0),
    ([.number(least), .number(2 * least)], 2 * least), ([.number(1), .number(1), .number(2)], 4.0 / 3),
    ([.decimal("0.1"), .decimal("0.2")], 0.15), ([.decimal("-1"), .decimal("-1"), .decimal("-2")], -4.0 / 3),
    ([.decimal("1e-6000"), .decimal("0")], 0), ([.decimal("9007199254740993")], 9_007_199_254_740_992),
    ([.decimal("9007199254740993"), .decimal("9007199254740993.0000000000000001")], 9_007_199_254_740_994),
  ]

  @Test(arguments: averages)
  func anAverageIsRoundedOnce(_ test: ([Value], Double)) {
    #expect(sum(test.0).quotient(by: test.0.count) == test.1)
  }

  static let decimals: [([String], String?)] = [
    (["1.10", "1.2"], "2.30"), (["-0.1", "0.1"], "0"), (["1e3", "2"], "1002"), (["-5", "2.5"], "-2.5"),
    (["0.001"], "0.001"), (["1e-100", "1e-100"], "2e-100"), (["1e100"], "1e100"), (["0.00"], "0"),
    (["99999999999999999999999999999999999999", "1"], "1e38"), (["1e38", "0.1"], nil),
    (["1e40", "0.1", "-1e40"], "0.1"),
    (["-99999999999999999999999999999999999999", "-99999999999999999999999999999999999999"], nil),
  ]

  @Test(arguments: decimals)
  func aSumOfDecimalsIsExactInAnyOrder(_ test: ([String], String?)) {
    for texts in [test.0, test.0.reversed()] {
      let values = texts.compactMap { DecimalNumber($0) }
      #expect(values.count == texts.count)
      #expect(sum(values.map { .decimal($0) }).decimal?.text == test.1)
    }
  }

  /// Doubles that are multiples of one power of two are whole numbers.
  @Test func sumsAndAveragesAgreeWithWholeNumbers() {
    var random = Random(for: "sums")
    for _ in 0..<2000 {
      let shift = random.next(200) - 100
      let whole = (0..<1 + random.next(20)).map { _ in
        Int64(bitPattern: UInt64(random.next(1 << 30)) << random.next(23)) * (random.next(2) == 0 ? 1 : -1)
      }
      let unit = Double(sign: .plus, exponent: shift, significand: 1)
      let sum = sum(whole.map { .number(Double($0) * unit) })
      let total = whole.reduce(0, +)
      #expect(sum.quotient(by: 1) == Double(total) * unit)
      // Both are exact, so the division of doubles is rounded once.
      if total.magnitude < 1 << 53 {
        #expect(sum.quotient(by: whole.count) == Double(total) / Double(whole.count) * unit)
      }
    }
  }
}
