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
  /// Lends keys that do not come from an import, as tests of a store need them.
  ///
  /// - Parameters:
  ///   - keys: Sorted ascending, without repeats.
  ///   - body: Receives them, valid until it returns.
  /// - Returns: The result of `body`.
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
