package import CFastMap

/// A literal as a slot that owns its bytes.
// @unchecked: nothing changes after init.
package final class LiteralSlot: @unchecked Sendable {
  package let slot: fastmap_slot
  private let memory: UnsafeMutablePointer<UInt8>?

  /// - Parameter isJSON: Whether null is a value.
  package init(_ value: Value, isJSON: Bool = false) {
    var slot = fastmap_slot()
    var bytes: [UInt8]?
    switch value {
    case .null: slot.tag = UInt8(isJSON ? FASTMAP_NULL : FASTMAP_MISSING)
    case .boolean(let value): slot.set(FASTMAP_BOOLEAN, integer: value ? 1 : 0)
    case .integer(let value): slot.set(FASTMAP_INTEGER, integer: value)
    case .unsigned(let value): slot.set(FASTMAP_UNSIGNED, integer: Int64(bitPattern: value))
    case .number(let value):
      slot.tag = UInt8(FASTMAP_NUMBER)
      slot.number = value
    case .date(let value):
      slot.set(FASTMAP_DATE, integer: value.seconds)
      slot.length = value.nanoseconds
    case .decimal(let value): (slot.tag, bytes) = (UInt8(FASTMAP_DECIMAL), Array(value.text.utf8))
    case .string(let value): (slot.tag, bytes) = (UInt8(FASTMAP_STRING), Array(value.utf8))
    case .data(let value): (slot.tag, bytes) = (UInt8(FASTMAP_DATA), value)
    case .json(let value): (slot.tag, bytes) = (UInt8(FASTMAP_JSON), Array(value.utf8))
    }
    memory = bytes.map { bytes in
      let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes.count))
      memory.initialize(from: bytes, count: bytes.count)
      slot.length = UInt32(clamping: bytes.count)
      slot.bytes = UnsafePointer(memory)
      return memory
    }
    self.slot = slot
  }

  deinit { memory?.deallocate() }
}
