#if Postgres
  internal import FastMapStoreKit

  // `numeric` keeps a number and how many digits it has after the point. FastMap keeps the text. So a decimal that
  // `numeric` would write in another way has a second column with its text:
  //
  //     price     fastmap_exact_price
  //     12.50     (null)
  //     1000      1e3
  //     0.0       -0.0
  //
  // In its binary format, a `numeric` has digits of base 10 000. The weight is the power of 10 000 of the first one.

  /// Decimals as they stand in a column of the type `numeric`.
  enum StoredDecimal {
    private static let base = 4
    private static let negative: UInt16 = 0x4000
    /// The most digits after the point.
    private static let mostScale = 16_383

    /// Appends a decimal.
    ///
    /// - Parameter text: The text of a JSON number, within the limits of ``DecimalNumber``.
    /// - Returns: Whether `numeric` writes the same text.
    static func write(_ text: UnsafeRawBufferPointer, to column: FieldBuffer) -> Bool {
      let number = Number(text)
      let scale = number.fraction - number.exponent
      let count = number.isZero ? 0 : number.group(number.first) - number.group(number.last) + 1
      column.raw(Int32(8 + 2 * count))
      column.raw(Int16(count))
      column.raw(Int16(number.isZero ? 0 : number.group(number.first)))
      column.raw(number.isNegative && !number.isZero ? negative : 0)
      column.raw(UInt16(min(max(scale, 0), mostScale)))
      if !number.isZero { number.forEachGroup(in: text) { column.raw($0) } }
      return !number.hasExponent && !(number.isNegative && number.isZero) && scale <= mostScale
    }

    /// The text that `numeric` writes; nil for NaN, for infinities, and for what is no `numeric`.
    static func text(of numeric: UnsafeRawBufferPointer) -> [UInt8]? {
      guard numeric.count >= 8 else { return nil }
      let count = Int(numeric.bigEndian(Int16.self))
      let weight = Int(numeric.bigEndian(Int16.self, at: 2))
      let sign = numeric.bigEndian(UInt16.self, at: 4)
      let scale = Int(numeric.bigEndian(UInt16.self, at: 6))
      guard count >= 0, numeric.count == 8 + 2 * count, sign == 0 || sign == negative, scale <= mostScale
      else { return nil }
      func group(_ power: Int) -> Int {
        let index = weight - power
        return index >= 0 && index < count ? Int(numeric.bigEndian(Int16.self, at: 8 + 2 * index)) : 0
      }
      func append(_ value: Int, to text: inout [UInt8]) {
        for divisor in [1000, 100, 10, 1] {
          text.append(UInt8(truncatingIfNeeded: 48 + value / divisor % 10))
        }
      }
      var text: [UInt8] = []
      text.reserveCapacity(base * max(1, weight + 1) + scale + 6)
      if sign == negative { text.append(UInt8(ascii: "-")) }
      text += "\(group(max(weight, 0)))".utf8
      for power in (0..<max(weight, 0)).reversed() { append(group(power), to: &text) }
      guard scale > 0 else { return text }
      text.append(UInt8(ascii: "."))
      let end = text.count + scale
      var power = -1
      while text.count < end {
        append(group(power), to: &text)
        power -= 1
      }
      text.removeLast(text.count - end)
      return text
    }

    /// Texts that are no longer are decimals, if `numeric` has written them.
    static let shortText = 36
  }

  /// A JSON number, taken apart.
  private struct Number {
    private(set) var isNegative = false
    private(set) var hasExponent = false
    private(set) var exponent = 0
    /// The digits before the point, and after it.
    private(set) var whole = 0
    private(set) var fraction = 0
    /// The places of the first and the last digit that is not 0, counted without the point; -1 if all are.
    private(set) var first = -1
    private(set) var last = -1

    var isZero: Bool { first < 0 }

    init(_ text: UnsafeRawBufferPointer) {
      var isBehindPoint = false
      var isExponentNegative = false
      for byte in text {
        switch byte {
        case UInt8(ascii: "-"): if hasExponent { isExponentNegative = true } else { isNegative = true }
        case UInt8(ascii: "."): isBehindPoint = true
        case UInt8(ascii: "e"), UInt8(ascii: "E"): hasExponent = true
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
          let digit = Int(byte - UInt8(ascii: "0"))
          if hasExponent {
            // Only zero has a larger one.
            exponent = min(exponent * 10 + digit, 1_000_000)
            continue
          }
          if digit > 0 {
            last = whole + fraction
            if first < 0 { first = last }
          }
          if isBehindPoint { fraction += 1 } else { whole += 1 }
        default: break
        }
      }
      if isExponentNegative { exponent = -exponent }
    }

    /// The power of ten of a digit.
    private func power(_ place: Int) -> Int { whole - 1 - place + exponent }

    /// The power of 10 000 of a digit, rounded down.
    func group(_ place: Int) -> Int { power(place) >> 2 }

    /// Calls `body` with each digit of base 10 000, the most significant one first.
    func forEachGroup(in text: UnsafeRawBufferPointer, _ body: (Int16) -> Void) {
      var current = group(first)
      var value: Int16 = 0
      var place = 0
      for byte in text where place <= last {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { continue }
        defer { place += 1 }
        guard place >= first else { continue }
        while current > group(place) {
          body(value)
          value = 0
          current -= 1
        }
        let scale: Int16 =
          switch power(place) & 3 {
          case 0: 1
          case 1: 10
          case 2: 100
          default: 1000
          }
        value += Int16(byte - UInt8(ascii: "0")) * scale
      }
      body(value)
    }
  }
#endif
