package import FastMapCore

/// The writer of an ``ObservedStore``.
package struct ObservedWriter<Base: StoreWriter>: StoreWriter {
  var inner: Base
  let asker: Asker
  package let prefersSets: Bool

  package var reader: ObservedReader<Base.Reader> {
    get { ObservedReader(inner: inner.reader, asker: asker, prefersSets: prefersSets) }
    set { inner.reader = newValue.inner }
  }

  package var notes: [String] { inner.notes }
  package var hasStoredDefaults: Bool { inner.hasStoredDefaults }

  package mutating func use(_ schema: Schema) throws { try inner.use(schema) }

  // Not by way of the reader: a writer may answer these itself.

  package mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
    try asker.ask(.find, keys.count)
    return try inner.find(keys, of: entity)
  }

  package mutating func find(_ key: PrimaryKey, of entity: Int) throws -> ObjectID? {
    try asker.ask(.find, 1)
    return try inner.find(key, of: entity)
  }

  package mutating func read(
    _ ids: [ObjectID], of entity: Int, _ body: (_ index: Int, Row) throws -> Void
  ) throws {
    try asker.ask(.read, ids.count)
    try inner.read(ids, of: entity, body)
  }

  package mutating func withRow<R>(_ id: ObjectID, of entity: Int, _ body: (Row) throws -> R) throws -> R? {
    try asker.ask(.read, 1)
    return try inner.withRow(id, of: entity, body)
  }

  package mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    try asker.ask(.read, 1)
    return try inner.read(id, of: entity, into: &buffer)
  }

  package mutating func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    try asker.ask(.targets, owners.count * fields.count)
    return try inner.targets(of: owners, entity: entity, fields: fields)
  }

  package mutating func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    try asker.ask(.owners, targets.count)
    return try inner.owners(of: targets, entity: entity, field: field)
  }

  package mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    var copy = self
    defer { self = copy }
    var isEmpty = true
    try inner.forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize) { _, page in
      isEmpty = false
      try copy.asker.ask(.page, page.count)
      return try body(&copy, page)
    }
    if isEmpty { try asker.ask(.page, 1) }
  }

  package mutating func count(of entity: Int) throws -> Int {
    try asker.ask(.count, 1)
    return try inner.count(of: entity)
  }

  package mutating func count(of entity: Int, keys: KeyRange) throws -> Int {
    try asker.ask(.count, 1)
    return try inner.count(of: entity, keys: keys)
  }

  // MARK: Writing

  package mutating func resolve(_ lookups: [KeyLookup]) throws {
    try asker.ask(.resolve, lookups.reduce(0) { $0 + $1.keys.count })
    try inner.resolve(lookups)
  }

  package mutating func reserve(_ requests: [NumberRequest]) throws -> [ObjectNumbers] {
    try asker.ask(.reserve, requests.reduce(0) { $0 + $1.count })
    return try inner.reserve(requests)
  }

  package mutating func apply(_ changes: inout ChangeBatch) throws {
    try asker.ask(.apply, changes.changes.count)
    try inner.apply(&changes)
  }

  package mutating func finish(_ changes: inout ChangeBatch) throws { try inner.finish(&changes) }

  package mutating func references(
    to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
  ) throws -> [[Reference]] {
    try asker.ask(.references, ids.count)
    return try inner.references(to: ids, of: entity, after: last, limit: limit)
  }

  package mutating func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID] {
    try asker.ask(.delete, ids.count)
    return try inner.delete(ids, of: entity)
  }

  package mutating func changed(_ ids: [ObjectID], of entity: Int) throws -> [Bool] {
    try asker.ask(.changed, ids.count)
    return try inner.changed(ids, of: entity)
  }

  package mutating func buildIndexes(_ onProgress: (_ done: Int, _ total: Int) throws -> Void) throws {
    try inner.buildIndexes(onProgress)
  }

  package mutating func forEachDuplicate(limit: Int, _ body: (DuplicateValues) throws -> Void) throws {
    try inner.forEachDuplicate(limit: limit, body)
  }

  package mutating func keepLeftovers(_ leftovers: [Leftover], of keeper: AnyObject?) throws -> AnyObject? {
    try asker.ask(.keepLeftovers, 1)
    return try inner.keepLeftovers(leftovers, of: keeper)
  }

  package mutating func claimLeftovers(of keeper: AnyObject?) throws -> [Leftover] {
    try asker.ask(.claimLeftovers, 1)
    return try inner.claimLeftovers(of: keeper)
  }
}
