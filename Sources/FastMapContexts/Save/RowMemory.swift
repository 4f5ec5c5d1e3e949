internal import CFastMap

/// The memory of rows that are written: a save has one, for example.
final class RowMemory {
  private var arena = fastmap_arena()

  deinit { fastmap_arena_free(&arena) }

  /// A row whose fields are all missing.
  func makeRow(_ count: Int) throws(SystemError) -> UnsafeMutablePointer<fastmap_slot> {
    let row = try allocate(fastmap_slot.self, count)
    row.initialize(repeating: fastmap_slot(), count: count)
    return row
  }

  /// Sets a field to the targets of a relationship; null for none.
  func set(
    _ slot: UnsafeMutablePointer<fastmap_slot>, to targets: [ObjectID], isToMany: Bool
  ) throws(SystemError) {
    if targets.isEmpty {
      slot.pointee.tag = UInt8(FASTMAP_NULL)
    } else if isToMany {
      let copy = try allocate(ObjectID.self, targets.count)
      copy.initialize(from: targets, count: targets.count)
      slot.pointee.set(copy, count: targets.count)
    } else {
      slot.pointee.set(targets[0])
    }
  }

  func set(_ slot: UnsafeMutablePointer<fastmap_slot>, to value: Value) throws(SystemError) {
    var writer = FieldWriter(slot, &arena)
    writer.set(value)
    if !writer.isWhole { throw SystemError.outOfMemory }
  }

  private func allocate<T>(_ type: T.Type, _ count: Int) throws(SystemError) -> UnsafeMutablePointer<T> {
    guard let memory = fastmap_arena_alloc(&arena, max(1, count) * MemoryLayout<T>.stride) else {
      throw SystemError.outOfMemory
    }
    return memory.bindMemory(to: type, capacity: count)
  }
}
