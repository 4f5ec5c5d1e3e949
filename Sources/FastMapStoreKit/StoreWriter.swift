/// The write operations of a store. For each batch of objects, the core finds keys, reserves numbers and applies
/// changes. At the end, it deletes objects without references.
///
///     let isGone = try store.write(plan.schema) { writer in
///       guard let id = try writer.reader.find(314, of: 0) else { return .rollBack(false) }
///       return .commit(try writer.delete(id, of: 0))
///     }
public protocol StoreWriter {
  associatedtype Reader: StoreReader

  /// Reads the committed data and the changes of this write. A copy of it can go through pages while the writer writes.
  var reader: Reader { get set }

  /// Switches the reader to another schema, and adds the entities and fields that the store does not have yet, in this
  /// transaction. It stores the default of each new attribute in all objects: ``storeDefaults(_:in:of:)``.
  ///
  /// The default adds none, for a store with ``Store/prepare(_:)``.
  ///
  /// - Throws: The store's own error if the stored objects do not match the schema. The reader keeps its previous
  ///   schema then, and nothing is added.
  mutating func use(_ schema: Schema) throws

  /// Looks up the keys of a batch, of all its entities, in one question.
  ///
  /// - Parameter lookups: At most one for each entity. The store sets all their numbers, and their fingerprints if it
  ///   keeps any.
  /// - Throws: ``RefusedKeysError`` with all keys that the store cannot hold, of all lookups.
  mutating func resolve(_ lookups: [KeyLookup]) throws

  /// Reserves numbers for new objects of a batch. They need not be consecutive, nor ascend, and may be derived from the
  /// keys. Reserved numbers are never reused. Objects of two entities may have the same number.
  ///
  /// - Parameter requests: At most one for each entity.
  /// - Returns: As many as `requests`, in the same order, each with as many numbers as requested.
  mutating func reserve(_ requests: [NumberRequest]) throws -> [ObjectNumbers]

  /// Inserts and updates objects with their relationships.
  ///
  /// The rules for each change:
  ///
  /// - An update leaves the fields alone that are missing in its row, and does not write equal values.
  /// - Set `isChanged` if anything changed.
  /// - Report each target that a relationship with the update `replace` no longer has:
  ///   ``ChangeBatch/recordRemoved(_:from:of:)``.
  /// - Targets may be objects of the same batch, or of a later one of the same write. Their numbers are reserved.
  /// - A merged to-many relationship keeps its old targets in order and appends new ones, without repeats.
  /// - If it throws midway, the write must not commit, even if the body catches the error: half a batch is never stored.
  /// - Keep ``ObjectChange/fingerprint`` with the object, if the store keeps fingerprints. Nil removes the old one.
  /// - A merged relationship is never null here, because the core treats null as missing.
  /// - Targets without a key have the update `replace` even if the mapping has `assign`, because an owner's dropped
  ///   objects must be deleted.
  mutating func apply(_ changes: inout ChangeBatch) throws

  /// Completes a batch whose `apply` has returned before the store had answered: sets `isChanged`, and reports removed
  /// targets.
  ///
  /// Called once for each batch, in order. The rows of the batch are gone by then. Between `apply` and `finish`,
  /// the core may call `resolve` for the next batch, and nothing else.
  ///
  /// The default does nothing.
  mutating func finish(_ changes: inout ChangeBatch) throws

  /// The relationships that have objects as targets, including relationships that the schema does not name.
  ///
  /// The order is arbitrary, but stable as long as nothing is written. A relationship that has the object several
  /// times is returned once. In a store with several writers, no other write may refer to one of the objects until
  /// this write ends.
  ///
  /// - Parameters:
  ///   - ids: The targets. Without repeats.
  ///   - entity: The number of their entity.
  ///   - last: The last result of an earlier call, to continue after it; only with a single target.
  ///   - limit: The most results for each target, at least 1.
  /// - Returns: As many lists as `ids`, in the same order.
  /// - Complexity: Must be O(log *n*) for each result, even for an object with very many referrers: an import asks for
  ///   each object that a `replace` has unlinked.
  mutating func references(
    to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
  ) throws -> [[Reference]]

