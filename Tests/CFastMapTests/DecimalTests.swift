import CFastMap
import Testing

/// The reader of decimals, their order and their keys.
@Suite struct DecimalReaderTests {
  private static func read(_ text: String) -> fastmap_decimal_value? {
    var value = fastmap_decimal_value()
    let bytes = Array(text.utf8)
    let isRead = fastmap_decimal_read(bytes, bytes.count, &value)
    if !isRead {
      #expect(value.count == 0 && value.sign == 0 && value.exponent == 0, "\(text) leaves nothing")
    }
    return isRead ? value : nil
  }

  private static func digits(_ value: fastmap_decimal_value) -> String {
    var value = value
    return withUnsafeBytes(of: &value.digits) { digits in
      digits.prefix(value.count).map { "\($0)" }.joined()
    }
  }

  private static func key(_ text: String) throws -> [UInt8] {
    var value = try #require(read(text), "\(text)")
    var key = [UInt8](repeating: 0xee, count: FASTMAP_DECIMAL_KEY)
    let length = fastmap_decimal_key(&value, &key)
    #expect(key[length...].allSatisfy { $0 == 0 })
    return Array(key[..<length])
  }

  @Test(arguments: [
    ("0", "", 0, 0), ("-0", "", 0, 0), ("0.000", "", 0, 0), ("0e99999999999999999999", "", 0, 0),
    ("7", "7", 0, 1), ("-7", "7", 0, -1), ("100", "1", 2, 1), ("1.10", "11", 0, 1), ("0.05", "5", -2, 1),
    ("-12.5e3", "125", 4, -1), ("1E+2", "1", 2, 1), ("1e-2", "1", -2, 1), ("0.00120e5", "12", 2, 1),
    ("9e6144", "9", 6144, 1), ("1e-6144", "1", -6144, 1), ("0.1e-6143", "1", -6144, 1),
    ("10e6143", "1", 6144, 1),
    ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678", 37, 1),
    ("0.00012345678901234567890123456789012345678", "12345678901234567890123456789012345678", -4, 1),
  ])
  func aNumberIsTakenApart(_ text: String, _ digits: String, _ exponent: Int64, _ sign: Int8) throws {
    let value = try #require(Self.read(text))
    #expect(Self.digits(value) == digits)
    #expect(value.exponent == exponent && value.sign == sign)
  }

