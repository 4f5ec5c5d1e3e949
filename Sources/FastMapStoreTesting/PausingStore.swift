package import FastMapCore
internal import Synchronization

/// A store on top of another that calls a closure after each commit: between two transactions of an import, for example.
///
///     let store = PausingStore(base) { _ in try other.delete(plan.query(of: "Line")) }
package final class PausingStore<Base: Store>: Store {
  private let base: Base
  private let pause: @Sendable (_ number: Int) throws -> Void
  private let commits = Mutex(0)

  /// - Parameter pause: Receives the number of commits. The write throws its errors, although it is committed.
  package init(_ base: Base, _ pause: @escaping @Sendable (_ number: Int) throws -> Void) {
    self.base = base
    self.pause = pause
  }

  package var count: Int { commits.withLock(\.self) }

  package var capabilities: StoreCapabilities { base.capabilities }

  package func prepare(_ schema: Schema) throws -> [String] { try base.prepare(schema) }

  package func dropIndex(_ name: String, of entity: String) throws {
    try base.dropIndex(name, of: entity)
  }

  package func read<R>(_ schema: Schema, _ body: (inout Base.Reader) throws -> R) throws -> R {
    try base.read(schema, body)
  }

  package func write<R>(
    _ schema: Schema, _ body: (inout Base.Writer) throws -> TransactionCompletion<R>
  ) throws -> R {
    var isCommitted = false
    let result = try base.write(schema) { writer in
      let ending = try body(&writer)
      isCommitted = if case .commit = ending { true } else { false }
      return ending
    }
    guard isCommitted else { return result }
    let number = commits.withLock { commits in
      commits += 1
      return commits
    }
    try pause(number)
    return result
  }
}
