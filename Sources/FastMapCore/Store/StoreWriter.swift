/// What the core asks of a store in a write, a batch of objects at a time: find the keys, reserve numbers for
/// the new ones, apply the changes. At the end it deletes what nothing refers to any more.
///
///     let isGone = try store.write(plan.schema) { writer in
///       guard let id = try writer.find(314, of: 0) else { return .rollBack(false) }
///       return .commit(try writer.delete(id, of: 0))
///     }
public protocol StoreWriter: StoreReader {
  associatedtype Reader: StoreReader

  /// Reads what was committed before and what the write has written so far. By default, a writer has it answer whatever a
  /// ``StoreReader`` is asked, `use` included, which makes room for what the store has never met.
  var reader: Reader { get set }

  /// Looks up many keys of one entity in one go.
  ///
  /// - Throws: ``RefusedKeysError`` with all keys that the store cannot hold.
  /// - Parameters:
  ///   - keys: Sorted ascending, without repeats; borrowed for the call.
  ///   - entity: The number of the entity.
  ///   - ids: As many as `keys`; each is to be set to the object's number, or to 0 where there is none.
  mutating func find(_ keys: KeyBatch, of entity: Int, into ids: UnsafeMutableBufferPointer<ObjectID>) throws

  /// Numbers for `count` new objects of an entity.
  ///
  /// - Returns: The first; the others follow it. They are used up whether or not objects are made with them.
  mutating func reserve(_ count: Int, of entity: Int) throws -> ObjectID

  /// Inserts and updates objects with their relationships.
  ///
  /// For each change: an object that is not new keeps the fields that are missing in its row; `changes` is
  /// told whether anything became different, and of targets that a relationship with the policy `replace` no
  /// longer has. A field equal to the stored one is not written. Targets may be objects of the same batch. A
  /// merged to-many keeps the old targets in their order and appends those it does not have yet, without
  /// repeats. A merged relationship is never null here: the core takes null for missing there. Targets without a
  /// key come with `replace` where the mapping says `assign`, as what their owner lets go of is to be deleted.
  mutating func apply(_ changes: inout ChangeBatch) throws

  /// The next relationship that has an object as a target, also one that the schema does not name.
  ///
  /// They come in any order that stays the same as long as nothing is written; a relationship that has the object
  /// several times comes once.
  ///
  /// - Parameters:
  ///   - id: The target.
  ///   - entity: The number of its entity.
  ///   - last: What the call before returned; nil for the first.
  /// - Returns: Nil where there is none, or no other.
  /// - Complexity: To be O(log *n*), also for an object that very many refer to: an import asks for the first of each
  ///   object that a `replace` has let go.
  mutating func reference(to id: ObjectID, of entity: Int, after last: Reference?) throws -> Reference?

  /// Deletes an object, its key, its relationships, and every relationship that has it as a target, also those
  /// that the schema does not name.
  ///
  /// What it owns stays: the core deletes that by itself.
  ///
  /// - Returns: False where no such object is stored.
  mutating func delete(_ id: ObjectID, of entity: Int) throws -> Bool

  /// Deletes many objects of one entity, each as if it were deleted alone.
  ///
  /// By default, one after the other. A store whose lists are long does better to go over each list once.
  ///
  /// - Parameters:
  ///   - ids: Ascending, without repeats.
  ///   - entity: The number of the entity.
  /// - Returns: Those that were stored, in their order.
  mutating func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID]

  /// Whether an object, with its relationships, differs from what it was when the write began. One that was not
  /// there and is not there does not.
  mutating func isChanged(_ id: ObjectID, of entity: Int) throws -> Bool

  /// Keeps, with this transaction, what an import that commits several times has let go of since its last commit. It
  /// deletes that with its last transaction; where it fails or its process ends before, the next import or
  /// deletion does.
  ///
  /// By default keeps nothing: what has a key and was let go of by an import that failed stays then.
  ///
  /// - Parameters:
  ///   - leftovers: Perhaps none, perhaps with repeats.
  ///   - keeper: What this returned at the import's transaction before; nil at its first.
  /// - Returns: Says, as long as it lives, that the import is under way: nobody else takes its leftovers meanwhile.
  mutating func keepLeftovers(_ leftovers: [Leftover], of keeper: AnyObject?) throws -> AnyObject?

  /// Takes away what imports have kept that have ended midway, and the import of `keeper` itself, which ends now.
  ///
  /// - Returns: What the others have kept, of entities that the schema has.
  mutating func takeLeftovers(of keeper: AnyObject?) throws -> [Leftover]

  /// Makes an instance of a mapped class an object of a store that keeps instances.
  ///
  /// By default nil.
  ///
  /// - Returns: Its number, the one it has if it is an object already; nil where the store keeps values.
  mutating func adopt(_ instance: AnyObject, of entity: Int) throws -> ObjectID?

  /// What a user should know of the fields that the write has made room for, a sentence each.
  ///
  /// By default none.
  var notes: [String] { get }
}

/// What a writer reads with its reader.
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
    // The body may write while the reader goes on from object to object.
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
