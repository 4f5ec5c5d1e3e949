/// The other side of a relationship, without the types of its objects: the objects that refer to an object.
///
///     InverseDefinition("books", of: "author", in: .named("Book"), isToMany: true)
///
/// An inverse reads nothing from JSON, and is not written. Nothing of it is stored, as a store knows who refers to an object.
/// So it follows each change of the relationship, and can be added to a mapping at any time.
///
/// The objects ascend by key. Objects without a key follow, in the order of creation.
@usableFromInline package struct InverseDefinition: Sendable {
  /// Its name in records, in filters and in messages.
  package let name: String

  package var mapping: RelationshipDefinition.Destination { link.destination }
  private let link: DestinationLink

  /// Whether it has all objects that refer to an object, or only the first one.
  package let isToMany: Bool

  /// The relationship of the mapping, by name or by property.
  let relationship: Relationship

  /// The name of the relationship; nil in a class, where a property names it.
  package var relationshipName: String? { if case .name(let name) = relationship { name } else { nil } }

  /// The property that takes the objects; nil in a record.
  package var access: RelationshipAccess?

  /// How a relationship is found.
  @usableFromInline
  enum Relationship: Sendable {
    case name(String)
    case property(AnyKeyPath & Sendable)
  }

  /// Makes an inverse from its parts.
  ///
  /// - Parameters:
  ///   - name: Its name in records, in filters and in messages, not empty.
  ///   - relationship: The name of the relationship that refers to this mapping's objects.
  ///   - mapping: The mapping that has the relationship, or how to find it.
  ///   - isToMany: Whether it has all objects that refer to an object, or only the first one.
  package init(
    _ name: String, of relationship: String, in mapping: RelationshipDefinition.Destination, isToMany: Bool
  ) {
    self.init(name, .name(relationship), mapping, isToMany: isToMany)
  }

  private init(
    _ name: String, _ relationship: Relationship, _ mapping: RelationshipDefinition.Destination,
    isToMany: Bool
  ) {
    self.name = name
    self.relationship = relationship
    self.isToMany = isToMany
    link = DestinationLink(mapping)
  }

  /// An inverse in a class.
  ///
  /// - Parameter property: The relationship's, of the other class. Only compared.
  @usableFromInline
  init(
    _ name: String, _ property: AnyKeyPath, _ mapping: RelationshipDefinition.Destination, isToMany: Bool,
    shape: RelatedObjectsShape, access: @escaping RelationshipClosure
  ) {
    // A key path of a main-actor class is not `Sendable`, because reading through it is for the main actor.
    let property = unsafeBitCast(property, to: (AnyKeyPath & Sendable).self)
    self.init(name, .property(property), mapping, isToMany: isToMany)
    self.access = RelationshipAccess(access: access, shape: shape)
  }

  /// The index of the relationship in the mapping; nil if the mapping does not have it.
  package func place(in mapping: MappingDefinition) -> Int? {
    mapping.relationships.firstIndex { candidate in
      switch relationship {
      case .name(let name): candidate.name.utf8.elementsEqual(name.utf8)
      case .property(let property): candidate.access?.property == property
      }
    }
  }
}
