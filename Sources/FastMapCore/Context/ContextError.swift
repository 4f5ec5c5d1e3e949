/// A use of an ``ObjectContext`` that it refuses. Nothing has been read or changed.
///
///     catch ContextError.hasEnded { }      // the context was ended before
public enum ContextError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The context has ended.
  case hasEnded
  /// An instance that this context has not read.
  case unknownInstance(type: String)
  /// The context has instances of another class for the objects of an entity.
  case otherClass(entity: String, expected: String, found: String)
  /// A property that no mapping of the entity has as a relationship or an inverse.
  case noRelationship(entity: String, property: String)
  /// A to-many relationship that has got targets before it was loaded. Load it first.
  case notLoaded(entity: String, key: PrimaryKey?, relationship: String)
  /// A new object with the key of another one.
  case keyTaken(entity: String, key: PrimaryKey)
  /// A stored object whose primary key was changed.
  case keyChanged(entity: String, key: PrimaryKey?)
  /// A new object without a key that the store can hold.
  case refusedKey(entity: String, reason: String)
  /// An inverse that does not show what is stored. Change the relationship itself.
  case editedInverse(entity: String, key: PrimaryKey?, inverse: String)

  public var description: String {
    switch self {
    case .hasEnded: "the context has ended"
    case .unknownInstance(let type):
      "expected an instance that this context has read, found another one of \(type)"
    case .otherClass(let entity, let expected, let found):
      "expected \(expected), the class of \(escaped(entity)) in this context, found \(found)"
    case .noRelationship(let entity, let property):
      "no mapping of \(escaped(entity)) has the relationship \(property)"
    case .notLoaded(let entity, let key, let relationship):
      "\(Self.title(entity, key)).\(escaped(relationship)) was changed before it was loaded; load it first"
    case .keyTaken(let entity, let key):
      "expected a new key, \(escaped(entity)) has an object with \(key)"
    case .keyChanged(let entity, let key):
      "the primary key of \(Self.title(entity, key)) was changed; insert a new object instead"
    case .refusedKey(let entity, let reason): "a new object of \(escaped(entity)): \(reason)"
    case .editedInverse(let entity, let key, let inverse):
      "\(Self.title(entity, key)).\(escaped(inverse)) is an inverse; change the relationship that it is the inverse of"
    }
  }

  private static func title(_ entity: String, _ key: PrimaryKey?) -> String {
    "\(escaped(entity)) \(key.map { "\($0)" } ?? "without a key")"
  }
}
