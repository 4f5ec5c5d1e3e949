/// Stores objects. Use `MemoryStore` or `LMDBStore`, or write your own.
///
///     let store = try LMDBStore(at: "people.db")
///     let report = try Mapper(store).importJSON(.file("people.json"), as: Person.mapping.plan())
///
/// A conforming type promises:
///
/// 1. A read sees one snapshot from start to end, unless its ``StoreCapabilities`` have `readsOneSnapshot: false`.
/// 2. A write whose body throws or rolls back changes nothing. A write that commits changes all or nothing.
/// 3. A write finds and reads its own changes.
/// 4. Committed writes are as if one had followed the other. The `concurrency` of its ``StoreCapabilities`` tells how:
/// a second write
///    waits for the first, or one of two writes that conflict fails with ``ConflictError``. A write inside another on the
///    same thread is an error, or a transaction of its own.
/// 5. An object keeps its number for life, and no other object ever gets that number.
public protocol Store: StoreAccess, Sendable {
  associatedtype Reader: StoreReader
  associatedtype Writer: StoreWriter where Writer.Reader == Reader

  /// Makes room for the entities and fields of a schema, outside any transaction.
  ///
  /// Imports call it once before they write, but not for a dry run. The call is idempotent, and another instance of the
  /// store may call it at the same time. Nothing is ever removed. All objects of an entity get the default of an
  /// attribute that it adds.
  ///
  /// The default does nothing, for a store whose writes add entities and fields in their own transaction.
  ///
  /// A store that implements it adds none in a write that commits. There, an entity that the store lacks has no objects,
  /// and a field has its default or no value. A dry run may set such values, or fail with an error that says to prepare
  /// first.
  ///
  /// - Returns: Notes for the user about the added fields, one sentence each.
  /// - Throws: The store's own error if the stored objects do not match the schema. Nothing is added then.
  func prepare(_ schema: Schema) throws -> [String]

  /// Lends one snapshot to `body`.
  ///
  /// - Parameters:
  ///   - schema: The entities and fields of the read.
  ///   - body: Receives a reader that is valid until `body` returns.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body`, or the store's own error if the stored objects do not match `schema`, naming both
  ///   types. An entity that the store does not have yet has no objects. A field that it does not have yet has its
  ///   ``Schema/Field/defaultValue``, or no value.
  @discardableResult
  func read<R>(_ schema: Schema, _ body: (inout Reader) throws -> R) throws -> R

  /// Runs `body` in one transaction, once. The result of `body` commits it or rolls it back, and an error rolls it back.
  ///
  /// Use ``transact(_:retries:_:)`` to repeat a write that conflicts with another one. Imports and deletions do.
  ///
  /// - Parameters:
  ///   - schema: The entities and fields of the write.
  ///   - body: Receives a writer that is valid until `body` returns. If the store has to grow, `body` may run again
  ///     from the start.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body`, or the store's own error. Nothing is changed then. ``ConflictError`` if another attempt
  ///   may succeed. ``UnknownOutcomeError`` if the store cannot tell whether the commit succeeded.
  @discardableResult
  func write<R>(_ schema: Schema, _ body: (inout Writer) throws -> TransactionCompletion<R>) throws -> R

  /// Removes an index that the store keeps.
  ///
  ///     try store.dropIndex("status,-created_at", of: "Order")
  ///
  /// The objects stay. The next write with a mapping that declares the index builds it again.
  ///
  /// - Parameters:
  ///   - name: The fields of the index, with commas between them and a `-` before each that is descending.
  ///   - entity: The name of its entity.
  /// - Throws: ``UnknownNameError`` if the store keeps no such index, with the names that come close. Errors of the store. Nothing
  ///   is changed then.
  func dropIndex(_ name: String, of entity: String) throws

  /// The promises of the store, and its preferred use.
  ///
  /// The default is right for an embedded store with one writer at a time. A store that wraps another one returns that
  /// store's answer.
  var capabilities: StoreCapabilities { get }
}

extension Store {
  public func prepare(_ schema: Schema) throws -> [String] { [] }

  public var capabilities: StoreCapabilities { StoreCapabilities() }

  /// A store that keeps no indexes has none to drop.
  public func dropIndex(_ name: String, of entity: String) throws {
    throw UnknownNameError(index: name, of: entity, among: [])
  }
}

/// How a write ends.
///
///     let count = try store.write(schema) { writer in .rollBack(try writer.reader.count(of: 0)) }
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
