// ToOne and ToMany read like the types beside them in a mapping.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The lines of a `MainMapping`: those of Attribute.swift and Relationship+Class.swift once more, as the compiler has no
// way to say "`Sendable`, or of the main actor" of a key path. A key path to a property of the main actor is no
// `Sendable` value, so the closures that capture it are called on the main actor alone: who touches instances sees to
// that, once for a batch (see MainActorError). To ask in each closure would make a set take 82 ns in place of 22.

extension Attribute {
  /// Makes an attribute of a main-actor class, whose key path is its name.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - property: A key path literal, `\.name`.
  @MainActor
  @inlinable
  @inline(__always)
  public init<Class: AnyObject, V: AttributeValue>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, V>
  ) where Object == OnMain<Class> {
    self.init(
      name, V.self, type: V.attributeType, keyPath: .named(name), access: Self.mainAccess(property))
  }

  /// Makes an attribute of a main-actor class.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - property: A key path literal, `\.name`.
  ///   - keyPath: Where it stands; nil is the representation itself.
  ///   - type: Its form in JSON, where it is not the property's own: a date's format.
  @MainActor
  @inlinable
  @inline(__always)
  public init<Class: AnyObject, V: AttributeValue>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, V>, at keyPath: JSONKeyPath?,
    as type: AttributeType? = nil
  ) where Object == OnMain<Class> {
    self.init(
      name, V.self, type: type ?? V.attributeType, keyPath: keyPath, access: Self.mainAccess(property))
  }

  /// Makes an attribute of a main-actor class with another form in JSON than the property's own, whose key path is
  /// its name.
  @MainActor
  @inlinable
  @inline(__always)
  public init<Class: AnyObject, V: AttributeValue>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, V>, as type: AttributeType
  ) where Object == OnMain<Class> {
    self.init(name, V.self, type: type, keyPath: .named(name), access: Self.mainAccess(property))
  }

  /// Makes an attribute of a main-actor class that is read and written by a transform.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - property: A key path literal, `\.name`.
  ///   - keyPath: Where it stands; nil is the representation itself.
  ///   - transform: Reads off the main actor, in an import with `await`.
  @MainActor
  @inlinable
  @inline(__always)
  public init<Class: AnyObject, V: AttributeValue>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, V>, at keyPath: JSONKeyPath?,
    transform: Transform<V.Unwrapped>
  ) where Object == OnMain<Class> {
    self.init(
      name, V.self, type: V.attributeType, keyPath: keyPath, access: Self.mainAccess(property),
      transform: AnyTransform(transform))
  }

  /// Makes an attribute of a main-actor class that is read and written by a transform, whose key path is its name.
  @MainActor
  @inlinable
  @inline(__always)
  public init<Class: AnyObject, V: AttributeValue>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, V>, transform: Transform<V.Unwrapped>
  ) where Object == OnMain<Class> {
    self.init(name, property, at: JSONKeyPath.named(name), transform: transform)
  }

  @inlinable
  @inline(__always)
  static func mainAccess<Class: AnyObject, V: AttributeValue>(
    _ property: ReferenceWritableKeyPath<Class, V>
  ) -> AttributeClosure {
    // nonisolated(unsafe): used on the main actor alone, as the top of this file says.
    nonisolated(unsafe) let property = property
    return { object, field, writer in
      if let writer {
        unsafeDowncast(object, to: Class.self)[keyPath: property].write(to: &writer.pointee)
      } else if let field {
        if let value = V(field) { unsafeDowncast(object, to: Class.self)[keyPath: property] = value }
      } else {
        return property
      }
      return nil
    }
  }
}

/// A relationship of a main-actor class to at most one object, at the key path of its own name.
///
///     ToOne("manager", \.manager, Person.mapping)
///
/// - Parameters:
///   - name: Its name in the store and in messages, not empty.
///   - property: A key path literal, `\.manager`, of an optional property.
///   - mapping: Of the targets. It is asked for when a plan is compiled, and may refer back to this one.
///   - policy: What happens to the old target when a payload brings a new one.
///   - weak: Whether it only links to an object that exists, and makes none.
@MainActor
@inlinable
@inline(__always)
public func ToOne<Object: AnyObject, Target: AnyObject>(
  _ name: String, _ property: ReferenceWritableKeyPath<Object, Target?>,
  _ mapping: @autoclosure @escaping @MainActor @Sendable () -> MainMapping<Target>,
  policy: RelationshipPolicy = .assign, weak: Bool = false
) -> Relationship<OnMain<Object>> {
  ToOne(name, property, mapping(), at: .named(name), policy: policy, weak: weak)
}

