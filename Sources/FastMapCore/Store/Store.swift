/// A place that keeps objects. Use `MemoryStore` or `LMDBStore`, or write your own.
///
///     let store = try LMDBStore(at: "people.db")
///     let report = try Mapper(store).importFile("people.json", as: Person.mapping.plan())
///
/// A conforming type promises:
///
/// 1. A read sees one snapshot from start to end.
/// 2. A write whose body throws or rolls back changes nothing; one that commits changes all or nothing.
/// 3. Within a write, what was written is found and read.
/// 4. One write at a time; a second one waits. One inside another on the same thread is an error.
/// 5. The number of an object stays the same as long as the object lives and is never given to another.
public protocol Store: Sendable {
  associatedtype Reader: StoreReader
  associatedtype Writer: StoreWriter where Writer.Reader == Reader

  /// Lends one snapshot to `body`.
  ///
  /// - Parameters:
  ///   - schema: The entities and fields that the read is about.
  ///   - body: Its reader is valid until it returns.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or the store's own error where the stored objects do not fit `schema`:
  ///   both types are named. An entity or a field that the store has never met is no error: it has no
  ///   objects, no values.
  @discardableResult
  func read<R>(_ schema: Schema, _ body: (inout Reader) throws -> R) throws -> R

  /// Runs `body` in one transaction, which ends as `body` says, and is rolled back when it throws.
  ///
  /// - Parameters:
  ///   - schema: The entities and fields that the write is about.
  ///   - body: May be run again from the start where the store has to make room for it. Its writer is valid
  ///     until it returns.
  /// - Returns: What `body` ends with.
  /// - Throws: What `body` throws, or the store's own error. Nothing is changed then.
  @discardableResult
  func write<R>(_ schema: Schema, _ body: (inout Writer) throws -> TransactionCompletion<R>) throws -> R

  /// Whether `write` never runs its body again: an import of a stream then need not keep what it has read.
  ///
  /// By default false, which is always right: what a transaction has read of a stream goes into a file without
  /// a name until it ends.
  var runsWritesOnce: Bool { get }

  /// Whether it keeps instances of mapped classes: ``StoreReader/instance(_:of:)`` answers with them.
  ///
  /// By default false; a store around another says what that says. Where it is true, imports with `await` of main-actor
  /// classes write on the main actor.
  var keepsInstances: Bool { get }
}

extension Store {
  public var keepsInstances: Bool { false }
  public var runsWritesOnce: Bool { false }
}

/// How a write ends.
///
///     let count = try store.write(schema) { writer in .rollBack(try writer.count(of: 0)) }
public enum TransactionCompletion<Result> {
  /// All changes are kept.
  case commit(Result)
  /// Nothing is changed.
  case rollBack(Result)

  /// What the write returns in either case.
  public var result: Result {
    switch self {
    case .commit(let result), .rollBack(let result): result
    }
  }
}
