// ToOne and ToMany read like the types beside them in a mapping.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// As in Attribute.swift, key path literals are captured by closures that are inlined into the caller's module.

/// A relationship of a class to at most one object, at the key path of its own name.
///
///     ToOne("car", \.car, Car.mapping)
///
/// - Parameters:
///   - name: Its name in the store and in messages, not empty.
///   - property: A key path literal, `\.car`, of an optional property.
///   - mapping: Of the targets. It is asked for when a plan is compiled, and may refer back to this one.
///   - policy: What happens to the old target when a payload brings a new one.
///   - weak: Whether it only links to an object that exists, and makes none.
@inlinable
@inline(__always)
public func ToOne<Object: AnyObject, Target: AnyObject>(
  _ name: String, _ property: ReferenceWritableKeyPath<Object, Target?> & Sendable,
  _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Target>, policy: RelationshipPolicy = .assign,
  weak: Bool = false
) -> Relationship<Object> {
  ToOne(name, property, mapping(), at: .named(name), policy: policy, weak: weak)
}

/// A relationship of a class to at most one object.
///
///     ToOne("boss", \.boss, Person.mapping, at: "boss_id", weak: true)
///
/// - Parameters:
///   - name: Its name in the store and in messages, not empty.
///   - property: A key path literal, `\.car`, of an optional property.
///   - mapping: Of the targets. It is asked for when a plan is compiled, and may refer back to this one.
///   - keyPath: Where its value stands; nil is the owner's own representation.
///   - policy: What happens to the old target when a payload brings a new one.
///   - weak: Whether it only links to an object that exists, and makes none.
@inlinable
@inline(__always)
public func ToOne<Object: AnyObject, Target: AnyObject>(
  _ name: String, _ property: ReferenceWritableKeyPath<Object, Target?> & Sendable,
  _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Target>, at keyPath: JSONKeyPath?,
  policy: RelationshipPolicy = .assign, weak: Bool = false
) -> Relationship<Object> {
  Relationship(
    name, .mapping { mapping().description }, isToMany: false, at: keyPath, policy: policy, isWeak: weak,
    access: { object, step in
      switch step {
      case .get: return unsafeDowncast(object, to: Object.self)[keyPath: property].map { [$0] } ?? []
      case .set(let targets):
        unsafeDowncast(object, to: Object.self)[keyPath: property] = targets?.first as? Target
        return []
      case .property: return [property]
      }
    },
    shape: .ordered)
}

/// A relationship of a class to any number of objects, at the key path of its own name.
///
///     ToMany("phones", \.phones, Phone.mapping, policy: .merge)
///
/// - Parameters:
///   - name: Its name in the store and in messages, not empty.
///   - property: A key path literal, `\.phones`, of an array, a set, a ``OrderedObjectSet``, or an optional of
///     these.
///   - mapping: Of the targets. It is asked for when a plan is compiled, and may refer back to this one.
///   - policy: What happens to the old targets when a payload brings new ones.
///   - weak: Whether it only links to objects that exist, and makes none.
@inlinable
@inline(__always)
public func ToMany<Object: AnyObject, Targets: RelatedObjects & SendableMetatype>(
  _ name: String, _ property: ReferenceWritableKeyPath<Object, Targets> & Sendable,
  _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Targets.Target>,
  policy: RelationshipPolicy = .assign, weak: Bool = false
) -> Relationship<Object> {
  ToMany(name, property, mapping(), at: .named(name), policy: policy, weak: weak)
}

/// A relationship of a class to any number of objects.
///
///     ToMany("phones", \.phones, Phone.mapping, at: "contact.phones")
///
/// - Parameters:
///   - name: Its name in the store and in messages, not empty.
///   - property: A key path literal, `\.phones`, of an array, a set, a ``OrderedObjectSet``, or an optional of
///     these.
///   - mapping: Of the targets. It is asked for when a plan is compiled, and may refer back to this one.
///   - keyPath: Where its value stands; nil is the owner's own representation.
///   - policy: What happens to the old targets when a payload brings new ones.
///   - weak: Whether it only links to objects that exist, and makes none.
@inlinable
@inline(__always)
public func ToMany<Object: AnyObject, Targets: RelatedObjects & SendableMetatype>(
  _ name: String, _ property: ReferenceWritableKeyPath<Object, Targets> & Sendable,
  _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Targets.Target>, at keyPath: JSONKeyPath?,
  policy: RelationshipPolicy = .assign, weak: Bool = false
) -> Relationship<Object> {
  Relationship(
    name, .mapping { mapping().description }, isToMany: true, at: keyPath, policy: policy, isWeak: weak,
    access: { object, step in
      switch step {
      case .get: return unsafeDowncast(object, to: Object.self)[keyPath: property].related
      case .set(let targets):
        unsafeDowncast(object, to: Object.self)[keyPath: property] = Targets(
          related: targets.map { $0.compactMap { $0 as? Targets.Target } })
        return []
      case .property: return [property]
      }
    },
    shape: Targets.shape)
}

extension Relationship {
  @usableFromInline
  init(
    _ name: String, _ destination: RelationshipDefinition.Destination, isToMany: Bool,
    at keyPath: JSONKeyPath?, policy: RelationshipPolicy, isWeak: Bool,
    access: @escaping RelationshipClosure, shape: RelatedObjectsShape
  ) {
    var description = RelationshipDefinition(
      name, destination, isToMany: isToMany, at: keyPath, policy: policy, isWeak: isWeak)
    description.access = RelationshipAccess(access: access, shape: shape)
    self.description = description
  }
}
