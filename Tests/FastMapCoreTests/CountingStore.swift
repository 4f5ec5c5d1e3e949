import FastMapCore
import Synchronization

/// Counts what a store is asked in writes, and hands it on.
final class CountingStore<Base: Store>: Store {
  private let base: Base
  private let calls = Mutex<[String: Int]>([:])

  init(_ base: Base) { self.base = base }

  /// How often each call was made since the last time, with the objects that it was about.
  func takeCounts() -> [String: Int] {
    calls.withLock { calls in
      defer { calls = [:] }
      return calls
    }
  }

  fileprivate func note(_ call: String, _ count: Int = 1) {
    calls.withLock { $0[call, default: 0] += count }
  }

  var runsWritesOnce: Bool { base.runsWritesOnce }

  func read<R>(_ schema: Schema, _ body: (inout Base.Reader) throws -> R) throws -> R {
    try base.read(schema, body)
  }

  func write<R>(_ schema: Schema, _ body: (inout CountingWriter<Base>) throws -> TransactionCompletion<R>)
    throws -> R
  {
    try base.write(schema) { inner in
      var writer = CountingWriter(inner: inner, store: self)
      defer { inner = writer.inner }
      return try body(&writer)
    }
  }
}

struct CountingWriter<Base: Store>: StoreWriter {
  var inner: Base.Writer
  let store: CountingStore<Base>

  var reader: Base.Reader {
    get { inner.reader }
    set { inner.reader = newValue }
  }

  mutating func find(_ key: PrimaryKey, of entity: Int) throws -> ObjectID? {
    store.note("find")
    return try inner.find(key, of: entity)
  }

  mutating func find(
    _ keys: KeyBatch, of entity: Int, into ids: UnsafeMutableBufferPointer<ObjectID?>
  ) throws {
    store.note("find", keys.count)
    try inner.find(keys, of: entity, into: ids)
  }

  mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    store.note("read")
    return try inner.read(id, of: entity, into: &buffer)
  }

  mutating func targets(of owners: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    let targets = try inner.targets(of: owners, entity: entity, field: field)
    store.note("targets", targets.reduce(owners.count) { $0 + $1.count })
    return targets
  }

  mutating func forEach(
    of entity: Int, keys: KeyRange?, _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    var copy = self
    defer { inner = copy.inner }
    try inner.forEach(of: entity, keys: keys) { _, id, key in
      copy.store.note("forEach")
      return try body(&copy, id, key)
    }
  }

  mutating func reserve(_ count: Int, of entity: Int) throws -> ObjectID {
    try inner.reserve(count, of: entity)
  }

  mutating func apply(_ changes: inout ChangeBatch) throws {
    store.note("apply", changes.changes.count)
    try inner.apply(&changes)
  }

  mutating func reference(
    to id: ObjectID, of entity: Int, after last: Reference?
  ) throws -> Reference? {
    store.note("reference")
    return try inner.reference(to: id, of: entity, after: last)
  }

  mutating func delete(_ id: ObjectID, of entity: Int) throws -> Bool {
    store.note("delete")
    store.note("deletions")
    return try inner.delete(id, of: entity)
  }

  mutating func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID] {
    store.note("delete", ids.count)
    store.note("deletions")
    return try inner.delete(ids, of: entity)
  }

  mutating func isChanged(_ id: ObjectID, of entity: Int) throws -> Bool {
    store.note("isChanged")
    return try inner.isChanged(id, of: entity)
  }
}

extension [String: Int] {
  /// All calls together.
  var total: Int { values.reduce(0, +) }
}
