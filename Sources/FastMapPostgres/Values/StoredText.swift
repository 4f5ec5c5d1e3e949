#if Postgres
  // PostgreSQL's text has no U+0000, and FastMap's strings may have one. So two characters are written as two:
  //
  //     U+0000    U+0001 U+0001
  //     U+0001    U+0001 U+0002
  //
  // All other text stands as it is. The encoding keeps the order of bytes, so an index on encoded keys has the order of
  // the keys. Names in the catalog are encoded in the same way.

  /// Strings as they stand in a column of the type `text`.
  enum StoredText {
    private static let mark: UInt8 = 1

    /// Whether the column has other bytes than the string.
    static func isEncoded(_ bytes: UnsafeRawBufferPointer) -> Bool {
      // Eight bytes at a time: one is below 2 exactly if clearing its lowest bit makes it 0.
      let ones: UInt64 = 0x0101_0101_0101_0101
      var index = 0
      while index &+ 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & ~ones
        if (word &- ones) & ~word & (ones << 7) != 0 { return true }
        index &+= 8
      }
      return bytes[index...].contains { $0 <= mark }
    }

    static func encodedCount(_ bytes: UnsafeRawBufferPointer) -> Int {
      bytes.reduce(bytes.count) { $0 + ($1 <= mark ? 1 : 0) }
    }

    static func encoded(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count + 8)
      for byte in bytes {
        if byte <= mark {
          result.append(mark)
          result.append(byte + 1)
        } else {
          result.append(byte)
        }
      }
      return result
    }

    /// The string's bytes; nil if no store wrote these.
    static func decoded(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count)
      var isMarked = false
      for byte in bytes {
        if isMarked {
          guard byte == 1 || byte == 2 else { return nil }
          result.append(byte - 1)
          isMarked = false
        } else if byte == mark {
          isMarked = true
        } else {
          result.append(byte)
        }
      }
      return isMarked ? nil : result
    }

    static func encoded(_ text: String) -> String {
      var text = text
      return text.withUTF8 { utf8 -> String? in
        let bytes = UnsafeRawBufferPointer(utf8)
        return isEncoded(bytes) ? String(decoding: encoded(bytes), as: UTF8.self) : nil
      } ?? text
    }

    /// The string of a column; the column's text if no store wrote it.
    static func decoded(_ text: String) -> String {
      var text = text
      return text.withUTF8 { utf8 -> String? in
        let bytes = UnsafeRawBufferPointer(utf8)
        guard isEncoded(bytes), let plain = decoded(bytes) else { return nil }
        return String(decoding: plain, as: UTF8.self)
      } ?? text
    }
  }

  extension FieldBuffer {
    /// A string in a column of the type `text`.
    func storedText(_ bytes: UnsafeRawBufferPointer) {
      if StoredText.isEncoded(bytes) {
        StoredText.encoded(bytes).withUnsafeBytes { self.bytes($0) }
      } else {
        self.bytes(bytes)
      }
    }
  }
#endif
