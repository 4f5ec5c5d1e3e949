internal import CFastMap

/// Keys of several parts.
extension PrimaryKey: ExpressibleByArrayLiteral {
  /// Makes a key of several parts.
  public init(arrayLiteral parts: PrimaryKey...) { self.init(parts: parts) }

  /// Makes a key of several parts.
  ///
  ///     let key = PrimaryKey(parts: [.string(repository), .integer(number)])
  ///
  /// Stores keep it as one string, whose order is the order of the parts.
  ///
  /// - Parameter parts: The parts in the order of the mapping's key. A part that is the key of a target may have parts itself.
  public init(parts: [PrimaryKey]) { self = .string(String(decoding: Self.bytes(of: parts), as: UTF8.self)) }

  /// The parts of a key of several parts; nil for any other key.
  ///
  /// - Complexity: O(*n*) in the bytes of the key.
  public var parts: [PrimaryKey]? {
    guard case .string(var text) = self, let first = text.utf8.first, Self.begins(with: first) else {
      return nil
    }
    return text.withUTF8 { bytes in
      withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 1) { memory in
        var parts: [PrimaryKey] = []
        var rest = bytes[...]
        while let first = rest.first, first != UInt8(FASTMAP_PART_END) {
          var slot = fastmap_slot()
          let room = memory.bindMemory(to: UInt8.self).baseAddress
          let length = fastmap_key_part_read(
            UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count, &slot, room)
          guard length > 0, let part = PrimaryKey(slot: slot) else { return nil }
          parts.append(part)
          rest = rest.dropFirst(length)
        }
        return parts
      }
    }
  }

  /// Makes the key of an object in the scope of its owner.
  ///
  /// - Parameter parts: The key of the owner, and the parts of its own.
  package init(parts: [PrimaryKey], scope: String) {
    let bytes = Self.bytes(of: parts) + [UInt8(FASTMAP_PART_END)] + Array(scope.utf8)
    self = .string(String(decoding: bytes, as: UTF8.self))
  }

  /// Whether the key is in a scope, and begins with the key of an owner.
  package func isInScope(_ scope: String, of owner: PrimaryKey) -> Bool {
    guard case .string(let text) = self else { return false }
    let end = [UInt8(FASTMAP_PART_END)] + Array(scope.utf8)
    return text.utf8.starts(with: Self.bytes(of: [owner])) && text.utf8.suffix(end.count).elementsEqual(end)
  }

  /// The bounds of the keys whose first parts are these. No key equals the upper one.
  package static func beginning(with parts: [PrimaryKey]) -> (lower: PrimaryKey, upper: PrimaryKey) {
    var bytes = Self.bytes(of: parts)
    let lower = String(decoding: bytes, as: UTF8.self)
    bytes.append(UInt8(FASTMAP_PART_BEHIND))
    return (.string(lower), .string(String(decoding: bytes, as: UTF8.self)))
  }

  private static func begins(with byte: UInt8) -> Bool {
    byte == UInt8(FASTMAP_PART_INTEGER) || byte == UInt8(FASTMAP_PART_STRING)
  }

  private static func bytes(of parts: [PrimaryKey]) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in parts {
      part.withSlot { slot in
        let length = fastmap_key_part_length(slot)
        bytes.append(
          contentsOf: [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            _ = fastmap_key_part_write(buffer.baseAddress, slot)
            count = length
          })
      }
    }
    return bytes
  }
}

extension PrimaryKey {
  /// Joins the parts of a row; nil if one has no value, or is a relationship.
  package init?(joining fields: [Int], of row: Row) {
    let parts = fields.compactMap { row[$0].key }
    if parts.count < fields.count || parts.isEmpty { return nil }
    self.init(parts: parts)
  }
}

extension KeyRange {
  /// The first parts that all of its keys have; nil for another range.
  package var firstParts: [PrimaryKey]? {
    guard let lower, let parts = lower.parts, upper == PrimaryKey.beginning(with: parts).upper else {
      return nil
    }
    return parts
  }
}
