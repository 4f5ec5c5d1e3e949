/// Two objects have the same values in a unique index. Nothing is changed.
///
///     Person: "email" is unique, and the objects with the keys 17 and 42 both have "ada@example.org"
///
/// An import reports it for an object of its payload as a ``MappingError`` with the reason
/// ``MappingError/Reason/notUnique(_:)``, which adds the path. The import throws this error itself where both objects
/// were stored before, because an index is new or has become unique.
public struct UniquenessError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The entity of both objects.
  public let entity: String
  /// The name of the index: `status,-created_at`.
  public let index: String
  /// The common values of both objects, in the order of the index's fields. For a relationship, the key of its target.
  public let values: [Value]
  /// The keys of both objects; nil for one without a key. An import names the object that stays first.
  public let keys: [PrimaryKey?]

  /// Makes an error.
  public init(entity: String, index: String, values: [Value], keys: [PrimaryKey?]) {
    self.entity = entity
    self.index = index
    self.values = values
    self.keys = keys
  }

  public var description: String {
    "\(escaped(entity)): \(quoted(index)) is unique, and \(objects) both have \(valueText)"
  }

  /// The fault of the second object, for a message that begins with its path.
  package var message: String {
    let own = keys.last.flatMap(\.self).map { "with the key \($0)" } ?? "without a key"
    let other = keys.first.flatMap(\.self).map { "the one with the key \($0)" } ?? "one without a key"
    return "expected an object of \(escaped(entity)) that is unique in \(quoted(index)), found one \(own) "
      + "that has \(valueText), as \(other)"
  }

  /// The values for messages: `"ada@example.org"`, `17, "open"`.
  var valueText: String { values.map(\.messageText).joined(separator: ", ") }

  private var objects: String {
    let known = keys.compactMap(\.self).map(\.description)
    switch known.count {
    case 0: return "two objects without a key"
    case 1: return "the object with the key \(known[0]) and one without a key"
    default: return "the objects with the keys \(known.joined(separator: " and "))"
    }
  }
}
