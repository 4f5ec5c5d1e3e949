public import FastMapCore
internal import FastMapSystem
internal import Synchronization

/// A store in memory. Its contents end with the process.
///
///     let store = MemoryStore()
///     let report = try Mapper(store).importFile("people.json", as: plan)
///     let lucas = try store.read(plan) { try $0.record("Person", key: 314) }
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
/// Objects of a mapping with a class are instances of that class. The store creates, keeps and updates them:
///
///     let people = try Mapper(store).objects(from: first, as: Person.mapping)
///     _ = try Mapper(store).objects(from: second, as: Person.mapping)     // people[0] is up to date
///
/// Their properties hold the values, so changes by the caller take effect. A later payload overwrites only what it
/// mentions. A property that already has the new value is not set. A rollback restores the old values of the
/// properties.
///
/// The same holds for the primary key: a look-up finds an object by the key that its instance has now. A look-up
/// checks the key of the instance that it finds. If that key has changed, or if the index has no entry, the
/// store checks the keys of all instances of the class. Ranges and reads of all objects do the same. It happens at most
/// once in a read or a write. Two instances with the same key are an error once they are detected, and so is a key above
/// `Int64.max`. If a write has lent or added instances, it checks the keys before it ends, and fails in these cases.
///
/// This is also the simplest example of a store; ``MemoryWriter`` shows what a store has to do.
///
/// - Note: Thread rule: any thread may use it for records. Writes wait for each other. A snapshot does not copy
///   instances, so use a store with instances on one thread at a time. If the class belongs to the main actor, read
///   and write on the main actor; elsewhere calls throw `MainActorError`.
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
    let news = state.tables.contains { $0.objectAccess != nil } ? KeyNews() : nil
    let binding = try state.bind(schema)
    try state.checkMain(binding)
    var reader = MemoryReader(state: state, binding: binding, news: news)
    defer {
      if let found = news?.state.withLock({ $0 }) {
        committed.withLock { if $0.commit == found.commit { $0 = found } }
      }
    }
    return try body(&reader)
  }

  /// The store keeps instances of mappings with a class. A write is committed or undone, and never runs again.
  public var capabilities: StoreCapabilities {
    StoreCapabilities(runsWritesOnce: true, keepsInstances: true)
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
    try MainIsolation.check(schema.mainEntity ?? state.mainEntity)
    var writer = try MemoryWriter(state, schema)
    do {
      let ending = try body(&writer)
      try writer.settleKeys()
      switch ending {
      case .commit(let result):
        if let error = writer.unfinished { throw error }
        writer.buildIndexes { _, _ in }
        if let duplicate = writer.duplicatesOfAll(limit: 1).first { throw writer.error(of: duplicate) }
        writer.showInverses()
        var state = writer.state
        state.commit += 1
        committed.withLock { $0 = state }
        return result
      case .rollBack(let result):
        writer.rollBackInstances()
        return result
      }
    } catch {
      writer.rollBackInstances()
      throw error
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
  /// Two instances of a class with the same primary key, which the caller gave to one of them. Their former keys
  /// identify them, in the same order; nil for an instance that had none.
  case twoInstances(entity: String, key: PrimaryKey, formerKeys: [PrimaryKey?])
  /// An instance with a primary key above `Int64.max`.
  case keyTooLarge(entity: String, key: UInt64)

  public var description: String {
    switch self {
    case .writeInsideWrite:
      "a write cannot begin inside another write on the same thread, such as one that calls a delegate;"
        + " write when it has ended, or use the open writer"
    case .twoInstances(let entity, let key, let formerKeys):
      "expected each instance of \(escaped(entity)) to have its own key, but two have \(key): "
        + formerKeys.map { former in
          if former == key { return "one that had it before" }
          return former.map { "one that had \($0)" } ?? "one that had none"
        }.joined(separator: " and ")
    case .keyTooLarge(let entity, let key):
      "expected an integer from 0 to \(Int64.max) as the key of an instance of \(escaped(entity)), found \(key)"
    }
  }
}
