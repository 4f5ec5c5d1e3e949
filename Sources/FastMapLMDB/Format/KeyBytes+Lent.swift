internal import CFastMap
internal import FastMapStoreKit

/// Keys of one look-up on the stack. An allocation would take a tenth of the look-up.
extension KeyBytes {
  @inline(__always)
  static func withRecord<R>(
    entity: UInt16, key: borrowing fastmap_slot, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    let slot = copy key
    return try withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { memory in
      guard let start = memory.baseAddress else { preconditionFailure("a key has room") }
      return try body(UnsafeRawBufferPointer(start: start, count: writeRecord(entity, slot, to: start)))
    }
  }

  /// Lends the prefix of the keys of a list.
  @inline(__always)
  static func withLink<R>(
    owner: UInt64, field: UInt16, _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    var key = (owner.bigEndian, UInt64(0))
    return try withUnsafeMutableBytes(of: &key) { bytes in
      bytes.storeBytes(of: field.bigEndian, toByteOffset: 8, as: UInt16.self)
      return try body(UnsafeRawBufferPointer(rebasing: bytes[..<10]))
    }
  }
}
