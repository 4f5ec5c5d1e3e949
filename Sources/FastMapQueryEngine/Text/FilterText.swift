/// The text of a filter, read from its start to its end and never backwards.
struct FilterText {
  private let bytes: [UInt8]
  private var offset = 0
  /// The last place asked for. Columns are counted on from here, so counting them all is linear.
  private var counted = (offset: 0, column: 1)
  /// How often a byte was looked at: the work, for tests of linear time.
  private(set) var steps = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  /// The next byte; nil at the end.
  var next: UInt8? {
    mutating get {
      steps += 1
      return offset < bytes.count ? bytes[offset] : nil
    }
  }

  /// The byte after the next one.
  private var second: UInt8? { offset + 1 < bytes.count ? bytes[offset + 1] : nil }

  /// Where the next byte is.
  mutating func place() -> FilterPlace {
    while counted.offset < offset {
      steps += 1
      if !bytes[counted.offset].isContinuation { counted.column += 1 }
      counted.offset += 1
    }
    return FilterPlace(offset: offset, column: counted.column)
  }

  mutating func skip() { offset += 1 }

  /// Space, tab, line feed and carriage return.
  mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
  }

  mutating func consume(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    offset += 1
    return true
  }

  /// Skips both bytes if they are next.
  mutating func consume(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: first), self.second == UInt8(ascii: second) else { return false }
    offset += 2
    return true
  }

  /// Takes bytes as long as they are of a kind.
  mutating func run(of isTaken: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = offset
    while let byte = next, isTaken(byte) { offset += 1 }
    return bytes[start..<offset]
  }

  func since(_ place: FilterPlace) -> ArraySlice<UInt8> { bytes[(place.offset ?? offset)..<offset] }

  /// For messages: the next word, operator or character, in quotes.
  package var found: String { token.map { quoted($0) } ?? "the end of the text" }

  /// The next word, operator or character; nil at the end.
  var token: String? {
    guard offset < bytes.count else { return nil }
    let rest = bytes[offset...].prefix(200)
    var length = rest.prefix { $0.isWord }.count
    if length == 0 { length = rest.prefix { $0.isOperator }.count }
    if length == 0 { length = 1 + rest.dropFirst().prefix { $0.isContinuation }.count }
    return String(decoding: rest.prefix(length), as: UTF8.self)
  }

  mutating func fault(_ reason: String) -> FilterError { FilterError(.init(place(), reason)) }

  package mutating func expected(_ expectation: String, _ hint: String = "") -> FilterError {
    fault("expected \(expectation), found \(found)\(hint)")
  }
}

extension UInt8 {
  /// A byte of a character other than its first.
  fileprivate var isContinuation: Bool { self & 0xC0 == 0x80 }

  fileprivate var isOperator: Bool {
    switch self {
    case UInt8(ascii: "&"), UInt8(ascii: "|"), UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"),
      UInt8(ascii: ">"):
      true
    default: false
    }
  }

  package var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

  /// Whether a name without quotes may begin with this byte. All characters beyond ASCII belong to names.
  var isNameStart: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      0x80...:
      true
    default: false
    }
  }

  var isWord: Bool { isNameStart || isDigit }
}
