/// A format that is not JSON in UTF-8, recognised by the first bytes of a text.
package enum ForeignFormat: Equatable {
  case gzip, zstd, bzip2, xz, zip
  /// With the names that `iconv` has for them.
  case utf16(String), utf32(String)

  /// The number of bytes that tell the formats apart.
  package static let byteCount = 4

  /// Recognises a format; nil for a text that may be JSON.
  package init?(_ text: UnsafeRawBufferPointer) {
    let bytes = Array(text.prefix(Self.byteCount))
    func begins(_ magic: [UInt8]) -> Bool { bytes.starts(with: magic) }
    /// Whether only these of four bytes are zero, as in ASCII in a wider encoding.
    func hasZeros(_ places: [Int]) -> Bool {
      bytes.count == Self.byteCount && bytes.indices.allSatisfy { (bytes[$0] == 0) == places.contains($0) }
    }
    if begins([0x1F, 0x8B]) {
      self = .gzip
    } else if begins([0x28, 0xB5, 0x2F, 0xFD]) {
      self = .zstd
    } else if begins(Array("BZh".utf8)) {
      self = .bzip2
    } else if begins([0xFD] + Array("7zX".utf8)) {
      self = .xz
    } else if begins(Array("PK\u{3}\u{4}".utf8)) {
      self = .zip
    } else if begins([0, 0, 0xFE, 0xFF]) || begins([0xFF, 0xFE, 0, 0]) {
      self = .utf32("UTF-32")
    } else if begins([0xFE, 0xFF]) || begins([0xFF, 0xFE]) {
      self = .utf16("UTF-16")
    } else if hasZeros([0, 1, 2]) {
      self = .utf32("UTF-32BE")
    } else if hasZeros([1, 2, 3]) {
      self = .utf32("UTF-32LE")
    } else if hasZeros([0, 2]) {
      self = .utf16("UTF-16BE")
    } else if hasZeros([1, 3]) {
      self = .utf16("UTF-16LE")
    } else {
      return nil
    }
  }

  /// Whether more bytes can decide that a text is of such a format. False for every beginning of a JSON text.
  package static func needsMore(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = text.first, text.count < byteCount else { return false }
    let beginsJSON = first == 0xEF || " \t\r\n{[\"-0123456789tfn".utf8.contains(first)
    return !beginsJSON || (text.count > 1 && text[1] == 0)
  }

  /// The error of a text in this format.
  package var error: JSONSyntaxError {
    let (name, advice) =
      switch self {
      case .gzip: ("gzip", "decompress it first (gunzip -c)")
      case .zstd: ("zstd", "decompress it first (zstd -dc)")
      case .bzip2: ("bzip2", "decompress it first (bunzip2 -c)")
      case .xz: ("xz", "decompress it first (xz -dc)")
      case .zip: ("a zip archive", "unpack it first (unzip -p)")
      case .utf16(let encoding), .utf32(let encoding):
        (String(encoding.prefix(6)), "convert it first (iconv -f \(encoding) -t UTF-8)")
      }
    return JSONSyntaxError(
      location: TextLocation(line: 1, column: 1), offset: 0,
      reason: "expected JSON in UTF-8, found data that looks like \(name); \(advice)")
  }
}
