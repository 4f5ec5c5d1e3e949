internal import CFastMap
public import FastMapStoreKit

/// One write transaction of an ``LMDBStore``.
///
///     try store.write(plan.schema) { writer in
///       guard let id = try writer.reader.find(314, of: 0) else { return .rollBack(false) }
///       return .commit(try writer.delete(id, of: 0))
///     }
///
/// - Note: Valid only in the closure that receives it, and on its thread.
public struct LMDBWriter: StoreWriter {
  let writing: WriteView
  public var reader: LMDBReader
  /// Shared by all copies of the writer.
  let indexes: IndexWriter

  /// - Parameter hasChangedLayout: Whether the write has changed types or names of the store.
  init(_ writing: WriteView, _ reader: LMDBReader, _ indexes: IndexWriter, hasChangedLayout: Bool) {
    hasStoredDefaults = hasChangedLayout
    self.writing = writing
    self.reader = reader
    self.indexes = indexes
  }

  var tables: Tables { reader.tables }
  var environment: Environment { reader.environment }

  /// The store's number of an entity. The layout was extended to the whole schema.
  func number(of entity: Int) -> UInt16 { reader.binding.entities[entity].number ?? 0 }

  public var notes: [String] { reader.notes }

  public private(set) var hasStoredDefaults: Bool

  public mutating func use(_ schema: Schema) throws {
    if schema.isIdentical(to: reader.binding.schema) { return }
    try reader.use(schema)
    try storeNewDefaults()
  }

  /// Stores the defaults of attributes that the schema has just added.
  mutating func storeNewDefaults() throws {
    let binding = reader.binding
    for (entity, defaults) in binding.newDefaults {
      try storeDefaults(defaults, in: binding.schema, of: entity)
      hasStoredDefaults = true
    }
  }

  // MARK: Finding and numbering

  /// One pass of a cursor over sorted keys. Keys after the last stored one take a comparison and no search.
  public mutating func resolve(_ lookups: [KeyLookup]) throws {
    var refused: [Int: [Int: String]] = [:]
    for lookup in lookups {
      for (index, entry) in lookup.keys.entries.enumerated() {
        if let reason = KeyLimit.reason(entry.key) { refused[lookup.entity, default: [:]][index] = reason }
      }
    }
    guard refused.isEmpty else { throw RefusedKeysError(refused) }
    for lookup in lookups { try find(lookup.keys, of: lookup.entity, into: lookup.ids) }
  }

  private mutating func find(
    _ keys: KeyBatch, of entity: Int, into ids: UnsafeMutableBufferPointer<ObjectID?>
  ) throws {
    ids.update(repeating: nil)
    let number = number(of: entity)
    guard reader.layout.entities[Int(number)].counts.keyed > 0 else { return }
    let cursor = try writing.unsafeCursor(tables.records)
    var key = KeyBytes()
    let last = try lastKey(of: number, cursor)
    var ascending = AscendingCursor(cursor)
    for (index, entry) in keys.entries.enumerated() {
      key.setRecord(entity: number, key: entry.key)
      if let last, last.precedes(key.bytes) { return }
      guard let found = try ascending.find(key.bytes) else { continue }
      // Verified here, because nothing else may look at an object that is only referred to.
      ids[index] = try RecordView(found, in: writing.view).id
    }
  }

  private func lastKey(of number: UInt16, _ cursor: borrowing Cursor) throws -> UnsafeRawBufferPointer? {
    var next = KeyBytes()
    next.setRecords(of: number, kind: KeyKind.none)
    let entry = try cursor.seek(atLeast: next.bytes) == nil ? cursor.last() : cursor.previous()
    return entry?.key
  }

  public mutating func reserve(_ requests: [NumberRequest]) throws -> [ObjectNumbers] {
    try requests.map { .run(from: try reserve($0.count, of: $0.entity)) }
  }

  private mutating func reserve(_ count: Int, of entity: Int) throws -> ObjectID {
    let number = number(of: entity)
    let first = reader.layout.entities[Int(number)].counts.nextSerial
    guard first + UInt64(count) <= ObjectNumber.maxSerial else {
      throw StoreLimitError(reason: "an entity has at most \(ObjectNumber.maxSerial) objects over time")
    }
    reader.layout.entities[Int(number)].counts.nextSerial += UInt64(count)
    return ObjectNumber.make(entity: number, serial: first)
  }

  // MARK: References

  public mutating func references(
    to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
  ) throws -> [[Reference]] {
    let inverse = try InverseCursor(writing.view, tables)
    return try ids.map { id in
      guard reader.isNumber(id, of: entity) else { return [] }
      var start = InverseEntry(firstTo: id)
      if let last {
        // No object has the highest number.
        start = InverseEntry(
          target: id, field: UInt16(truncatingIfNeeded: last.field), owner: last.owner.advanced(by: 1))
      }
      var found: [Reference] = []
      try inverse.forEach(from: start) { entry in
        guard entry.target == id else { return false }
        let entity = reader.binding.entity(ofNumber: ObjectNumber.entity(entry.owner))
        found.append(Reference(owner: entry.owner, entity: entity, field: Int(entry.field)))
        return found.count < limit
      }
      return found
    }
  }
}
