internal import CFastMap
public import FastMapStoreKit

extension LMDBReader {
  public func indexes(of entity: Int) -> [Schema.Index] {
    guard let indexes else { return binding.entities[entity].indexes.map(\.index) }
    // A write builds the indexes of its schema when it ends.
    return layout.indexes(of: binding.entities[entity]).filter { indexes.keeps($0.layout) }.map { found in
      Schema.Index(
        name: found.index.name, parts: found.index.parts, isUnique: indexes.isUnique(found.layout))
    }
  }

  private func layout(of index: Schema.Index, _ entity: Int) -> IndexLayout? {
    let bound = binding.entities[entity]
    if !isWriting { return bound.indexes.first { $0.index.parts == index.parts }?.layout }
    let parts = index.parts.map {
      IndexLayout.Part(field: UInt16(max(0, bound.fields[$0.field])), isDescending: $0.isDescending)
    }
    return layout.indexes.first { $0.entity == bound.number && $0.parts == parts }
  }

  public mutating func forEachPage(
    in index: Schema.Index, of entity: Int, range: IndexRange, isDescending: Bool,
    after position: IndexRange.Position?, pageSize: Int, _ body: (inout LMDBReader, ObjectPage) throws -> Bool
  ) throws {
    try forEachPage(
      in: index, of: entity, range, isDescending, after: position, pageSize, { _ in true }, body)
  }

  public mutating func forEachPage(
    in index: Schema.Index, of entity: Int, range: IndexRange, isDescending: Bool,
    after position: IndexRange.Position?, pageSize: Int, where test: RowTest,
    _ body: (inout LMDBReader, ObjectPage) throws -> Bool
  ) throws {
    let test = RecordTest(test, binding.entities[entity], environment)
    try forEachPage(
      in: index, of: entity, range, isDescending, after: position, pageSize, { try test.includes($0) }, body)
  }

  @inline(__always)
  private mutating func forEachPage(
    in index: Schema.Index, of entity: Int, _ range: IndexRange, _ isDescending: Bool,
    after position: IndexRange.Position?, _ pageSize: Int, _ isIncluded: (RecordView) throws -> Bool,
    _ body: (inout LMDBReader, ObjectPage) throws -> Bool
  ) throws {
    try indexes?.write()
    guard let index = layout(of: index, entity) else { return }
    var scan = try IndexScan(index, range, isDescending: isDescending, self, reuseCursor(of: index))
    // The next query often goes on where this one ends.
    defer { if !isWriting { keptCursor = scan.leave() } }
    if let position { try scan.begin(behind: position) }
    var size = min(pageSize, 16)
    while true {
      // Collected in arrays of this module, whose appending is inlined here.
      var ids: [ObjectID] = []
      var keys: [PrimaryKey?] = []
      var records: [RecordView] = []
      ids.reserveCapacity(size)
      keys.reserveCapacity(size)
      records.reserveCapacity(size)
      while ids.count < size, let record = try scan.next() {
        guard try isIncluded(record) else { continue }
        ids.append(record.id)
        keys.append(PrimaryKey(slot: record.key.slot))
        records.append(record)
      }
      if ids.isEmpty { return }
      let isWhole = ids.count == size
      remember(records)
      // The body may change records in a write, so nothing that was read before holds.
      if isWriting { scan.suspend() }
      guard try body(&self, ObjectPage(ids: ids, keys: keys)), isWhole else { return }
      if isWriting {
        try indexes?.write()
        try scan.resume()
      }
      size = min(pageSize, size * 4)
    }
  }

  /// A snapshot keeps the places of the records while it sorts, so each is looked up once.
  public mutating func forEachPageByKey(
    in index: Schema.Index, of entity: Int, ranges: [IndexRange], pageSize: Int,
    where test: RowTest, _ body: (inout LMDBReader, ObjectPage) throws -> Bool
  ) throws {
    try indexes?.write()
    guard let index = layout(of: index, entity) else { return }
    let test = RecordTest(test, binding.entities[entity], environment)
    var records: [RecordView] = []
    for range in ranges {
      var scan = try IndexScan(index, range, isDescending: false, self)
      while let record = try scan.next() {
        if try test.includes(record) { records.append(record) }
      }
      if !isWriting { keptCursor = scan.leave() }
    }
    records.sort { $0.key.bytes.precedes($1.key.bytes) }
    // Writes of the body may move records, but do not change numbers and keys.
    let ids = records.map(\.id)
    let keys = records.map { PrimaryKey(slot: $0.key.slot) }
    for start in stride(from: 0, to: ids.count, by: pageSize) {
      let places = start..<min(start + pageSize, ids.count)
      if !isWriting { remember(Array(records[places])) }
      guard try body(&self, ObjectPage(ids: Array(ids[places]), keys: Array(keys[places]))) else { return }
    }
  }

  /// Counts entries, without a look at the objects.
  public mutating func count(
    in index: Schema.Index, of entity: Int, range: IndexRange, limit: Int
  ) throws -> Int {
    try indexes?.write()
    guard let index = layout(of: index, entity) else { return 0 }
    let bounds = try IndexBounds(range, of: index)
    guard let start = bounds.start else { return 0 }
    let kept = try reuseCursor(of: index) ?? KeptCursor(IndexCursor(index, view, tables))
    defer { if !isWriting { keptCursor = kept } }
    var count = 0
    var entry = try start.withUnsafeBytes { try kept.cursor.seek(atLeast: $0) }
    while count < limit, let found = entry, !bounds.isBefore(found.body) {
      count += 1
      entry = try kept.cursor.next()
    }
    return count
  }

  /// The cursor that a snapshot used last, if it is one of an index.
  private mutating func reuseCursor(of index: IndexLayout) -> KeptCursor? {
    guard let kept = keptCursor, kept.cursor.number == index.number else { return nil }
    keptCursor = nil
    return kept
  }
}

/// A cursor of an index that outlives a query, so that the next one finds its block verified.
final class KeptCursor {
  // One scan at a time has it, and asking for that each time takes as long as a step.
  @exclusivity(unchecked) var cursor: IndexCursor

  init(_ cursor: consuming IndexCursor) { self.cursor = cursor }
}
