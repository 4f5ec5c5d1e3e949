/// An object with its entity, because a store may give objects of two entities the same number.
struct ObjectIdentity: Hashable {
  var entity: Int
  var id: ObjectID
}
