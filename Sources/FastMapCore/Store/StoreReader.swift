/// What can be asked of a snapshot.
///
///     let id = try store.read(plan.schema) { reader in try reader.find(314, of: 0) }
///
/// Entities and fields are numbers: their places in the schema of the read.
public protocol StoreReader {
  /// Goes on with the numbers of another schema, in the same snapshot.
  ///
  /// A writer makes room for what the store has never met, in its transaction, and keeps what it has done.
  ///
  /// - Throws: The store's own error where the stored objects do not fit it. The reader then keeps the schema
  ///   it had, and a writer remembers nothing of the other.
  mutating func use(_ schema: Schema) throws

  /// The object with a key; nil where there is none.
  mutating func find(_ key: PrimaryKey, of entity: Int) throws -> ObjectID?

  /// Fills `buffer` with the attributes and the to-one targets of an object, and with nothing else: what it held
  /// before is gone.
  ///
  /// To-many fields are left missing: ``targets(of:entity:field:)`` reads them.
  ///
  /// - Returns: False where no such object of this entity is stored.
  mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool

  /// The targets of one relationship of each of `owners`, in their order; empty for an owner that is not
  /// stored.
  mutating func targets(of owners: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]]

  /// Calls `body` with the objects of an entity: by key, ascending, and then those without a key in the order
  /// they were made, until it returns false.
  ///
  /// - Parameters:
  ///   - entity: The number of the entity.
  ///   - keys: Only objects with these keys; nil for all objects, with a key or without.
  ///   - body: Gets the reader, to read with, and one object with its key; false ends it. In a write it may update
  ///     objects, and must not insert or delete: a store may have read ahead.
  mutating func forEach(
    of entity: Int, keys: KeyRange?, _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool) throws

  /// The number of objects of an entity.
  mutating func count(of entity: Int) throws -> Int

  /// Calls `body` with the objects of an entity in the reverse of the order of ``forEach(of:keys:_:)``, until
  /// it returns false.
  ///
  /// By default, collects all of them first.
  mutating func forEachReversed(
    of entity: Int, keys: KeyRange?, _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool) throws

  /// The objects with some keys; nil where there is none.
  ///
  /// By default, asks for one after the other.
  ///
  /// - Parameters:
  ///   - keys: In any order; may have repeats.
  ///   - entity: The number of the entity.
  /// - Returns: As many as `keys`, in their order.
  mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?]

  /// The number of objects whose keys stand in a range.
  ///
  /// By default, goes over them.
  mutating func count(of entity: Int, keys: KeyRange) throws -> Int

  /// Lends an object to `body`, with its attributes and to-one targets.
  ///
  /// By default, reads all of it first. A store that decodes a field when it is asked for uses
  /// ``Row/lend(count:decoding:to:)``.
  ///
  /// - Returns: What `body` returns; nil where no such object is stored.
  mutating func withRow<R>(_ id: ObjectID, of entity: Int, _ body: (Row) throws -> R) throws -> R?

  /// The instance of a mapped class that is the object, the same one as long as it lives, in a store that keeps
  /// instances; nil in any other, and for a record.
  ///
  /// By default nil: a reader of instances then makes a copy of what is stored.
  func instance(_ id: ObjectID, of entity: Int) -> AnyObject?
}

extension StoreReader {
  public func instance(_ id: ObjectID, of entity: Int) -> AnyObject? { nil }

  public mutating func forEachReversed(
    of entity: Int, keys: KeyRange?, _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    var objects: [(id: ObjectID, key: PrimaryKey?)] = []
    try forEach(of: entity, keys: keys) { _, id, key in
      objects.append((id, key))
      return true
    }
    for (id, key) in objects.reversed() {
      guard try body(&self, id, key) else { return }
    }
  }

  public mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
    try keys.map { try find($0, of: entity) }
  }

  public mutating func count(of entity: Int, keys: KeyRange) throws -> Int {
    var count = 0
    try forEach(of: entity, keys: keys) { _, _, _ in
      count += 1
      return true
    }
    return count
  }

  public mutating func withRow<R>(
    _ id: ObjectID, of entity: Int, _ body: (Row) throws -> R
  ) throws -> R? {
    var buffer = RowBuffer()
    guard try read(id, of: entity, into: &buffer) else { return nil }
    defer { buffer.reset(count: 0) }  // the row is borrowed until here
    return try body(buffer.row)
  }
}
