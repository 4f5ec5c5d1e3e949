/// A relationship that is a property of a class.
struct ClassRelationship: Sendable {
  let field: Int
  /// The entity of the targets.
  let target: Int
  let isToMany: Bool
  let access: RelationshipAccess

  /// Nil for another field.
  init?(_ field: Schema.Field, number: Int) {
    guard case .relationship(let access)? = field.access, let target = field.kind.target?.entity else {
      return nil
    }
    self.field = number
    self.target = target
    self.access = access
    isToMany = if case .toMany = field.kind { true } else { false }
  }
}
