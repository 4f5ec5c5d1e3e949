import FastMapCore

/// The classes of a mapping file.
struct GeneratedFile {
  private(set) var classes: [GeneratedClass] = []
  private var numbers: [ByteName: Int] = [:]
  private var mappings: [ByteName: (type: Int, mapping: Int)] = [:]
  private let set: MappingSet

  /// - Throws: ``MappingDefinitionError`` for mappings that a class cannot have.
  init(_ set: MappingSet) throws(MappingDefinitionError) {
    self.set = set
    try Self.check(set)
    var names = SwiftScope(reserved: SwiftScope.typesInUse)
    for mapping in set.mappings where numbers[ByteName(mapping.entity)] == nil {
      numbers[ByteName(mapping.entity)] = classes.count
      classes.append(
        GeneratedClass(mapping.entity, name: names.take(SwiftName.type(mapping.entity), or: "Object")))
    }
    addMappings()
    let facts = FieldFacts(set)
    for mapping in set.mappings { addFields(of: mapping, facts) }
  }

  private static func check(_ set: MappingSet) throws(MappingDefinitionError) {
    func fault(_ mapping: MappingDefinition, _ members: [String], _ reason: String)
      -> MappingDefinitionError.Fault
    {
      .init(place: JSONPath((["mappings", mapping.name] + members).map { .member($0) }), reason: reason)
    }
    let faults = set.mappings.flatMap { mapping in
      mapping.kinds == nil
        ? mapping.attributes.filter(\.isRest).map {
          fault(
            mapping, ["attributes", $0.name],
            "a class has no property for the members that no field reads; write this mapping in Swift, as a mapping of records"
          )
        }
        : [
          fault(
            mapping, ["kinds"],
            "subclasses of kinds are not printed; write this mapping in Swift, with a class or a mapping of records for each kind"
          )
        ]
    }
    guard faults.isEmpty else { throw MappingDefinitionError(faults) }
  }

  /// Mappings with the entity's own name come first to the name `mapping`, and then the first of an entity.
  private mutating func addMappings() {
    var main: [Int: ByteName] = [:]
    for mapping in set.mappings {
      guard let number = numbers[ByteName(mapping.entity)] else { continue }
      if main[number] == nil || ByteName(mapping.name) == ByteName(mapping.entity) {
        main[number] = ByteName(mapping.name)
      }
    }
    for mapping in set.mappings {
      guard let number = numbers[ByteName(mapping.entity)] else { continue }
      mappings[ByteName(mapping.name)] = (number, classes[number].mappings.count)
      classes[number].addMapping(mapping, isMain: main[number] == ByteName(mapping.name))
    }
  }

  private mutating func addFields(of mapping: MappingDefinition, _ facts: FieldFacts) {
    guard let number = numbers[ByteName(mapping.entity)] else { return }
    for attribute in mapping.declaredAttributes {
      let isOptional = !facts.isPlainKey(attribute.name, of: mapping)
      let initial = isOptional ? facts.commonDefault(attribute.name, of: mapping) : nil
      classes[number].addProperty(
        attribute.name, .value(attribute.type.kind, isOptional: isOptional),
        initial: initial.flatMap { SwiftLiteral.value($0, attribute.type.kind, isTyped: true) })
    }
    for relationship in mapping.relationships {
      guard let target = typeName(of: relationship.destination) else { continue }
      classes[number].addProperty(relationship.name, relationship.isToMany ? .toMany(target) : .toOne(target))
    }
    for inverse in mapping.inverses {
      guard let owner = typeName(of: inverse.mapping) else { continue }
      classes[number].addProperty(inverse.name, inverse.isToMany ? .toMany(owner) : .owner(owner))
    }
  }

  // MARK: Names

  /// The class of a mapping's objects.
  func typeName(of destination: RelationshipDefinition.Destination) -> String? {
    place(of: destination).map { classes[$0.type].name }
  }

  /// A mapping in Swift: `Person.mapping`.
  func reference(to destination: RelationshipDefinition.Destination) -> String? {
    place(of: destination).map { "\(classes[$0.type].name).\(classes[$0.type].mappings[$0.mapping].name)" }
  }

  /// The property of a mapping's field.
  func property(_ field: String, of destination: RelationshipDefinition.Destination) -> String? {
    place(of: destination).flatMap { classes[$0.type][field]?.name }
  }

  private func place(of destination: RelationshipDefinition.Destination) -> (type: Int, mapping: Int)? {
    guard case .named(let name) = destination else { return nil }
    return mappings[ByteName(name)]
  }
}

/// Facts about the fields of all mappings of an entity.
private struct FieldFacts {
  private var mappings: [ByteName: [MappingDefinition]] = [:]

  init(_ set: MappingSet) {
    for mapping in set.mappings { mappings[ByteName(mapping.entity), default: []].append(mapping) }
    for (entity, mappings) in mappings {
      let key = mappings.first?.keyFields
      let isPlain = mappings.allSatisfy { mapping in
        mapping.keyFields?.parts.isEmpty == true
          && (mapping.missingPrimaryKey == .error || mapping.missingPrimaryKey == .skip)
      }
      if isPlain, let name = key?.names.first { plainKeys[entity] = ByteName(name) }
      var values: [ByteName: [Value?]] = [:]
      for attribute in mappings.flatMap(\.declaredAttributes) {
        values[ByteName(attribute.name), default: []].append(attribute.defaultValue)
      }
      defaults[entity] = values.compactMapValues { $0.contains(nil) ? nil : $0.first ?? nil }
    }
  }

  private var plainKeys: [ByteName: ByteName] = [:]
  private var defaults: [ByteName: [ByteName: Value]] = [:]

  /// Whether each object of the entity has a value: an attribute that is the whole key of all its mappings.
  func isPlainKey(_ name: String, of mapping: MappingDefinition) -> Bool {
    plainKeys[ByteName(mapping.entity)] == ByteName(name)
  }

  /// The default of an attribute in all mappings that have it.
  func commonDefault(_ name: String, of mapping: MappingDefinition) -> Value? {
    defaults[ByteName(mapping.entity)]?[ByteName(name)]
  }
}
