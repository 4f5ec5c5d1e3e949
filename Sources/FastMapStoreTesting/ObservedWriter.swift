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
