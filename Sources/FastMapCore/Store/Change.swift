package import CFastMap

/// One object to be inserted or updated.
///
///     if change.isNew { insert(change.id, change.row) }
public struct ObjectChange {
  /// The object's number, reserved before where it is new.
  public let id: ObjectID
  /// The number of its entity.
  public let entity: Int
  /// Whether the object is to be inserted; else it is stored and is to be updated.
  public let isNew: Bool
  /// The field that holds the object's primary key; nil for an object without one.
  public let keyField: Int?
  package let slots: UnsafePointer<fastmap_slot>
  private let fieldCount: Int

  /// To be set by the store: whether anything became different. True for a new object.
  public var isChanged: Bool

  package init(id: ObjectID, entity: Int, isNew: Bool, keyField: Int?, row: Row) {
    self.id = id
    self.entity = entity
    self.isNew = isNew
    self.keyField = keyField
    slots = row.slots
    fieldCount = row.count
    isChanged = isNew
  }

  /// Its fields; the missing ones are to be left alone. Valid until the call that received the change returns.
  public var row: Row { Row(slots: slots, count: fieldCount) }

  /// A copy of the primary key. To bind it without a copy, take `row[keyField]`.
  public var key: PrimaryKey? { keyField.flatMap { PrimaryKey(slot: slots[$0]) } }

  /// What is to happen to the old targets of a relationship.
  public func policy(of field: Int) -> RelationshipPolicy { RelationshipPolicy(code: slots[field].policy) }
}

/// The changes of one batch: entity by entity; within one those with a key, ascending by key, and then the
/// others. The numbers of new objects with a key ascend with their keys. No object is in it twice.
///
///     for index in batch.changes.indices { batch.changes[index].isChanged = write(batch.changes[index]) }
public struct ChangeBatch {
  /// The changes, whose `isChanged` the store sets.
  public var changes: [ObjectChange] = []

  /// Targets that relationships no longer have.
  package private(set) var removed: [Removed] = []

  package struct Removed {
    package let id: ObjectID
    package let entity: Int
    package var isOwned: Bool
    /// Whether it goes only if it has no key, and so belonged to its owner.
    package var sparesKeyed = false
    /// Whether it goes even where others refer to it, whatever the plan says of its holder.
    package var deletesShared = false
    /// The relationship that had it.
    package let holder: Holder
  }

  /// A relationship of one stored object.
  package struct Holder: Hashable {
    package let owner: ObjectID
    package let entity: Int
    package let field: Int
  }

  package let schema: Schema

  package init(schema: Schema) { self.schema = schema }

  /// Notes that a relationship with the policy `replace` no longer has a target. Each target is noted once, in
  /// their old order.
  ///
  /// - Parameters:
  ///   - target: The object it had.
  ///   - field: The relationship.
  ///   - change: The change of its owner.
  public mutating func noteRemoved(_ target: ObjectID, from field: Int, of change: ObjectChange) {
    switch schema.entities[change.entity].fields[field].kind {
    case .toOne(let entity, let isOwned), .toMany(let entity, let isOwned):
      let holder = Holder(owner: change.id, entity: change.entity, field: field)
      let sparesKeyed = change.slots[field].spares_keyed
      removed.append(
        Removed(id: target, entity: entity, isOwned: isOwned, sparesKeyed: sparesKeyed, holder: holder))
    case .attribute:
      preconditionFailure("an attribute has no targets")
    }
  }

  package mutating func removeAll() {
    changes.removeAll(keepingCapacity: true)
    removed.removeAll(keepingCapacity: true)
  }
}
