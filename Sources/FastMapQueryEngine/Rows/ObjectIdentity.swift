/// An object with its entity, because a store may give objects of two entities the same number.
@usableFromInline
package struct ObjectIdentity: Hashable, Sendable {
  @usableFromInline package var entity: Int
  @usableFromInline package var id: ObjectID

  @inlinable
  package init(entity: Int, id: ObjectID) {
    self.entity = entity
    self.id = id
  }

  @inlinable  // written out for other modules
  package static func == (a: ObjectIdentity, b: ObjectIdentity) -> Bool {
    a.entity == b.entity && a.id == b.id
  }

  @inlinable
  package func hash(into hasher: inout Hasher) {
    hasher.combine(entity)
    hasher.combine(id)
  }
}
