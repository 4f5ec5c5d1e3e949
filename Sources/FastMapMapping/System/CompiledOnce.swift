internal import Synchronization

/// A value that is compiled when it is first asked for: the plan of a mapping, or the program of a query.
package final class CompiledOnce<Value: Sendable>: Sendable {
  private let compiled = Mutex<Value?>(nil)

  package init() {}

  package func value<E: Error>(_ compile: () throws(E) -> Value) throws(E) -> Value {
    if let value = compiled.withLock({ $0 }) { return value }
    // Compiled outside of the lock: the closures of relationships may ask for other plans. All callers get the first result.
    let value = try compile()
    return compiled.withLock { first in
      if let first { return first }
      first = value
      return value
    }
  }
}
