/// Reads an I-Regexp in one pass.
struct TextPatternParser {
  /// The classes of the pattern.
  private(set) var sets: [ScalarSet] = []
  private let text: [Unicode.Scalar]
  private var place = 0
  private var nesting = 0

  /// A piece and the number of its instructions.
  private typealias Sized = (piece: TextPatternPiece, size: Int)

  init(_ text: String) { self.text = Array(text.unicodeScalars) }

  mutating func pattern() throws(TextPatternError) -> TextPatternPiece {
    let piece = try choice().piece
    guard place == text.count else {
      throw fault("\")\" closes no group: the character itself is written \\)")
    }
    return piece
  }

  private mutating func choice() throws(TextPatternError) -> Sized {
    let first = try branch()
    guard next == "|" else { return first }
    var (pieces, size) = ([first.piece], first.size)
    while take("|") {
      let branch = try branch()
      pieces.append(branch.piece)
      size += branch.size + 2
      try check(size)
    }
    if let set = joined(pieces) { return (.set(set), 1) }
    return (.choice(pieces), size)
  }

  /// The class that stands for a choice among characters.
  private mutating func joined(_ pieces: [TextPatternPiece]) -> Int? {
    var ranges: [ClosedRange<UInt32>] = []
    for piece in pieces {
      switch piece {
      case .scalar(let scalar): ranges.append(scalar.value...scalar.value)
      case .set(let set) where sets[set].isRanges: ranges += sets[set].ranges
      default: return nil
      }
    }
    return add(ScalarSet(ranges))
  }

  private mutating func branch() throws(TextPatternError) -> Sized {
    var (pieces, size): ([TextPatternPiece], Int) = ([], 0)
    while let scalar = next, scalar != "|", scalar != ")" {
      if scalar == "^", pieces.isEmpty { throw anchor("\\^") }
      let start = place
      let piece = try piece()
      // "$" alone: repeated, it is a character.
      if scalar == "$", place == start + 1, next == nil || next == "|" || next == ")" {
        place = start
        throw anchor("[$]")
      }
      // What has no instruction would be visited once for each repetition.
      guard piece.size > 0 else { continue }
      pieces.append(piece.piece)
      size += piece.size
      try check(size)
    }
    return (pieces.count == 1 ? pieces[0] : pieces.isEmpty ? .empty : .sequence(pieces), size)
  }

  private func anchor(_ escape: String) -> TextPatternError {
    fault(
      "I-Regexp has no anchors: match takes the whole string, search any part; the character itself is written \(escape)"
    )
  }

  private mutating func piece() throws(TextPatternError) -> Sized {
    let atom = try atom()
    let start = place
    guard let (least, most) = try quantifier() else { return atom }
    if let scalar = next, "*+?{".unicodeScalars.contains(scalar) {
      throw fault("a quantifier must not follow another; I-Regexp has no lazy and no possessive ones")
    }
    guard atom.size > 0, most != 0 else { return (.empty, 0) }  // however often, it is the empty string
    let size: Int
    if let most {
      size = least * atom.size + (most - least) * (atom.size + 1)
    } else {
      size = least == 0 ? atom.size + 2 : least * atom.size + 1
    }
    if size > TextPattern.largest { place = start }
    try check(size)
    return (.repeated(atom.piece, least: least, most: most), size)
  }

  private func check(_ size: Int) throws(TextPatternError) {
    guard size <= TextPattern.largest else {
      throw fault(
        "the pattern is too large: repetitions written out, it has more than \(TextPattern.largest) characters"
      )
    }
  }

  private mutating func quantifier() throws(TextPatternError) -> (least: Int, most: Int?)? {
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    guard take("{") else { return nil }
    let start = place
    let least = try number()
    var most: Int? = least
    if take(",") { most = next == "}" ? nil : try number() }
    guard take("}") else { throw expected("\"}\"") }
    if let most, most < least {
      place = start
      throw fault("the smaller number of a quantifier comes first")
    }
    return (least, most)
  }

