// The lines of Attribute.swift and Relationship+Class.swift, once more for a `MainActorMapping`. The compiler has no way to
// say "`Sendable`, or of the main actor" of a key path. A key path to a property of the main actor is not `Sendable`,
// so the closures that capture it are called on the main actor alone. The code that touches instances checks that once
// for a batch (see MainActorError). A check in each closure would make a set take 82 ns in place of 22.

extension Attribute {
  /// Makes an attribute of a main-actor class.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - property: A key path literal, `\.name`.
  ///   - keyPath: The place of its value.
  ///   - type: Its form in JSON, such as a date's format; nil for the form of the property's type.
  ///   - transform: Reads and writes the value. An import with `await` calls it off the main actor.
  @MainActor
  @inlinable
  @inline(__always)
  public init<Class: AnyObject, V: AttributeValue>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, V>, at keyPath: JSONKeyPath = .ownName,
    as type: AttributeType? = nil, transform: Transform<V.Unwrapped>? = nil
  ) where Object == MainActorMapping<Class> {
    // nonisolated(unsafe): used on the main actor alone, see the top of this file.
    nonisolated(unsafe) let property = property
    self.init(name, V.self, at: keyPath, as: type, transform: transform) { object, field, writer in
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
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - property: A key path literal, `\.manager`, of an optional property.
  ///   - mapping: The target's mapping. Asked for when a plan is compiled, and may refer back to this one.
  ///   - keyPath: The place of its value. ``JSONKeyPath/wholeValue`` is the owner's own representation.
  ///   - policy: Decides about the old target when a payload brings a new one.
  ///   - isWeak: Whether it only links to an object that exists, and makes none.
  @MainActor
  @inlinable
  @inline(__always)
  public init<Class: AnyObject, Target: AnyObject>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, Target?>,
    _ mapping: @autoclosure @escaping @MainActor @Sendable () -> MainActorMapping<Target>,
    at keyPath: JSONKeyPath = .ownName, policy: RelationshipPolicy = .assign, isWeak: Bool = false
  ) where Object == MainActorMapping<Class> {
    // nonisolated(unsafe): used on the main actor alone, see the top of this file.
    nonisolated(unsafe) let property = property
    let definition = RelationshipDefinition(
      name, .onMain(mapping), isToMany: false, at: keyPath, policy: policy, isWeak: isWeak,
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
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - property: A key path literal, `\.phones`, of an array, a set, a ``OrderedObjectSet``, or an optional of
  ///     these.
  ///   - mapping: The targets' mapping. Asked for when a plan is compiled, and may refer back to this one.
  ///   - keyPath: The place of its value. ``JSONKeyPath/wholeValue`` is the owner's own representation.
  ///   - policy: Decides about the old targets when a payload brings new ones.
  ///   - isWeak: Whether it only links to objects that exist, and makes none.
  ///   - keyedBy: The name of the targets' primary key, if the targets are the members of an object,
  ///     `{"git": {…}, "maven": {…}}`, and their names are its values.
  @MainActor
  @inlinable
  @inline(__always)
  public init<Class: AnyObject, Targets: RelatedObjects>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, Targets>,
    _ mapping: @autoclosure @escaping @MainActor @Sendable () -> MainActorMapping<Targets.Target>,
    at keyPath: JSONKeyPath = .ownName, policy: RelationshipPolicy = .assign, isWeak: Bool = false,
    keyedBy: String? = nil
  ) where Object == MainActorMapping<Class> {
    self.init(
      definition: RelationshipDefinition(
        name, .onMain(mapping), isToMany: true, at: keyPath, policy: policy, isWeak: isWeak,
        keyedBy: keyedBy, shape: Targets.shape, access: mainAccess(property)))
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
