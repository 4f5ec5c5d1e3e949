/// A use of an ``ObjectContext``, or of `including:` in any read, that is refused. Nothing has been read or changed.
///
///     catch let error as ContextError where error.code == "context-key-taken" {
///       print(error)     // a new object of Book: expected a new key, 5 is taken; read that object and change it
///     }
public struct ContextError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of a mistake. Users read its `code`, where a program goes on after some.
  package enum Reason: Hashable, Sendable {
    /// The context has ended.
    case hasEnded
    /// A save of the context, or an import into it, waits for its transaction.
    case isSaving
    /// An object that is not stored any more. ``ObjectContext/insert(_:as:)`` makes its instance a new object.
    case deleted
    /// A new object with the key of a stored one, or of another new one.
    case keyTaken
    /// A relationship that is read or changed before it is loaded.
    case notLoaded
    /// Any other mistake in the call, or in the edits. The description names its place.
    case refused
  }

  package let reason: Reason
  /// The entity; nil without one.
  public let entity: String?
  /// The key of the object; nil without one.
  public let key: PrimaryKey?
  public let description: String

  private init(
    _ reason: Reason, _ entity: String?, _ key: PrimaryKey?, _ description: String
  ) {
    self.reason = reason
    self.entity = entity
    self.key = key
    self.description = description
  }

  package static func title(_ entity: String, _ key: PrimaryKey?) -> String {
    "\(escaped(entity)) \(key.map { "\($0)" } ?? "without a key")"
  }
}

// Mistakes of calls. A `place` is where a relationship has the object: `Book 1.editors[0]`.
extension ContextError {
  package static let hasEnded = ContextError(
    .hasEnded, nil, nil, "the context has ended")

  package static let isSaving = ContextError(
    .isSaving, nil, nil, "the context is being saved, or imported into; wait until that is done")

  /// An instance that this context has not read.
  package static func unknownInstance(type: String) -> ContextError {
    ContextError(
      .refused, nil, nil,
      "expected an instance that this context has read or inserted, found another one of \(type)")
  }

  /// An instance that was inserted and not saved yet. There is nothing to read.
  package static func newInstance(entity: String) -> ContextError {
    ContextError(
      .refused, entity, nil,
      "expected an object that is stored, found a new \(escaped(entity)), which is not saved yet")
  }

  /// An instance whose object has left the context, because a save or an import has found that it is not stored any more.
  package static func deletedInstance(entity: String, key: PrimaryKey?) -> ContextError {
    ContextError(
      .deleted, entity, key,
      "expected an object that is stored, found \(title(entity, key)), which was deleted")
  }

  /// The context has instances of another class for the objects of an entity.
  package static func otherClass(entity: String, expected: String, found: String) -> ContextError {
    ContextError(
      .refused, entity, nil,
      "expected \(expected), the class of \(escaped(entity)) in this context, found \(found)")
  }

  /// A mapping that the context was not made for, and a field that none of the context's mappings has.
  package static func unknownMapping(_ mapping: String, entity: String, field: String) -> ContextError {
    ContextError(
      .refused, entity, nil,
      "expected a mapping that the context was made for, found \(escaped(mapping)), "
        + "which has \(escaped(entity)).\(escaped(field)); make the context for it, too")
  }

  /// A property that no mapping of the entity has as a relationship or an inverse.
  ///
  /// - Parameter names: All relationships and inverses.
  package static func noRelationship(entity: String, property: String, among names: [String]) -> ContextError
  {
    ContextError(
      .refused, entity, nil,
      "no mapping of \(escaped(entity)) has \(property) as a relationship; "
        + "its relationships are: \(names.isEmpty ? "none" : list(names.map { escaped($0) }))")
  }

  /// A payload for an instance that is about another object, or for a stored object without a key.
  package static func otherObject(entity: String, expected: PrimaryKey?, found: PrimaryKey?) -> ContextError {
    ContextError(
      .refused, entity, expected,
      expected == nil
        ? "expected an object with a key or a new one, found a stored \(escaped(entity)) without a key, "
          + "which no payload can name; change its properties instead"
        : "expected a payload for \(title(entity, expected)), found one for \(title(entity, found))")
  }

  /// A payload for a new instance, about an object that has another instance in the context.
  package static func otherInstance(entity: String, key: PrimaryKey?) -> ContextError {
    ContextError(
      .refused, entity, key,
      "expected a new object, the context has another instance for \(title(entity, key))")
  }

  /// A relationship that is read or changed before it is loaded.
  package static func notLoaded(
    entity: String, key: PrimaryKey?, title: String, relationship: String
  ) -> ContextError {
    ContextError(
      .notLoaded, entity, key,
      "\(title).\(escaped(relationship)) is not loaded; load it before you read or change it")
  }

  package static func longPath(_ path: String) -> ContextError {
    ContextError(
      .refused, nil, nil, "expected at most 100 relationships in a path, found more in \(quoted(path))")
  }
}

