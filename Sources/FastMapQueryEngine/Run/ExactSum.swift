internal import CFastMap

/// The exact sum of numbers, whatever their order.
///
/// Numbers with near exponents share one integer of 128 bits, as in the long accumulator of Kulisch and Miranker ("The arithmetic of
/// the digital computer", 1986). A `Double` is added to the multiple of 2^32 below it, a decimal to the multiple of 10^9. Only the result is
/// rounded, and only once.
struct ExactSum {
  /// The values that were added.
  private(set) var count = 0
  /// Most sums need one integer: the units are `base` to the power of `place`.
  private var place = 0
  private var sum: Int128 = 0
  private var others: [Int: Int128] = [:]
  /// The sum of infinities and NaN; 0 without any.
  private var infinite = 0.0
  private var isDecimal = false
  /// The exponent of the last digit of all decimals.
  private var lastDigit = Int.max

  private var base: Int128 { isDecimal ? 1_000_000_000 : 1 << 32 }

  mutating func add(_ slot: fastmap_slot) {
    switch slot.kind {
    case .integer: add(Int128(slot.integer), at: 0)
    case .unsigned: add(Int128(UInt64(bitPattern: slot.integer)), at: 0)
    case .number: add(slot.number)
    case .decimal: addDecimal(slot)
    default: return
    }
    count += 1
  }

  private mutating func add(_ value: Int128, at place: Int) {
    if sum == 0, others.isEmpty { self.place = place }
    if place == self.place { sum += value } else { others[place, default: 0] += value }
  }

  private mutating func add(_ number: Double) {
    guard number.isFinite else { return infinite += number }
    let isNormal = number.exponentBitPattern > 0
    let digits = Int128(number.significandBitPattern | (isNormal ? 1 << 52 : 0))
    // From 0, for 2^-1088.
    let exponent = max(1, Int(number.exponentBitPattern)) + 13
    add((number.sign == .minus ? -digits : digits) << (exponent % 32), at: exponent / 32 - 34)
  }

  private mutating func addDecimal(_ slot: fastmap_slot) {
    isDecimal = true
    var (slot, value) = (slot, fastmap_decimal_value())
    guard fastmap_decimal_read_slot(&slot, &value), value.sign != 0 else { return }
    let digits = withUnsafeBytes(of: value.digits) { digits in
      digits.prefix(value.count).reduce(Int128(0)) { $0 * 10 + Int128($1) } * Int128(value.sign)
    }
    let exponent = Int(value.exponent) - value.count + 1
    lastDigit = min(lastDigit, Int(value.exponent) - value.written + 1)
    let place = (exponent - (exponent < 0 ? 8 : 0)) / 9
    let factor = (0..<exponent - 9 * place).reduce(Int128(1)) { power, _ in power * 10 }
    let half: Int128 = 1_000_000_000_000_000_000
    add(digits % half * factor, at: place)
    add(digits / half * factor, at: place + 2)
  }

  // MARK: Results

  /// The exact sum of integers; nil beyond 64 bits.
  var integer: Value? {
    Int64(exactly: sum).map { .integer($0) } ?? UInt64(exactly: sum).map { .unsigned($0) }
  }

  /// The exact sum of decimals; nil beyond 38 digits.
  var decimal: DecimalNumber? {
    let all = digits
    var text = Self.text(of: all.digits.reversed())
    if text.isEmpty { return DecimalNumber(0) }
    // All digits below the last one are zeros.
    var exponent = 9 * all.place
    while exponent < lastDigit || text.count + max(0, exponent) > FASTMAP_DECIMAL_DIGITS, text.last == "0" {
      text.removeLast()
      exponent += 1
    }
    if exponent > 0, text.count + exponent <= FASTMAP_DECIMAL_DIGITS {
      text += String(repeating: "0", count: exponent)
      exponent = 0
    }
    if -FASTMAP_DECIMAL_DIGITS <= exponent, exponent < 0 {
      text = String(repeating: "0", count: max(0, 1 - exponent - text.count)) + text
      text.insert(".", at: text.index(text.endIndex, offsetBy: exponent))
    } else if exponent != 0 {
      text += "e\(exponent)"
    }
    return DecimalNumber((all.isNegative ? "-" : "") + text)
  }

