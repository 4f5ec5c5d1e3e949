public import FastMapStoreKit
internal import FastMapSystem
internal import Synchronization

/// A store in memory. Its contents end with the process.
///
///     let store = MemoryStore()
///     let report = try Mapper(store).importJSON(.file("people.json"), as: plan)
///     let lucas = try store.read(plan) { try $0.record("Person", key: 314) }
///
/// This store keeps its promises as a store in a file does. Read its code before you write a store for a database
/// without SQL.
///
/// The committed state is one value. A read copies it, which is free, and keeps the copy as its snapshot. A write
/// changes a copy, which replaces the committed state at the end:
///
///     committed ──copy──▶ read        committed ──copy──▶ write ──commit──▶ committed
///
/// So readers and the writer never wait for each other, and a rollback discards the copy. Objects are stored in pages
/// and keys in shards. A copy shares every page and shard that it does not change, so a write of *k* objects among
/// *n* copies O(*n* / 256 + *k*) of them.
///
/// - Note: Thread rule: any thread may use it. Writes wait for each other.
public final class MemoryStore: Store {
  private let committed = Mutex(MemoryState())
  private let turn = Mutex(())
  /// The thread that writes; 0 if none does.
  private let writingThread = Atomic<UInt>(0)

  /// Makes an empty store.
  public init() {}

  @discardableResult
  public func read<R>(_ schema: Schema, _ body: (inout MemoryReader) throws -> R) throws -> R {
    let state = committed.withLock { $0 }
    var reader = MemoryReader(state: state, binding: try state.bind(schema))
    return try body(&reader)
  }

  /// A write is committed or undone, and never runs again.
  public var capabilities: StoreCapabilities {
    StoreCapabilities(runsWritesOnce: true, keepsUniqueIndexes: true)
  }

  /// Runs `body` on a copy of the committed state, and replaces that state if `body` commits.
  ///
  /// - Throws: Errors of `body`. ``MemoryStoreError/writeInsideWrite`` if the thread is already writing.
  @discardableResult
  public func write<R>(_ schema: Schema, _ body: (inout MemoryWriter) throws -> TransactionCompletion<R>)
    throws -> R
  {
    let thread = Self.currentThread
    if writingThread.load(ordering: .relaxed) == thread { throw MemoryStoreError.writeInsideWrite }
    var outcome: Result<R, any Error>?
    turn.withLock { _ in
      writingThread.store(thread, ordering: .relaxed)
      outcome = Result { try transact(schema, body) }
      writingThread.store(0, ordering: .relaxed)
    }
    guard let outcome else { preconditionFailure("the turn has come") }
    return try outcome.get()
  }

  private func transact<R>(_ schema: Schema, _ body: (inout MemoryWriter) throws -> TransactionCompletion<R>)
    throws -> R
  {
    let state = committed.withLock { $0 }
    var writer = try MemoryWriter(state, schema)
    switch try body(&writer) {
    case .commit(let result):
      writer.buildIndexes { _, _ in }
      if let duplicate = writer.firstDuplicateOfAll() { throw writer.error(of: duplicate) }
      committed.withLock { $0 = writer.state }
      return result
    case .rollBack(let result):
      return result
    }
  }

  public func dropIndex(_ name: String, of entity: String) throws {
    try write(Schema(entities: [])) { writer in
      guard let table = writer.state.tables.firstIndex(where: { $0.name.utf8.elementsEqual(entity.utf8) })
      else { throw UnknownNameError(entity: entity, among: writer.state.tables.map(\.name)) }
      let indexes = writer.state.tables[table].indexes
      guard let place = indexes.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
        throw UnknownNameError(index: name, of: entity, among: indexes.map(\.name))
      }
      writer.state.tables[table].indexes.remove(at: place)
      return .commit(())
    }
  }

  private static var currentThread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }
}

/// An operation that a memory store refuses.
///
///     try store.write(schema) { _ in
///       .commit(try store.write(schema) { _ in .commit(1) })     // throws writeInsideWrite
///     }
public enum MemoryStoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A write inside a write on the same thread, which would wait for itself.
  case writeInsideWrite

  public var description: String {
    switch self {
    case .writeInsideWrite:
      "a write cannot begin inside another write on the same thread, such as one that calls a delegate;"
        + " write when it has ended, or use the open writer"
    }
  }
}

extension MemoryStoreError: FastMapError {
  public var code: String { "nested-write" }
}
