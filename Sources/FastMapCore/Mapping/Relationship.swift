// ToOne and ToMany read like the types beside them in a mapping.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A link from the objects of a mapping to objects of a mapping: a line of a mapping.
///
///     ToOne("car", \.car, Car.mapping)
///     ToMany("phones", \.phones, Phone.mapping, policy: .merge)
///     ToMany("tags", tag)                                                     // of a record
///     Relationship("boss", .named("Person"), isToMany: false, at: "boss_id")  // by name, in a set
///
/// In JSON its value is an object, an array of objects, a key, or an array of keys. The mapping is asked for
/// only when a plan is compiled, so mappings may refer to each other.
public struct Relationship<Object>: Sendable {
  /// The relationship without the types of its objects.
  public let description: RelationshipDefinition

  init(_ description: RelationshipDefinition) { self.description = description }
}

extension Relationship where Object == Record {
  /// Makes a relationship of a record from its parts.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - destination: The mapping of its targets, or how to find it.
  ///   - isToMany: Whether it has any number of targets, in an order, or at most one.
  ///   - keyPath: Where its value stands; nil is the owner's own representation.
  ///   - policy: What happens to the old targets.
  ///   - isWeak: Whether it only links to objects that exist, and makes none.
  public init(
    _ name: String, _ destination: RelationshipDefinition.Destination, isToMany: Bool,
    at keyPath: JSONKeyPath?, policy: RelationshipPolicy = .assign, isWeak: Bool = false
  ) {
    description = RelationshipDefinition(
      name, destination, isToMany: isToMany, at: keyPath, policy: policy, isWeak: isWeak)
  }
}

/// A relationship of a record to at most one object, at the key path of its own name.
public func ToOne(
  _ name: String, _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Record>,
  policy: RelationshipPolicy = .assign, weak: Bool = false
) -> Relationship<Record> {
  ToOne(name, mapping(), at: .named(name), policy: policy, weak: weak)
}

/// A relationship of a record to at most one object.
///
///     ToOne("boss", person, at: "boss_id", weak: true)
///
/// - Parameters:
///   - name: Its name in the store and in messages, not empty.
///   - mapping: Of the targets. It is asked for when a plan is compiled, and may refer back to this one.
///   - keyPath: Where its value stands; nil is the owner's own representation.
///   - policy: What happens to the old target when a payload brings a new one.
///   - weak: Whether it only links to an object that exists, and makes none.
public func ToOne(
  _ name: String, _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Record>, at keyPath: JSONKeyPath?,
  policy: RelationshipPolicy = .assign, weak: Bool = false
) -> Relationship<Record> {
  Relationship(
    name, .mapping { mapping().description }, isToMany: false, at: keyPath, policy: policy, isWeak: weak)
}

/// A relationship of a record to any number of objects, in an order, at the key path of its own name.
public func ToMany(
  _ name: String, _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Record>,
  policy: RelationshipPolicy = .assign, weak: Bool = false
) -> Relationship<Record> {
  ToMany(name, mapping(), at: .named(name), policy: policy, weak: weak)
}

/// A relationship of a record to any number of objects, in an order.
///
///     ToMany("tags", tag, at: "meta.tags", policy: .merge)
///
/// - Parameters:
///   - name: Its name in the store and in messages, not empty.
///   - mapping: Of the targets. It is asked for when a plan is compiled, and may refer back to this one.
///   - keyPath: Where its value stands; nil is the owner's own representation.
///   - policy: What happens to the old targets when a payload brings new ones.
///   - weak: Whether it only links to objects that exist, and makes none.
public func ToMany(
  _ name: String, _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Record>, at keyPath: JSONKeyPath?,
  policy: RelationshipPolicy = .assign, weak: Bool = false
) -> Relationship<Record> {
  Relationship(
    name, .mapping { mapping().description }, isToMany: true, at: keyPath, policy: policy, isWeak: weak)
}
