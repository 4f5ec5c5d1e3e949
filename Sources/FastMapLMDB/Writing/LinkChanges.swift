internal import CFastMap
internal import FastMapStoreKit

/// The relationship changes of one batch. Lists are written at once. The inverse is collected and sorted.
struct LinkChanges: ~Copyable {
  let writing: WriteView
  let reader: LMDBReader
  let cursor: Cursor
  private var inverse: InverseBlocks
  var value: [UInt8]
  var key = KeyBytes()

  init(_ writer: LMDBWriter) throws {
    let cursor = try writer.writing.unsafeCursor(writer.tables.links)
    let inverse = try InverseBlocks(writer.writing.view, writer.tables)
    (writing, reader) = (writer.writing, writer.reader)
    self.cursor = cursor
    self.inverse = inverse
    value = [UInt8](repeating: 0, count: Checksum.size + reader.lists.perSegment * 8)
  }

  mutating func add(_ target: ObjectID, _ field: UInt16, _ owner: ObjectID) {
    inverse.add(InverseEntry(target: target, field: field, owner: owner))
  }

  private mutating func remove(_ target: ObjectID, _ field: UInt16, _ owner: ObjectID) {
    inverse.remove(InverseEntry(target: target, field: field, owner: owner))
  }

  // MARK: To one

  /// Records how a to-one relationship differs from the stored one.
  mutating func compare(
    _ change: ObjectChange, _ field: Int, _ number: UInt16, _ stored: RecordView, _ changes: inout ChangeBatch
  ) {
    let slot = change.slots[field]
    guard slot.tag != FASTMAP_MISSING else { return }
    let old = stored.slot(Int(number))?.object
    let new = slot.object
    guard old != new else { return }
    if let old {
      remove(old, number, change.id)
      if slot.policy == FASTMAP_REPLACE { changes.recordRemoved(old, from: field, of: change) }
    }
    if let new { add(new, number, change.id) }
  }

  // MARK: To many

  /// Writes a to-many relationship.
  ///
  /// - Returns: Whether anything changed.
  mutating func set(
    _ change: ObjectChange, _ field: Int, _ number: UInt16, _ changes: inout ChangeBatch
  ) throws -> Bool {
    let slot = change.slots[field]
    let targets = change.row[field].targets
    if slot.policy == FASTMAP_MERGE {
      return try merge(targets, change, number)
    }
    if change.isNew {
      for target in targets { add(target, number, change.id) }
      try append(targets, behind: nil, of: change.id, number)
      return !targets.isEmpty
    }
    let old = try reader.list(of: change.id, field: number, cursor)
    guard !old.targets.elementsEqual(targets) else { return false }
    let kept = old.kept(in: targets)
    try write(ListEdit(old, to: targets, keeping: kept, reader.lists), targets, of: change.id, number)
    try recordDifference(old, targets, kept, change, field, number, &changes)
    return true
  }

  /// Records new and removed targets. Unchanged segments are read only to find repeats of removed targets.
  private mutating func recordDifference(
    _ old: StoredList, _ new: UnsafeBufferPointer<ObjectID>, _ kept: [StoredList.Kept],
    _ change: ObjectChange, _ field: Int, _ number: UInt16, _ changes: inout ChangeBatch
  ) throws {
    var had: Set<ObjectID> = []
    var has: Set<ObjectID> = []
    var gone: [ObjectID] = []
    try forEachGap(old, new, kept) { _, targets in has.formUnion(targets) }
    try forEachGap(old, new, kept) { segments, _ in
      for segment in segments {
        for target in old[segment] where had.insert(target).inserted && !has.contains(target) {
          gone.append(target)
        }
      }
    }
    if !gone.isEmpty {
      let filter = TargetFilter(gone)
      var stays: Set<ObjectID> = []
      for kept in kept {
        for target in old[kept.segment] where filter.contains(target) { stays.insert(target) }
      }
      for target in gone where !stays.contains(target) {
        remove(target, number, change.id)
        if change.slots[field].policy == FASTMAP_REPLACE {
          changes.recordRemoved(target, from: field, of: change)
        }
      }
    }
    for target in has.subtracting(had) {
      if try kept.isEmpty || !isLinked(target, number, change.id) { add(target, number, change.id) }
    }
  }

  /// Calls `body` with the segments and the new targets between the kept ones.
  private func forEachGap(
    _ old: StoredList, _ new: UnsafeBufferPointer<ObjectID>, _ kept: [StoredList.Kept],
    _ body: (Range<Int>, Slice<UnsafeBufferPointer<ObjectID>>) throws -> Void
  ) throws {
    var segment = 0
    var start = 0
    for kept in kept {
      try body(segment..<kept.segment, new[start..<kept.start])
      segment = kept.segment + 1
      start = kept.start + old.segments[kept.segment].range.count
    }
    try body(segment..<old.segments.count, new[start..<new.count])
  }

  /// Whether a stored relationship has a target.
  private func isLinked(_ target: ObjectID, _ field: UInt16, _ owner: ObjectID) throws -> Bool {
    try inverse.cursor.contains(InverseEntry(target: target, field: field, owner: owner))
  }

  /// Appends the targets that the list does not have. The inverse tells which, so the list is not read.
  private mutating func merge(
    _ targets: UnsafeBufferPointer<ObjectID>, _ change: ObjectChange, _ number: UInt16
  ) throws -> Bool {
    var met: Set<ObjectID> = []
    var new: [ObjectID] = []
    for target in targets where met.insert(target).inserted {
      if try !change.isNew && isLinked(target, number, change.id) { continue }
      new.append(target)
      add(target, number, change.id)
    }
    guard !new.isEmpty else { return false }
    let last = change.isNew ? nil : try lastSegment(of: change.id, number)
    try new.withUnsafeBufferPointer { try append($0, behind: last, of: change.id, number) }
    return true
  }

  /// Removes targets from a list, including repeats.
  mutating func unlink(_ targets: Set<ObjectID>, from field: UInt16, of owner: ObjectID) throws {
    let old = try reader.list(of: owner, field: field, cursor)
    let filter = TargetFilter(targets)
    var new: [ObjectID] = []
    new.reserveCapacity(old.targets.count)
    var kept: [StoredList.Kept] = []
    for segment in old.segments.indices {
      let start = new.count
      for target in old[segment] where !filter.contains(target) { new.append(target) }
      if new.count - start == old[segment].count { kept.append(.init(segment: segment, start: start)) }
    }
    guard new.count < old.targets.count else { return }
    try new.withUnsafeBufferPointer {
      try write(ListEdit(old, to: $0, keeping: kept, reader.lists), $0, of: owner, field)
    }
  }

  // MARK: Inverse

  /// Writes the collected inverse in key order.
  mutating func putInverse() throws { try inverse.write() }
}
