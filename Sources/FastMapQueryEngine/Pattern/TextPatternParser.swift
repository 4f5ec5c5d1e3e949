/// Reads an I-Regexp in one pass.
struct TextPatternParser {
  /// The classes of the pattern.
  private(set) var sets: [ScalarSet] = []
  private let text: [Unicode.Scalar]
  var place = 0
  private var nesting = 0

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
    while consume("|") {
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
      // A repetition would visit a piece without instructions each time.
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
    if consume("*") { return (0, nil) }
    if consume("+") { return (1, nil) }
    if consume("?") { return (0, 1) }
    guard consume("{") else { return nil }
    let start = place
    let least = try number()
    var most: Int? = least
    if consume(",") { most = next == "}" ? nil : try number() }
    guard consume("}") else { throw expected("\"}\"") }
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
      guard consume(")") else { throw expected("\")\"") }
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
  var next: Unicode.Scalar? { place < text.count ? text[place] : nil }

  var following: Unicode.Scalar? { place + 1 < text.count ? text[place + 1] : nil }

  mutating func consume(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    place += 1
    return true
  }

  /// A part of the pattern as it stands there, for a message.
  static func shown(_ text: String) -> String { "\"\(printable(text))\"" }

  func fault(_ reason: String, _ remedy: String = "") -> TextPatternError {
    TextPatternError(column: place + 1, reason: reason, remedy: remedy)
  }

  package func expected(_ expectation: String) -> TextPatternError {
    fault("expected \(expectation), found \(next.map { Self.shown(String($0)) } ?? "the end of the pattern")")
  }
}

extension Unicode.Scalar {
  fileprivate var isDigit: Bool { self >= "0" && self <= "9" }
}