  /// A number; a very large one is as good as a large one.
  private mutating func number() throws(TextPatternError) -> Int {
    guard next?.isDigit == true else { throw expected("a number") }
    var number = 0
    while let digit = next, digit.isDigit {
      number = min(number * 10 + Int(digit.value - 48), TextPattern.largest + 1)
      place += 1
    }
    return number
  }

  private mutating func atom() throws(TextPatternError) -> Sized {
    guard let scalar = next else { return (.empty, 0) }
    switch scalar {
    case "(":
      place += 1
      if next == "?" { throw fault("I-Regexp has only plain groups: \"(?\" is not supported") }
      guard nesting < Filter.deepest else { throw fault("groups are nested too deep") }
      nesting += 1
      let piece = try choice()
      nesting -= 1
      guard take(")") else { throw expected("\")\"") }
      return piece
    case "[": return (.set(add(try bracket())), 1)
    case ".":
      place += 1
      return (.set(add(.dot)), 1)
    case "\\":
      switch try escape() {
      case .scalar(let scalar): return (.scalar(scalar), 1)
      case .categories(let categories): return (.set(add(ScalarSet([], categories))), 1)
      }
    case "*", "+", "?", "{":
      throw fault("nothing to repeat before \"\(scalar)\": the character itself is written \\\(scalar)")
    case "]", "}": throw fault("the character \"\(scalar)\" is written \\\(scalar)")
    default:
      place += 1
      return (.scalar(scalar), 1)
    }
  }

  private mutating func add(_ set: ScalarSet) -> Int {
    sets.append(set)
    return sets.count - 1
  }
}

extension TextPatternParser {
  private enum Escape {
    case scalar(Unicode.Scalar)
    case categories(ScalarCategories)
  }

  /// Reads a class from `[` on.
  private mutating func bracket() throws(TextPatternError) -> ScalarSet {
    let start = place
    place += 1
    let isNegated = take("^")
    var ranges: [ClosedRange<UInt32>] = []
    var categories: ScalarCategories = []
    if take("-") { ranges.append(45...45) }
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
    guard take("]") else { throw expected("\"]\"") }
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

  private mutating func escape() throws(TextPatternError) -> Escape {
    let start = place
    place += 1
    guard let scalar = next else { throw expected("a character behind the backslash") }
    place += 1
    switch scalar {
    case "(", ")", "*", "+", "-", ".", "?", "[", "\\", "]", "^", "{", "|", "}": return .scalar(scalar)
    case "n": return .scalar("\n")
    case "r": return .scalar("\r")
    case "t": return .scalar("\t")
    case "p", "P": return .categories(try categories(areOthers: scalar == "P"))
    default:
      place = start
      throw fault("\(Self.shown("\\" + String(scalar))) is not in I-Regexp\(Self.remedy(for: scalar))")
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
    guard take("{") else { throw expected("\"{\" and a category, such as \\p{Lu}") }
    let start = place
    var name = ""
    while let scalar = next, scalar != "}", place - start < 20 {
      name.unicodeScalars.append(scalar)
      place += 1
    }
    guard let found = ScalarCategories(named: name), take("}") else {
      place = start
      throw expected("a category, such as L, Lu or Nd, and \"}\"")
    }
    return areOthers ? .all.subtracting(found) : found
  }
}

extension TextPatternParser {
  private var next: Unicode.Scalar? { place < text.count ? text[place] : nil }

  private var following: Unicode.Scalar? { place + 1 < text.count ? text[place + 1] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    place += 1
    return true
  }

  /// A part of the pattern as it stands there, for a message.
  private static func shown(_ text: String) -> String { "\"\(printable(text))\"" }

  private func fault(_ reason: String) -> TextPatternError {
    TextPatternError(column: place + 1, reason: reason)
  }

  private func expected(_ expectation: String) -> TextPatternError {
    fault("expected \(expectation), found \(next.map { Self.shown(String($0)) } ?? "the end of the pattern")")
  }
}

extension Unicode.Scalar {
  fileprivate var isDigit: Bool { self >= "0" && self <= "9" }
}
