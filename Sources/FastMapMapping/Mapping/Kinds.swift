/// The choice of a mapping by a member's value, for objects of several kinds in one place.
///
///     let event = Mapping(
///       "AnyEvent", entity: "Event", primaryKey: "id",
///       kinds: Kinds("type", ["PushEvent": .mapping { push.definition }, "WatchEvent": .named("Watch")], otherwise: .skip))
///
/// All of its mappings have the same entity and the same primary key. The value is stored and written back. The name of the
/// chosen mapping is the attribute `kind` of each object, for filters, sorts and indexes.
///
/// The objects of a class are of several classes then. The subclasses inherit the fields of its mapping:
///
///     class Event { var id = 0; var created: Int? }
///     final class PushEvent: Event { var size = 0 }
///     final class WatchEvent: Event { var action = "" }
///
///     extension Event {
///       static let mapping: Mapping<Event> = Mapping(
///         Event.self, "AnyEvent", entity: "Event", primaryKey: "id",
///         kinds: Kinds("type", ["PushEvent": .mapping(Event.push), "WatchEvent": .mapping(Event.watch)], otherwise: .skip),
///         make: Event.init
///       ) {
///         Attribute("id", \.id)
///         Attribute("created", \.created)
///       }
///       static let push = Mapping(PushEvent.self, "Push", kindOf: Event.mapping, make: PushEvent.init) {
///         Attribute("size", \.size)
///       }
///       static let watch = Mapping(WatchEvent.self, "Watch", kindOf: Event.mapping, make: WatchEvent.init) {
///         Attribute("action", \.action)
///       }
///     }
///
/// A representation without the value leaves a stored object its kind. A new object is treated as one with an unnamed value.
/// An object that changes its kind loses the fields that its new kind lacks.
public struct Kinds: Sendable {
  /// The treatment of a value that names no mapping.
  public enum Otherwise: Sendable {
    /// The object is an error.
    case error
    /// The object is left out and counted as skipped, and absent from lists.
    case skip
    /// This mapping reads the object, as a kind like the others.
    case mapping(RelationshipDefinition.Destination)
  }

  /// The place of the value in the object's representation.
  package let keyPath: JSONKeyPath
  /// The values, and how to find their mappings.
  package let values: [(value: String, destination: RelationshipDefinition.Destination)]
  package let otherwise: Otherwise

  /// Makes a choice.
  ///
  /// - Parameters:
  ///   - keyPath: The place of the value, which is a string.
  ///   - values: The values, and how to find their mappings. Several values may have one mapping.
  ///   - otherwise: The treatment of a value that is not among them.
  public init(
    _ keyPath: JSONKeyPath,
    _ values: KeyValuePairs<String, RelationshipDefinition.Destination>, otherwise: Otherwise = .error
  ) {
    self.init(keyPath, values.map { ($0, $1) }, otherwise: otherwise)
  }

  package init(
    _ keyPath: JSONKeyPath, _ values: [(String, RelationshipDefinition.Destination)], otherwise: Otherwise
  ) {
    self.keyPath = keyPath
    self.values = values.map { ($0.0, $0.1) }
    self.otherwise = otherwise
  }

  /// The attribute with the name of the chosen mapping.
  package static let fieldName = "kind"

  /// The mapping of all other values.
  var otherwiseDestination: RelationshipDefinition.Destination? {
    if case .mapping(let destination) = otherwise { destination } else { nil }
  }

  /// The names of the mappings that it finds by name.
  package var names: [String] {
    (values.map(\.destination) + [otherwiseDestination].compactMap(\.self)).compactMap {
      if case .named(let name) = $0 { name } else { nil }
    }
  }
}
