// ToOne and ToMany read like the types beside them in a mapping.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import CFastMap

/// What happens to the old value of a relationship when a payload brings a new one.
public enum RelationshipPolicy: String, Sendable, CaseIterable {
  /// The new value takes the old one's place; old targets stay in the store.
  case assign
  /// To-many: old targets in their order, then new ones. To-one: the new target, unless it is null.
  case merge
  /// As `assign`, and old targets that nothing refers to any more are deleted from the store.
  case replace

  package var code: UInt8 {
    switch self {
    case .assign: UInt8(FASTMAP_ASSIGN)
    case .merge: UInt8(FASTMAP_MERGE)
    case .replace: UInt8(FASTMAP_REPLACE)
    }
  }

  package init(code: UInt8) {
    switch Int(code) {
    case FASTMAP_MERGE: self = .merge
    case FASTMAP_REPLACE: self = .replace
    default: self = .assign
    }
  }
}

/// A link from the objects of a mapping to objects of a mapping.
///
///     ToOne("car", car)
///     ToMany("phones", phone, policy: .merge)
///     Relationship("boss", .named("Person"), isToMany: false, at: "boss_id")   // by name, from a set of mappings
///
/// In JSON its value is an object, an array of objects, a key, or an array of keys.
public struct Relationship: Sendable {
  /// Its name in the store, in records and in messages.
  public let name: String

  /// The mapping of its targets.
  public let destination: Destination

  public let isToMany: Bool

  /// Where its value stands in the owner's representation; nil is the representation itself.
  public let keyPath: JSONKeyPath?
  public let policy: RelationshipPolicy

  /// Whether it only links to an object that exists, in the store or in the payload before this point, and makes none.
  public let isWeak: Bool

  /// A mapping, or how to find it.
  public enum Destination: Sendable {
    /// The mapping with this name among those that are compiled together.
    case named(String)
    /// The mapping that the closure returns when a plan is compiled: always the same one.
    case mapping(@Sendable () -> Mapping)
  }

  /// Makes a relationship from its parts.
  ///
  /// - Parameter keyPath: Where its value stands; nil is the owner's own representation.
  public init(
    _ name: String, _ destination: Destination, isToMany: Bool, at keyPath: JSONKeyPath?,
    policy: RelationshipPolicy = .assign, isWeak: Bool = false
  ) {
    self.name = name
    self.destination = destination
    self.isToMany = isToMany
    self.keyPath = keyPath
    self.policy = policy
    self.isWeak = isWeak
  }
}

/// A relationship to at most one object, at the key path of its own name.
public func ToOne(
  _ name: String, _ mapping: @autoclosure @escaping @Sendable () -> Mapping,
  policy: RelationshipPolicy = .assign, weak: Bool = false
) -> Relationship {
  ToOne(name, mapping(), at: JSONKeyPath(components: [name]), policy: policy, weak: weak)
}

/// A relationship to at most one object.
///
/// - Parameter keyPath: Where its value stands; nil is the owner's own representation.
public func ToOne(
  _ name: String, _ mapping: @autoclosure @escaping @Sendable () -> Mapping, at keyPath: JSONKeyPath?,
  policy: RelationshipPolicy = .assign, weak: Bool = false
) -> Relationship {
  Relationship(name, .mapping(mapping), isToMany: false, at: keyPath, policy: policy, isWeak: weak)
}

/// A relationship to any number of objects, in an order, at the key path of its own name.
public func ToMany(
  _ name: String, _ mapping: @autoclosure @escaping @Sendable () -> Mapping,
  policy: RelationshipPolicy = .assign, weak: Bool = false
) -> Relationship {
  ToMany(name, mapping(), at: JSONKeyPath(components: [name]), policy: policy, weak: weak)
}

/// A relationship to any number of objects, in an order.
///
/// - Parameter keyPath: Where its value stands; nil is the owner's own representation.
public func ToMany(
  _ name: String, _ mapping: @autoclosure @escaping @Sendable () -> Mapping, at keyPath: JSONKeyPath?,
  policy: RelationshipPolicy = .assign, weak: Bool = false
) -> Relationship {
  Relationship(name, .mapping(mapping), isToMany: true, at: keyPath, policy: policy, isWeak: weak)
}
