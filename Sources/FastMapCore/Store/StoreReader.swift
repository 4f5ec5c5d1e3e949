/// Reads from a snapshot of a store.
///
///     let id = try store.read(plan.schema) { reader in try reader.find(314, of: 0) }
///
/// Entities and fields are numbers: their positions in the schema of the read.
public protocol StoreReader {
  /// Switches to the numbers of another schema, in the same snapshot.
  ///
  /// A writer also adds the entities and fields that the store does not have yet, in its transaction, and keeps its
  /// changes.
  ///
  /// - Throws: The store's own error if the stored objects do not match the schema. The reader keeps its previous
  ///   schema then, and a writer adds nothing of the new one.
  mutating func use(_ schema: Schema) throws

  /// The object with a key; nil if there is none.
  mutating func find(_ key: PrimaryKey, of entity: Int) throws -> ObjectID?

  /// Fills `buffer` with the attributes and to-one targets of an object. The previous content of the buffer is
  /// removed.
  ///
  /// To-many fields stay missing; ``targets(of:entity:field:)`` reads them.
  ///
  /// - Returns: False if no such object of this entity is stored.
  mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool

  /// The targets of a relationship for each of `owners`, in order; empty for an owner that is not stored.
  mutating func targets(of owners: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]]

  /// Calls `body` with the objects of an entity until it returns false: ascending by key, then objects without a key
  /// in the order of creation.
  ///
  /// - Parameters:
  ///   - entity: The number of the entity.
  ///   - keys: The keys to visit; nil for all objects, with a key or without.
  ///   - body: Receives the reader, and an object with its key. False ends the iteration. In a write, `body` may
  ///     update objects but not insert or delete, because a store may read ahead.
  mutating func forEach(
    of entity: Int, keys: KeyRange?, _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool) throws

  /// The number of objects of an entity.
  mutating func count(of entity: Int) throws -> Int

  /// Calls `body` with the objects of an entity in the reverse order of ``forEach(of:keys:_:)``, until it returns
  /// false.
  ///
  /// The default implementation collects all objects first.
  mutating func forEachReversed(
    of entity: Int, keys: KeyRange?, _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool) throws

  /// The objects with the given keys; nil for each key without an object.
  ///
  /// The default implementation looks up one key after the other.
  ///
  /// - Parameters:
  ///   - keys: In any order, with or without repeats.
  ///   - entity: The number of the entity.
  /// - Returns: As many results as `keys`, in the same order.
  mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?]

  /// The number of objects whose keys are in a range.
  ///
  /// The default implementation iterates over them.
  mutating func count(of entity: Int, keys: KeyRange) throws -> Int

  /// Lends an object to `body`, with its attributes and to-one targets.
  ///
  /// The default implementation reads the whole object first. A store that can decode single fields uses
  /// ``Row/lend(count:decoding:to:)``.
  ///
  /// - Returns: The result of `body`; nil if no such object is stored.
  mutating func withRow<R>(_ id: ObjectID, of entity: Int, _ body: (Row) throws -> R) throws -> R?

  /// The instance of a mapped class that represents the object, if the store keeps instances. It is the same as long
  /// as the object lives. Nil in any other store, and for a record.
  ///
  /// The default is nil, and FastMap then makes copies.
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