  /// Deletes objects of one entity, their keys, their relationships, and every reference to them, including references
  /// that the schema does not name. A store with long lists should scan each list only once.
  ///
  /// The objects that they own stay, because the core deletes them itself.
  ///
  /// - Parameters:
  ///   - ids: Ascending, without repeats.
  ///   - entity: The number of the entity.
  /// - Returns: The objects that were stored, in the same order.
  mutating func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID]

  /// Whether each object, with its relationships, differs from its state when the write began. An object that did not
  /// exist and does not exist has not changed.
  ///
  /// - Parameters:
  ///   - ids: Without repeats.
  ///   - entity: The number of the entity.
  /// - Returns: As many results as `ids`, in the same order.
  mutating func changed(_ ids: [ObjectID], of entity: Int) throws -> [Bool]

  /// Builds the indexes that the schema declares and the store does not keep yet, from all objects.
  ///
  /// The core calls it after the last change of a write that will commit, and for each part of a dry run. A store that
  /// builds indexes elsewhere does nothing here. A write that does not call it builds its indexes when it commits.
  ///
  /// The default does nothing.
  ///
  /// - Parameter onProgress: Called from time to time with the number of objects that were indexed, and the number of
  ///   objects to index, for all indexes together. Its error ends the write.
  mutating func buildIndexes(_ onProgress: (_ done: Int, _ total: Int) throws -> Void) throws

  /// Calls back with the objects that have the same values as others in a unique index, in the state that this write would commit.
  ///
  /// The core calls it after ``buildIndexes(_:)``, in each transaction of an import. If there are any, the import fails,
  /// or runs the transaction again without some of the objects.
  ///
  /// - All unique indexes of the store count, even if the schema does not declare them, or lacks their fields. Two
  ///   objects without a value in the same field of an index never have the same values.
  /// - Strings and data are equal if all their bytes are, and numbers by value.
  /// - *n* objects with the same values form *n* - 1 pairs, one after the other: the second object of a
  ///   pair is the first one of the next. Pairs of one index follow each other.
  /// - Only entities of the schema are looked at. The time must be in proportion to the changes of the write and not to
  ///   the store, unless an index is new or was not unique before.
  /// - A write with duplicates must not commit, whether it has called this or not: it throws ``UniquenessError`` then.
  ///
  /// The default is none, for a store without unique indexes.
  ///
  /// - Parameters:
  ///   - limit: The most pairs, at least 1.
  ///   - body: Receives one pair after the other: a payload may have millions, so keep none in memory. Its error ends the call.
  mutating func forEachDuplicate(limit: Int, _ body: (DuplicateValues) throws -> Void) throws

  /// Saves, in this transaction, the objects that an import in several commits has unlinked since its last commit.
  /// The import deletes them in its last transaction. If it fails, or its process ends, the next import or deletion
  /// deletes them.
  ///
  /// The default implementation saves nothing. Objects with a key that a failed import has unlinked stay then.
  ///
  /// - Parameters:
  ///   - leftovers: May be empty, and may have repeats.
  ///   - keeper: The result of this call in the import's previous transaction; nil in the first.
  /// - Returns: An object whose lifetime marks the import as running, so that no other import claims its leftovers.
  mutating func keepLeftovers(_ leftovers: [Leftover], of keeper: AnyObject?) throws -> AnyObject?

  /// Removes and returns the leftovers of interrupted imports. Also removes the leftovers of the import of
  /// `keeper`, which ends now.
  ///
  /// - Returns: The leftovers of the other imports, for the entities of the schema.
  mutating func claimLeftovers(of keeper: AnyObject?) throws -> [Leftover]

  /// Notes for the user about the fields that the write has added, one sentence each.
  ///
  /// The default is none.
  var notes: [String] { get }

  /// Whether the write has stored the defaults of new attributes. The write then commits even if nothing else has changed.
  ///
  /// The default is false, for a store with ``Store/prepare(_:)``.
  var hasStoredDefaults: Bool { get }
}

extension StoreWriter {
  public mutating func use(_ schema: Schema) throws { try reader.use(schema) }

  public mutating func keepLeftovers(_ leftovers: [Leftover], of keeper: AnyObject?) throws -> AnyObject? {
    nil
  }

  public mutating func claimLeftovers(of keeper: AnyObject?) throws -> [Leftover] { [] }

  public var notes: [String] { [] }

  public var hasStoredDefaults: Bool { false }

  public mutating func finish(_ changes: inout ChangeBatch) throws {}

  public mutating func buildIndexes(_ onProgress: (_ done: Int, _ total: Int) throws -> Void) throws {}

  public mutating func forEachDuplicate(limit: Int, _ body: (DuplicateValues) throws -> Void) throws {}

  /// The pairs that ``forEachDuplicate(limit:_:)`` calls back with.
  ///
  ///     for duplicate in try writer.duplicates(limit: 100) { print(duplicate.index, duplicate.first.id) }
  package mutating func duplicates(limit: Int) throws -> [DuplicateValues] {
    var found: [DuplicateValues] = []
    try forEachDuplicate(limit: limit) { found.append($0) }
    return found
  }

  /// Deletes one object, as ``delete(_:of:)-swift.method`` deletes many.
  ///
  /// - Returns: False if no such object is stored.
  public mutating func delete(_ id: ObjectID, of entity: Int) throws -> Bool {
    try !delete([id], of: entity).isEmpty
  }
}
