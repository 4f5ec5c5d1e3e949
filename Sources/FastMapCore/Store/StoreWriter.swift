/// The write operations of a store. For each batch of objects, the core finds keys, reserves numbers and applies
/// changes. At the end, it deletes objects without references.
///
///     let isGone = try store.write(plan.schema) { writer in
///       guard let id = try writer.find(314, of: 0) else { return .rollBack(false) }
///       return .commit(try writer.delete(id, of: 0))
///     }
public protocol StoreWriter: StoreReader {
  associatedtype Reader: StoreReader

  /// Reads the committed data and the changes of this write. By default, a writer forwards every ``StoreReader`` call
  /// to it. `use` is one of them, and it also adds entities and fields that the store does not have yet.
  var reader: Reader { get set }

  /// Looks up many keys of one entity at once.
  ///
  /// - Throws: ``RefusedKeysError`` with all keys that the store cannot hold.
  /// - Parameters:
  ///   - keys: Sorted ascending, without repeats; borrowed for the call.
  ///   - entity: The number of the entity.
  ///   - ids: As many as `keys`. Set each to the object's number, or to nil if there is none.
  mutating func find(_ keys: KeyBatch, of entity: Int, into ids: UnsafeMutableBufferPointer<ObjectID?>) throws

  /// Reserves consecutive numbers for `count` new objects of an entity.
  ///
  /// - Returns: The first number. The numbers are used up, with or without objects.
  mutating func reserve(_ count: Int, of entity: Int) throws -> ObjectID

  /// Inserts and updates objects with their relationships.
  ///
  /// The rules for each change:
  ///
  /// - An update leaves the fields alone that are missing in its row, and does not write equal values.
  /// - Set `isChanged` if anything changed.
  /// - Report each target that a relationship with the policy `replace` no longer has:
  ///   ``ChangeBatch/noteRemoved(_:from:of:)``.
  /// - Targets may be objects of the same batch.
  /// - A merged to-many relationship keeps its old targets in order and appends new ones, without repeats.
  /// - A merged relationship is never null here, because the core treats null as missing.
  /// - Targets without a key have the policy `replace` even if the mapping says `assign`, because an owner's dropped
  ///   objects must be deleted.
  mutating func apply(_ changes: inout ChangeBatch) throws

  /// The next relationship that has an object as a target, including relationships that the schema does not name.
  ///
  /// The order is arbitrary, but stable as long as nothing is written. A relationship that has the object several
  /// times is returned once.
  ///
  /// - Parameters:
  ///   - id: The target.
  ///   - entity: The number of its entity.
  ///   - last: The previous result; nil for the first call.
  /// - Returns: Nil if there is no other.
  /// - Complexity: Must be O(log *n*), even for an object with very many referrers: an import calls it for each
  ///   object that a `replace` has unlinked.
  mutating func reference(to id: ObjectID, of entity: Int, after last: Reference?) throws -> Reference?

  /// Deletes an object, its key, its relationships, and every reference to it, including those that the schema does
  /// not name.
  ///
  /// The objects that it owns stay, because the core deletes them itself.
  ///
  /// - Returns: False if no such object is stored.
  mutating func delete(_ id: ObjectID, of entity: Int) throws -> Bool

  /// Deletes many objects of one entity, with the same effect as one by one.
  ///
  /// The default implementation deletes one after the other. A store with long lists should scan each list only once.
  ///
  /// - Parameters:
  ///   - ids: Ascending, without repeats.
  ///   - entity: The number of the entity.
  /// - Returns: The objects that were stored, in the same order.
  mutating func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID]

  /// Whether an object, with its relationships, differs from its state when the write began. An object that did not
  /// exist and does not exist has not changed.
  mutating func isChanged(_ id: ObjectID, of entity: Int) throws -> Bool

  /// Saves, in this transaction, the objects that an import in several commits has unlinked since its last commit.
  /// The import deletes them in its last transaction. If it fails, or its process ends, the next import or deletion
  /// deletes them.
  ///
  /// The default implementation saves nothing. Objects with a key that a failed import has unlinked stay then.
  ///
  /// - Parameters:
  ///   - leftovers: May be empty, and may have repeats.
  ///   - keeper: The result of this call in the import's previous transaction; nil in the first.
  /// - Returns: An object whose lifetime marks the import as running, so that nobody else takes its leftovers.
  mutating func keepLeftovers(_ leftovers: [Leftover], of keeper: AnyObject?) throws -> AnyObject?

  /// Removes and returns the leftovers of imports that were interrupted. Also removes those of the import of
  /// `keeper`, which ends now.
  ///
  /// - Returns: The leftovers of the other imports, for the entities of the schema.
  mutating func takeLeftovers(of keeper: AnyObject?) throws -> [Leftover]

  /// Makes an instance of a mapped class an object of a store that keeps instances.
  ///
  /// The default is nil.
  ///
  /// - Returns: Its number, also if it is already an object; nil if the store keeps values.
  mutating func adopt(_ instance: AnyObject, of entity: Int) throws -> ObjectID?

  /// Notes for the user about the fields that the write has added, one sentence each.
  ///
  /// The default is none.
  var notes: [String] { get }
}

/// The reads of a writer.
extension StoreWriter {
  @inlinable
  public mutating func use(_ schema: Schema) throws { try reader.use(schema) }

  @inlinable
  public mutating func find(_ key: PrimaryKey, of entity: Int) throws -> ObjectID? {
    try reader.find(key, of: entity)
  }

  @inlinable
  public mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
    try reader.find(keys, of: entity)
  }

  @inlinable
  public mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    try reader.read(id, of: entity, into: &buffer)
  }

  @inlinable
  public mutating func withRow<R>(_ id: ObjectID, of entity: Int, _ body: (Row) throws -> R) throws -> R? {
    try reader.withRow(id, of: entity, body)
  }

  @inlinable
  public mutating func targets(of owners: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    try reader.targets(of: owners, entity: entity, field: field)
  }

  @inlinable
  public func instance(_ id: ObjectID, of entity: Int) -> AnyObject? { reader.instance(id, of: entity) }

  @inlinable
  public mutating func count(of entity: Int) throws -> Int { try reader.count(of: entity) }

  @inlinable
  public mutating func count(of entity: Int, keys: KeyRange) throws -> Int {
    try reader.count(of: entity, keys: keys)
  }

  @inlinable
  public mutating func forEach(
    of entity: Int, keys: KeyRange?, _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    // The body may write while the iteration continues.
    var copy = self
    defer { self = copy }
    try reader.forEach(of: entity, keys: keys) { _, id, key in try body(&copy, id, key) }
  }

  @inlinable
  public mutating func forEachReversed(
    of entity: Int, keys: KeyRange?, _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    var copy = self
    defer { self = copy }
    try reader.forEachReversed(of: entity, keys: keys) { _, id, key in try body(&copy, id, key) }
  }
}

extension StoreWriter {
  public mutating func keepLeftovers(_ leftovers: [Leftover], of keeper: AnyObject?) throws -> AnyObject? {
    nil
  }

  public mutating func takeLeftovers(of keeper: AnyObject?) throws -> [Leftover] { [] }

  public mutating func adopt(_ instance: AnyObject, of entity: Int) throws -> ObjectID? { nil }

  public var notes: [String] { [] }

  public mutating func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID] {
    try ids.filter { id in try delete(id, of: entity) }
  }
}
