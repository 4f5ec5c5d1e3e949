// Classes and escapes.
extension TextPatternParser {
  enum Escape {
    case scalar(Unicode.Scalar)
    case categories(ScalarCategories)
  }

  /// Reads a class from `[` on.
  mutating func bracket() throws(TextPatternError) -> ScalarSet {
    let start = place
    place += 1
    let isNegated = consume("^")
    var ranges: [ClosedRange<UInt32>] = []
    var categories: ScalarCategories = []
    if consume("-") { ranges.append(45...45) }
    while let scalar = next, scalar != "]" {
      if scalar == "-" {
        place += 1
        guard next == "]" else {
          throw fault("\"-\" stands between two characters, first or last in a class")
        }
        ranges.append(45...45)
        continue
      }
      switch try classMember() {
      case .categories(let some): categories.formUnion(some)
      case .scalar(let first):
        guard next == "-", following != "]" else {
          ranges.append(first.value...first.value)
          continue
        }
        place += 1
        let end = place
        guard case .scalar(let last) = try classMember(), first <= last else {
          place = end
          throw fault("a range goes from a character to a later one")
        }
        ranges.append(first.value...last.value)
      }
    }
    guard consume("]") else { throw expected("\"]\"") }
    guard !ranges.isEmpty || !categories.isEmpty else {
      place = start
      throw fault("a class must not be empty")
    }
    return ScalarSet(ranges, categories, isNegated: isNegated)
  }

  private mutating func classMember() throws(TextPatternError) -> Escape {
    guard let scalar = next else { throw expected("\"]\"") }
    switch scalar {
    case "\\": return try escape()
    case "[": throw fault("I-Regexp has no class inside a class; the character itself is written \\[")
    case "-": throw fault("the end of a range is written \\-")
    default:
      place += 1
      return .scalar(scalar)
    }
  }

  mutating func escape() throws(TextPatternError) -> Escape {
    let start = place
    place += 1
    guard let scalar = next else { throw expected("a character after the backslash") }
    place += 1
    switch scalar {
    case "(", ")", "*", "+", "-", ".", "?", "[", "\\", "]", "^", "{", "|", "}": return .scalar(scalar)
    case "n": return .scalar("\n")
    case "r": return .scalar("\r")
    case "t": return .scalar("\t")
    case "p", "P": return .categories(try categories(areOthers: scalar == "P"))
    default:
      place = start
      throw fault("\(Self.shown("\\" + String(scalar))) is not in I-Regexp", Self.remedy(for: scalar))
    }
  }

  private static func remedy(for scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "d": ": write [0-9] or \\p{Nd}"
    case "D": ": write [^0-9] or \\P{Nd}"
    case "w": ": write [0-9A-Za-z_] or [\\p{L}\\p{N}_]"
    case "W": ": write [^0-9A-Za-z_] or [^\\p{L}\\p{N}_]"
    case "s": ": write [ \\t\\n\\r]"
    case "S": ": write [^ \\t\\n\\r]"
    case "$": ": write [$]"
    case "1"..."9": ", which has no references to groups"
    case "b", "B", "A", "z", "Z": ", which has no anchors"
    case "u", "x", "U": ": write the character itself"
    case "0"..."9", "a"..."z", "A"..."Z": ""
    default: ": write the character without the backslash"
    }
  }

  /// Reads `{Lu}`.
  private mutating func categories(areOthers: Bool) throws(TextPatternError) -> ScalarCategories {
    guard consume("{") else { throw expected("\"{\" and a category, such as {Lu}") }
    let start = place
    var name = ""
    while let scalar = next, scalar != "}", place - start < 20 {
      name.unicodeScalars.append(scalar)
      place += 1
    }
    guard let found = ScalarCategories(named: name), consume("}") else {
      place = start
      throw expected("a category, such as L, Lu or Nd, and \"}\"")
    }
    return areOthers ? .all.subtracting(found) : found
  }
}
