public import FastMapCore
internal import FastMapSystem
internal import Synchronization

/// A store in memory, which is gone with the process.
///
///     let store = MemoryStore()
///     let report = try Mapper(store).importFile("people.json", as: plan)
///     let lucas = try store.read(plan) { try $0.record("Person", key: 314) }
///
/// The committed state is one value. A read takes a copy of it, which costs nothing, and keeps it as its
/// snapshot. A write changes a copy of its own, which takes the committed one's place at the end:
///
///     committed ──copy──▶ read        committed ──copy──▶ write ──commit──▶ committed
///
/// So readers and the writer never wait for each other, and to roll back is to forget the copy. Objects stand
/// in pages, keys in shards, and a copy shares every page and shard that it did not change: a write of *k*
/// objects among *n* copies O(*n* / 256 + *k*) of them.
///
/// Objects of a mapping with a class are the caller's own instances, which the store makes, keeps and updates:
///
///     let people = try Mapper(store).objects(from: first, as: Person.mapping)
///     _ = try Mapper(store).objects(from: second, as: Person.mapping)     // people[0] is up to date
///
/// Their properties hold the values, so what the caller sets by hand counts: a later payload leaves it alone
/// where it does not speak of it. A property that equals the new value is not set. A write that is rolled back
/// gives the properties their old values.
///
/// That holds for the primary key as well: an object is found by the key that its instance has now. What was found
/// is asked for its key. Where the key is found nowhere, or at an instance that has another one by now, and where a
/// range or all objects are asked for, the store looks at the keys of all instances of the class, once in a read or
/// a write. Two instances with one key are an error as soon as they are noticed, and so is a key above `Int64.max`. A
/// write that has lent instances to a delegate or a policy, or has taken in some of the caller's, looks before it ends,
/// and fails.
///
/// This is also the simplest example of a store; ``MemoryWriter`` shows what one has to do.
///
/// - Note: Thread rule: any thread may use it for records. Writes wait for each other. Instances are not
///   copied for a snapshot: a store that has some is used, like they are, by one thread at a time. One that has
///   instances of a main-actor class is written on the main actor, and they are read there: `MainActorError` elsewhere.
public final class MemoryStore: Store {
  private let committed = Mutex(MemoryState())
  private let turn = Mutex(())
  /// The thread that writes; 0 where none does.
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

  /// Of mappings with a class.
  public var keepsInstances: Bool { true }

  /// A write begins, and is committed or undone.
  public var runsWritesOnce: Bool { true }

  /// Runs `body` on a copy of the committed state, which takes its place when `body` commits.
  ///
  /// - Throws: What `body` throws, and ``MemoryStoreError/writeInsideWrite`` where the thread is writing
  ///   already.
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

  private static var currentThread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }
}

/// What a memory store refuses.
///
///     try store.write(schema) { _ in
///       .commit(try store.write(schema) { _ in .commit(1) })     // throws writeInsideWrite
///     }
public enum MemoryStoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A write inside a write on the same thread, which would wait for itself.
  case writeInsideWrite
  /// Two instances of a class with one primary key, which one of them was given by hand. Their former keys, in the
  /// same order, say which they are: nil for one that had none.
  case twoInstances(entity: String, key: PrimaryKey, formerKeys: [PrimaryKey?])
  /// An instance with a primary key above `Int64.max`.
  case keyTooLarge(entity: String, key: UInt64)

  public var description: String {
    switch self {
    case .writeInsideWrite:
      "a write was begun inside a write on the same thread; use the writer that is there"
    case .twoInstances(let entity, let key, let formerKeys):
      "expected each instance of \(entity) to have a key of its own, two have \(key): "
        + formerKeys.map { former in
          if former == key { return "one that had it before" }
          return former.map { "one that had \($0)" } ?? "one that had none"
        }.joined(separator: " and ")
    case .keyTooLarge(let entity, let key):
      "expected an integer from 0 to \(Int64.max) as the key of an instance of \(entity), found \(key)"
    }
  }
}