/// A relationship of a main-actor class to at most one object.
///
///     ToOne("manager", \.manager, Person.mapping, at: "manager_id", weak: true)
///
/// - Parameters:
///   - name: Its name in the store and in messages, not empty.
///   - property: A key path literal, `\.manager`, of an optional property.
///   - mapping: Of the targets. It is asked for when a plan is compiled, and may refer back to this one.
///   - keyPath: Where its value stands; nil is the owner's own representation.
///   - policy: What happens to the old target when a payload brings a new one.
///   - weak: Whether it only links to an object that exists, and makes none.
@MainActor
@inlinable
@inline(__always)
public func ToOne<Object: AnyObject, Target: AnyObject>(
  _ name: String, _ property: ReferenceWritableKeyPath<Object, Target?>,
  _ mapping: @autoclosure @escaping @MainActor @Sendable () -> MainMapping<Target>, at keyPath: JSONKeyPath?,
  policy: RelationshipPolicy = .assign, weak: Bool = false
) -> Relationship<OnMain<Object>> {
  // nonisolated(unsafe): used on the main actor alone, as the top of this file says.
  nonisolated(unsafe) let property = property
  return Relationship(
    name, mapping, isToMany: false, at: keyPath, policy: policy, isWeak: weak,
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

/// A relationship of a main-actor class to any number of objects, at the key path of its own name.
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
@MainActor
@inlinable
@inline(__always)
public func ToMany<Object: AnyObject, Targets: RelatedObjects>(
  _ name: String, _ property: ReferenceWritableKeyPath<Object, Targets>,
  _ mapping: @autoclosure @escaping @MainActor @Sendable () -> MainMapping<Targets.Target>,
  policy: RelationshipPolicy = .assign, weak: Bool = false
) -> Relationship<OnMain<Object>> {
  ToMany(name, property, mapping(), at: .named(name), policy: policy, weak: weak)
}

/// A relationship of a main-actor class to any number of objects.
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
@MainActor
@inlinable
@inline(__always)
public func ToMany<Object: AnyObject, Targets: RelatedObjects>(
  _ name: String, _ property: ReferenceWritableKeyPath<Object, Targets>,
  _ mapping: @autoclosure @escaping @MainActor @Sendable () -> MainMapping<Targets.Target>,
  at keyPath: JSONKeyPath?, policy: RelationshipPolicy = .assign, weak: Bool = false
) -> Relationship<OnMain<Object>> {
  Relationship(
    name, mapping, isToMany: true, at: keyPath, policy: policy, isWeak: weak, access: mainAccess(property),
    shape: Targets.shape)
}

/// Of no actor: Swift asks for the actor in each call of a closure that is the main actor's.
@inlinable
@inline(__always)
func mainAccess<Object: AnyObject, Targets: RelatedObjects>(
  _ property: ReferenceWritableKeyPath<Object, Targets>
) -> RelationshipClosure {
  let access: (AnyObject, RelationshipStep) -> [AnyObject] = { object, step in
    switch step {
    case .get: return unsafeDowncast(object, to: Object.self)[keyPath: property].related
    case .set(let targets):
      unsafeDowncast(object, to: Object.self)[keyPath: property] = Targets(
        related: targets.map { $0.compactMap { $0 as? Targets.Target } })
      return []
    case .property: return [property]
    }
  }
  // Used on the main actor alone, see above. It cannot be `Sendable`, as the targets may be a set of a class that can be
  // hashed on the main actor only.
  return unsafeBitCast(access, to: RelationshipClosure.self)
}

extension Relationship {
  @usableFromInline
  init<Target: AnyObject>(
    _ name: String, _ mapping: @escaping @MainActor @Sendable () -> MainMapping<Target>, isToMany: Bool,
    at keyPath: JSONKeyPath?, policy: RelationshipPolicy, isWeak: Bool,
    access: @escaping RelationshipClosure, shape: RelatedObjectsShape
  ) {
    self.init(
      name, .onMain { mapping().description }, isToMany: isToMany, at: keyPath, policy: policy,
      isWeak: isWeak,
      access: access, shape: shape)
  }
}
