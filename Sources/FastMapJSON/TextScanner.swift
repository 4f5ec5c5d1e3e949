/// Finds places in a well-formed JSON text. Used only to locate errors.
package struct TextScanner {
  private let bytes: UnsafeRawBufferPointer
  package private(set) var offset: Int
  private let maxDepth: Int

  /// - Parameter maxDepth: The text is known to be well-formed down to this depth.
  package init(_ bytes: UnsafeRawBufferPointer, from offset: Int, maxDepth: Int) {
    self.bytes = bytes
    self.offset = offset
    self.maxDepth = maxDepth
  }

  package var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// Whether the current array or object has more before its closing bracket.
  func isInside(of end: UInt8) -> Bool { peek.map { $0 != end } ?? false }

  /// Skips one byte.
  package mutating func pass() { offset += 1 }

  /// Skips an opening bracket.
  mutating func enter() {
    if offset < bytes.count { offset += 1 }
    skipSpace()
  }

  /// Skips the name of a member and its colon.
  package mutating func name() -> ByteName {
    let start = offset
    skipValue()
    let literal = UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    skipSeparator(UInt8(ascii: ":"))
    return ByteName(Self.text(of: literal))
  }

  /// Whether a string literal represents `name`.
  package static func text(_ literal: UnsafeRawBufferPointer, is name: String) -> Bool {
    let inner = literal.dropFirst().dropLast()
    guard inner.contains(UInt8(ascii: "\\")) else { return inner.elementsEqual(name.utf8) }
    return text(of: literal).utf8.elementsEqual(name.utf8)
  }

  package static func text(of literal: UnsafeRawBufferPointer) -> String {
    let inner = literal.dropFirst().dropLast()
    guard inner.contains(UInt8(ascii: "\\")), let document = try? JSONDocument(parsing: literal),
      let text = document.root.text
    else { return String(decoding: inner, as: UTF8.self) }
    return String(decoding: text, as: UTF8.self)
  }

  mutating func skipSpace() {
    while let byte = peek,
      byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 || byte == 0xEF || byte == 0xBB
        || byte == 0xBF
    {
      offset += 1
    }
  }

  mutating func skipSeparator(_ separator: UInt8) {
    skipSpace()
    if peek == separator { offset += 1 }
    skipSpace()
  }

  package mutating func skipValue() {
    offset = JSONReader.end(of: bytes, from: offset, maxDepth: maxDepth) ?? bytes.count
  }
}
