internal import CFastMap
internal import FastMapStoreKit

/// Objects with the same values in a unique index.
extension IndexWriter {
  /// Two objects, one after the other in an index. The records are valid until the next change.
  struct Pair {
    let index: IndexLayout
    let first: RecordView
    let second: RecordView
  }

  /// Calls back with the pairs of objects with the same values. Only values that this write has put beside each other are
  /// looked at.
  ///
  /// - Parameter isWanted: Whether to look at an index.
  func forEachPair(
    limit: Int, in isWanted: (IndexLayout) -> Bool = { _ in true }, _ body: (Pair) throws -> Void
  ) throws {
    try write()
    var rest = limit
    for member in members where !member.blocks.suspects.isEmpty && isWanted(member.layout) && rest > 0 {
      let suspects = member.blocks.suspects.sorted { $0.lexicographicallyPrecedes($1) }
      var unique: [[UInt8]] = []
      for values in suspects where rest > 0 {
        let old = rest
        try forEachPair(of: values, in: member.layout, &rest, body)
        if rest == old { unique.append(values) }
      }
      // Values that proved unique need no second look.
      for values in unique { member.blocks.suspects.remove(values) }
    }
  }

  private func forEachPair(
    of values: [UInt8], in index: IndexLayout, _ rest: inout Int, _ body: (Pair) throws -> Void
  ) throws {
    var cursor = try IndexCursor(index, view, tables)
    var finder = IndexedRecordFinder(index, view, tables)
    var last: RecordView?
    /// The last object for each whole value. Long strings may differ only in the parts that their entries omit.
    var lastOf: [WholeValues: RecordView] = [:]
    try values.withUnsafeBytes { values in
      var entry = try cursor.seek(atLeast: values)
      while rest > 0, let found = entry, found.values.equals(values) {
        let record = try finder.record(of: found)
        let same: RecordView?
        if found.isValueCut {
          same = lastOf.updateValue(record, forKey: WholeValues(index: index, record: record))
        } else {
          (same, last) = (last, record)
        }
        if let same {
          rest -= 1
          try body(Pair(index: index, first: same, second: record))
        }
        entry = try cursor.next()
      }
    }
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
      .damaged(place: "index \(index.number)", detail: "has an object that does not exist"))
  }
}
