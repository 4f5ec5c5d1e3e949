/// A store, or an open transaction of one. The calls that read and write are the same for both.
///
///     try store.delete(Order.mapping, key: 7)                      // a transaction of its own
///     try store.write { transaction in
///       try transaction.delete(Order.mapping, key: 7)              // a part of this one
///       try transaction.importJSON(body, as: Order.mapping)
///     }
public protocol StoreAccess: ~Copyable {
  /// The store, or in a transaction a store whose writes and reads belong to that transaction.
  var store: any Store { get }
}

extension Store {
  public var store: any Store { self }
}

/// The stores with an open transaction of the calling thread, for a store that would otherwise wait for itself.
package enum OpenTransactions {
  /// Nil outside of transactions. A task that a transaction begins has the value, too, on another thread.
  @TaskLocal private static var stores: (thread: UInt, stores: [ObjectIdentifier])?

  /// Runs a transaction of a caller.
  package static func begin<R>(_ body: () throws -> R) rethrows -> R {
    try $stores.withValue((OwnThread.current, ofThisThread ?? []), operation: body)
  }

  /// Runs a write of a store.
  ///
  /// - Throws: ``TransactionError`` if a transaction of the store is open on this thread.
  package static func enter<R>(_ store: AnyObject, _ body: () throws -> R) throws -> R {
    guard let open = ofThisThread else { return try body() }
    if open.contains(ObjectIdentifier(store)) { throw TransactionError.nested }
    return try $stores.withValue((OwnThread.current, open + [ObjectIdentifier(store)]), operation: body)
  }

  private static var ofThisThread: [ObjectIdentifier]? {
    stores.flatMap { $0.thread == OwnThread.current ? $0.stores : nil }
  }
}
