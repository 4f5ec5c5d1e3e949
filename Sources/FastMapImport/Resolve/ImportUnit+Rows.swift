package import CFastMap

/// Rows for the store, in the memory of the batch.
extension ImportUnit {
  /// Turns a row of the unit into one for the store, where it is. The row of the unit is gone.
  ///
  /// - Parameter links: The fields that are relationships.
  package func stored(
    _ row: UnsafeMutablePointer<fastmap_batch_slot>, _ fieldCount: Int, _ links: [Int],
    among objects: [Object]
  ) -> UnsafeMutablePointer<fastmap_slot> {
    for field in links where row[field].tag != FASTMAP_MISSING {
      row[field].value = stored(row[field].link, among: objects)
    }
    // Both have one size, and only relationships differ.
    return UnsafeMutableRawPointer(row).bindMemory(to: fastmap_slot.self, capacity: max(1, fieldCount))
  }

  /// A relationship for the store. Numbers of the store replace the unit's object numbers in the same memory.
  package func stored(_ link: fastmap_link, among objects: [Object]) -> fastmap_slot {
    var slot = fastmap_slot()
    (slot.tag, slot.policy, slot.spares_keyed) = (link.tag, link.policy, link.spares_keyed)
    if link.tag == FASTMAP_OBJECT {
      slot.set(objects[Int(link.object)].id)
    } else if link.tag == FASTMAP_OBJECTS {
      let targets = UnsafeMutablePointer(mutating: link.objects)
      for index in 0..<Int(link.length) { targets?[index] = objects[Int(link.objects[index])].id.rawValue }
      slot.tag = UInt8(FASTMAP_TARGETS)
      slot.length = link.length
      slot.targets = UnsafePointer(targets)
    }
    return slot
  }

  /// The numbers of the objects that a relationship has.
  func linked(_ link: fastmap_link) -> [Int] {
    if link.tag == FASTMAP_OBJECT { return [Int(link.object)] }
    guard link.tag == FASTMAP_OBJECTS else { return [] }
    return UnsafeBufferPointer(start: link.objects, count: Int(link.length)).map { Int($0) }
  }

  /// An empty row for the store.
  func makeSlots(_ fieldCount: Int) throws(SystemError) -> UnsafeMutablePointer<fastmap_slot> {
    let row = try allocate(fastmap_slot.self, fieldCount)
    row.initialize(repeating: fastmap_slot(), count: fieldCount)
    return row
  }

  /// A relationship for the store. A to-one relationship takes the last target, and is null without one.
  func makeSlot(
    _ targets: [ObjectID], isToMany: Bool, policy: Int = FASTMAP_ASSIGN
  ) throws(SystemError) -> fastmap_slot {
    var slot = fastmap_slot()
    slot.policy = UInt8(policy)
    if isToMany {
      let list = try allocate(ObjectID.self, targets.count)
      list.initialize(from: targets, count: targets.count)
      slot.set(list, count: targets.count)
    } else if let target = targets.last {
      slot.set(target)
    } else {
      slot.tag = UInt8(FASTMAP_NULL)
    }
    return slot
  }
}

extension fastmap_batch_slot {
  /// The tag of either member: both begin with it.
  package var tag: UInt8 { value.tag }
}
