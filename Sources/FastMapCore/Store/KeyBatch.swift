package import CFastMap

/// Sorted keys of one entity, integers and strings, borrowed for the call.
///
///     for (index, field) in keys.enumerated() { ids[index] = field.key.flatMap { known[$0] } }
///
/// ``Field/key`` copies a key, and a string needs memory. ``Field/integer`` and ``Field/bytes`` read it in place.
public struct KeyBatch: RandomAccessCollection {
  package let entries: UnsafeBufferPointer<fastmap_key_entry>

  package init(_ entries: UnsafeBufferPointer<fastmap_key_entry>) { self.entries = entries }

  public var startIndex: Int { 0 }
  public var endIndex: Int { entries.count }

  /// A lent key.
  public subscript(index: Int) -> Field { Field(entries[index].key) }
}

extension KeyBatch {
  /// Lends keys that do not come from an import.
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
    let slots = buffer.slots
    let entries = keys.indices.map { fastmap_key_entry(key: slots[$0], occurrence: UInt32($0), unused: 0) }
    return try entries.withUnsafeBufferPointer { try body(KeyBatch($0)) }
  }
}

/// All keys of a batch that a store cannot hold. The core asks again without them.
///
///     throw RefusedKeysError([3: "expected a key of at most 508 bytes, found one of 600 bytes"])
///
/// A ``Mapper`` converts them to ``MappingError``s with the paths of the keys.
public struct RefusedKeysError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reasons, as messages, by the indices of the keys in the batch.
  public let reasons: [Int: String]

  /// Makes a refusal of at least one key.
  public init(_ reasons: [Int: String]) { self.reasons = reasons }

  /// The reasons in the order of the keys, one a line.
  public var description: String {
    reasons.sorted { $0.key < $1.key }.map { "key \($0.key) of the batch: \($0.value)" }.joined(
      separator: "\n")
  }
}
