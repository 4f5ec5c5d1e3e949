/// Finds the mappings that belong together, checks them and gives them numbers.
enum PlanCompiler {
  struct Reached {
    var mappings: [MappingDefinition]
    /// The mappings as they were declared, without the fields that a choice by a value adds.
    var sources: [MappingDefinition]
    var destinations: [[Int]]
    /// The mapping that has the relationship of each inverse.
    var owners: [[Int]]
    /// The mapping of the first root's objects where they are the members of an object.
    var keyedRoot: Int?
    /// By mapping, its part in a choice by a value.
    var kinds: [PlannedKinds?]
  }

  /// The maximum number of mappings that a relationship creates at each access. Without it, a mapping that refers to
  /// itself in that way would never end.
  private static let mostMadeAnew = 1000

  /// All mappings that can be reached from `roots`, in the order they are met.
  ///
  /// - Parameter isOnMain: Whether the main actor calls it.
  static func reach(
    _ roots: [MappingDefinition], in set: MappingSet, isOnMain: Bool
  ) throws(MappingDefinitionError) -> Reached {
    var mappings: [MappingDefinition] = []
    var numbers = PlaceIndex<ObjectIdentifier>()
    var destinations: [[Int?]] = []
    var owners: [[Int?]] = []
    var choices: [[Int?]] = []
    let choosers = Choosers(set)
    var faults: [MappingDefinitionError.Fault] = []

    func number(of mapping: MappingDefinition) -> Int {
      let number = numbers.place(of: ObjectIdentifier(mapping))
      if number == mappings.count { mappings.append(mapping) }
      return number
    }

    // Copies for the members of objects, by the mapping that they are of.
    var named: [Int: Int] = [:]
    func number(of mapping: Int, keyedBy name: String?) -> Int {
      guard let name, mappings.indices.contains(mapping),
        mappings[mapping].isOfKey(name)
      else { return mapping }
      if let known = named[mapping] { return known }
      let number = number(of: mappings[mapping].named(by: name))
      named[mapping] = number
      return number
    }

    var names = Suggestions(set)
    for root in roots { _ = number(of: root) }
    let keyedRoot = number(of: 0, keyedBy: mappings.first?.keyedBy)
    var endless: MappingDefinitionError.Fault?
    func number(
      of destination: () -> MappingDefinition, at place: @autoclosure () -> JSONPath
    ) -> Int? {
      let found = destination()
      if mappings.count >= mostMadeAnew, found !== destination() {
        endless = .init(
          place: place(),
          reason:
            "the mapping \(quoted(found.name)) is made again at each use, \(mappings.count) mappings so far; keep it in a static let"
        )
        return nil
      }
      return number(of: found)
    }
    func number(
      of destination: RelationshipDefinition.Destination, at place: @autoclosure () -> JSONPath
    ) -> Int? {
      switch destination {
      case .mapping(let destination):
        return number(of: destination, at: place())
      case .onMain(let destination):
        if isOnMain { return number(of: { MainActor.assumeIsolated { destination() } }, at: place()) }
        faults.append(
          .init(
            place: place(),
            reason: "a mapping of the main actor is compiled by its own plan(), on the main actor"))
        return nil
      case .named(let name):
        if let destination = set[name] { return number(of: destination) }
        faults.append(
          .init(place: place(), reason: names.unknown("mapping", named: name, verb: "no mapping named")))
        return nil
      }
    }
    var next = 0
    while next < mappings.count, endless == nil {
      let mapping = mappings[next]
      next += 1
      func place(_ name: String, _ member: String) -> JSONPath {
        mapping.place.appending(["relationships", name, member])
      }
      destinations.append(
        mapping.relationships.map { relationship in
          number(of: relationship.destination, at: place(relationship.name, "mapping"))
            .map { number(of: $0, keyedBy: relationship.keyedBy) }
        })
      owners.append(mapping.inverses.map { number(of: $0.mapping, at: place($0.name, "inverseOf")) })
      if let base = mapping.base { _ = number(of: base) }
      choices.append(mapping.kindPlaces.map { number(of: $0.destination, at: $0.place) })
      for chooser in choosers[mapping] { _ = number(of: chooser) }
    }

    if let endless { throw MappingDefinitionError([endless]) }
    let sources = mappings
    var kinds = [PlannedKinds?](repeating: nil, count: mappings.count)
    if mappings.contains(where: { $0.kinds != nil }) {
      let compiled = KindCompiler(mappings, destinations, choices: choices)
      faults += compiled.faults
      guard faults.isEmpty else { throw MappingDefinitionError(faults) }
      (mappings, destinations, kinds) = (compiled.mappings, compiled.destinations, compiled.roles)
    }
    var validator = MappingValidator()
    validator.validate(mappings, destinations: destinations, owners: owners)
    // A copy has the faults of its mapping again.
    var known: Set<String> = []
    faults += named.isEmpty ? validator.faults : validator.faults.filter { known.insert("\($0)").inserted }
    guard faults.isEmpty else { throw MappingDefinitionError(faults) }
    return Reached(
      mappings: mappings, sources: sources, destinations: destinations.map { $0.compactMap { $0 } },
      owners: owners.map { $0.compactMap { $0 } }, keyedRoot: keyedRoot == 0 ? nil : keyedRoot,
      kinds: kinds)
  }

