/// Literals that every match contains. They answer most questions without a run of the program.
struct TextPatternLiterals: Sendable {
  /// The beginning of every match.
  private var prefix: [UInt8] = []
  /// If a match is the prefix and any number of characters of one class, that class.
  private var rest: ScalarSet?
  /// Whether the prefix is the whole pattern.
  private var isWhole = false
  /// The longest literal that every match contains.
  private var required: [UInt8] = []
  /// Whether a text that contains it has a match.
  private var suffices = false

  init(_ piece: TextPatternPiece, _ sets: [ScalarSet]) {
    var pieces: [TextPatternPiece] = [piece]
    if case .sequence(let parts) = piece { pieces = parts }
    let runs = Self.runs(pieces)
    if let first = runs.first, first.start == 0 { prefix = first.bytes }
    required = runs.max { $0.bytes.count < $1.bytes.count }?.bytes ?? []

    let literalCount = pieces.prefix { $0.isScalar }.count
    isWhole = literalCount == pieces.count
    if literalCount == pieces.count - 1, case .repeated(.set(let set), 0, nil) = pieces[literalCount] {
      rest = sets[set]
    }
    // A search may ignore optional pieces at both ends.
    let needed = pieces.drop { $0.mayBeEmpty }
    let end = needed.lastIndex { !$0.mayBeEmpty } ?? needed.startIndex
    suffices = !needed.isEmpty && needed[needed.startIndex...end].allSatisfy { $0.isScalar }
    if pieces.allSatisfy({ $0.mayBeEmpty }) { suffices = true }
  }

  /// The literals of a sequence, with the numbers of their first pieces.
  private static func runs(_ pieces: [TextPatternPiece]) -> [(start: Int, bytes: [UInt8])] {
    var runs: [(start: Int, bytes: [UInt8])] = []
    var isOpen = false
    for (number, piece) in pieces.enumerated() {
      guard case .scalar(let scalar) = piece else {
        isOpen = false
        continue
      }
      if !isOpen { runs.append((number, [])) }
      isOpen = true
      runs[runs.count - 1].bytes += String(scalar).utf8
    }
    return runs
  }

  /// Whether a whole text matches; nil if the program must say.
  func answersMatch(_ text: UnsafeBufferPointer<UInt8>) -> Bool? {
    guard Self.stands(prefix, at: 0, in: text) else { return false }
    if isWhole { return text.count == prefix.count }
    guard let rest else { return nil }
    if rest.isEverything { return true }
    var offset = prefix.count
    while let scalar = TextPatternProgram.scalar(text, &offset) {
      if !rest.contains(scalar) { return false }
    }
    return true
  }

  /// Whether a part of a text matches; nil if the program must say.
  func answersSearch(_ text: UnsafeBufferPointer<UInt8>) -> Bool? {
    guard Self.contains(text, required) else { return false }
    return suffices ? true : nil
  }

  private static func contains(_ text: UnsafeBufferPointer<UInt8>, _ part: [UInt8]) -> Bool {
    guard let first = part.first else { return true }
    guard part.count <= text.count else { return false }
    for start in 0...(text.count - part.count) where text[start] == first {
      if stands(part, at: start, in: text) { return true }
    }
    return false
  }

  private static func stands(_ part: [UInt8], at start: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard part.count <= text.count - start else { return false }
    var place = 0
    while place < part.count, text[start + place] == part[place] { place += 1 }
    return place == part.count
  }
}

extension TextPatternPiece {
  fileprivate var isScalar: Bool {
    if case .scalar = self { true } else { false }
  }

  /// Whether it certainly matches the empty string.
  fileprivate var mayBeEmpty: Bool {
    switch self {
    case .empty, .repeated(_, least: 0, _): true
    default: false
    }
  }
}
