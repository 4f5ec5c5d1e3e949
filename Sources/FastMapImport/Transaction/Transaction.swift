/// Reads and writes that are stored together or not at all.
///
///     try store.write { transaction in
///       let account = try transaction.read { try $0.object(Account.mapping, key: 1) }
///       guard let account, account.balance >= 10 else { return }
///       try transaction.update(Account.mapping.keys([1])) { $0.balance -= 10 }
///       try transaction.importJSON(receipt, as: Receipt.mapping)
///     }
///
/// Each `read` lends a ``Snapshot`` of the present state, with the transaction's own writes, and returns new copies.
///
/// A call that fails has written a part of its changes. The transaction stores nothing then, even if the closure catches
/// the error, and `write` throws that error.
///
/// - Note: Valid only in the closure that receives it, on its thread: it cannot be copied, so the compiler refuses to keep
///   one. You may keep records and instances that it has read.
public struct Transaction: ~Copyable, StoreAccess {
  /// The store within the transaction: whatever takes a store reads and writes in the transaction with it.
  ///
  ///     try Serializer(Order.mapping).exportFile("orders.json", from: transaction.store)
  ///
  /// Its calls throw a ``TransactionError`` once the transaction has ended, and on other threads.
  public let store: any Store

  init(_ store: any Store) { self.store = store }
}

extension Transaction {
  /// Imports JSON in the transaction: a text with one value, NDJSON, or a document.
  ///
  ///     try store.write { transaction in
  ///       try transaction.importJSON(customers, as: Customer.mapping)
  ///       try transaction.importJSON(orders, as: Order.mapping)
  ///     }
  ///
  /// The options `commitInterval` and `isDryRun` are refused here. Calls of `onChange` come after the commit.
  ///
  /// - Throws: As the import of a ``Mapper``, and ``TransactionError``.
  @discardableResult
  public func importJSON<Source: PlanSource>(
    _ json: some JSONSource & ~Escapable, as mapping: Source, options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    try Mapper(store).importJSON(json, as: mapping, options: options)
  }

  /// Imports a file in the transaction, or all text from a pipe or a socket.
  ///
  /// A store may run the closure of a transaction again, and cannot read a pipe or a socket again. So only a store in memory takes
  /// one, for mappings that neither declare a unique index nor delete objects.
  ///
  /// - Throws: As the import of a ``Mapper``, and ``TransactionError``.
  @discardableResult
  public func importJSON(
    _ input: JSONInput, as mapping: some PlanSource, options: ImportOptions? = nil
  ) throws -> ImportReport {
    try Mapper(store).importJSON(input, as: mapping, options: options)
  }
}
