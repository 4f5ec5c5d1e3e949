internal import CFastMap

/// Lower case as Unicode maps it by default, without the rules of a language: the same on every store and system. So no
/// store tests it.
///
/// A capital sigma at the end of a word becomes a final sigma, and `İ` becomes `i` with a dot above.
enum Lowercase {
  /// - Complexity: O(*n*) in the bytes of the text.
  static func bytes(of text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    let scalars = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    for (index, scalar) in scalars.enumerated() {
      if scalar.isASCII {
        bytes.append(ascii(UInt8(scalar.value)))
      } else if scalar == sigma {
        bytes.append(contentsOf: (isFinal(index, in: scalars) ? "ς" : "σ").utf8)
      } else {
        bytes.append(contentsOf: scalar.properties.lowercaseMapping.utf8)
      }
    }
    return bytes
  }

  @inline(__always)
  static func ascii(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  private static let sigma: Unicode.Scalar = "Σ"

  /// Whether a sigma ends a word: the condition Final_Sigma of Unicode.
  private static func isFinal(_ index: Int, in scalars: [Unicode.Scalar]) -> Bool {
    let before = scalars[..<index].last { !$0.properties.isCaseIgnorable }
    let after = scalars[(index + 1)...].first { !$0.properties.isCaseIgnorable }
    return before?.properties.isCased ?? false && !(after?.properties.isCased ?? false)
  }
}

extension fastmap_slot {
  /// A string in lower case; missing for others.
  func lowercased(_ memory: FilterMemory) throws(SystemError) -> fastmap_slot {
    guard kind == .string else { return fastmap_slot() }
    var result = self
    let source = span
    let copy = try memory.bytes(source.count)
    var all: UInt8 = 0
    for index in source.indices {
      all |= source[index]
      copy[index] = Lowercase.ascii(source[index])
    }
    result.bytes = UnsafePointer(copy)
    if all < 0x80 { return result }
    let bytes = Lowercase.bytes(of: source)
    guard let length = UInt32(exactly: bytes.count) else { throw SystemError.outOfMemory }
    let longer = try memory.bytes(bytes.count)
    longer.update(from: bytes, count: bytes.count)
    result.bytes = UnsafePointer(longer)
    result.length = length
    return result
  }
}
