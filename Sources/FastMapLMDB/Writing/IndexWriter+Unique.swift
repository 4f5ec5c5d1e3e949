internal import CFastMap
internal import FastMapCore

/// Objects with the same values in a unique index.
extension IndexWriter {
  /// Two objects, one behind the other in an index. The records are valid until the next change.
  struct Pair {
    let index: IndexLayout
    let first: RecordView
    let second: RecordView
  }

  /// The pairs of objects with the same values. Only values that this write has put beside each other are looked at.
  ///
  /// - Parameter isWanted: Whether to look at an index.
  func pairs(limit: Int, in isWanted: (IndexLayout) -> Bool = { _ in true }) throws -> [Pair] {
    try write()
    var found: [Pair] = []
    for member in members where !member.blocks.suspects.isEmpty && isWanted(member.layout) {
      var left: Set<[UInt8]> = []
      let suspects = member.blocks.suspects.sorted { $0.lexicographicallyPrecedes($1) }
      for values in suspects where found.count < limit {
        let pairs = try pairs(of: values, in: member.layout, limit: limit - found.count)
        if !pairs.isEmpty { left.insert(values) }
        found += pairs
      }
      // Values that proved unique need no second look.
      if found.count < limit { member.blocks.suspects = left }
      if found.count >= limit { break }
    }
    return found
  }

  private func pairs(of values: [UInt8], in index: IndexLayout, limit: Int) throws -> [Pair] {
    var pairs: [Pair] = []
    var cursor = try IndexCursor(index, view, tables)
    var finder = IndexedRecordFinder(index, view, tables)
    var last: RecordView?
    /// The last object for each whole value. Long strings may differ only in the parts that their entries omit.
    var lastOf: [WholeValues: RecordView] = [:]
    try values.withUnsafeBytes { values in
      var entry = try cursor.seek(atLeast: values)
      while pairs.count < limit, let found = entry, found.values.equals(values) {
        let record = try finder.record(of: found)
        if found.isValueCut {
          let whole = WholeValues(index: index, record: record)
          if let last = lastOf.updateValue(record, forKey: whole) {
            pairs.append(Pair(index: index, first: last, second: record))
          }
        } else {
          if let last { pairs.append(Pair(index: index, first: last, second: record)) }
          last = record
        }
        entry = try cursor.next()
      }
    }
    return pairs
  }
}

/// The strings and the data of an object in an index, whole.
struct WholeValues: Hashable {
  let index: IndexLayout
  let record: RecordView

  private func span(_ part: IndexLayout.Part) -> UnsafeRawBufferPointer? {
    guard let slot = record.slot(Int(part.field)), slot.hasBytes, slot.kind != .decimal else {
      return nil
    }
    return UnsafeRawBufferPointer(slot.span)
  }

  static func == (a: WholeValues, b: WholeValues) -> Bool {
    a.index.parts.allSatisfy { part in
      guard let first = a.span(part), let second = b.span(part) else { return true }
      return first.equals(second)
    }
  }

  func hash(into hasher: inout Hasher) {
    for part in index.parts {
      guard let span = span(part) else { continue }
      hasher.combine(span.count)
      hasher.combine(bytes: span)
    }
  }
}

/// Finds the records of the entries of an index.
struct IndexedRecordFinder: ~Copyable {
  private let index: IndexLayout
  private let view: TransactionView
  private let tables: Tables
  private var key = KeyBytes()
  private var finder: KeyFinder

  init(_ index: IndexLayout, _ view: TransactionView, _ tables: Tables) {
    (self.index, self.view, self.tables) = (index, view, tables)
    finder = KeyFinder(view, tables)
  }

  mutating func record(of entry: IndexEntryView) throws -> RecordView {
    if let id = entry.id {
      guard try finder.find(id) else { throw damaged }
      key.set(finder.key.bytes)
    } else {
      key.setRecord(of: index.entity, behind: entry.key)
    }
    guard let found = try view.entry(tables.records, key.bytes) else { throw damaged }
    return try RecordView(found, in: view)
  }

  private var damaged: LMDBError {
    view.environment.error(
      .damaged(place: "index \(index.number)", detail: "it has an object that does not exist"))
  }
}
