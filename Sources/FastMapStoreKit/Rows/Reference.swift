/// A relationship of a stored object, found through one of its targets.
///
///     let first = try writer.references(to: [id], of: entity, after: nil, limit: 1)[0].first
public struct Reference: Hashable, Sendable {
  /// The object that has the relationship.
  public let owner: ObjectID
  /// The number of its entity; nil if the schema does not name the entity.
  public let entity: Int?
  /// The store's own number of the relationship.
  public let field: Int

  /// Makes a reference.
  public init(owner: ObjectID, entity: Int?, field: Int) {
    self.owner = owner
    self.entity = entity
    self.field = field
  }
}
