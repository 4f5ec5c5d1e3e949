// The lines of Attribute.swift and Relationship+Class.swift, once more for a `MainActorMapping`. The compiler has no way to
// say "`Sendable`, or of the main actor" of a key path. A key path to a property of the main actor is not `Sendable`,
// so the closures that capture it are called on the main actor alone. The code that touches instances checks that once
// for a batch (see MainActorError). A check in each closure would make a set take 82 ns in place of 22.

extension Attribute {
  /// Makes an attribute of a main-actor class.
  ///
  /// An import with `await` calls the transform off the main actor.
  ///
  /// - SeeAlso: The attribute of another class, whose parameters it has.
  @MainActor
  @inlinable
  @inline(__always)
  public init<Class: AnyObject, V: AttributeValue>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, V>, at keyPath: JSONKeyPath = .ownName,
    as type: AttributeType? = nil, transform: Transform<V.Unwrapped>? = nil, was: String? = nil
  ) where Object == MainActorMapping<Class> {
    // nonisolated(unsafe): used on the main actor alone, see the top of this file.
    nonisolated(unsafe) let property = property
    self.init(name, V.self, at: keyPath, as: type, transform: transform, was: was) { object, field, writer in
      if let writer {
        unsafeDowncast(object, to: Class.self)[keyPath: property].write(to: &writer.pointee)
        return nil
      }
      if !field.isMissing {
        if let value = V(field) {
          unsafeDowncast(object, to: Class.self)[keyPath: property] = value
          return nil
        }
        if field.isNull { return nil }
      }
      return property
    }
  }
}

extension ToOne {
  /// Makes a relationship of a main-actor class to at most one object.
  ///
  /// - SeeAlso: The relationship of another class, whose parameters it has.
  @MainActor
  @inlinable
  @inline(__always)
  public init<Class: AnyObject, Target: AnyObject>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, Target?>,
    _ mapping: @autoclosure @escaping @MainActor @Sendable () -> MainActorMapping<Target>,
    at keyPath: JSONKeyPath = .ownName, policy: RelationshipPolicy = .assign, isWeak: Bool = false,
    was: String? = nil
  ) where Object == MainActorMapping<Class> {
    // nonisolated(unsafe): used on the main actor alone, see the top of this file.
    nonisolated(unsafe) let property = property
    let definition = RelationshipDefinition(
      name, .onMain(mapping), isToMany: false, at: keyPath, policy: policy, isWeak: isWeak, was: was,
      shape: .ordered
    ) { object, step in
      switch step {
      case .get: return unsafeDowncast(object, to: Class.self)[keyPath: property].map { [$0] } ?? []
      case .set(let targets):
        unsafeDowncast(object, to: Class.self)[keyPath: property] = targets?.first as? Target
        return []
      case .property: return [property]
      }
    }
    self.init(definition: definition)
  }
}

extension ToMany {
  /// Makes a relationship of a main-actor class to any number of objects.
  ///
  /// - SeeAlso: The relationship of another class, whose parameters it has.
  @MainActor
  @inlinable
  @inline(__always)
  public init<Class: AnyObject, Targets: RelatedObjects>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, Targets>,
    _ mapping: @autoclosure @escaping @MainActor @Sendable () -> MainActorMapping<Targets.Target>,
    at keyPath: JSONKeyPath = .ownName, policy: RelationshipPolicy = .assign, isWeak: Bool = false,
    keyedBy: String? = nil, was: String? = nil
  ) where Object == MainActorMapping<Class> {
    self.init(
      definition: RelationshipDefinition(
        name, .onMain(mapping), isToMany: true, at: keyPath, policy: policy, isWeak: isWeak,
        keyedBy: keyedBy, was: was, shape: Targets.shape, access: mainAccess(property)))
  }
}

/// The access to a to-many property, isolated to no actor: Swift checks the actor in each call of an isolated closure.
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
  // Used on the main actor alone, see above. The closure cannot be `Sendable`, as the targets may be a set of a class
  // that can be hashed on the main actor only.
  return unsafeBitCast(access, to: RelationshipClosure.self)
}

extension RelationshipDefinition.Destination {
  @usableFromInline
  static func onMain<Target: AnyObject>(
    _ mapping: @escaping @MainActor @Sendable () -> MainActorMapping<Target>
  ) -> Self {
    .onMain { mapping().definition }
  }
}
