internal import CFastMap
internal import FastMapStoreKit

/// Goes through the objects of a range of an index, in its order or with the fields in reverse. Objects with equal
/// values ascend by key in both.
///
/// Nothing may change in the store between two calls, but between ``suspend()`` and ``resume()``.
struct IndexScan: ~Copyable {
  private let index: IndexLayout
  private let bounds: IndexBounds
  private let isDescending: Bool
  private let reader: LMDBReader
  private var kept: KeptCursor
  private var finder: IndexedRecordFinder

  /// The records to hand out next, in reverse.
  private var ready: [RecordView] = []
  /// The numbers of objects that were ready before a change. A group may have all objects, so none is looked up twice.
  private var left: [ObjectID] = []
  /// Where to continue after a change; nil at the end.
  private var goesOn: [UInt8]?
  /// The common first bytes of the current group's entries; nil before the first group.
  private var group: [UInt8]?
  private var hasEnded = false
  /// In reverse, whether the cursor is at the last entry that was not read yet.
  private var isAtLast = false
  /// Objects are handed out after this one; nil once all are.
  private var position: PositionRow?

  /// - Parameter kept: A cursor of the index; nil for a new one.
  init(
    _ index: IndexLayout, _ range: IndexRange, isDescending: Bool, _ reader: LMDBReader,
    _ kept: KeptCursor? = nil
  ) throws {
    // A structure that cannot be copied throws before its first part is there.
    let bounds = try IndexBounds(range, of: index)
    let kept = try kept ?? KeptCursor(IndexCursor(index, reader.view, reader.tables))
    self.bounds = bounds
    self.kept = kept
    self.index = index
    self.isDescending = isDescending
    self.reader = reader
    finder = IndexedRecordFinder(index, reader.view, reader.tables)
  }

  /// The next object; nil at the end.
  mutating func next() throws -> RecordView? {
    while true {
      while let record = ready.popLast() {
        if let position, !position.precedes(record, index, isDescending) { continue }
        position = nil
        return record
      }
      while let id = left.popLast() {
        if let record = try reader.record(id) { return record }
      }
      if hasEnded { return nil }
      if isDescending { try readBackward() } else { try readForward() }
    }
  }

  /// The cursor, for another scan. This one ends.
  func leave() -> KeptCursor { kept }

  // MARK: Changes

  /// Keeps the next objects in a form that survives changes. Call it after the scan has handed out an object.
  mutating func suspend() {
    // Either is empty: a group is read when all of the last one is handed out.
    left += ready.map(\.id)
    ready.removeAll()
    goesOn = kept.cursor.entry.map { Array($0.body) }
  }

  mutating func resume() throws {
    kept = try KeptCursor(IndexCursor(index, reader.view, reader.tables))
    finder = IndexedRecordFinder(index, reader.view, reader.tables)
    if let goesOn { _ = try goesOn.withUnsafeBytes { try kept.cursor.seek(atLeast: $0) } }
  }

  /// Moves in front of the first group that may have an object after a position.
  mutating func begin(behind position: IndexRange.Position) throws {
    var entry = IndexEntry()
    try entry.encode(position, index)
    guard let view = IndexEntryView(entry.bytes, at: 0) else { return }
    let row = PositionRow(position)
    let isCut = view.isValueCut || view.isKeyCut
    let start = Array(isCut ? view.orderedPrefix(index) : view.body)
    if isDescending {
      let first = Array(view.isValueCut ? view.orderedPrefix(index) : view.values)
      // All of the range is after a position that follows its end.
      if bounds.endsBefore(first) { return }
      group = first
    }
    guard let found = try start.withUnsafeBytes({ try kept.cursor.seek(atLeast: $0) }) else {
      // After the last entry. In reverse, the group is the first one to come.
      if !isDescending { (hasEnded, group) = (true, []) }
      return
    }
    if isDescending {
      // In reverse, the range may have ended before the position. Entries of a cut value are tested one by one.
      if !view.isValueCut, bounds.isBehind(found.body) { return hasEnded = true }
    } else {
      // The range may begin after the position. Where it begins within a cut group, the group is read from its first entry.
      if bounds.isBehind(found.body), !isCut || !bounds.low.starts(with: start) { return }
      group = []
    }
    self.position = row
  }

  // MARK: Forward

  private mutating func readForward() throws {
    let entry: IndexEntryView?
    if group == nil {
      group = []
      entry = try first()
    } else {
      entry = kept.cursor.entry
    }
    guard let entry, !bounds.isBefore(entry.body) else { return hasEnded = true }
    try read(entry)
  }

