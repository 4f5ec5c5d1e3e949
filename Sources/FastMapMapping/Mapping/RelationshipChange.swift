/// A change of a relationship, lent to a custom policy for its call.
///
///     ToOne("owner", \.owner, Person.mapping, policy: .custom { change in
///       for old in change.old where !change.new.contains(old) { change.delete(old) }
///       return change.new.isEmpty ? change.old : change.new
///     })
public struct RelationshipChange {
  /// The relationship.
  public let relationship: RelationshipDefinition
  /// The object that has it.
  public let owner: ObjectID
  /// The current targets, in order.
  public let old: [ObjectID]
  /// The targets in the payload, in order; empty for null. They are already mapped.
  public let new: [ObjectID]
  /// Whether the payload has null.
  public let isNull: Bool
  /// The store or the instances, for the policy to read.
  package let lent: any PolicyReader
  /// The entity of the owner.
  package let ownerEntity: String
  /// The entity of the targets.
  package let targetEntity: String

  package private(set) var deleted: [ObjectID] = []

  package init(
    _ relationship: RelationshipDefinition, owner: ObjectID, old: [ObjectID], new: [ObjectID], isNull: Bool,
    lent: any PolicyReader, ownerEntity: String, targetEntity: String
  ) {
    self.relationship = relationship
    self.owner = owner
    self.old = old
    self.new = new
    self.isNull = isNull
    self.lent = lent
    self.ownerEntity = ownerEntity
    self.targetEntity = targetEntity
  }

  /// A copy of a target's current values.
  public func record(_ target: ObjectID) throws -> Record? { try lent.record(target, of: targetEntity) }

  /// The instance of a target, in an import without a store; nil in any other.
  public func instance(_ target: ObjectID) -> AnyObject? { lent.instance(target) }

  /// Deletes a target at the end of the import, unless anything refers to it or the payload contains it elsewhere. Without a
  /// store, unlinks it.
  public mutating func delete(_ target: ObjectID) { deleted.append(target) }
}

/// Reads the store, or the instances, during the call of a custom policy.
package protocol PolicyReader: AnyObject {
  func record(_ id: ObjectID, of entity: String) throws -> Record?
  func instance(_ id: ObjectID) -> AnyObject?
}
