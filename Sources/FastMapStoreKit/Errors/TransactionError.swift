/// A call that an open transaction refuses.
///
///     try store.write { _ in try Mapper(store).importJSON(body, as: Order.mapping) }     // throws it on PostgreSQL
public struct TransactionError: Error, Sendable, CustomStringConvertible {
  /// The reason, and the way out.
  public let description: String

  package init(_ description: String) { self.description = description }

  package static var nested: TransactionError {
    TransactionError(
      "a write cannot begin inside a transaction of the same store on the same thread; use the calls of the transaction"
    )
  }

  package static var hasEnded: TransactionError {
    TransactionError("the transaction has ended; use it only in the closure that receives it")
  }

  package static var otherThread: TransactionError {
    TransactionError("a transaction belongs to the thread of its closure; begin another one on this thread")
  }

  package static var isWriting: TransactionError {
    TransactionError("another call of the transaction is writing; wait until it returns")
  }

  package static var isReading: TransactionError {
    TransactionError(
      "a write cannot begin while a read of the transaction lends objects; collect their keys, and write afterwards"
    )
  }

  package static func hasFailed(_ error: any Error) -> TransactionError {
    TransactionError(
      "an earlier call of the transaction has failed, so nothing of it will be stored: \(error)")
  }

  package static func refused(_ option: String, _ reason: String) -> TransactionError {
    TransactionError("\(option) is no option inside a transaction: \(reason)")
  }

  package static var readsOnce: TransactionError {
    TransactionError(
      "the transaction may run again, and a stream can be read only once; read it into memory or a file first"
    )
  }
}
