public import CFastMap  // for code that is inlined in other modules; users see no name of it

/// An object to insert or update.
///
///     if change.isNew { insert(change.id, change.row) }
public struct ObjectChange {
  /// The object's number. For a new object, it was reserved before.
  public let id: ObjectID
  /// The number of its entity.
  public let entity: Int
  /// Whether to insert the object. Otherwise it is stored and must be updated.
  public let isNew: Bool
  /// The field of the object's primary key. Nil for an object without a key, and for an update that does not name its
  /// key, such as the update of a custom policy. An update with nil keeps the stored key.
  public let keyField: Int?
  @usableFromInline package let slots: UnsafePointer<fastmap_slot>
  @usableFromInline let fieldCount: Int

  /// Whether anything changed. The store sets it; true for a new object.
  public var isChanged: Bool

  /// The fingerprint of its row, for a store that keeps fingerprints.
  ///
  /// Nil in any other store. Also nil where an import writes an object in parts: with a delegate, by a custom policy, for
  /// a late weak link, and for an instance that is filled. The store then forgets the object's fingerprint, because its
  /// fields no longer match that row.
  public package(set) var fingerprint: Fingerprint?

  /// Makes a change that does not come from an import, for a test of a store.
  ///
  ///     var buffer = RowBuffer()
  ///     buffer.reset(count: 2)
  ///     buffer.set(.integer(1), at: 0)
  ///     var batch = ChangeBatch(schema: schema)
  ///     batch.changes = [
  ///       ObjectChange(id: id, entity: 0, isNew: true, keyField: 0, row: buffer.row, fingerprint: nil)
  ///     ]
  ///
  /// - Parameters:
  ///   - id: The number of the object; a new object has a reserved number.
  ///   - entity: The number of its entity.
  ///   - isNew: Whether to insert it.
  ///   - keyField: The field of its primary key; nil if it has none, or if an update does not name it.
  ///   - row: The row of a ``RowBuffer`` with a field for each of the entity. Borrowed: the buffer must stay as it is
  ///     until `apply` returns.
  ///   - fingerprint: The row's fingerprint, for a store that keeps fingerprints; nil to have the stored one forgotten.
  /// - Precondition: The row is not lent by a store.
  package init(
    id: ObjectID, entity: Int, isNew: Bool, keyField: Int?, row: Row, fingerprint: Fingerprint?
  ) {
    precondition(row.isFilled, "the row of a change comes from a buffer")
    self.init(id: id, entity: entity, isNew: isNew, keyField: keyField, row: row)
    self.fingerprint = fingerprint
  }

  @inlinable
  package init(id: ObjectID, entity: Int, isNew: Bool, keyField: Int?, row: Row) {
    self.id = id
    self.entity = entity
    self.isNew = isNew
    self.keyField = keyField
    slots = row.slots
    fieldCount = row.count
    isChanged = isNew
  }

  /// Its fields. Leave missing ones alone. Valid until the `apply` that received the change returns.
  public var row: Row {
    @_lifetime(borrow self)
    get { Row(slots: slots, count: fieldCount) }
  }

  /// A copy of the primary key. To bind it without a copy, use `row[keyField]`.
  public var key: PrimaryKey? { keyField.flatMap { PrimaryKey(slot: slots[$0]) } }

  /// The fate of a relationship's old targets.
  public func update(of field: Int) -> ListUpdate { ListUpdate(code: slots[field].policy) }
}

/// The changes of one batch, without repeats, sorted by entity.
///
///     for index in batch.changes.indices { batch.changes[index].isChanged = write(batch.changes[index]) }
///
/// Within an entity, objects with a key come first, ascending by key. New objects without a key follow in the order in
/// which they were made.
public struct ChangeBatch {
  /// The changes. The store sets `isChanged`.
  public var changes: [ObjectChange] = []

  /// Targets that relationships no longer have.
  package private(set) var removed: [Removed] = []

  /// Relationships whose old targets with a key are unlinked and not deleted, under `replace`.
  private var sparing: Set<Holder> = []

  package struct Removed {
    package let id: ObjectID
    package let entity: Int
    package var isOwned: Bool
    /// Whether to delete it only if it has no key, and so belonged to its owner.
    package var sparesKeyed = false
    /// Whether to delete it even if others refer to it, independent of the plan.
    package var deletesShared = false
    /// The relationship that had it.
    package let holder: Holder

    package init(
      id: ObjectID, entity: Int, isOwned: Bool, sparesKeyed: Bool = false, deletesShared: Bool = false,
      holder: Holder
    ) {
      self.id = id
      self.entity = entity
      self.isOwned = isOwned
      self.sparesKeyed = sparesKeyed
      self.deletesShared = deletesShared
      self.holder = holder
    }
  }

  /// A relationship of a stored object.
  package struct Holder: Hashable {
    package let owner: ObjectID
    package let entity: Int
    package let field: Int

    package init(owner: ObjectID, entity: Int, field: Int) {
      self.owner = owner
      self.entity = entity
      self.field = field
    }
  }

  package let schema: Schema

  /// Makes a batch without changes, for a test of a store.
  ///
  /// - Parameter schema: The schema of the write.
  package init(schema: Schema) { self.schema = schema }

  /// Records that a relationship with the update `replace` no longer has a target. Call it once for each target, in
  /// the old order.
  ///
  /// - Parameters:
  ///   - target: The old target.
  ///   - field: The relationship.
  ///   - change: The change of its owner.
  public mutating func recordRemoved(_ target: ObjectID, from field: Int, of change: ObjectChange) {
    switch schema.entities[change.entity].fields[field].kind {
    case .toOne(let entity, let isOwned), .toMany(let entity, let isOwned):
      let holder = Holder(owner: change.id, entity: change.entity, field: field)
      let sparesKeyed = !sparing.isEmpty && sparing.contains(holder)
      removed.append(
        Removed(id: target, entity: entity, isOwned: isOwned, sparesKeyed: sparesKeyed, holder: holder))
    case .attribute:
      preconditionFailure("an attribute has no targets")
    }
  }

  /// Appends a change of an object with relationships that may have targets with a key and without.
  ///
  /// - Parameter mixed: Their fields.
  package mutating func append(_ change: ObjectChange, mixed: [Int]) {
    for field in mixed where change.slots[field].spares_keyed {
      sparing.insert(Holder(owner: change.id, entity: change.entity, field: field))
    }
    changes.append(change)
  }

  package mutating func removeAll() {
    changes.removeAll(keepingCapacity: true)
    removed.removeAll(keepingCapacity: true)
    sparing.removeAll()
  }
}
