extension ToOne where Object == Record {
  /// Makes the inverse of a relationship: the first object that refers to a record.
  ///
  ///     ToOne("person", inverseOf: "car", of: person)
  ///
  /// - Parameters:
  ///   - name: Its name in records, in filters and in messages, not empty.
  ///   - relationship: The name of the relationship that refers to this mapping's objects.
  ///   - mapping: The mapping that has the relationship. Asked for when a plan is compiled.
  public init(
    _ name: String, inverseOf relationship: String,
    of mapping: @autoclosure @escaping @Sendable () -> Mapping<Record>
  ) {
    self.init(name, inverseOf: relationship, of: .mapping { mapping().definition })
  }

  /// Makes the inverse of a relationship, whose mapping may be found by name.
  ///
  /// - SeeAlso: The call with a mapping.
  public init(
    _ name: String, inverseOf relationship: String, of mapping: RelationshipDefinition.Destination
  ) {
    self.init(inverse: InverseDefinition(name, of: relationship, in: mapping, isToMany: false))
  }
}

extension ToMany where Object == Record {
  /// Makes the inverse of a relationship: the objects that refer to a record, ascending by key.
  ///
  ///     ToMany("books", inverseOf: "author", of: book)
  ///
  /// - Parameters:
  ///   - name: Its name in records, in filters and in messages, not empty.
  ///   - relationship: The name of the relationship that refers to this mapping's objects.
  ///   - mapping: The mapping that has the relationship. Asked for when a plan is compiled.
  public init(
    _ name: String, inverseOf relationship: String,
    of mapping: @autoclosure @escaping @Sendable () -> Mapping<Record>
  ) {
    self.init(name, inverseOf: relationship, of: .mapping { mapping().definition })
  }

  /// Makes the inverse of a relationship, whose mapping may be found by name.
  ///
  /// - SeeAlso: The call with a mapping.
  public init(
    _ name: String, inverseOf relationship: String, of mapping: RelationshipDefinition.Destination
  ) {
    self.init(inverse: InverseDefinition(name, of: relationship, in: mapping, isToMany: true))
  }
}

// As in Attribute.swift, the key path literal of the property is captured by a closure that is inlined into the
// caller's module. The key path of the relationship only names it.

extension ToOne where Object: AnyObject {
  /// Makes the inverse of a to-one relationship: the first object that refers to an instance.
  ///
  ///     ToOne("person", \.person, inverseOf: \.car, of: Person.mapping)
  ///
  /// A `weak` property avoids a cycle of strong references.
  ///
  /// - Parameters:
  ///   - name: Its name in filters and in messages, not empty.
  ///   - property: A key path literal, `\.person`, of an optional property. FastMap sets it. Only a fill reads it.
  ///   - relationship: The property of the other class that refers to this one.
  ///   - mapping: The mapping that has the relationship. Asked for when a plan is compiled, and may refer back to
  ///     this one.
  @inlinable
  @inline(__always)
  public init<Owner: AnyObject>(
    _ name: String, _ property: ReferenceWritableKeyPath<Object, Owner?> & Sendable,
    inverseOf relationship: KeyPath<Owner, Object?> & Sendable,
    of mapping: @autoclosure @escaping @Sendable () -> Mapping<Owner>
  ) {
    self.init(name, property, ofAny: relationship, mapping)
  }

  /// Makes the inverse of a to-many relationship: the first object that refers to an instance.
  ///
  ///     ToOne("owner", \.owner, inverseOf: \.cars, of: Person.mapping)
  ///
  /// - SeeAlso: The inverse of a to-one relationship.
  @inlinable
  @inline(__always)
  public init<Owner: AnyObject, Targets: RelatedObjects>(
    _ name: String, _ property: ReferenceWritableKeyPath<Object, Owner?> & Sendable,
    inverseOf relationship: KeyPath<Owner, Targets> & Sendable,
    of mapping: @autoclosure @escaping @Sendable () -> Mapping<Owner>
  ) where Targets.Target == Object {
    self.init(name, property, ofAny: relationship, mapping)
  }

  @inlinable
  @inline(__always)
  init<Owner: AnyObject>(
    _ name: String, _ property: ReferenceWritableKeyPath<Object, Owner?> & Sendable,
    ofAny relationship: AnyKeyPath, _ mapping: @escaping @Sendable () -> Mapping<Owner>
  ) {
    self.init(
      inverse: InverseDefinition(
        name, relationship, .mapping { mapping().definition }, isToMany: false, shape: .ordered
      ) { object, step in
        switch step {
        case .get: return unsafeDowncast(object, to: Object.self)[keyPath: property].map { [$0] } ?? []
        case .set(let owners):
          unsafeDowncast(object, to: Object.self)[keyPath: property] = owners?.first as? Owner
          return []
        case .property: return [property]
        }
      })
  }
}

extension ToMany where Object: AnyObject {
  /// Makes the inverse of a to-one relationship: the objects that refer to an instance, ascending by key.
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
  @inlinable
  @inline(__always)
  public init<Owners: RelatedObjects & SendableMetatype>(
    _ name: String, _ property: ReferenceWritableKeyPath<Object, Owners> & Sendable,
    inverseOf relationship: KeyPath<Owners.Target, Object?> & Sendable,
    of mapping: @autoclosure @escaping @Sendable () -> Mapping<Owners.Target>
  ) {
    self.init(name, property, ofAny: relationship, mapping)
  }

  /// Makes the inverse of a to-many relationship: the objects that refer to an instance, ascending by key.
  ///
  ///     ToMany("albums", \.albums, inverseOf: \.songs, of: Album.mapping)
  ///
  /// - SeeAlso: The inverse of a to-one relationship.
  @inlinable
  @inline(__always)
  public init<Owners: RelatedObjects & SendableMetatype, Targets: RelatedObjects>(
    _ name: String, _ property: ReferenceWritableKeyPath<Object, Owners> & Sendable,
    inverseOf relationship: KeyPath<Owners.Target, Targets> & Sendable,
    of mapping: @autoclosure @escaping @Sendable () -> Mapping<Owners.Target>
  ) where Targets.Target == Object {
    self.init(name, property, ofAny: relationship, mapping)
  }

  @inlinable
  @inline(__always)
  init<Owners: RelatedObjects & SendableMetatype>(
    _ name: String, _ property: ReferenceWritableKeyPath<Object, Owners> & Sendable,
    ofAny relationship: AnyKeyPath, _ mapping: @escaping @Sendable () -> Mapping<Owners.Target>
  ) {
    self.init(
      inverse: InverseDefinition(
        name, relationship, .mapping { mapping().definition }, isToMany: true, shape: Owners.shape
      ) { object, step in
        switch step {
        case .get: return unsafeDowncast(object, to: Object.self)[keyPath: property].related
        case .set(let owners):
          unsafeDowncast(object, to: Object.self)[keyPath: property] = Owners(
            related: owners.map { $0.compactMap { $0 as? Owners.Target } })
          return []
        case .property: return [property]
        }
      })
  }
}
