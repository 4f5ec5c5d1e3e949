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

  /// The line and column of a byte, counted from 1; columns count Unicode scalars.
  ///
  /// - Complexity: O(*n*) in `offset`.
  package static func location(of offset: Int, in bytes: UnsafeRawBufferPointer) -> TextLocation {
    var line = 1
    var column = 1
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while start < min(offset, bytes.count) {
      let byte = bytes[start]
      start += 1
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return TextLocation(line: line, column: column)
  }

  /// The offset of the value at the end of `path`; nil if there is none.
  package mutating func offset(of path: some Sequence<JSONPath.Step>) -> Int? {
    skipSpace()
    for step in path {
      guard enter(step) else { return nil }
    }
    return offset
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

  private mutating func enter(_ step: JSONPath.Step) -> Bool {
    switch step {
    case .index(let index):
      guard peek == UInt8(ascii: "[") else { return false }
      offset += 1
      skipSpace()
      for _ in 0..<index {
        guard let byte = peek, byte != UInt8(ascii: "]") else { return false }
        skipValue()
        skipSeparator(UInt8(ascii: ","))
      }
      return peek != nil && peek != UInt8(ascii: "]")
    case .member(let name):
      guard peek == UInt8(ascii: "{") else { return false }
      offset += 1
      skipSpace()
      var found: Int?  // of members with one name the last one counts
      while let byte = peek, byte != UInt8(ascii: "}") {
        let start = offset
        skipValue()
        let matches = Self.text(UnsafeRawBufferPointer(rebasing: bytes[start..<offset]), is: name)
        skipSeparator(UInt8(ascii: ":"))
        if matches { found = offset }
        skipValue()
        skipSeparator(UInt8(ascii: ","))
      }
      guard let found else { return false }
      offset = found
      return true
    }
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
