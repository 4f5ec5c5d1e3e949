import FastMapCore

/// The classes of a mapping file.
struct GeneratedFile {
  private(set) var classes: [GeneratedClass] = []
  private var numbers: [ByteName: Int] = [:]
  private var mappings: [ByteName: (owner: Int, mapping: Int)] = [:]
  private var classNames: [String] = []
  private let set: MappingSet
  let kinds: GeneratedKinds

  /// - Throws: ``MappingDefinitionError`` for mappings that a class cannot have.
  init(_ set: MappingSet) throws(MappingDefinitionError) {
    self.set = set
    kinds = GeneratedKinds(set)
    try check()
    var names = SwiftScope(reserved: SwiftScope.reservedTypes)
    for mapping in set.mappings where numbers[ByteName(kinds.entity(of: mapping))] == nil {
      let entity = kinds.entity(of: mapping)
      numbers[ByteName(entity)] = classes.count
      classes.append(GeneratedClass(entity, name: names.claim(SwiftName.type(entity), or: "Object")))
    }
    let ofKinds = set.mappings.filter { kinds.chooser(of: $0) != nil }
    addMappings(firstOfKind: classes.count)
    classNames = classes.map(\.name)
    for kind in ofKinds {
      let name = SwiftName.type(kind.name)
      let isOfBase = name == SwiftName.type(kind.entity)
      classNames.append(names.claim(isOfBase ? "Other" + name : name, or: "Kind"))
    }
    let facts = FieldFacts(set, kinds)
    var faults: [MappingDefinitionError.Fault] = []
    for mapping in set.mappings {
      addFields(of: mapping, to: number(of: mapping), facts, &faults, isBase: true)
    }
    // A class of a kind comes after its base class, which has all properties by now.
    for mapping in ofKinds {
      guard let base = numbers[ByteName(mapping.entity)] else { continue }
      classes.append(
        GeneratedClass(
          kind: mapping.name, name: classNames[classes.count], number: base, of: classes[base]))
      addFields(of: mapping, to: classes.count - 1, facts, &faults, isBase: false)
    }
    guard faults.isEmpty else { throw MappingDefinitionError(faults) }
  }

  private func check() throws(MappingDefinitionError) {
    let faults = set.mappings.flatMap { kinds.faults(in: $0) }
    guard faults.isEmpty else { throw MappingDefinitionError(faults) }
  }

  func number(of mapping: MappingDefinition) -> Int? {
    numbers[ByteName(kinds.entity(of: mapping))]
  }

  /// Mappings that choose, or have the entity's own name, come first to the name `mapping`, and then the first of an entity.
  ///
  /// - Parameter firstOfKind: The place of the first class of a kind.
  private mutating func addMappings(firstOfKind: Int) {
    var main: [Int: ByteName] = [:]
    func rank(_ mapping: MappingDefinition) -> Int {
      mapping.kinds != nil
        ? 0 : ByteName(mapping.name) == ByteName(kinds.entity(of: mapping)) ? 1 : 2
    }
    for mapping in set.mappings.sorted(by: { rank($0) < rank($1) })
    where kinds.chooser(of: mapping) == nil {
      guard let number = number(of: mapping) else { continue }
      if main[number] == nil { main[number] = ByteName(mapping.name) }
    }
    var type = firstOfKind
    for mapping in set.mappings {
      guard let number = number(of: mapping) else { continue }
      let isKind = kinds.chooser(of: mapping) != nil
      mappings[ByteName(mapping.name)] = (number, classes[number].mappings.count)
      classes[number].addMapping(
        mapping, isMain: main[number] == ByteName(mapping.name), type: isKind ? type : number)
      if isKind { type += 1 }
    }
  }

  /// Adds the properties of a mapping to the class of its entity, or to the class of a kind.
  private mutating func addFields(
    of mapping: MappingDefinition, to number: Int?, _ facts: FieldFacts,
    _ faults: inout [MappingDefinitionError.Fault], isBase: Bool
  ) {
    guard let number else { return }
    let entity = mapping.entity
    func isHere(_ field: String) -> Bool {
      let isInBase = kinds.chooser(of: mapping) == nil || kinds.allHave(field, of: entity)
      return isInBase == isBase
    }
    for attribute in mapping.declaredAttributes where isHere(attribute.name) {
      let isOptional = !facts.isPlainKey(attribute.name, of: mapping)
      let type =
        facts.commonList(attribute.name, of: mapping).map(GeneratedClass.PropertyType.list)
        ?? .value(attribute.type.kind, isOptional: isOptional)
      let initial = isOptional ? facts.commonDefault(attribute.name, of: mapping) : nil
      add(
        attribute.name, type,
        initial: initial.flatMap { SwiftLiteral.value($0, type, isTyped: true) }, to: number)
    }
    for relationship in mapping.relationships where isHere(relationship.name) {
      guard let target = typeName(of: relationship.destination) else { continue }
      let type = relationship.isToMany ? GeneratedClass.PropertyType.toMany(target) : .toOne(target)
      add(relationship.name, type, to: number)
      if let other = property(relationship.name, in: number)?.type, other != type {
        faults.append(
          .init(
            place: JSONPath(
              ["mappings", mapping.name, "relationships", relationship.name].map { .member($0) }),
            reason:
              "the property is of another kind of object in another mapping of \(quoted(entity)); let both lead to one mapping"
          ))
      }
    }
    for inverse in mapping.inverses where isHere(inverse.name) {
      guard let owner = typeName(of: inverse.mapping) else { continue }
      add(inverse.name, inverse.isToMany ? .toMany(owner) : .owner(owner), to: number)
    }
  }

  /// Adds a property, unless the class or its base class has it.
  private mutating func add(
    _ field: String, _ type: GeneratedClass.PropertyType, initial: String? = nil, to number: Int
  ) {
    guard property(field, in: number) == nil else { return }
    classes[number].addProperty(field, type, initial: initial)
  }

  // MARK: Names

  func typeName(of destination: RelationshipDefinition.Destination) -> String? {
    place(of: destination).map { classNames[classes[$0.owner].mappings[$0.mapping].type] }
  }

  /// A mapping in Swift: `Person.mapping`.
  func reference(to destination: RelationshipDefinition.Destination) -> String? {
    place(of: destination).map {
      "\(classes[$0.owner].name).\(classes[$0.owner].mappings[$0.mapping].name)"
    }
  }

  func property(_ field: String, of destination: RelationshipDefinition.Destination) -> String? {
    place(of: destination).flatMap {
      property(field, in: classes[$0.owner].mappings[$0.mapping].type)?.name
    }
  }

  /// The property of a field, of a class or its base class.
  func property(_ field: String, in number: Int) -> GeneratedClass.Property? {
    guard number < classes.count else { return nil }
    return classes[number][field] ?? classes[number].base.flatMap { classes[$0.number][field] }
  }

  private func place(of destination: RelationshipDefinition.Destination) -> (
    owner: Int, mapping: Int
  )? {
    guard case .named(let name) = destination else { return nil }
    return mappings[ByteName(name)]
  }
}
