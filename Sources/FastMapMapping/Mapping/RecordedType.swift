/// The type that a mapping was recorded from.
package struct RecordedType: Sendable {
  /// The type, which is the root of the key paths of its properties.
  package let type: ObjectIdentifier
  /// The fields, by the names of their properties.
  package let fields: [String: String]
  /// The reasons why the type is no mapping.
  package let faults: [MappingDefinitionError.Fault]
  /// The same mapping with all fields where the type encodes them; nil if they are there anyway.
  package let encoded: Mapping<Record>?

  package init(
    type: ObjectIdentifier, fields: [String: String], faults: [MappingDefinitionError.Fault],
    encoded: Mapping<Record>?
  ) {
    (self.type, self.fields, self.faults, self.encoded) = (type, fields, faults, encoded)
  }
}

extension MappingDefinition {
  /// The name of the field of a property; nil for a property without one.
  package func fieldName(of property: AnyKeyPath) -> String? {
    if let recorded {
      guard ObjectIdentifier(Swift.type(of: property).rootType) == recorded.type else { return nil }
      return property.propertyName.flatMap { recorded.fields[$0] }
    }
    return attributes.first { $0.access?.property == property }?.name
      ?? relationships.first { $0.access?.property == property }?.name
      ?? inverses.first { $0.access?.property == property }?.name
  }
}

extension Plan {
  /// Checks that the objects of the first mapping may be instances that are filled field by field.
  ///
  /// - Throws: ``MappingDefinitionError`` for the mapping of a `Codable` class, whose objects are decoded as a whole.
  package func checkInstances() throws(MappingDefinitionError) {
    guard root.recorded != nil else { return }
    let reason =
      "the mapping \(quoted(root.name)) of a Codable type has values; read them with values(_:) or values(from:)"
    throw MappingDefinitionError([.init(place: root.place, reason: reason)])
  }
}
