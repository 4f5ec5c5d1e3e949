/// A relationship, or an inverse, that is a property of a class.
package struct ClassRelationship: Sendable {
  /// The number of the field. The numbers of inverses follow the numbers of all fields.
  package let field: Int
  package let target: Int
  package let isToMany: Bool
  package let access: RelationshipAccess
  package let isInverse: Bool

  /// Nil for an attribute.
  init?(_ field: Schema.Field, number: Int, _ access: RelationshipAccess) {
    guard let target = field.kind.target?.entity else { return nil }
    self.field = number
    self.target = target
    self.access = access
    isToMany = field.kind.isToMany
    isInverse = false
  }

  init(_ inverse: Schema.Inverse, number: Int, _ access: RelationshipAccess) {
    field = number
    target = inverse.entity
    self.access = access
    isToMany = inverse.isToMany
    isInverse = true
  }
}
