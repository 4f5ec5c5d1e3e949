extension FilterParser {
  /// Reads a number, as RFC 8259 writes it.
  mutating func number() throws(FilterError) -> FilterLiteral {
    let place = text.place()
    try integerDigits(allowsNegativeZero: true)
    var isInteger = true
    if text.consume(".") {
      isInteger = false
      try digits("a digit after the decimal point")
    }
    if text.consume("e") || text.consume("E") {
      isInteger = false
      if !text.consume("-") { _ = text.consume("+") }
      try digits("the digits of an exponent")
    }
    if text.next?.isWord == true || text.next == UInt8(ascii: ".") {
      throw text.expected("the end of the number")
    }
    let digits = String(decoding: text.since(place), as: UTF8.self)
    if isInteger, let integer = Int64(digits) { return .integer(integer) }
    if isInteger, let unsigned = UInt64(digits) { return .unsigned(unsigned) }
    guard let number = Double(digits) else { throw FilterError(.init(place, "the number cannot be read")) }
    // The text of infinity: see `FilterPrinter`.
    if number.isInfinite, digits == FilterPrinter.text(of: number) { return .number(number) }
    if let decimal = BoundFilter.Decimal(digits, nearest: number) { return .decimal(decimal) }
    return .number(number)
  }

  /// Reads a sign and digits without leading zeros.
  mutating func integerDigits(allowsNegativeZero: Bool) throws(FilterError) {
    let isNegative = text.consume("-")
    guard text.consume("0") else { return try digits("a digit") }
    if text.next?.isDigit == true { throw text.fault("a number must not begin with 0") }
    if isNegative, !allowsNegativeZero { throw text.fault("an index must not be -0") }
  }

  private mutating func digits(_ expectation: String) throws(FilterError) {
    guard !text.run(of: { $0.isDigit }).isEmpty else { throw text.expected(expectation) }
  }

  mutating func string() throws(FilterError) -> String {
    let quote = text.next ?? 0
    text.skip()
    var bytes: [UInt8] = []
    while true {
      bytes += text.run { $0 != quote && $0 != UInt8(ascii: "\\") && $0 >= 0x20 }
      switch text.next {
      case nil: throw text.expected("the quote that ends the string")
      case quote:
        text.skip()
        return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"): bytes += Array(String(try escape(quote)).utf8)
      default: throw text.fault("a control character in a string must be escaped")
      }
    }
  }

  private mutating func escape(_ quote: UInt8) throws(FilterError) -> Unicode.Scalar {
    text.skip()
    let scalar: Unicode.Scalar
    switch text.next {
    case quote: scalar = Unicode.Scalar(quote)
    case UInt8(ascii: "\\"): scalar = "\\"
    case UInt8(ascii: "/"): scalar = "/"
    case UInt8(ascii: "b"): scalar = "\u{8}"
    case UInt8(ascii: "f"): scalar = "\u{C}"
    case UInt8(ascii: "n"): scalar = "\n"
    case UInt8(ascii: "r"): scalar = "\r"
    case UInt8(ascii: "t"): scalar = "\t"
    case UInt8(ascii: "u"):
      text.skip()
      return try escapedScalar()
    default:
      let other = quote == UInt8(ascii: "'") ? "'" : "\""
      throw text.expected("an escape: \\\(other) \\\\ \\/ \\b \\f \\n \\r \\t or \\u with four digits")
    }
    text.skip()
    return scalar
  }

  /// Reads four digits, and the low surrogate after a high one.
  private mutating func escapedScalar() throws(FilterError) -> Unicode.Scalar {
    let place = text.place()
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if UTF16.isLeadSurrogate(unit), text.consume("\\", "u") {
      let low = try codeUnit()
      if UTF16.isTrailSurrogate(low),
        let scalar = Unicode.Scalar(0x10000 + UInt32(unit - 0xD800) << 10 + UInt32(low - 0xDC00))
      {
        return scalar
      }
    }
    throw FilterError(.init(place, "a surrogate must be one of a pair: \\uD83D\\uDE00"))
  }

  private mutating func codeUnit() throws(FilterError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = text.next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw text.expected("four hexadecimal digits")
      }
      text.skip()
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}
