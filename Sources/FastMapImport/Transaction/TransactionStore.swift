/// The open transaction of a store of any type.
// @unchecked: each call is refused on another thread than the transaction's.
class OpenTransaction: @unchecked Sendable {
  fileprivate let shared: TransactionRun
  private let thread = OwnThread.current
  private let hasEnded = AtomicFlag()

  init(_ run: TransactionRun) { shared = run }

  func end() { hasEnded.set() }

  /// - Throws: ``TransactionError`` on another thread, and after the end.
  func run() throws -> TransactionRun {
    if hasEnded.isSet { throw TransactionError.hasEnded }
    guard thread == OwnThread.current else { throw TransactionError.otherThread }
    return shared
  }

  /// Has work done before the next run of the closure, on the store outside the transaction, once for an object.
  func runOutside(_ name: AnyObject, _ work: @escaping (any Store) throws -> Void) throws {}
}

/// A store whose reads and writes are parts of an open transaction.
///
/// Imports, deletes, saves and exports run on it as on any store. A body that rolls back has changed nothing.
// @unchecked: as for its superclass.
final class TransactionStore<Base: Store>: OpenTransaction, Store, @unchecked Sendable {
  typealias Reader = Base.Reader
  typealias Writer = Base.Writer

  private let base: Base
  private let writer: UnsafeMutablePointer<Base.Writer>
  private var isWriting = false
  private var reads = 0

  init(_ base: Base, _ writer: UnsafeMutablePointer<Base.Writer>, _ run: TransactionRun) {
    (self.base, self.writer) = (base, writer)
    super.init(run)
  }

  /// The state of a transaction that takes another call.
  private func begin() throws -> TransactionRun {
    let run = try run()
    if let failure = run.failure { throw TransactionError.hasFailed(failure) }
    if isWriting { throw TransactionError.isWriting }
    return run
  }

  var capabilities: StoreCapabilities { shared.capabilities }

  func read<R>(_ schema: Schema, _ body: (inout Base.Reader) throws -> R) throws -> R {
    let run = try begin()
    reads += 1
    defer { reads -= 1 }
    do {
      // A copy, as the writer goes on with its own schema.
      var reader = writer.pointee.reader
      try reader.use(schema)
      return try body(&reader)
    } catch {
      throw run.failReading(error)
    }
  }

  func write<R>(
    _ schema: Schema, _ body: (inout Base.Writer) throws -> TransactionCompletion<R>
  ) throws -> R {
    let run = try begin()
    if reads > 0 { throw TransactionError.isReading }
    isWriting = true
    defer { isWriting = false }
    do {
      do { try writer.pointee.use(schema) } catch let error as SchemaMismatchError where schema.changesStore {
        try run.open(with: schema)
        throw error
      }
      let completion = try body(&writer.pointee)
      if case .commit = completion { run.willCommit() }
      return completion.result
    } catch {
      throw run.fail(error)
    }
  }

  /// Makes room outside the transaction, and then runs the closure again, unless the store has room.
  func prepare(_ schema: Schema) throws -> [String] {
    let run = try begin()
    // Any other store makes it in the transaction.
    guard run.capabilities.concurrency == .serializable, !run.isPrepared(schema) else { return [] }
    var reader = writer.pointee.reader
    if let stored = try reader.storedSchema(), stored.hasRoom(for: schema) {
      run.markPrepared(schema)
    } else {
      try run.prepare(schema) { [base] in _ = try base.prepare(schema) }
    }
    return []
  }

  override func runOutside(_ name: AnyObject, _ work: @escaping (any Store) throws -> Void) throws {
    try run().runOutside(name) { [base] in try work(base) }
  }

  func dropIndex(_ name: String, of entity: String) throws {
    throw TransactionError.refused("dropIndex", "call it before or after the transaction")
  }
}

extension Store {
  /// The transaction that the calls of the store belong to; nil for a store outside. A cast to a class takes no search.
  var openTransaction: OpenTransaction? { self as? OpenTransaction }
}
