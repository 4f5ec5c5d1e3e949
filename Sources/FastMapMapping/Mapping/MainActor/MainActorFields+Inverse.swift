// The inverses of Relationship+Inverse.swift, once more for a `MainActorMapping`: see MainActorFields.swift.

extension ToOne {
  /// Makes the inverse of a to-one relationship of a main-actor class: the first object that refers to an instance.
  ///
  ///     ToOne("person", \.person, inverseOf: \.car, of: Person.mapping)
  ///
  /// - Parameters:
  ///   - name: Its name in filters and in messages, not empty.
  ///   - property: A key path literal, `\.person`, of an optional property. FastMap sets it. Only a fill reads it.
  ///   - relationship: The property of the other class that refers to this one.
  ///   - mapping: The mapping that has the relationship. Asked for when a plan is compiled, and may refer back to
  ///     this one.
  @MainActor
  @inlinable
  @inline(__always)
  public init<Class: AnyObject, Owner: AnyObject>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, Owner?>,
    inverseOf relationship: KeyPath<Owner, Class?>,
    of mapping: @autoclosure @escaping @MainActor @Sendable () -> MainActorMapping<Owner>
  ) where Object == MainActorMapping<Class> {
    self.init(name, property, ofAny: relationship, mapping)
  }

  /// Makes the inverse of a to-many relationship of a main-actor class: the first object that refers to an instance.
  ///
  /// - SeeAlso: The inverse of a to-one relationship.
  @MainActor
  @inlinable
  @inline(__always)
  public init<Class: AnyObject, Owner: AnyObject, Targets: RelatedObjects>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, Owner?>,
    inverseOf relationship: KeyPath<Owner, Targets>,
    of mapping: @autoclosure @escaping @MainActor @Sendable () -> MainActorMapping<Owner>
  ) where Object == MainActorMapping<Class>, Targets.Target == Class {
    self.init(name, property, ofAny: relationship, mapping)
  }

  @MainActor
  @inlinable
  @inline(__always)
  init<Class: AnyObject, Owner: AnyObject>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, Owner?>, ofAny relationship: AnyKeyPath,
    _ mapping: @escaping @MainActor @Sendable () -> MainActorMapping<Owner>
  ) where Object == MainActorMapping<Class> {
    // nonisolated(unsafe): used on the main actor alone, see the top of MainActorFields.swift.
    nonisolated(unsafe) let property = property
    self.init(
      inverse: InverseDefinition(name, relationship, .onMain(mapping), isToMany: false, shape: .ordered) {
        object, step in
        switch step {
        case .get: return unsafeDowncast(object, to: Class.self)[keyPath: property].map { [$0] } ?? []
        case .set(let owners):
          unsafeDowncast(object, to: Class.self)[keyPath: property] = owners?.first as? Owner
          return []
        case .property: return [property]
        }
      })
  }
}

extension ToMany {
  /// Makes the inverse of a to-one relationship of a main-actor class: the objects that refer to an instance, ascending
  /// by key.
  ///
  ///     ToMany("books", \.books, inverseOf: \.author, of: Book.mapping)
  ///
  /// - Parameters:
  ///   - name: Its name in filters and in messages, not empty.
  ///   - property: A key path literal, `\.books`, of an array, a set, a ``OrderedObjectSet``, or an optional of
  ///     these. FastMap sets it. Only a fill reads it.
  ///   - relationship: The property of the other class that refers to this one.
  ///   - mapping: The mapping that has the relationship. Asked for when a plan is compiled, and may refer back to
  ///     this one.
  @MainActor
  @inlinable
  @inline(__always)
  public init<Class: AnyObject, Owners: RelatedObjects>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, Owners>,
    inverseOf relationship: KeyPath<Owners.Target, Class?>,
    of mapping: @autoclosure @escaping @MainActor @Sendable () -> MainActorMapping<Owners.Target>
  ) where Object == MainActorMapping<Class> {
    self.init(
      inverse: InverseDefinition(
        name, relationship, .onMain(mapping), isToMany: true, shape: Owners.shape,
        access: mainAccess(property)))
  }

  /// Makes the inverse of a to-many relationship of a main-actor class: the objects that refer to an instance,
  /// ascending by key.
  ///
  /// - SeeAlso: The inverse of a to-one relationship.
  @MainActor
  @inlinable
  @inline(__always)
  public init<Class: AnyObject, Owners: RelatedObjects, Targets: RelatedObjects>(
    _ name: String, _ property: ReferenceWritableKeyPath<Class, Owners>,
    inverseOf relationship: KeyPath<Owners.Target, Targets>,
    of mapping: @autoclosure @escaping @MainActor @Sendable () -> MainActorMapping<Owners.Target>
  ) where Object == MainActorMapping<Class>, Targets.Target == Class {
    self.init(
      inverse: InverseDefinition(
        name, relationship, .onMain(mapping), isToMany: true, shape: Owners.shape,
        access: mainAccess(property)))
  }
}