  @Test(arguments: [
    "", "-", "+1", ".5", "5.", "-.5", "01", "-01", "00", "1e", "1e+", "1e1.5", "1 ", " 1", "1,5", "0x1",
    "abc", "NaN", "1..2",
    "1.2.3", "1e5e5", "--1", "1-", "1\0", "١",
    "123456789012345678901234567890123456789", "1.00000000000000000000000000000000000000", "1e6145",
    "10e6144",
    "1e-6145", "0.1e-6144", "1e99999999999999999999", "-1e-99999999999999999999",
    "0." + String(repeating: "0", count: 254),
  ])
  func anyOtherTextIsRefused(_ text: String) { #expect(Self.read(text) == nil) }

  @Test func aTextOfAnyLengthTakesLinearTimeAndNoMemory() {
    let zeros = String(repeating: "0", count: 1_000_000)
    for (text, count, exponent) in [
      ("1" + zeros, 1, 1_000_000 as Int64), ("0." + zeros + "1", 1, -1_000_001),
      ("1" + zeros + "1", 1_000_002, 1_000_001),
      ("0." + zeros + "1e1000001", 1, 0),
    ] {
      var value = fastmap_decimal_value()
      let bytes = Array(text.utf8)
      #expect(fastmap_decimal_scan(bytes, bytes.count, &value))
      #expect(value.count == count && value.exponent == exponent)
      #expect(!fastmap_decimal_read(bytes, bytes.count, &value))
    }
  }

  @Test(
    arguments: [
      ("0", 0, true), ("-0.0", 0, true), ("5", 5, true), ("5.0", 5, true), ("-7e2", 700, true),
      ("2.5", 2, false), ("0.9", 0, false),
      ("0.05e2", 5, true), ("1e-9", 0, false), ("18446744073709551615", .max, true),
      ("18446744073709551615.5", .max, false),
      ("18446744073709551616", nil, true), ("1e20", nil, true), ("1e999999999", nil, true),
      ("1844674407370955161500000000000000000000000000000000e-32", 18_446_744_073_709_551_615, true),
    ] as [(String, UInt64?, Bool)])
  func theIntegerPartOfANumberIsKnown(_ text: String, _ expected: UInt64?, _ isWhole: Bool) {
    var value = fastmap_decimal_value()
    var magnitude: UInt64 = 1
    var whole = false
    let bytes = Array(text.utf8)
    #expect(fastmap_decimal_scan(bytes, bytes.count, &value))
    #expect(fastmap_decimal_whole(&value, &magnitude, &whole) == (expected != nil))
    if let expected { #expect(magnitude == expected && whole == isWhole) }
  }

  /// In their order, with two texts of each.
  private static let ordered = [
    ("-9.9e6144", "-99e6143"), ("-1e6144", "-10e6143"), ("-100", "-1e2"), ("-12", "-12.0"),
    ("-11.9", "-119e-1"), ("-1.1", "-1.10"),
    ("-1", "-1.0"), ("-0.5", "-5e-1"), ("-1e-6144", "-0.1e-6143"), ("0", "-0.00"), ("1e-6144", "0.1e-6143"),
    ("0.09", "0.090"),
    ("0.1", "0.10"), ("0.11", "11e-2"), ("1", "1.0"),
    ("1.000000000000000000000000000000000001", "1.0000000000000000000000000000000000010"),
    ("1.01", "101e-2"), ("1.1", "1.1e0"), ("2", "2.0"), ("9.9", "99e-1"), ("9.99", "999e-2"), ("10", "1e1"),
    ("99", "99.0"),
    ("99999999999999999999999999999999999998", "99999999999999999999999999999999999998e0"),
    ("99999999999999999999999999999999999999", "9.9999999999999999999999999999999999999e37"),
    ("1e38", "10e37"), ("1e6144", "0.1e6145"),
  ]

  @Test func theOrderOfValuesIsTheOrderOfKeys() throws {
    for (place, first) in Self.ordered.enumerated() {
      for (other, second) in Self.ordered.enumerated() {
        let expected = (place > other ? 1 : 0) - (place < other ? 1 : 0)
        for (one, two) in [(first.0, second.0), (first.0, second.1), (first.1, second.1)] {
          var (a, b) = (try #require(Self.read(one), "\(one)"), try #require(Self.read(two), "\(two)"))
          #expect(fastmap_decimal_order(&a, &b).signum() == expected, "\(one) \(two)")
          let (x, y) = (try Self.key(one), try Self.key(two))
          let order = (y.lexicographicallyPrecedes(x) ? 1 : 0) - (x.lexicographicallyPrecedes(y) ? 1 : 0)
          #expect(order == expected, "\(one) \(two)")
          if place != other { #expect(!x.starts(with: y) && !y.starts(with: x), "\(one) \(two)") }
        }
      }
    }
  }

  @Test func textsOfOneValueHaveOneFingerprint() {
    func print(_ text: String) -> UInt64 {
      let bytes = Array(text.utf8)
      return bytes.withUnsafeBufferPointer { bytes in
        var slot = fastmap_slot()
        slot.tag = UInt8(FASTMAP_DECIMAL)
        slot.length = UInt32(bytes.count)
        slot.bytes = bytes.baseAddress
        return fastmap_fingerprint_row(fastmap_fingerprint(high: 1, low: 2), [slot], [7], 1).low
      }
    }
    #expect(print("1.10") == print("1.1") && print("0") == print("-0.00"))
    #expect(Set(Self.ordered.map { print($0.0) }).count == Self.ordered.count)
    // A damaged text is no reason to read beyond it.
    #expect(print(String(repeating: "9", count: 200)) == print("0"))
  }
}
