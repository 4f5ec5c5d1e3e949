internal import CFastMap

/// The values of one row as a context has read them, in one piece of memory.
///
///     slot 0 │ slot 1 │ … │ bytes of slot 0 │ bytes of slot 1 │ …
///
/// Null is missing, as in a store.
final class OwnedRow {
  /// Borrowed like the copy.
  let slots: UnsafePointer<fastmap_slot>
  let count: Int

  /// Copies the slots of a buffer, which has one for each field.
  init(_ row: UnsafePointer<fastmap_slot>, count: Int) {
    self.count = count
    let head = count * MemoryLayout<fastmap_slot>.stride
    var size = head
    for field in 0..<count where row[field].hasBytes { size += Int(row[field].length) }
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: max(size, 1), alignment: MemoryLayout<fastmap_slot>.alignment)
    let copies = memory.bindMemory(to: fastmap_slot.self, capacity: count)
    var free = memory + head
    for field in 0..<count {
      var slot = row[field]
      if slot.kind == .null { slot = fastmap_slot() }
      if slot.hasBytes {
        let bytes = slot.span
        if let start = bytes.baseAddress { free.copyMemory(from: start, byteCount: bytes.count) }
        slot.bytes = UnsafePointer(free.assumingMemoryBound(to: UInt8.self))
        free += bytes.count
      }
      (copies + field).initialize(to: slot)
    }
    slots = UnsafePointer(copies)
  }

  deinit { UnsafeRawPointer(slots).deallocate() }

  /// A value, borrowed like the copy; null where there is none.
  subscript(field: Int) -> Field {
    var slot = slots[field]
    if slot.kind == .missing { slot.tag = UInt8(FASTMAP_NULL) }
    return Field(slot)
  }
}
