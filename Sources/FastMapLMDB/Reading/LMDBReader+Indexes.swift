internal import CFastMap
public import FastMapCore

extension LMDBReader {
  public func indexes(of entity: Int) -> [Schema.Index] {
    guard let number = binding.entities[entity].number else { return [] }
    let fields = binding.entities[entity].schemaFields
    return layout.indexes.filter { index in
      // A write builds what its schema declares when it ends.
      index.entity == number && (indexes?.keeps(index) ?? true)
        && index.parts.allSatisfy { fields[Int($0.field)] >= 0 }
    }.map { index in
      Schema.Index(
        name: index.name(in: layout),
        parts: index.parts.map { .init(field: fields[Int($0.field)], isDescending: $0.isDescending) },
        isUnique: indexes?.isUnique(index) ?? index.isUnique)
    }
  }

  /// The stored index.
  private func layout(of index: Schema.Index, _ entity: Int) -> IndexLayout? {
    let bound = binding.entities[entity]
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
    after position: IndexRange.Position?, pageSize: Int, where isIncluded: (ObjectID, Row) throws -> Bool,
    _ body: (inout LMDBReader, ObjectPage) throws -> Bool
  ) throws {
    let fields = binding.entities[entity].fields
    try fields.withUnsafeBufferPointer { fields in
      try forEachPage(
        in: index, of: entity, range, isDescending, after: position, pageSize,
        { record in try LentRecord(record: record, fields: fields).lend { try isIncluded(record.id, $0) } },
        body)
    }
  }

  @inline(__always)
  private mutating func forEachPage(
    in index: Schema.Index, of entity: Int, _ range: IndexRange, _ isDescending: Bool,
    after position: IndexRange.Position?, _ pageSize: Int, _ isIncluded: (RecordView) throws -> Bool,
    _ body: (inout LMDBReader, ObjectPage) throws -> Bool
  ) throws {
    try indexes?.write()
    guard let index = layout(of: index, entity) else { return }
    var scan = try IndexScan(index, range, isDescending: isDescending, self)
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
      let place = isWriting && isWhole ? scan.place : nil
      guard try body(&self, ObjectPage(ids: ids, keys: keys)), isWhole else { return }
      if let place {
        try indexes?.write()
        try scan.resume(at: place)
      }
      size = min(pageSize, size * 4)
    }
  }

  /// A snapshot keeps the places of the records while it sorts, so each is looked up once.
  public mutating func forEachPageByKey(
    in index: Schema.Index, of entity: Int, range: IndexRange, pageSize: Int,
    where isIncluded: (ObjectID, Row) throws -> Bool, _ body: (inout LMDBReader, ObjectPage) throws -> Bool
  ) throws {
    try indexes?.write()
    guard let index = layout(of: index, entity) else { return }
    var records: [RecordView] = []
    var scan = try IndexScan(index, range, isDescending: false, self)
    try binding.entities[entity].fields.withUnsafeBufferPointer { fields in
      while let record = try scan.next() {
        if try LentRecord(record: record, fields: fields).lend({ try isIncluded(record.id, $0) }) {
          records.append(record)
        }
      }
    }
    records.sort { $0.key.bytes.precedes($1.key.bytes) }
    // What the body writes may move records, but not change numbers and keys.
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
    var cursor = try IndexCursor(index, view, tables)
    guard let start = bounds.start else { return 0 }
    var count = 0
    var entry = try start.withUnsafeBytes { try cursor.seek(atLeast: $0) }
    while count < limit, let found = entry, !bounds.isBefore(found.body) {
      count += 1
      entry = try cursor.next()
    }
    return count
  }
}
