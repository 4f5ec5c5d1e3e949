/// The state of a transaction that all its calls share, over all runs of its closure.
final class TransactionRun {
  /// The promises of the store.
  var capabilities: StoreCapabilities
  /// The schema with other stored types that the next run begins with; nil for none.
  private(set) var opening: Schema?
  /// The schemas that the store has made room for.
  private var prepared: [Schema] = []
  /// The plans and schemas whose work outside the transaction is done.
  private var done: Set<ObjectIdentifier> = []
  /// Work before the next run, outside a transaction.
  private var outside: [() throws -> Void] = []
  /// By the number of an import in the closure, the objects that its next run leaves out.
  private var memories: [Int: ImportMemory] = [:]

  // MARK: One run

  /// The first error. A transaction that has one is not committed.
  private(set) var failure: (any Error)?
  /// The first error of a read, which may have been the caller's own.
  private var readError: (any Error)?
  private(set) var commits = false
  private var imports = 0
  /// Whether it has read an input that cannot be read again.
  private var hasReadOnce = false
  private(set) var afterCommit: [() throws -> Void] = []

  init(_ capabilities: StoreCapabilities) { self.capabilities = capabilities }

  func begin() {
    (failure, readError, commits, imports, hasReadOnce) = (nil, nil, false, 0, false)
    afterCommit = []
  }

  /// Records an error of a write.
  ///
  /// - Returns: The error to throw to the call: an inner repetition would not help against a conflict.
  func fail(_ error: any Error) -> any Error {
    if failure == nil {
      // After a failed read, a server refuses everything for that reason.
      let cause = readError.flatMap { type(of: $0) == type(of: error) ? $0 : nil }
      failure = cause ?? error
    }
    return error is ConflictError ? TransactionError.hasFailed(error) : error
  }

  /// Records an error of a read. A server may have aborted the transaction, which its commit finds out.
  func failReading(_ error: any Error) -> any Error {
    if error is ConflictError { return fail(error) }
    readError = readError ?? error
    if capabilities.concurrency == .serializable { commits = true }
    return error
  }

  func willCommit() { commits = true }

  func afterCommit(_ action: @escaping () throws -> Void) { afterCommit.append(action) }

  // MARK: Another run

  /// Ends this run. The closure runs again.
  private func again() throws -> Never {
    if hasReadOnce { throw fail(TransactionError.readsOnce) }
    throw fail(TransactionRestart())
  }

  /// Has work done outside the transaction, once for a plan, and runs the closure again.
  func runOutside(_ name: AnyObject, _ work: @escaping () throws -> Void) throws {
    guard done.insert(ObjectIdentifier(name)).inserted else { return }
    outside.append(work)
    try again()
  }

  func isPrepared(_ schema: Schema) -> Bool { prepared.contains { $0.isIdentical(to: schema) } }

  func markPrepared(_ schema: Schema) { prepared.append(schema) }

  /// Has the store make room for a schema, and runs the closure again.
  func prepare(_ schema: Schema, _ work: @escaping () throws -> Void) throws {
    prepared.append(schema)
    outside.append(work)
    try again()
  }

  /// Begins the next run with a schema that changes stored types, unless there is one already.
  func open(with schema: Schema) throws {
    guard opening == nil else { return }
    opening = schema
    try again()
  }

  /// Does the work that the last run has left.
  func workOutside() throws {
    let work = outside
    outside = []
    for each in work { try each() }
  }

  // MARK: Imports

  /// An import in the closure, by its number.
  typealias Part = (run: TransactionRun, number: Int)

  /// Begins an import.
  ///
  /// - Parameter isHeld: Whether the import may have to read its input again.
  /// - Returns: Its number in the closure.
  func beginImport(_ source: RootSources, isHeld: Bool) throws -> Int {
    if !source.goesBack(isHeld: false) {
      if isHeld { throw TransactionError.readsOnce }
      hasReadOnce = true
    }
    imports += 1
    return imports
  }

  /// The decisions of the last run about an import, if it is the same one.
  func memory(of number: Int, _ plan: Plan, byteCount: Int) -> ImportMemory? {
    memories[number].flatMap { $0.plan === plan && $0.byteCount == byteCount ? $0 : nil }
  }

  /// Runs the closure again with an import's decisions.
  func runAgain(_ number: Int, _ memory: ImportMemory) throws {
    memories[number] = memory
    try again()
  }
}

/// Ends a run of a transaction whose closure runs again.
struct TransactionRestart: Error, CustomStringConvertible {
  var description: String { "the transaction runs again" }
}

extension ImportOptions {
  /// Refuses options that a transaction cannot have.
  func checkInTransaction() throws {
    if commitInterval != nil {
      throw OptionError(
        description:
          "commitInterval: expected none inside a transaction, which commits when its closure returns")
    }
    if isDryRun { throw TransactionError.dryRun }
  }
}

extension TransactionError {
  static var dryRun: TransactionError {
    .refused(
      "isDryRun", "it would undo the other changes; throw an error from the closure to undo all of them")
  }
}