  /// Reads an entry, or all of a group whose order the entries do not have, and moves past them.
  private mutating func read(_ entry: IndexEntryView) throws {
    guard entry.isValueCut || entry.isKeyCut else {
      ready.append(try finder.record(of: entry))
      _ = try kept.cursor.next()
      return
    }
    let prefix = Array(entry.orderedPrefix(index))
    var next: IndexEntryView? = entry
    while let found = next, prefix.withUnsafeBytes({ found.body.starts(with: $0) }) {
      if !bounds.isBehind(found.body), !bounds.isBefore(found.body) {
        ready.append(try finder.record(of: found))
      }
      next = try kept.cursor.next()
    }
    ready = ready.sorted { precedes($1, $0) }
  }

  private mutating func first() throws -> IndexEntryView? {
    try bounds.start?.withUnsafeBytes { try kept.cursor.seek(atLeast: $0) }
  }

  // MARK: Backward, group by group

  private mutating func readBackward() throws {
    if isAtLast {
      guard let last = kept.cursor.entry, !bounds.isBehind(last.body) else { return hasEnded = true }
      return try readLast(last)
    }
    if let group, let entry = kept.cursor.entry, group.withUnsafeBytes({ entry.body.starts(with: $0) }) {
      return try read(entry)
    }
    let last: IndexEntryView?
    if let group {
      last = try group.withUnsafeBytes { try kept.cursor.seek(before: $0) }
    } else if bounds.includesHigh {
      if let end = bounds.high.next {
        last = try end.withUnsafeBytes { try kept.cursor.seek(before: $0) }
      } else {
        last = try kept.cursor.last()
      }
    } else {
      last = try bounds.high.withUnsafeBytes { try kept.cursor.seek(before: $0) }
    }
    guard let last, !bounds.isBehind(last.body) else { return hasEnded = true }
    try readLast(last)
  }

  /// Reads the group of the last entry that was not read yet.
  private mutating func readLast(_ last: IndexEntryView) throws {
    // Most groups are one entry. Entries stay in place in a snapshot.
    if !reader.isWriting, !last.isValueCut, !last.isKeyCut {
      let before = try kept.cursor.previous()
      if before.map({ !$0.body.starts(with: last.values) }) ?? true {
        isAtLast = true
        return ready.append(try finder.record(of: last))
      }
    }
    isAtLast = false
    let prefix = Array(last.isValueCut ? last.orderedPrefix(index) : last.values)
    group = prefix
    if let entry = try prefix.withUnsafeBytes({ try kept.cursor.seek(atLeast: $0) }) { try read(entry) }
  }

  // MARK: Records

  /// The order of two objects whose entries do not say it.
  private func precedes(_ a: RecordView, _ b: RecordView) -> Bool {
    for part in index.parts {
      let order = IndexOrder.compare(a.slot(Int(part.field)), b.slot(Int(part.field)))
      if order != 0 { return (order < 0) != (part.isDescending != isDescending) }
    }
    return a.key.bytes.precedes(b.key.bytes)
  }
}

/// The order of values in an index.
enum IndexOrder {
  /// Below zero if the first comes first. No value comes before all others.
  static func compare(_ a: fastmap_slot?, _ b: fastmap_slot?) -> Int {
    if let a, let b, a.hasBytes, b.hasBytes, a.kind != .decimal {
      return order(UnsafeRawBufferPointer(a.span), UnsafeRawBufferPointer(b.span))
    }
    // All other values are whole in an entry.
    var first = IndexEntry()
    var second = IndexEntry()
    first.begin()
    second.begin()
    first.append(a ?? fastmap_slot(), false, most: IndexEntry.mostValueBytes)
    second.append(b ?? fastmap_slot(), false, most: IndexEntry.mostValueBytes)
    return order(first.body, second.body)
  }

  private static func order(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    a.equals(b) ? 0 : a.precedes(b) ? -1 : 1
  }
}

/// The values and the key of a position.
private final class PositionRow {
  private var values = RowBuffer()
  private let key: PrimaryKey

  init(_ position: IndexRange.Position) {
    key = position.key
    values.reset(count: position.contents.count)
    for (place, content) in position.contents.enumerated() {
      switch content {
      case .none: break
      case .value(let value): values.set(value, at: place)
      case .object(let id):
        var slot = fastmap_slot()
        slot.tag = UInt8(FASTMAP_TARGET)
        slot.target = id.rawValue
        values.setBorrowed(slot, at: place)
      }
    }
  }

  /// Whether it is before an object.
  func precedes(_ record: RecordView, _ index: IndexLayout, _ isDescending: Bool) -> Bool {
    for (place, part) in index.parts.enumerated() {
      let order = IndexOrder.compare(values.slots[place], record.slot(Int(part.field)))
      if order != 0 { return (order < 0) != (part.isDescending != isDescending) }
    }
    guard let other = PrimaryKey(slot: record.key.slot) else { return true }
    return key < other
  }
}
