/// A relationship of a stored object, found by one of its targets.
///
///     let first = try writer.reference(to: id, of: entity, after: nil)
public struct Reference: Hashable, Sendable {
  /// The object that has the relationship.
  public let owner: ObjectID
  /// The number of its entity; nil where the schema does not name that.
  public let entity: Int?
  /// The relationship, by a number of the store's own.
  public let field: Int

  /// Makes a reference.
  public init(owner: ObjectID, entity: Int?, field: Int) {
    self.owner = owner
    self.entity = entity
    self.field = field
  }
}
