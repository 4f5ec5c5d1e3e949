/// A use of an ``ObjectContext``, or of `including:` in any read, that is refused. Nothing has been read or changed.
///
///     catch ContextError.hasEnded { }      // the context was ended before
///
/// `title` is an object in messages, as in ``ObjectConflict/title``: an owned one by its place, if the save finds the mistake.
public enum ContextError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The context has ended.
  case hasEnded
  /// A save of the context, or an import into it, waits for its transaction.
  case isSaving
  /// An instance that this context has not read.
  case unknownInstance(type: String)
  /// An instance that was inserted into this context and not saved yet. There is nothing to read.
  case newInstance(entity: String)
  /// An instance whose object has left the context, because a save or an import has found that it is not stored any
  /// more. ``ObjectContext/insert(_:as:)`` makes it a new object.
  case deletedInstance(entity: String, key: PrimaryKey?)
  /// The context has instances of another class for the objects of an entity.
  case otherClass(entity: String, expected: String, found: String)
  /// A mapping that the context was not made for, and a field that none of the context's mappings has. Make the context for it, too.
  case unknownMapping(_ mapping: String, entity: String, field: String)
  /// An instance of a subclass that no mapping has: its own fields would be lost. `place` is where a relationship has it:
  /// `Shelf 1.items[0]`. Map the subclass, or make the mapping with `takesSubclasses: true`.
  case unmappedClass(place: String?, entity: String, expected: String, found: String)
  /// An instance of a class that the kinds of an entity do not name: see ``Kinds``. `place` is where a relationship has it.
  case kindlessClass(place: String?, entity: String, expected: String, found: String)
  /// An object or an instance of another entity than a mapping or a relationship expects. `place` is where a
  /// relationship has it: `Book 1.editors[0]`.
  case otherEntity(place: String?, expected: String, found: String, key: PrimaryKey?)
  /// A property that no mapping of the entity has as a relationship or an inverse. `among` has the names of all
  /// relationships and inverses. A property whose key path has no name, such as a computed one, is named by its type.
  case noRelationship(entity: String, property: String, among: [String])
  /// A payload for an instance that is about another object. So is any payload for a stored object without a key, which makes
  /// a new one.
  case otherObject(entity: String, expected: PrimaryKey?, found: PrimaryKey?)
  /// A payload for a new instance, about an object that has another instance in the context.
  case otherInstance(entity: String, key: PrimaryKey?)
  /// A to-many relationship that has got targets before it was loaded, or a relationship of a record that is read before. Load
  /// it first.
  case notLoaded(entity: String, key: PrimaryKey?, title: String, relationship: String)
  /// A new object with the key of a stored one. `place` is where a relationship has it: `Book 1.editors[0]`.
  case keyTaken(entity: String, place: String?, key: PrimaryKey)
  /// Two new objects with the same key.
  case repeatedKey(entity: String, key: PrimaryKey)
  /// A stored object whose primary key was changed.
  case keyChanged(entity: String, key: PrimaryKey?)
  /// A new object without a key that the store can hold. `place` is where a relationship has it: `Book 1.editors[0]`.
  case refusedKey(entity: String, place: String?, reason: String)
  /// A stored object with a key in the scope of its owner, at the `place` of another owner or relationship. Its key would change.
  case otherOwner(place: String, entity: String, key: PrimaryKey)
  /// A value of a record that its field cannot have.
  case wrongValue(
    entity: String, key: PrimaryKey?, title: String, field: String, expected: String, found: String)
  /// A path with more than 100 relationships.
  case longPath(String)
  /// An edited inverse that differs from the saved relationships, or any inverse that was set in a record. Change the
  /// relationship itself: `Book.author`.
  case editedInverse(
    entity: String, key: PrimaryKey?, title: String, inverse: String, relationship: String)
  /// An inverse that has a new instance, which neither a relationship of the context has nor ``ObjectContext/insert(_:as:)`` was
  /// called for. A save stores nothing for an inverse.
  case newInInverse(
    entity: String, key: PrimaryKey?, title: String, inverse: String, relationship: String)

  public var description: String {
    switch self {
    case .hasEnded: "the context has ended"
    case .isSaving: "the context is being saved, or imported into; wait until that is done"
    case .unknownInstance(let type):
      "expected an instance that this context has read or inserted, found another one of \(type)"
    case .newInstance(let entity):
      "expected an object that is stored, found a new \(escaped(entity)), which is not saved yet"
    case .deletedInstance(let entity, let key):
      "expected an object that is stored, found \(Self.title(entity, key)), which was deleted"
    case .otherClass(let entity, let expected, let found):
      "expected \(expected), the class of \(escaped(entity)) in this context, found \(found)"
    case .unknownMapping(let mapping, let entity, let field):
      "expected a mapping that the context was made for, found \(escaped(mapping)), "
        + "which has \(escaped(entity)).\(escaped(field)); make the context for it, too"
    case .otherEntity(let place, let expected, let found, let key):
      "\(place.map { "\($0): " } ?? "")expected an object of \(escaped(expected)), found \(Self.title(found, key))"
    case .unmappedClass(let place, let entity, let expected, let found):
      "\(place.map { "\($0): " } ?? "")expected an instance of \(expected), found one of \(found), whose own fields would be lost; "
        + "map \(found), or give the mapping of \(escaped(entity)) takesSubclasses"
    case .kindlessClass(let place, let entity, let expected, let found):
      "\(place.map { "\($0): " } ?? "")expected an instance of \(expected), found one of \(found), "
        + "which the kinds of \(escaped(entity)) do not name"
    case .noRelationship(let entity, let property, let names):
      "no mapping of \(escaped(entity)) has \(property) as a relationship; "
        + "its relationships are: \(names.isEmpty ? "none" : list(names.map { escaped($0) }))"
    case .otherObject(let entity, nil, _):
      "expected an object with a key or a new one, found a stored \(escaped(entity)) without a key, "
        + "which no payload can name; change its properties instead"
    case .otherObject(let entity, let expected, let found):
      "expected a payload for \(Self.title(entity, expected)), found one for \(Self.title(entity, found))"
    case .otherInstance(let entity, let key):
      "expected a new object, the context has another instance for \(Self.title(entity, key))"
    case .notLoaded(_, _, let title, let relationship):
      "\(title).\(escaped(relationship)) is not loaded; load it before you read or change it"
    case .keyTaken(let entity, let place, let key):
      "\(place.map { "\($0), " } ?? "")a new object of \(escaped(entity)): expected a new key, \(key) is taken; "
        + "read that object and change it"
    case .repeatedKey(let entity, let key): "two new objects of \(escaped(entity)) have the key \(key)"
    case .keyChanged(let entity, let key):
      "the primary key of \(Self.title(entity, key)) was changed; insert a new object instead"
    case .refusedKey(let entity, let place, let reason):
      "\(place.map { "\($0), " } ?? "")a new object of \(escaped(entity)): \(reason)"
    case .otherOwner(let place, let entity, let key):
      "\(place): \(Self.title(entity, key)) belongs to another owner or relationship, which its key begins with; "
        + "insert a new object instead"
    case .wrongValue(_, _, let title, let field, let expected, let found):
      "\(title).\(escaped(field)): expected \(expected), found \(found)"
    case .longPath(let path): "expected at most 100 relationships in a path, found more in \(quoted(path))"
    case .editedInverse(_, _, let title, let inverse, let relationship):
      "\(title).\(escaped(inverse)) is an inverse; change \(escaped(relationship))"
    case .newInInverse(_, _, let title, let inverse, let relationship):
      "\(title).\(escaped(inverse)) has a new object, and it is an inverse, which inserts nothing; "
        + "insert the object, and set its \(escaped(relationship))"
    }
  }

  static func title(_ entity: String, _ key: PrimaryKey?) -> String {
    "\(escaped(entity)) \(key.map { "\($0)" } ?? "without a key")"
  }
}
