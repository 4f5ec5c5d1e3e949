import FastMapCore
import FastMapStoreTesting
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
final class WatchedStore<Base: Store>: InterceptedStore {
  typealias Writer = WatchedWriter<Base.Writer>

  let base: Base
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

  private func note(_ call: StoreCall) throws {
    calls.withLock { $0.append(call) }
    try watch(call)
  }

  func reader(on reader: Base.Reader, _ schema: Schema) -> WatchedReader<Base.Reader> {
    WatchedReader(base: reader, watch: { _ in }, schema: schema)
  }

  func writer(on writer: Base.Writer, _ schema: Schema) throws -> Writer {
    try note(StoreCall(name: "begin", text: "begin"))
    return WatchedWriter(base: writer, watch: note, schema: schema)
  }

  func willEnd(_ writer: Writer, commits: Bool) throws {
    let name = commits ? "commit" : "roll back"
    try note(StoreCall(name: name, text: name))
  }
}

extension StoreCall {
  fileprivate init(_ call: String, _ entity: Int, in schema: Schema, _ count: Int = 1) {
    let entity = schema.entities[entity].name
    self.init(name: call, entity: entity, text: "\(call) \(entity)", count: count)
  }
}

struct WatchedWriter<Base: StoreWriter>: InterceptedWriter {
  var base: Base
  let watch: (StoreCall) throws -> Void
  var schema: Schema

  var reader: WatchedReader<Base.Reader> {
    get { WatchedReader(base: base.reader, watch: watch, schema: schema) }
    set { base.reader = newValue.base }
  }

  private func name(_ entity: Int) -> String { schema.entities[entity].name }

  mutating func use(_ schema: Schema) throws {
    try base.use(schema)
    self.schema = schema
  }

  mutating func resolve(_ lookups: [KeyLookup]) throws {
    var refused: [Int: [Int: String]] = [:]
    for lookup in lookups {
      let (entityName, found) = (name(lookup.entity), lookup.keys.map(\.key))
      let texts = found.map { $0.map { "\($0)" } ?? "" }
      do {
        try watch(
          StoreCall(
            name: "find", entity: entityName, text: "find \(entityName) [\(texts.joined(separator: " "))]",
            count: found.count, keys: found))
      } catch let error as RefusedKeys {
        refused[lookup.entity] = error.reasons
      }
    }
    if !refused.isEmpty { throw RefusedKeysError(refused) }
    try base.resolve(lookups)
  }

  mutating func reserve(_ requests: [NumberRequest]) throws -> [ObjectNumbers] {
    for request in requests {
      let text = "reserve \(request.count) \(name(request.entity))"
      try watch(StoreCall(name: "reserve", text: text, count: 0))
    }
    return try base.reserve(requests)
  }

  mutating func apply(_ changes: inout ChangeBatch) throws {
    let texts = changes.changes.map {
      "\($0.isNew ? "+" : "~")\(name($0.entity)) \($0.key.map { "\($0)" } ?? "-")"
    }
    try watch(StoreCall(name: "apply", text: "apply \(texts.joined(separator: ", "))", count: texts.count))
    try base.apply(&changes)
  }

  mutating func references(
    to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
  ) throws -> [[Reference]] {
    let found = try base.references(to: ids, of: entity, after: last, limit: limit)
    let count = found.reduce(ids.count) { $0 + $1.count }
    try watch(StoreCall("references", entity, in: schema, count))
    return found
  }

  mutating func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID] {
    try watch(StoreCall("delete", entity, in: schema, ids.count))
    return try base.delete(ids, of: entity)
  }

  mutating func changed(_ ids: [ObjectID], of entity: Int) throws -> [Bool] {
    try watch(StoreCall("changed", entity, in: schema, ids.count))
    return try base.changed(ids, of: entity)
  }
}

struct WatchedReader<Base: StoreReader>: InterceptedReader {
  var base: Base
  let watch: (StoreCall) throws -> Void
  var schema: Schema

  mutating func use(_ schema: Schema) throws {
    try base.use(schema)
    self.schema = schema
  }

  mutating func find(_ key: PrimaryKey, of entity: Int) throws -> ObjectID? {
    try watch(StoreCall("findOne", entity, in: schema))
    return try base.find(key, of: entity)
  }

  mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    try watch(StoreCall("read", entity, in: schema))
    return try base.read(id, of: entity, into: &buffer)
  }

  mutating func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    let targets = try base.targets(of: owners, entity: entity, fields: fields)
    let count = targets.joined().reduce(owners.count) { $0 + $1.count }
    try watch(StoreCall("targets", entity, in: schema, count))
    return targets
  }

  mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    var copy = self
    defer { self = copy }
    try base.forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize) { _, page in
      try copy.watch(StoreCall("forEach", entity, in: copy.schema, page.count))
      return try body(&copy, page)
    }
  }
}
