extension FilterParser {
  /// Reads a path from `@` on.
  mutating func path() throws(FilterError) -> FilterPath {
    var path = FilterPath(place: text.place())
    text.skip()
    while true {
      text.skipBlanks()
      switch text.next {
      case UInt8(ascii: "."):
        text.skip()
        path.steps.append(try shorthand())
      case UInt8(ascii: "["):
        text.skip()
        path.steps.append(FilterStep(try selectors()))
      default: return path
      }
    }
  }

  /// Reads the name or `*` after a dot.
  private mutating func shorthand() throws(FilterError) -> FilterStep {
    if text.consume("*") { return FilterStep([.all]) }
    switch text.next {
    case UInt8(ascii: "."):
      throw text.fault("\"..\" is not supported: a path names each of its steps")
    case let byte? where byte.isNameStart: break
    case let byte? where byte.isDigit: throw text.expected("a name; a position is written [0]")
    default: throw text.expected("a name or \"*\"")
    }
    let name = String(decoding: text.run { $0.isWord }, as: UTF8.self)
    if text.next == UInt8(ascii: "-") {
      throw text.fault("a name with \"-\" must be in brackets and quotes: [\"a-b\"]")
    }
    return FilterStep(.name(name))
  }

  /// Reads selectors and the bracket that ends them.
  private mutating func selectors() throws(FilterError) -> [FilterSelector] {
    var selectors: [FilterSelector] = []
    repeat {
      text.skipBlanks()
      selectors.append(try selector())
      text.skipBlanks()
    } while text.consume(",")
    guard text.consume("]") else { throw text.expected("\",\" or \"]\"", FilterHint.after(text.token)) }
    return selectors
  }

  private mutating func selector() throws(FilterError) -> FilterSelector {
    switch text.next {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .member(.name(try string()))
    case UInt8(ascii: "?"):
      try open()
      let filter = try or()
      close()
      return .filtered(filter)
    case UInt8(ascii: "-"), UInt8(ascii: ":"): return try indexOrSlice()
    case let byte? where byte.isDigit: return try indexOrSlice()
    default:
      if text.consume("*") { return .all }
      throw text.expected("a name in quotes, \"*\", an index, a slice or \"?\" with a filter")
    }
  }

  private mutating func indexOrSlice() throws(FilterError) -> FilterSelector {
    let start = try bound()
    text.skipBlanks()
    guard text.consume(":") else {
      guard let start else { throw text.expected("an index") }
      return .index(start)
    }
    text.skipBlanks()
    let end = try bound()
    text.skipBlanks()
    guard text.consume(":") else { return .slice(start: start, end: end, step: 1) }
    text.skipBlanks()
    return .slice(start: start, end: end, step: try bound() ?? 1)
  }

  /// Reads an index, if there is one.
  private mutating func bound() throws(FilterError) -> Int64? {
    guard let first = text.next, first.isDigit || first == UInt8(ascii: "-") else { return nil }
    let place = text.place()
    _ = try integerDigits(allowsNegativeZero: false)
    guard let index = Int64(String(decoding: text.since(place), as: UTF8.self)),
      FilterSelector.positions.contains(index)
    else { throw FilterError(.init(place, FilterSelector.outside)) }
    return index
  }
}
