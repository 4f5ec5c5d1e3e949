import FastMapCore
import Synchronization

/// One call that the core makes in a write.
struct StoreCall: Sendable {
  let name: String
  var entity = ""
  /// The name and the arguments.
  let text: String
  /// How many objects it is about.
  var count = 1
  var keys: [PrimaryKey?] = []
}

/// An error that `watch` throws to refuse keys of a call, by their places in it.
struct RefusedKeys: Error {
  let reasons: [Int: String]
}

/// A store on top of another that keeps the calls of its writes. The call throws the error of `watch`.
final class WatchedStore<Base: Store>: Store {
  private let base: Base
  private let watch: @Sendable (StoreCall) throws -> Void
  private let calls = Mutex<[StoreCall]>([])

  init(_ base: Base, _ watch: @escaping @Sendable (StoreCall) throws -> Void = { _ in }) {
    self.base = base
    self.watch = watch
  }

  /// The calls since the last time.
  func takeCalls() -> [StoreCall] {
    calls.withLock { calls in
      defer { calls = [] }
      return calls
    }
  }

  fileprivate func note(_ call: StoreCall) throws {
    calls.withLock { $0.append(call) }
    try watch(call)
  }

  var capabilities: StoreCapabilities { base.capabilities }

  func prepare(_ schema: Schema) throws -> [String] { try base.prepare(schema) }

  func read<R>(_ schema: Schema, _ body: (inout WatchedReader<Base>) throws -> R) throws -> R {
    try base.read(schema) { inner in
      var reader = WatchedReader<Base>(inner: inner, store: nil, schema: schema)
      return try body(&reader)
    }
  }

  func write<R>(_ schema: Schema, _ body: (inout WatchedWriter<Base>) throws -> TransactionCompletion<R>)
    throws -> R
  {
    try base.write(schema) { inner in
      try note(StoreCall(name: "begin", text: "begin"))
      var writer = WatchedWriter(inner: inner, store: self, schema: schema)
      defer { inner = writer.inner }
      let ending = try body(&writer)
      let name = if case .commit = ending { "commit" } else { "roll back" }
      try note(StoreCall(name: name, text: name))
      return ending
    }
  }
}

struct WatchedWriter<Base: Store>: StoreWriter {
  var inner: Base.Writer
  let store: WatchedStore<Base>
  var schema: Schema

  var reader: WatchedReader<Base> {
    get { WatchedReader(inner: inner.reader, store: store, schema: schema) }
    set { inner.reader = newValue.inner }
  }

  private func name(_ entity: Int) -> String { schema.entities[entity].name }

  private func note(_ call: String, _ entity: Int, _ count: Int = 1) throws {
    let entity = name(entity)
    try store.note(StoreCall(name: call, entity: entity, text: "\(call) \(entity)", count: count))
  }

  mutating func use(_ schema: Schema) throws {
    try inner.use(schema)
    self.schema = schema
  }

  mutating func resolve(_ lookups: [KeyLookup]) throws {
    var refused: [Int: [Int: String]] = [:]
    for lookup in lookups {
      let (entityName, found) = (name(lookup.entity), lookup.keys.map(\.key))
      let texts = found.map { $0.map { "\($0)" } ?? "" }
      do {
        try store.note(
          StoreCall(
            name: "find", entity: entityName, text: "find \(entityName) [\(texts.joined(separator: " "))]",
            count: found.count, keys: found))
      } catch let error as RefusedKeys {
        refused[lookup.entity] = error.reasons
      }
    }
    if !refused.isEmpty { throw RefusedKeysError(refused) }
    try inner.resolve(lookups)
  }

  mutating func reserve(_ requests: [NumberRequest]) throws -> [ObjectNumbers] {
    for request in requests {
      let text = "reserve \(request.count) \(name(request.entity))"
      try store.note(StoreCall(name: "reserve", text: text, count: 0))
    }
    return try inner.reserve(requests)
  }

  mutating func apply(_ changes: inout ChangeBatch) throws {
    let texts = changes.changes.map {
      "\($0.isNew ? "+" : "~")\(name($0.entity)) \($0.key.map { "\($0)" } ?? "-")"
    }
    try store.note(
      StoreCall(name: "apply", text: "apply \(texts.joined(separator: ", "))", count: texts.count))
    try inner.apply(&changes)
  }

  mutating func finish(_ changes: inout ChangeBatch) throws { try inner.finish(&changes) }

  mutating func references(
    to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
  ) throws -> [[Reference]] {
    let found = try inner.references(to: ids, of: entity, after: last, limit: limit)
    try note("references", entity, found.reduce(ids.count) { $0 + $1.count })
    return found
  }

  mutating func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID] {
    try note("delete", entity, ids.count)
    return try inner.delete(ids, of: entity)
  }

  mutating func buildIndexes(_ onProgress: (_ done: Int, _ total: Int) throws -> Void) throws {
    try inner.buildIndexes(onProgress)
  }

  mutating func forEachDuplicate(limit: Int, _ body: (DuplicateValues) throws -> Void) throws {
    try inner.forEachDuplicate(limit: limit, body)
  }

  mutating func changed(_ ids: [ObjectID], of entity: Int) throws -> [Bool] {
    try note("changed", entity, ids.count)
    return try inner.changed(ids, of: entity)
  }
}

struct WatchedReader<Base: Store>: StoreReader {
  var inner: Base.Reader
  /// Nil for a read, whose calls are not kept.
  let store: WatchedStore<Base>?
  var schema: Schema

  private func note(_ call: String, _ entity: Int, _ count: Int = 1) throws {
    let entity = schema.entities[entity].name
    try store?.note(StoreCall(name: call, entity: entity, text: "\(call) \(entity)", count: count))
  }

  var prefersSets: Bool { inner.prefersSets }

  mutating func use(_ schema: Schema) throws {
    try inner.use(schema)
    self.schema = schema
  }

  mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
    try inner.find(keys, of: entity)
  }

  mutating func find(_ key: PrimaryKey, of entity: Int) throws -> ObjectID? {
    try note("findOne", entity)
    return try inner.find(key, of: entity)
  }

  mutating func read(_ ids: [ObjectID], of entity: Int, _ body: (_ index: Int, Row) throws -> Void) throws {
    try inner.read(ids, of: entity, body)
  }

  mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    try note("read", entity)
    return try inner.read(id, of: entity, into: &buffer)
  }

  mutating func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    let targets = try inner.targets(of: owners, entity: entity, fields: fields)
    try note("targets", entity, targets.joined().reduce(owners.count) { $0 + $1.count })
    return targets
  }

  mutating func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    try inner.owners(of: targets, entity: entity, field: field)
  }

  mutating func count(of entity: Int) throws -> Int { try inner.count(of: entity) }

  mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    var copy = self
    defer { inner = copy.inner }
    try inner.forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize) { _, page in
      try copy.note("forEach", entity, page.count)
      return try body(&copy, page)
    }
  }
}