// Mistakes in the edited objects, which a save finds.
extension ContextError {
  /// An object or an instance of another entity than a mapping or a relationship expects.
  package static func otherEntity(
    place: String?, expected: String, found: String, key: PrimaryKey?
  ) -> ContextError {
    ContextError(
      .refused, found, key,
      "\(place.map { "\($0): " } ?? "")expected an object of \(escaped(expected)), found \(title(found, key))"
    )
  }

  /// An instance of a subclass that no mapping has: its own fields would be lost.
  package static func unmappedClass(place: String?, entity: String, expected: String, found: String)
    -> ContextError
  {
    ContextError(
      .refused, entity, nil,
      "\(place.map { "\($0): " } ?? "")expected an instance of \(expected), found one of \(found), whose own fields would be lost; "
        + "map \(found), or give the mapping of \(escaped(entity)) takesSubclasses")
  }

  /// An instance of a class that the kinds of an entity do not name.
  package static func kindlessClass(place: String?, entity: String, expected: String, found: String)
    -> ContextError
  {
    ContextError(
      .refused, entity, nil,
      "\(place.map { "\($0): " } ?? "")expected an instance of \(expected), found one of \(found), "
        + "which the kinds of \(escaped(entity)) do not name")
  }

  /// A new link to an object of the same save's deletions.
  package static func deletedTarget(place: String, entity: String, key: PrimaryKey?) -> ContextError {
    ContextError(
      .refused, entity, key,
      "\(place): expected an object that stays, found \(title(entity, key)), which the same save deletes")
  }

  /// A property that was set after its object was deleted.
  package static func deletedEdit(
    entity: String, key: PrimaryKey?, title: String, field: String
  ) -> ContextError {
    ContextError(
      .deleted, entity, key,
      "\(title).\(escaped(field)) was set after the object was deleted; roll it back, or insert it as a new object"
    )
  }

  /// A new object with the key of a stored one.
  package static func keyTaken(entity: String, place: String?, key: PrimaryKey) -> ContextError {
    ContextError(
      .keyTaken, entity, key,
      "\(place.map { "\($0), " } ?? "")a new object of \(escaped(entity)): expected a new key, \(key) is taken; "
        + "read that object and change it")
  }

  package static func repeatedKey(entity: String, key: PrimaryKey) -> ContextError {
    ContextError(.keyTaken, entity, key, "two new objects of \(escaped(entity)) have the key \(key)")
  }

  package static func keyChanged(entity: String, key: PrimaryKey?) -> ContextError {
    ContextError(
      .refused, entity, key,
      "the primary key of \(title(entity, key)) was changed; insert a new object instead")
  }

  /// A new object without a key that the store can hold.
  package static func refusedKey(entity: String, place: String?, reason: String) -> ContextError {
    ContextError(
      .refused, entity, nil, "\(place.map { "\($0), " } ?? "")a new object of \(escaped(entity)): \(reason)")
  }

  /// A stored object with a key in the scope of its owner, at the place of another owner or relationship. Its key would change.
  package static func otherOwner(place: String, entity: String, key: PrimaryKey) -> ContextError {
    ContextError(
      .refused, entity, key,
      "\(place): \(title(entity, key)) belongs to another owner or relationship, which its key begins with; "
        + "insert a new object instead")
  }

  /// A value of a record that its field cannot have.
  package static func wrongValue(
    entity: String, key: PrimaryKey?, title: String, field: String, expected: String, found: String
  ) -> ContextError {
    ContextError(
      .refused, entity, key, "\(title).\(escaped(field)): expected \(expected), found \(found)")
  }

  /// An edited inverse that differs from the saved relationships, or any inverse that was set in a record.
  package static func editedInverse(
    entity: String, key: PrimaryKey?, title: String, inverse: String, relationship: String
  ) -> ContextError {
    ContextError(
      .refused, entity, key, "\(title).\(escaped(inverse)) is an inverse; change \(escaped(relationship))")
  }

  /// An inverse with a new instance, which no relationship of the context has. A save stores nothing for an inverse.
  package static func newInInverse(
    entity: String, key: PrimaryKey?, title: String, inverse: String, relationship: String
  ) -> ContextError {
    ContextError(
      .refused, entity, key,
      "\(title).\(escaped(inverse)) has a new object, and it is an inverse, which inserts nothing; "
        + "insert the object, and set its \(escaped(relationship))")
  }
}

extension ContextError: FastMapError {
  public var code: String {
    switch reason {
    case .hasEnded: "context-ended"
    case .isSaving: "context-saving"
    case .deleted: "context-deleted"
    case .keyTaken: "context-key-taken"
    case .notLoaded: "context-not-loaded"
    case .refused: "context-refused"
    }
  }

  public var place: String? { entity.map { entity in key.map { "\(entity) \($0)" } ?? entity } }
}
