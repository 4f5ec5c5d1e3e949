package import CFastMap

/// Sorted keys of one entity, borrowed for the call.
///
///     for (index, key) in keys.enumerated() { ids[index] = known[key] ?? 0 }
///
/// An element is a copy, of which a string costs memory; ``withKey(at:_:)`` lends the key as it stands.
public struct KeyBatch: RandomAccessCollection {
  package let entries: UnsafeBufferPointer<fastmap_key_entry>

  package init(_ entries: UnsafeBufferPointer<fastmap_key_entry>) { self.entries = entries }

  public var startIndex: Int { 0 }
  public var endIndex: Int { entries.count }

  /// A copy of a key.
  public subscript(index: Int) -> PrimaryKey {
    guard let key = PrimaryKey(slot: entries[index].key) else {
      preconditionFailure("a key batch holds keys")
    }
    return key
  }

  /// Lends a key to `body`: no string is made of it.
  ///
  ///     try keys.withKey(at: index) { try statement.bind($0, at: 1) }
  ///
  /// - Parameters:
  ///   - index: Its place in the batch.
  ///   - body: Gets the key, valid until it returns. To keep it, copy it there.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  /// - Complexity: O(1).
  public func withKey<R>(at index: Int, _ body: (LentKey) throws -> R) rethrows -> R {
    guard let key = LentKey(slot: entries[index].key) else {
      preconditionFailure("a key batch holds keys")
    }
    return try body(key)
  }
}

extension KeyBatch {
  /// Lends keys that no import has brought.
  ///
  /// - Parameter keys: Sorted ascending, without repeats.
  package static func lend<R>(_ keys: [PrimaryKey], to body: (KeyBatch) throws -> R) rethrows -> R {
    var buffer = RowBuffer()
    buffer.reset(count: keys.count)
    for (index, key) in keys.enumerated() {
      switch key {
      case .integer(let value): buffer.set(.integer(value), at: index)
      case .string(let text): buffer.set(.string(text), at: index)
      }
    }
    defer { buffer.reset(count: 0) }  // the keys are borrowed until here
    let slots = buffer.row.slots
    let entries = keys.indices.map { fastmap_key_entry(key: slots[$0], occurrence: UInt32($0), unused: 0) }
    return try entries.withUnsafeBufferPointer { try body(KeyBatch($0)) }
  }
}

/// A primary key that is lent: an integer, or the bytes of a string.
///
///     switch key {
///     case .integer(let value): try bind(value, at: index)
///     case .string(let bytes): try bind(text: bytes, at: index)
///     }
///
/// - Note: Valid only in the closure that it is lent to.
public enum LentKey {
  /// A whole number.
  case integer(Int64)
  /// UTF-8, which may hold a NUL; an empty one may have no address.
  case string(UnsafeRawBufferPointer)

  /// The key in a slot, which it borrows; nil where the slot holds no key.
  package init?(slot: fastmap_slot) {
    switch Int(slot.tag) {
    case FASTMAP_INTEGER: self = .integer(slot.integer)
    case FASTMAP_STRING: self = .string(UnsafeRawBufferPointer(slot.span))
    default: return nil
    }
  }
}

/// Keys of a batch that a store cannot hold: all of them, as the core asks again without them.
///
///     throw RefusedKeysError([.init(index: 3, reason: "expected a key of at most 508 bytes, found one of 600 bytes")])
///
/// A ``Mapper`` makes ``MappingError``s of them, with the keys' places.
public struct RefusedKeysError: Error, Equatable, Sendable {
  /// One of them.
  ///
  ///     let key = RefusedKeysError.Key(index: 3, reason: "expected a key of at most 508 bytes, found one of 600 bytes")
  public struct Key: Equatable, Sendable {
    /// Its index in the batch.
    public let index: Int

    /// Why, as a message: `expected a key of at most 508 bytes, found one of 600 bytes`.
    public let reason: String

    /// Makes a refusal of one key of a batch.
    public init(index: Int, reason: String) {
      self.index = index
      self.reason = reason
    }
  }

  /// The keys, by their places in the batch.
  public let keys: [Key]

  /// Makes a refusal of some keys, at least one.
  public init(_ keys: [Key]) { self.keys = keys }
}
