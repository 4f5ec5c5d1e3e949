/// Checks of inverses.
extension MappingValidator {
  /// - Parameters:
  ///   - owner: The mapping that is said to have the relationship.
  ///   - destinations: The targets of its relationships; nil for a mapping that was not found.
  package mutating func check(
    _ inverse: InverseDefinition, of mapping: MappingDefinition, in owner: MappingDefinition,
    _ destinations: [MappingDefinition?]
  ) {
    var here: JSONPath { mapping.place.appending(["relationships", inverse.name, "inverseOf"]) }
    guard let place = inverse.place(in: owner) else {
      return fault(here, Self.noRelationship(of: inverse, in: owner))
    }
    guard let destination = destinations[place],
      !destination.entity.utf8.elementsEqual(mapping.entity.utf8)
    else { return }
    fault(
      here,
      "expected a relationship to \(escaped(mapping.entity)), \(quoted(owner.relationships[place].name)) of "
        + "\(quoted(owner.name)) leads to \(escaped(destination.entity))")
  }

  private static func noRelationship(of inverse: InverseDefinition, in owner: MappingDefinition) -> String {
    let name: String
    switch inverse.relationship {
    case .property(let property):
      return "the mapping \(quoted(owner.name)) has no relationship with the property \(property)"
    case .name(let relationship): name = relationship
    }
    let bytes = ByteName(name)
    if let attribute = owner.attributes.first(where: { ByteName($0.name) == bytes }) {
      return
        "expected a relationship, \(quoted(name)) of \(quoted(owner.name)) is \(attribute.type.kind.noun)"
    }
    if owner.inverses.contains(where: { ByteName($0.name) == bytes }) {
      return "expected a relationship, \(quoted(name)) of \(quoted(owner.name)) is an inverse itself"
    }
    return unknownName(
      "relationship", named: name, among: owner.relationships.map(\.name),
      verb: "the mapping \(quoted(owner.name)) has no relationship named")
  }
}
