/// A consistent view of a store: reads records and rows by the names of a plan, and instances of mapped classes.
///
///     let lucas = try store.read { snapshot in try snapshot.object(Person.mapping, key: 314) }
///     let names = try store.read(plan) { snapshot in
///       try snapshot.records(plan.keys(100..<200)).map { $0["name"] }
///     }
///
/// A delegate and a custom policy receive a snapshot during their import. This snapshot includes all changes that the
/// import has written so far.
///
/// The plan of the read defines the names. An unknown name throws an ``UnknownNameError``.
///
/// - Note: Valid only in the call that receives it: it cannot be copied, so the compiler refuses to keep one. You may keep its
///   records.
public struct Snapshot: ~Copyable {
  /// The underlying reader. Use it for a ``Serializer``, and for speed.
  ///
  /// The reader has the numbers of ``schema`` until a call gives it others, such as an export of another mapping. The
  /// calls of the snapshot set the numbers that they need.
  public var reader: any StoreReader {
    get { base }
    _modify {
      current = nil
      yield &base
    }
  }

  /// The reader, for calls that know or set its numbers.
  package var base: any StoreReader

  /// The schema of the plan. Without entities if the read has no plan.
  public let schema: Schema

  /// The reader's schema: ``schema``, or without a plan the last mapping's. Nil after a caller has had the reader.
  private var current: Schema?

  /// By plan, because two reads of an object return the same instance.
  private var assemblers: [ObjectIdentifier: ObjectAssembler] = [:]
  /// The last one, which is often the next one.
  private var last: (plan: ObjectIdentifier, assembler: ObjectAssembler)?

  /// - Parameter reader: Uses `schema`.
  package init(_ reader: any StoreReader, _ schema: Schema) {
    base = reader
    self.schema = schema
    current = schema
  }

  /// Makes every later read an error.
  package mutating func end() { base = EndedReader() }

  /// Switches to the numbers of a schema.
  mutating func use(_ schema: Schema) throws {
    if let current, schema.isIdentical(to: current) { return }
    // An error leaves the reader as it was.
    try base.use(schema)
    current = schema
  }

  /// Lends the reader to `body`, with the existing instances of a plan's objects.
  @inline(__always)
  mutating func withAssembler<R>(
    _ plan: Plan, _ body: (ObjectAssembler, Int, inout any StoreReader) throws -> R
  ) throws -> R {
    try use(plan.schema)
    let assembler = try assembler(of: plan)
    let result: R
    do { result = try body(assembler, plan.mappings[0].entity, &base) } catch {
      if !schema.entities.isEmpty { try use(schema) }
      throw error
    }
    if !schema.entities.isEmpty { try use(schema) }
    return result
  }

  private mutating func assembler(of plan: Plan) throws -> ObjectAssembler {
    let name = ObjectIdentifier(plan)
    if let last, last.plan == name { return last.assembler }
    let assembler = try assemblers[name] ?? ObjectAssembler(plan)
    // The plan of a snapshot that reads through one needs no table.
    if let last { assemblers[last.plan] = last.assembler }
    last = (name, assembler)
    return assembler
  }
}

extension StoreAccess where Self: ~Copyable {
  /// Lends one snapshot to `body`, for reading instances of mapped classes.
  ///
  ///     let lucas = try store.read { try $0.object(Person.mapping, key: 314) }
  ///
  /// In a transaction, the snapshot has its present state, with its own writes.
  ///
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body`, or the store's own error.
  @discardableResult
  public func read<R>(_ body: (inout Snapshot) throws -> R) throws -> R {
    try store.lendSnapshot(Schema(entities: []), to: body)
  }

  /// Lends one snapshot to `body`, with the names of a plan or a mapping.
  ///
  ///     let people = try store.read(plan) { try $0.records("Person") }
  ///
  /// - Parameters:
  ///   - mapping: Defines the entities and fields.
  ///   - body: Reads from the snapshot.
  /// - Returns: The result of `body`.
  /// - Throws: ``MappingDefinitionError``, errors of `body`, or the store's own error.
  @discardableResult
  public func read<R>(_ mapping: any PlanSource, _ body: (inout Snapshot) throws -> R) throws -> R {
    try store.lendSnapshot(mapping.plan().schema, to: body)
  }
}

extension Store {
  fileprivate func lendSnapshot<R>(_ schema: Schema, to body: (inout Snapshot) throws -> R) throws -> R {
    try read(schema) { reader in
      var snapshot = Snapshot(reader, schema)
      return try body(&snapshot)
    }
  }

  /// Lends one snapshot to `body`, on a thread of its own.
  ///
  ///     let lucas = try await store.read { try $0.object(Person.mapping, key: 314) }
  ///
  /// The threads that Swift's tasks share are never blocked. The calls inside are those without `await`. The result may be instances of
  /// any class: nothing else has them.
  ///
  /// - Parameter body: Reads from the snapshot, on another thread.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body`, or the store's own error.
  @discardableResult
  nonisolated(nonsending) public func read<R>(
    _ body: @escaping @Sendable (inout Snapshot) throws -> R
  ) async throws -> sending R {
    try await OwnThread.value {
      // nonisolated(unsafe): a Sendable body has nothing but the snapshot to take from, and the snapshot is gone.
      nonisolated(unsafe) let result = try self.read(body)
      return result
    }
  }

  /// Lends one snapshot with the names of a mapping to `body`, on a thread of its own.
  ///
  ///     let people = try await store.read(plan) { try $0.records("Person") }
  ///
  /// - SeeAlso: The calls without a mapping, and without `await`.
  @discardableResult
  nonisolated(nonsending) public func read<R>(
    _ mapping: any PlanSource, _ body: @escaping @Sendable (inout Snapshot) throws -> R
  ) async throws -> sending R {
    let plan = try mapping.plan()
    return try await OwnThread.value {
      // nonisolated(unsafe): as above.
      nonisolated(unsafe) let result = try self.read(plan, body)
      return result
    }
  }
}

/// A snapshot during an import, which several objects share for one call.
package final class LentSnapshot: PolicyReader {
  package var snapshot: Snapshot

  package init(_ snapshot: consuming Snapshot) { self.snapshot = snapshot }

  package func record(_ id: ObjectID, of entity: String) throws -> Record? {
    try snapshot.record(id, of: entity)
  }
  package func instance(_ id: ObjectID) -> AnyObject? { snapshot.instance(id) }
}

extension RelationshipChange {
  /// The store in its current state. Without a store, it has no objects.
  public var store: Snapshot {
    _read { yield lentSnapshot.snapshot }
    nonmutating _modify { yield &lentSnapshot.snapshot }
  }

  // Nothing else lends to a policy.
  private var lentSnapshot: LentSnapshot { unsafeDowncast(lent, to: LentSnapshot.self) }
}

extension StoreWriter {
  /// Lends a snapshot of the write's current state to a delegate or a policy.
  ///
  /// - Parameter schema: The schema of the write.
  package mutating func lend<R>(_ schema: Schema, to body: (LentSnapshot) throws -> R) throws -> R {
    let lent = LentSnapshot(Snapshot(reader, schema))
    // An object or a change that a delegate or a policy has kept reads no more.
    defer { lent.snapshot.end() }
    let result = try body(lent)
    try lent.snapshot.use(schema)
    // Keep the cache of the snapshot's reader.
    if let used = lent.snapshot.base as? Reader { reader = used }
    return result
  }
}
