/// One moment of a store: answers with records and rows by the names of a plan, and with instances of mapped classes.
///
///     let lucas = try store.read { snapshot in try snapshot.object(Person.mapping, key: 314) }
///     let names = try store.read(plan) { snapshot in
///       try snapshot.records("Person", keys: 100..<200).map { $0["name"] }
///     }
///
/// A delegate and a custom policy get one of the store in the middle of their import: it sees what the import has written
/// so far.
///
/// Names are those of the plan that the read was begun with. A name that the plan does not know is an ``UnknownNameError``.
///
/// - Note: Valid only in the call that it is lent to. The records that it answers with may be kept.
public struct Snapshot {
  /// What it reads with, by the numbers of ``schema``: for a ``Serializer``, and where a name is too slow.
  public var reader: any StoreReader

  /// What names mean: that of the plan. Without entities where the read was begun without a plan.
  public let schema: Schema

  /// What the reader goes by: the schema, or without a plan that of the last mapping.
  private var current: Schema

  /// By plan: within one snapshot every object has one instance.
  private var assemblers: [ObjectIdentifier: ObjectAssembler] = [:]

  /// - Parameter reader: Uses `schema`.
  init(_ reader: any StoreReader, _ schema: Schema) {
    self.reader = reader
    self.schema = schema
    current = schema
  }

  /// Goes on with the numbers of a schema.
  mutating func use(_ schema: Schema) throws {
    if schema.isIdentical(to: current) { return }
    try reader.use(schema)
    current = schema
  }

  /// Lends the reader to `body` with the instances that were made of a mapping's objects.
  mutating func withAssembler<R>(
    _ mapping: some PlanSource, _ body: (inout ObjectAssembler, Int, inout any StoreReader) throws -> R
  ) throws -> R {
    let plan = try mapping.plan()
    try use(plan.schema)
    // Taken out, or changing it would copy all instances.
    var assembler =
      try assemblers.removeValue(forKey: ObjectIdentifier(plan)) ?? ObjectAssembler(plan.schema)
    defer { assemblers[ObjectIdentifier(plan)] = assembler }
    let result = Result { try body(&assembler, plan.mappings[0].entity, &reader) }
    if !schema.entities.isEmpty { try use(schema) }
    return try result.get()
  }
}

extension Store {
  /// Lends one snapshot to `body`, to read instances of mapped classes from.
  ///
  ///     let lucas = try store.read { try $0.object(Person.mapping, key: 314) }
  ///
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or the store's own error.
  @discardableResult
  public func read<R>(_ body: (inout Snapshot) throws -> R) throws -> R {
    let schema = Schema(entities: [])
    return try read(schema) { reader in
      var snapshot = Snapshot(reader, schema)
      return try body(&snapshot)
    }
  }

  /// Lends one snapshot to `body`, which knows entities and fields by their names in a plan.
  ///
  ///     let people = try store.read(plan) { try $0.records("Person") }
  ///
  /// - Parameters:
  ///   - plan: Says which entities and fields there are.
  ///   - body: Reads.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or the store's own error.
  @discardableResult
  public func read<R>(_ plan: Plan, _ body: (inout Snapshot) throws -> R) throws -> R {
    try read(plan.schema) { reader in
      var snapshot = Snapshot(reader, plan.schema)
      return try body(&snapshot)
    }
  }
}

/// A snapshot of the store in the middle of an import, which several objects share for the length of a call.
final class LentSnapshot {
  var snapshot: Snapshot

  init(_ snapshot: Snapshot) { self.snapshot = snapshot }
}

extension StoreWriter {
  /// Lends a snapshot of what the write sees, to a delegate or a policy.
  ///
  /// - Parameter schema: That of the write.
  mutating func lend<R>(_ schema: Schema, to body: (LentSnapshot) throws -> R) throws -> R {
    let lent = LentSnapshot(Snapshot(self, schema))
    let result = try body(lent)
    // What it has found out meanwhile, it need not find out again.
    if let used = lent.snapshot.reader as? Self { self = used }
    return result
  }
}
