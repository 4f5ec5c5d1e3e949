import FastMapCore

/// The lines of a mapping's fields.
extension SwiftWriter {
  func lines(of definition: MappingDefinition, _ type: Int, hasLeniency: Bool = true) -> [String] {
    definition.declaredAttributes.compactMap { attribute in
      file.property(attribute.name, in: type).map {
        line(of: attribute, $0, hasLeniency: hasLeniency)
      }
    }
      + definition.relationships.compactMap { relationship in
        file.property(relationship.name, in: type).map {
          line(of: relationship, $0.name, hasLeniency: hasLeniency)
        }
      }
      + definition.inverses.compactMap { inverse in
        file.property(inverse.name, in: type).map { line(of: inverse, $0.name) }
      }
  }

  private func line(
    of attribute: AttributeDefinition, _ property: GeneratedClass.Property, hasLeniency: Bool
  ) -> String {
    var words = [SwiftLiteral.string(attribute.name), "\\." + property.name]
    if attribute.isRest { return "Attribute.rest(\(words.joined(separator: ", ")))" }
    if attribute.place != JSONKeyPath([.member(attribute.name)]) {
      words.append("at: \(SwiftLiteral.keyPath(attribute.place))")
    }
    if !property.type.isList, let type = SwiftLiteral.type(attribute.type) { words.append("as: \(type)") }
    if let was = attribute.was { words.append("was: \(SwiftLiteral.string(was))") }
    var text = "Attribute(\(words.joined(separator: ", ")))"
    if hasLeniency, attribute.isLenient { text += ".lenient" }
    if property.initial == nil, let value = attribute.defaultValue,
      let literal = SwiftLiteral.value(value, property.type, isTyped: false)
    {
      text += ".default(\(literal))"
    }
    return text
  }

  private func line(of relationship: RelationshipDefinition, _ property: String, hasLeniency: Bool)
    -> String
  {
    var words = [SwiftLiteral.string(relationship.name), "\\." + property]
    if let mapping = file.reference(to: relationship.destination) { words.append(mapping) }
    if relationship.place != JSONKeyPath([.member(relationship.name)]) {
      words.append("at: \(SwiftLiteral.keyPath(relationship.place))")
    }
    if relationship.policy != .assign { words.append("policy: .\(relationship.policy.name)") }
    if relationship.isWeak { words.append("isWeak: true") }
    if let name = relationship.keyedBy { words.append("keyedBy: \(SwiftLiteral.string(name))") }
    if let was = relationship.was { words.append("was: \(SwiftLiteral.string(was))") }
    let call = "\(relationship.isToMany ? "ToMany" : "ToOne")(\(words.joined(separator: ", ")))"
    return hasLeniency && relationship.isLenient ? call + ".lenient" : call
  }

  private func line(of inverse: InverseDefinition, _ property: String) -> String {
    var words = [SwiftLiteral.string(inverse.name), "\\." + property]
    if let relationship = inverse.relationshipName,
      let other = file.property(relationship, of: inverse.mapping)
    {
      words.append("inverseOf: \\.\(other)")
    }
    if let mapping = file.reference(to: inverse.mapping) { words.append("of: \(mapping)") }
    return "\(inverse.isToMany ? "ToMany" : "ToOne")(\(words.joined(separator: ", ")))"
  }
}
