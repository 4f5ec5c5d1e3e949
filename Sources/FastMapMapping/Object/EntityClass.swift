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
  package let attributes: [ClassAttribute]
  package let relationships: [ClassRelationship]
  /// The relationships and the inverses that are properties.
  package let links: [ClassRelationship]
  /// By inverse; nil for an inverse without a property.
  package let inverses: [FieldAccess?]
  /// By field, whether a mapping names its default. Every new instance has any other default.
  package let namesDefault: [Bool]
  private let fields: [Schema.Field]

  /// - Parameters:
  ///   - properties: By field.
  ///   - inverses: By inverse.
  ///   - namesDefault: By field.
  package init(
    of entity: Schema.Entity, _ objects: ObjectAccess?, _ properties: [FieldAccess?],
    inverses: [FieldAccess?],
    namesDefault: [Bool]
  ) {
    self.objects = objects
    self.properties = properties
    self.inverses = inverses
    self.namesDefault = namesDefault
    fields = entity.fields
    attributes = properties.indices.compactMap { field in
      guard case .attribute(let access)? = properties[field] else { return nil }
      let named = namesDefault[field] && !access.isOptional ? entity.fields[field].defaultValue : nil
      return ClassAttribute(number: field, access, namedDefault: named)
    }
    var links = properties.indices.compactMap { field -> ClassRelationship? in
      guard case .relationship(let access)? = properties[field] else { return nil }
      return ClassRelationship(entity.fields[field], number: field, access)
    }
    relationships = links
    for (place, property) in inverses.enumerated() {
      guard case .relationship(let access)? = property else { continue }
      links.append(
        ClassRelationship(entity.inverses[place], number: entity.fields.count + place, access))
    }
    self.links = links
  }

  package func attribute(_ field: Int) -> AttributeAccess? {
    if case .attribute(let access)? = properties[field] { access } else { nil }
  }

  /// The default of a property that is not optional: an object without a stored value shows it.
  package func shownDefault(_ field: Int) -> Value? {
    guard case .attribute(let access)? = properties[field], !access.isOptional else { return nil }
    return fields[field].defaultValue
  }
}