  /// The sum divided by a number, as the nearest `Double`; nil if that is infinite although no value is.
  func quotient(by divisor: Int) -> Double? {
    if infinite != 0 { return infinite }
    let all = digits
    let magnitude = isDecimal ? Self.decimalQuotient(all, divisor) : Self.binaryQuotient(all, divisor)
    return magnitude.isFinite ? all.isNegative ? -magnitude : magnitude : nil
  }

  /// The magnitude of the sum.
  private struct Digits {
    var isNegative = false
    /// The lowest first, each below `base`.
    var digits: [UInt32] = []
    /// Of the lowest.
    var place = 0
  }

  private var digits: Digits {
    let lowest = others.keys.reduce(place) { min($0, $1) }
    let highest = others.keys.reduce(place) { max($0, $1) }
    for sign: Int128 in [1, -1] {
      var result = Digits(isNegative: sign < 0, place: lowest)
      var carry: Int128 = 0
      var next = lowest
      while next <= highest || carry != 0 && carry != -1 {
        carry += sign * ((next == place ? sum : 0) + (others[next] ?? 0))
        var rest = carry % base
        if rest < 0 { rest += base }
        result.digits.append(UInt32(rest))
        carry = (carry - rest) / base
        next += 1
      }
      if carry == 0 { return result }
    }
    return Digits()
  }

  /// The first digits of a quotient, the highest first, without zeros before them.
  ///
  /// - Returns: Also the place of the last one, and whether no others follow.
  private static func divide(
    _ all: Digits, by divisor: Int, base: UInt128, count: Int
  ) -> (digits: [UInt32], place: Int, isExact: Bool) {
    var (digits, rest): ([UInt32], UInt128) = ([], 0)
    var index = all.digits.count
    while digits.count < count, index > 0 || rest != 0 {
      index -= 1
      rest = rest * base + UInt128(index >= 0 ? all.digits[index] : 0)
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: UInt128(divisor))
      if !digits.isEmpty || quotient > 0 { digits.append(UInt32(quotient)) }
      rest = remainder
    }
    return (digits, all.place + index, rest == 0 && !all.digits.prefix(max(0, index)).contains { $0 != 0 })
  }

  private static func binaryQuotient(_ all: Digits, _ divisor: Int) -> Double {
    // At least 97 bits, and one for all that follow.
    let (digits, place, isExact) = divide(all, by: divisor, base: 1 << 32, count: 4)
    var bits = digits.reduce(UInt128(0)) { $0 << 32 | UInt128($1) }
    if bits == 0 { return 0 }
    if !isExact { bits |= 1 }
    let length = UInt128.bitWidth - bits.leadingZeroBitCount
    let cut = max(length - 53, -1074 - 32 * place)
    if cut >= UInt128.bitWidth { return 0 }
    if cut > 0 {
      let half: UInt128 = 1 << (cut - 1)
      let rest = bits & ((half << 1) - 1)
      bits >>= cut
      if rest > half || rest == half && bits & 1 == 1 { bits += 1 }
    }
    return Double(sign: .plus, exponent: 32 * place + max(0, cut), significand: Double(bits))
  }

  private static func decimalQuotient(_ all: Digits, _ divisor: Int) -> Double {
    // The middle between two doubles has 767 digits at most.
    let (digits, place, isExact) = divide(all, by: divisor, base: 1_000_000_000, count: 90)
    return Double(text(of: digits) + (isExact ? "0" : "1") + "e\(9 * place - 1)") ?? 0
  }

  /// Digits of nine decimals, the highest first.
  private static func text(of digits: some Sequence<UInt32>) -> String {
    let text = digits.map { String(repeating: "0", count: 9 - "\($0)".count) + "\($0)" }.joined()
    return String(text.drop { $0 == "0" })
  }
}
