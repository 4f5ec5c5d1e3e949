/// A place that keeps objects. Use `MemoryStore` or `LMDBStore`, or write your own.
///
///     let store = try LMDBStore(at: "people.db")
///     let report = try Mapper(store).importFile("people.json", as: Person.mapping.plan())
///
/// A conforming type promises:
///
/// 1. A read sees one snapshot from start to end.
/// 2. A write whose body throws or rolls back changes nothing; one that commits changes all or nothing.
/// 3. Within a write, what was written is found and read.
/// 4. One write at a time; a second one waits. One inside another on the same thread is an error.
/// 5. The number of an object stays the same as long as the object lives and is never given to another.
public protocol Store: Sendable {
  associatedtype Reader: StoreReader
  associatedtype Writer: StoreWriter

  /// Lends one snapshot to `body`.
  ///
  /// - Parameters:
  ///   - schema: The entities and fields that the read is about.
  ///   - body: Its reader is valid until it returns.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or the store's own error where the stored objects do not fit `schema`:
  ///   both types are named. An entity or a field that the store has never met is no error: it has no
  ///   objects, no values.
  @discardableResult
  func read<R>(_ schema: Schema, _ body: (inout Reader) throws -> R) throws -> R

  /// Runs `body` in one transaction, which ends as `body` says, and is rolled back when it throws.
  ///
  /// - Parameters:
  ///   - schema: The entities and fields that the write is about.
  ///   - body: May be run again from the start where the store has to make room for it. Its writer is valid
  ///     until it returns.
  /// - Returns: What `body` ends with.
  /// - Throws: What `body` throws, or the store's own error. Nothing is changed then.
  @discardableResult
  func write<R>(_ schema: Schema, _ body: (inout Writer) throws -> TransactionCompletion<R>) throws -> R

  /// Whether `write` never runs its body again: an import of a stream then need not keep what it has read.
  ///
  /// By default false, which is always right: what a transaction has read of a stream goes into a file without
  /// a name until it ends.
  var runsWritesOnce: Bool { get }

  /// Whether it keeps instances of mapped classes: ``StoreReader/instance(_:of:)`` answers with them.
  ///
  /// By default false; a store around another says what that says. Where it is true, imports with `await` of main-actor
  /// classes write on the main actor.
  var keepsInstances: Bool { get }
}

extension Store {
  public var keepsInstances: Bool { false }
  public var runsWritesOnce: Bool { false }
}

/// How a write ends.
///
///     let count = try store.write(schema) { writer in .rollBack(try writer.count(of: 0)) }
public enum TransactionCompletion<Result> {
  /// All changes are kept.
  case commit(Result)
  /// Nothing is changed.
  case rollBack(Result)

  /// What the write returns in either case.
  public var result: Result {
    switch self {
    case .commit(let result), .rollBack(let result): result
    }
  }
}

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
  /// ``StoredRow/lend(decoding:to:)``.
  ///
  /// - Returns: What `body` returns; nil where no such object is stored.
  mutating func withRow<R>(_ id: ObjectID, of entity: Int, _ body: (StoredRow) throws -> R) throws -> R?

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
    _ id: ObjectID, of entity: Int, _ body: (StoredRow) throws -> R
  ) throws -> R? {
    var buffer = RowBuffer()
    guard try read(id, of: entity, into: &buffer) else { return nil }
    defer { buffer.reset(count: 0) }  // the row is borrowed until here
    return try body(StoredRow(buffer.row))
  }
}

/// What the core asks of a store in a write, a batch of objects at a time: find the keys, reserve numbers for
/// the new ones, apply the changes. At the end it deletes what nothing refers to any more.
///
///     let isGone = try store.write(plan.schema) { writer in
///       guard let id = try writer.find(314, of: 0) else { return .rollBack(false) }
///       return .commit(try writer.delete(id, of: 0))
///     }
public protocol StoreWriter: StoreReader {
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
