/// The Swift class of an entity's objects: its properties, by the numbers of the entity's fields.
///
///     if case .attribute(let access)? = plan.classes[entity].properties[field] { access.set(instance, value) }
///
/// An entity of records has one without properties.
package final class EntityClass: Sendable {
  /// Makes instances; nil for records.
  package let objects: ObjectAccess?
  /// By field; nil for a field without a property.
  package let properties: [FieldAccess?]
  /// The attributes that are properties.
  package let attributes: [ClassAttribute]
  /// The relationships that are properties.
  package let relationships: [ClassRelationship]
  /// The relationships and the inverses that are properties.
  package let links: [ClassRelationship]
  /// By inverse; nil for an inverse without a property.
  package let inverses: [RelationshipAccess?]
  /// The fields whose default a mapping names. Every new instance has any other default.
  package let namedDefaults: Set<Int>
  /// By field, the default of a property that is not optional: an object without a stored value shows it.
  package let shownDefaults: [Value?]

  /// - Parameters:
  ///   - properties: By field.
  ///   - inverses: By inverse.
  package init(
    of entity: Schema.Entity, _ objects: ObjectAccess?, _ properties: [FieldAccess?],
    inverses: [RelationshipAccess?], namedDefaults: Set<Int> = []
  ) {
    self.objects = objects
    self.properties = properties
    self.inverses = inverses
    self.namedDefaults = namedDefaults
    let shownDefaults = zip(entity.fields, properties).map { field, property -> Value? in
      guard case .attribute(let access)? = property, !access.isOptional else { return nil }
      return field.defaultValue
    }
    self.shownDefaults = shownDefaults
    attributes = properties.indices.compactMap { field in
      guard case .attribute(let access)? = properties[field] else { return nil }
      return ClassAttribute(
        number: field, access, namedDefault: namedDefaults.contains(field) ? shownDefaults[field] : nil)
    }
    let relationships = properties.indices.compactMap { field -> ClassRelationship? in
      guard case .relationship(let access)? = properties[field] else { return nil }
      return ClassRelationship(entity.fields[field], number: field, access)
    }
    self.relationships = relationships
    links =
      relationships
      + inverses.enumerated().compactMap { place, access in
        access.map { ClassRelationship(entity.inverses[place], number: entity.fields.count + place, $0) }
      }
  }

  /// The property of an attribute.
  package func attribute(_ field: Int) -> AttributeAccess? {
    if case .attribute(let access)? = properties[field] { access } else { nil }
  }
}
