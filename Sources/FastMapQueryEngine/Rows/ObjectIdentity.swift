/// An object with its entity, because a store may give objects of two entities the same number.
package struct ObjectIdentity: Hashable {
  package var entity: Int
  package var id: ObjectID

  package init(entity: Int, id: ObjectID) {
    self.entity = entity
    self.id = id
  }
}
