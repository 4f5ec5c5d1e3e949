import FastMapCore
import FastMapMemory
import Synchronization

/// A store of one's own, on top of a memory store: it writes down what it is asked in a write, and fails on demand.
final class RecordingStore: Store {
  struct Failure: Error, Equatable {
    let call: String
  }

  let log = Mutex<[String]>([])
  /// The call that fails: `find`, `reserve`, `apply` or `commit`.
  let failing = Mutex<String?>(nil)
  private let store = MemoryStore()

  fileprivate func note(_ call: String, _ arguments: String = "") throws {
    log.withLock { $0.append(arguments.isEmpty ? call : "\(call) \(arguments)") }
    if failing.withLock({ $0 == call }) { throw Failure(call: call) }
  }

  func read<R>(_ schema: Schema, _ body: (inout MemoryReader) throws -> R) throws -> R {
    try store.read(schema, body)
  }

  func write<R>(_ schema: Schema, _ body: (inout Writer) throws -> TransactionCompletion<R>) throws -> R {
    try store.write(schema) { inner in
      try note("begin")
      var writer = Writer(inner: inner, store: self, schema: schema)
      defer { inner = writer.inner }
      let ending = try body(&writer)
      switch ending {
      case .commit: try note("commit")
      case .rollBack: try note("roll back")
      }
      return ending
    }
  }

  struct Writer: StoreWriter {
    var inner: MemoryWriter
    let store: RecordingStore
    var schema: Schema

    var reader: MemoryReader {
      get { inner.reader }
      set { inner.reader = newValue }
    }

    private func name(_ entity: Int) -> String { schema.entities[entity].name }

    mutating func use(_ schema: Schema) throws {
      try inner.use(schema)
      self.schema = schema
    }

    mutating func find(_ keys: KeyBatch, of entity: Int, into ids: UnsafeMutableBufferPointer<ObjectID?>)
      throws
    {
      try store.note(
        "find", "\(name(entity)) [\(keys.map { "\($0.key.map { "\($0)" } ?? "")" }.joined(separator: " "))]")
      try inner.find(keys, of: entity, into: ids)
    }

    mutating func reserve(_ count: Int, of entity: Int) throws -> ObjectID {
      try store.note("reserve", "\(count) \(name(entity))")
      return inner.reserve(count, of: entity)
    }

    mutating func apply(_ changes: inout ChangeBatch) throws {
      let texts = changes.changes.map {
        "\($0.isNew ? "+" : "~")\(name($0.entity)) \($0.key.map { "\($0)" } ?? "-")"
      }
      try store.note("apply", texts.joined(separator: ", "))
      try inner.apply(&changes)
    }

    func reference(to id: ObjectID, of entity: Int, after last: Reference?) throws -> Reference? {
      try store.note("reference", name(entity))
      return inner.reference(to: id, of: entity, after: last)
    }

    mutating func delete(_ id: ObjectID, of entity: Int) throws -> Bool {
      try store.note("delete", name(entity))
      return inner.delete(id, of: entity)
    }

    mutating func forEach(
      of entity: Int, keys: KeyRange?, _ body: (inout Writer, ObjectID, PrimaryKey?) throws -> Bool
    ) throws {
      try store.note("forEach", name(entity))
      var copy = self
      try inner.forEach(of: entity, keys: keys) { _, id, key in try body(&copy, id, key) }
    }

    func isChanged(_ id: ObjectID, of entity: Int) -> Bool { inner.isChanged(id, of: entity) }
  }
}
