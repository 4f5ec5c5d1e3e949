internal import CFastMap
internal import CJansson

/// Turns bytes into a jansson tree. The seam behind which the reader can change.
enum JSONReader {
  /// A tree, and how many bytes it took.
  struct Reading {
    var tree: UnsafeMutablePointer<json_t>
    var consumed: Int
  }

  /// Reads one value that fills the whole text.
  static func read(_ bytes: UnsafeRawBufferPointer) throws(JSONSyntaxError) -> Reading {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let text = UnsafeRawBufferPointer(rebasing: bytes[start...])
    guard text.contains(where: { !isSpace($0) }) else {
      let place = TextScanner.location(of: bytes.count, in: bytes)
      throw JSONSyntaxError(
        location: place, offset: bytes.count, reason: "expected a JSON value, found the end of the input")
    }
    // jansson takes a NUL after a number or a literal for the end of it.
    if let base = text.baseAddress, let zero = memchr(base, 0, text.count) {
      let offset = start + (UnsafeRawPointer(zero) - base)
      throw error("a NUL byte outside of a string", at: offset, in: bytes)
    }
    var failure = json_error_t()
    let flags = JSON_DECODE_ANY | JSON_ALLOW_NUL
    guard let tree = json_loadb(text.baseAddress, text.count, Int(flags), &failure) else {
      let offset = start + min(max(0, Int(failure.position)), text.count)
      throw error(reason(of: failure), at: offset, in: bytes)
    }
    return Reading(tree: tree, consumed: bytes.count)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D
  }

  private static func error(
    _ reason: String, at offset: Int, in bytes: UnsafeRawBufferPointer
  ) -> JSONSyntaxError {
    JSONSyntaxError(
      location: TextScanner.location(of: offset, in: bytes), offset: offset, reason: reason)
  }

  /// jansson's own words; what it quotes from the text is cut like any other string.
  private static func reason(of failure: json_error_t) -> String {
    let text = withUnsafeBytes(of: failure.text) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard let near = text.range(of: " near '"), text.hasSuffix("'") else { return text }
    let quotation = text[near.upperBound...].dropLast()
    return text[..<near.lowerBound] + " near " + quoted(String(quotation))
  }
}

extension String {
  /// The first place of `part`; Foundation has it too, which the core does without.
  fileprivate func range(of part: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
      start = index(after: start)
    }
    return nil
  }
}
