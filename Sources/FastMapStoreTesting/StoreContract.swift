public import FastMapCore

/// The promises of a store, as checks that can be run.
///
///     @Test(arguments: StoreContract<MyStore>.checks)
///     func keepsTheStoreContract(_ check: StoreContract<MyStore>.Check) throws {
///       try StoreContract { MyStore() }.run(check)
///     }
///
/// There is one check for each promise of `Store`, `StoreReader` and `StoreWriter`; its name is the promise.
/// A check throws ``ContractViolationError`` where the store breaks it, so any test framework will do. Most of
/// them import JSON with a `Mapper`, as users do, and then look.
public struct StoreContract<S: Store> {
  package let makePlace: () throws -> () throws -> S
  /// Whether a place can be opened while it is open.
  let hasSeveralInstances: Bool

  /// Makes the contract of one kind of store, which is gone with its last reference.
  ///
  /// The checks do not open a store again: the same instance stays open. Checks of two instances use it from two
  /// threads. If your store can be closed and opened, use ``init(hasSeveralInstances:makePlace:)``.
  ///
  /// - Parameter makeStore: Makes an empty store, a new one each time.
  public init(makeStore: @escaping () throws -> S) {
    hasSeveralInstances = false
    makePlace = {
      let store = try makeStore()
      return { store }
    }
  }

  /// Makes the contract of one kind of store, which can be opened again.
  ///
  ///     try StoreContract(makePlace: {
  ///       let path = folder.newFile()
  ///       return { try MyStore(at: path) }
  ///     }).run(check)
  ///
  /// - Parameters:
  ///   - hasSeveralInstances: Whether the store can be opened while another instance of it is open, as any store that
  ///     several programs share. The checks then use two instances at once. If false, they open the store when all
  ///     references to the instance before are gone.
  ///   - makePlace: Names an empty place, a new one each time, and returns a closure that opens the store there. The
  ///     closure is called once or more.
  public init(hasSeveralInstances: Bool = true, makePlace: @escaping () throws -> () throws -> S) {
    self.hasSeveralInstances = hasSeveralInstances
    self.makePlace = makePlace
  }

  /// One promise.
  ///
  ///     for check in StoreContract<MyStore>.checks { print(check.name) }
  public struct Check: Sendable, CustomStringConvertible {
    /// The promise, as a sentence.
    public let name: String
    let body: @Sendable (StoreContract<S>) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (StoreContract<S>) throws -> Void) {
      self.name = name
      self.body = body
    }

    public var description: String { name }
  }

  /// All promises.
  public static var checks: [Check] {
    transactionChecks + runningChecks + threadChecks + keyChecks + keyBatchChecks + orderChecks
      + readingChecks + lendingChecks + changeChecks + relationshipChecks + referenceChecks + ownerChecks
      + deletionChecks + deletingManyChecks + schemaChecks + usingChecks + reopeningChecks
      + setChecks + pageChecks + settlingChecks + fingerprintChecks + preparingChecks + conflictChecks
      + liveInstanceChecks + writerChecks + indexChecks + uniqueChecks + filterChecks + positionChecks
      + contextChecks
  }

  /// The checks whose steps depend on the store's capabilities, and some of the others. For a further store, beside one that
  /// passes every check.
  ///
  /// - Parameter whole: The part of the others in the whole size: 1 is all, 2 is half. The small size has a quarter.
  package static func shortChecks(whole part: Int = 2) -> [Check] {
    let own = fingerprintChecks + conflictChecks + settlingChecks
    let names = Set(own.map(\.name))
    let others = checks.filter { !names.contains($0.name) }
    return own + TestSize.cases(others, small: others.count / 4, whole: others.count / part)
  }

  /// Runs one check on a new store.
  ///
  /// - Throws: ``ContractViolationError``, or the store's own error where it fails at something that it has to do.
  public func run(_ check: Check) throws {
    do {
      try check.body(self)
    } catch let failure as Failure {
      throw ContractViolationError(promise: check.name, reason: failure.reason)
    }
  }

  /// A new store, and how to fill and read it.
  func makeBench(_ mapping: Mapping<Record> = Fixture.item) throws -> Bench<S> {
    Bench(store: try makePlace()(), plan: try Plan(mapping))
  }

  /// Where a new store can be opened again and again.
  func newPlace(_ mapping: Mapping<Record> = Fixture.item) throws -> Place<S> {
    Place(open: try makePlace(), plan: try Plan(mapping))
  }
}

/// A promise that a store breaks.
///
///     do { try contract.run(check) } catch let violation as ContractViolationError { print(violation.promise) }
public struct ContractViolationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The promise, as a sentence.
  public let promise: String
  /// The observed violation.
  public let reason: String

  package init(promise: String, reason: String) {
    self.promise = promise
    self.reason = reason
  }

  public var description: String { "\(promise): \(reason)" }
}

/// The error of a check; `run` adds the promise.
package struct Failure: Error {
  package let reason: String

  package init(reason: String) {
    self.reason = reason
  }
}

package func expect(_ condition: Bool, _ reason: @autoclosure () -> String) throws {
  if !condition { throw Failure(reason: reason()) }
}

package func expect<T: Equatable>(_ what: String, _ found: T, is expected: T) throws {
  if found != expected { throw Failure(reason: "\(what): expected \(expected), found \(found)") }
}

extension ContractViolationError: FastMapError {
  public var code: String { "contract" }
  public var place: String? { promise }
}