  /// Numbers entities in the order they are met, and the fields of each: attributes before relationships.
  ///
  /// - Parameter others: All mappings of the same set.
  /// - Throws: ``MappingDefinitionError`` for the faults of defaults.
  static func number(
    _ reached: Reached, _ transforms: Transforms, beside others: [MappingDefinition] = []
  ) throws(MappingDefinitionError) -> (Schema, [EntityClass], [PlannedMapping]) {
    var names: [String] = []
    var entityOf: [ByteName: Int] = [:]
    for mapping in reached.mappings where entityOf[ByteName(mapping.entity)] == nil {
      entityOf[ByteName(mapping.entity)] = names.count
      names.append(mapping.entity)
    }

    let allDefaults = try DefaultValues(of: reached.mappings)
    let defaults = names.map { allDefaults[$0] }

    var fields = [[Schema.Field]](repeating: [], count: names.count)
    var properties = [[FieldAccess?]](repeating: [], count: names.count)
    var fieldOf = [[ByteName: Int]](repeating: [:], count: names.count)
    var keyKinds = [AttributeKind?](repeating: nil, count: names.count)
    var keyNames = [String?](repeating: nil, count: names.count)
    var objects = [ObjectAccess?](repeating: nil, count: names.count)
    var keepsKeyless = [Bool](repeating: false, count: names.count)
    var indexes = [[Index]](repeating: [], count: names.count)
    func add(
      _ name: String, _ kind: Schema.Kind, _ access: FieldAccess?, was: String?, to entity: Int,
      _ widening: AttributeConversion.Rule? = nil
    ) {
      if let known = fieldOf[entity][ByteName(name)] {
        if let was { fields[entity][known].was = was }
        return
      }
      let value = defaults[entity][ByteName(name)]
      fieldOf[entity][ByteName(name)] = fields[entity].count
      fields[entity].append(
        .init(name: name, kind: kind, defaultValue: value?.value, was: was, widening: widening))
      properties[entity].append(access)
    }
    for mapping in reached.mappings {
      let entity = entityOf[ByteName(mapping.entity)]!
      if objects[entity] == nil { objects[entity] = mapping.objects }
      if mapping.objects?.takesSubclasses ?? false { objects[entity]?.takesSubclasses = true }
      if mapping.keepsKeyless { keepsKeyless[entityOf[ByteName(mapping.entity)]!] = true }
      for index in mapping.indexes { merge(index, into: &indexes[entityOf[ByteName(mapping.entity)]!]) }
      for attribute in mapping.attributes {
        add(
          attribute.name, .attribute(attribute.type.kind), attribute.access.map { .attribute($0) },
          was: attribute.was, to: entityOf[ByteName(mapping.entity)]!, attribute.widening)
      }
    }
    for (mapping, destinations) in zip(reached.mappings, reached.destinations) {
      let entity = entityOf[ByteName(mapping.entity)]!
      for (relationship, destination) in zip(mapping.relationships, destinations) {
        let target = reached.mappings[destination]
        let isOwned = target.primaryKey == nil
        let targetEntity = entityOf[ByteName(target.entity)]!
        add(
          relationship.name,
          relationship.isToMany
            ? .toMany(entity: targetEntity, isOwned: isOwned)
            : .toOne(entity: targetEntity, isOwned: isOwned),
          relationship.access.map { .relationship($0) }, was: relationship.was, to: entity)
      }
      if let key = mapping.key {
        keyKinds[entity] = key.type.kind
        keyNames[entity] = keyNames[entity] ?? key.name
      }
    }

    var inverses = [[Schema.Inverse]](repeating: [], count: names.count)
    var inverseProperties = [[FieldAccess?]](repeating: [], count: names.count)
    for (mapping, owners) in zip(reached.mappings, reached.owners) {
      let entity = entityOf[ByteName(mapping.entity)]!
      for (inverse, owner) in zip(mapping.inverses, owners) {
        let owner = reached.mappings[owner]
        let ownerEntity = entityOf[ByteName(owner.entity)]!
        guard let place = inverse.place(in: owner),
          let field = fieldOf[ownerEntity][ByteName(owner.relationships[place].name)],
          !inverses[entity].contains(where: { NameIndex.isSame($0.name, inverse.name) })
        else { continue }
        inverses[entity].append(
          .init(name: inverse.name, entity: ownerEntity, field: field, isToMany: inverse.isToMany))
        inverseProperties[entity].append(inverse.access.map { .relationship($0) })
      }
    }

    for (number, planned) in reached.mappings.enumerated() {
      guard let role = reached.kinds[number], !role.isKind, planned.objects != nil,
        let entity = entityOf[ByteName(planned.entity)]
      else { continue }
      let kinds = KindProperties(number, role, reached, fieldOf[entity])
      objects[entity] = kinds.objects
      properties[entity] = kinds.properties(of: fields[entity])
      inverseProperties[entity] = inverses[entity].map { kinds.link($0.name).map { .relationship($0) } }
    }

    let planned = reached.mappings.indices.map { number in
      let (mapping, destinations) = (reached.mappings[number], reached.destinations[number])
      let entity = entityOf[ByteName(mapping.entity)]!
      return PlannedMapping(
        mapping: mapping, source: reached.sources[number], entity: entity,
        attributeFields: mapping.attributes.map { fieldOf[entity][ByteName($0.name)]! },
        relationshipFields: mapping.relationships.map { fieldOf[entity][ByteName($0.name)]! },
        destinations: destinations,
        transforms: mapping.attributes.map {
          $0.rules.transform ?? transforms.transform(for: $0.rules.valueType)
        },
        key: mapping.keyPlace, kinds: reached.kinds[number],
        rest: RestMembers(
          of: number, reached.mappings, reached.destinations, isKeyedRoot: number == reached.keyedRoot,
          isUndecided: reached.kinds[number].map { !$0.isKind } ?? false, beside: others),
        parts: mapping.keyParts)
    }
    var fieldsElsewhere = [Set<ByteName>](repeating: [], count: names.count)
    for mapping in others {
      guard let entity = entityOf[ByteName(mapping.entity)] else { continue }
      fieldsElsewhere[entity].formUnion(mapping.attributes.map { ByteName($0.name) })
      fieldsElsewhere[entity].formUnion(mapping.relationships.map { ByteName($0.name) })
    }
    var earlier = [String?](repeating: nil, count: names.count)
    for mapping in reached.mappings {
      guard let was = mapping.was, let entity = entityOf[ByteName(mapping.entity)] else { continue }
      earlier[entity] = earlier[entity] ?? was
    }
    let schema = Schema(
      entities: names.indices.map {
        .init(
          name: names[$0], fields: fields[$0], keyKind: keyKinds[$0],
          keyField: keyNames[$0].flatMap { [fieldOf = fieldOf[$0]] name in fieldOf[ByteName(name)] },
          inverses: inverses[$0],
          indexes: indexes[$0].map { [fieldOf = fieldOf[$0]] index in
            Schema.Index(
              name: index.description,
              parts: index.fields.map {
                .init(field: fieldOf[ByteName($0.name)]!, isDescending: $0.isDescending)
              },
              isUnique: index.isUnique)
          },
          keepsKeyless: keepsKeyless[$0], isKeyless: keyKinds[$0] == nil,
          fieldsElsewhere: fieldsElsewhere[$0], was: earlier[$0])
      })
    let classes = names.indices.map {
      EntityClass(
        of: schema.entities[$0], objects[$0], properties[$0], inverses: inverseProperties[$0],
        namesDefault: fields[$0].map { [named = defaults[$0]] in named[ByteName($0.name)]?.isNamed ?? false })
    }
    return (schema, classes, planned)
  }

  /// Adds an index of an entity. One mapping that declares it unique makes it unique.
  private static func merge(_ index: Index, into indexes: inout [Index]) {
    guard let place = indexes.firstIndex(where: { $0.fields == index.fields }) else {
      return indexes.append(index)
    }
    if index.isUnique { indexes[place] = index }
  }
}
