/// Stores objects. Use `MemoryStore` or `LMDBStore`, or write your own.
///
///     let store = try LMDBStore(at: "people.db")
///     let report = try Mapper(store).importFile("people.json", as: Person.mapping.plan())
///
/// A conforming type promises:
///
/// 1. A read sees one snapshot from start to end.
/// 2. A write whose body throws or rolls back changes nothing. A write that commits changes all or nothing.
/// 3. A write finds and reads what it has written.
/// 4. There is one write at a time, and a second one waits. A write inside another on the same thread is an error.
/// 5. An object keeps its number for life, and no other object ever gets that number.
public protocol Store: Sendable {
  associatedtype Reader: StoreReader
  associatedtype Writer: StoreWriter where Writer.Reader == Reader

  /// Lends one snapshot to `body`.
  ///
  /// - Parameters:
  ///   - schema: The entities and fields of the read.
  ///   - body: Receives a reader that is valid until `body` returns.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body`, or the store's own error if the stored objects do not match `schema`, naming both
  ///   types. An entity or a field that the store does not have yet is not an error: it has no objects or values.
  @discardableResult
  func read<R>(_ schema: Schema, _ body: (inout Reader) throws -> R) throws -> R

  /// Runs `body` in one transaction. The result of `body` commits it or rolls it back, and an error rolls it back.
  ///
  /// - Parameters:
  ///   - schema: The entities and fields of the write.
  ///   - body: Receives a writer that is valid until `body` returns. If the store has to grow, `body` may run again
  ///     from the start.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body`, or the store's own error. Nothing is changed then.
  @discardableResult
  func write<R>(_ schema: Schema, _ body: (inout Writer) throws -> TransactionCompletion<R>) throws -> R

  /// Whether `write` never runs its body again. An import of a stream then need not keep the text that it has read.
  ///
  /// False by default, which is always correct: the text of a stream is kept in an unnamed file until the transaction
  /// ends.
  var runsWritesOnce: Bool { get }

  /// Whether the store keeps instances of mapped classes, which ``StoreReader/instance(_:of:)`` returns.
  ///
  /// False by default. A store that wraps another one returns that store's answer. If true, `async` imports of
  /// main-actor classes write on the main actor.
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
  /// Keeps all changes.
  case commit(Result)
  /// Discards all changes.
  case rollBack(Result)

  /// The result of the write, in either case.
  public var result: Result {
    switch self {
    case .commit(let result), .rollBack(let result): result
    }
  }
}
