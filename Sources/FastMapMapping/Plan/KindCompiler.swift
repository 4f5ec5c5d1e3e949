/// Gives the mappings of a plan that choose by a value the fields of all their kinds.
///
///     Event { kinds: type -> Push, Watch }     Event { id, size, stars, type, kind }
///     Push  { id, size }                       Push  { id, size, type, kind }
///     Watch { id, stars }                      Watch { id, stars, type, kind }
///
/// `type` keeps the value, and `kind` the name of the chosen mapping.
struct KindCompiler {
  private(set) var mappings: [MappingDefinition]
  private(set) var destinations: [[Int?]]
  /// By mapping; nil for a mapping that takes part in no choice.
  private(set) var roles: [PlannedKinds?]
  private(set) var faults: [MappingDefinitionError.Fault] = []

  /// - Parameter choices: By mapping, the numbers of ``MappingDefinition/kindPlaces``.
  init(_ mappings: [MappingDefinition], _ destinations: [[Int?]], choices: [[Int?]]) {
    self.mappings = mappings
    self.destinations = destinations
    roles = mappings.map { _ in nil }
    for number in mappings.indices where mappings[number].kinds != nil {
      let chosen = choices[number].compactMap(\.self)
      if chosen.count == choices[number].count { compile(number, chosen) }
    }
    for (number, mapping) in mappings.enumerated() where roles[number] == nil && mapping.kinds == nil {
      let isOfKinds = self.mappings.contains {
        $0.kinds != nil && NameIndex.isSame($0.entity, mapping.entity)
      }
      if isOfKinds { checkNames(of: mapping) }
      if let base = mapping.base {
        fault(
          mapping.place,
          "expected one of the kinds of \(quoted(base.name)), found a mapping that its kinds do not name")
      }
    }
  }

  private mutating func fault(_ place: JSONPath, _ reason: String) {
    faults.append(.init(place: place, reason: reason))
  }

  private mutating func compile(_ number: Int, _ chosen: [Int]) {
    let before = faults.count
    let mapping = mappings[number]
    guard let kinds = mapping.kinds else { return }
    let place = mapping.place.appending("kinds")
    checkPath(kinds.keyPath, at: place.appending("keyPath"))
    if kinds.values.isEmpty { fault(place.appending("values"), "expected at least one value, found none") }
    var all: [Int] = []
    if mapping.objects != nil { checkNames(of: mapping) }
    for (kind, place) in zip(chosen, mapping.kindPlaces.map(\.place)) where !all.contains(kind) {
      if let twin = all.first(where: { isTwin(kind, $0) }) {
        fault(
          place,
          "expected another class than \(mappings[kind].objects?.typeName ?? ""), which the kind "
            + "\(quoted(mappings[twin].name)) has")
      }
      all.append(kind)
      check(mappings[kind], kind, of: mapping, first: mappings[chosen[0]], at: place)
    }
    // A kind that reads the objects without a value comes first: its key paths count.
    if kinds.otherwiseDestination != nil, let last = chosen.last {
      all.removeAll { $0 == last }
      all.insert(last, at: 0)
    }
    guard faults.count == before, !all.isEmpty else { return }
    let otherwise: PlannedKinds.Otherwise =
      switch kinds.otherwise {
      case .error: .error
      case .skip: .skip
      case .mapping: .mapping(chosen[chosen.count - 1])
      }
    let role = PlannedKinds(
      isKind: false, union: number, all: all, keyPath: kinds.keyPath,
      values: zip(kinds.values, chosen).map { ($0.value, $1) }, otherwise: otherwise)
    for kind in all where mapping.objects != nil { inherit(kind, from: number) }
    let name = all.lazy.compactMap { [mappings] in
      mappings[$0].attributes.first { $0.chooses(at: kinds.keyPath) }?.name
    }.first
    for kind in all {
      mappings[kind] = withKind(mappings[kind], of: mapping, keptAs: name ?? kinds.keyPath.lastName)
      roles[kind] = role.asKind
    }
    unite(number, all)
    roles[number] = role
  }

  private mutating func checkPath(_ path: JSONKeyPath, at place: JSONPath) {
    if let reason = MappingValidator.malformed(path) { return fault(place, reason) }
    if path.isWhole || path.isEach {
      fault(
        place,
        "expected the key path of a string inside the object, found "
          + (path.isWhole ? "the object itself" : quoted(path.description)))
    } else if let reason = MappingValidator.faultOutside(path) {
      fault(place, reason)
    } else if path.origin == .object, case .index? = path.steps.first {
      fault(place, "expected objects, found the key path \(quoted(path.description)) into an array")
    }
  }

  private mutating func check(
    _ kind: MappingDefinition, _ number: Int, of mapping: MappingDefinition, first: MappingDefinition,
    at place: JSONPath
  ) {
    if kind.kinds != nil {
      return fault(place, "expected a mapping with attributes, found \(quoted(kind.name)), which has kinds")
    }
    if let other = roles[number] {
      return fault(
        place,
        "\(quoted(kind.name)) is a kind of the mapping \(quoted(mappings[other.union].name)) already")
    }
    let entity = mapping.namesEntity ? mapping.entity : first.entity
    if !NameIndex.isSame(kind.entity, entity) {
      fault(
        place,
        "expected a mapping of the entity \(quoted(entity)), found \(quoted(kind.name)) of \(quoted(kind.entity))"
      )
    }
    let key = mapping.keyFields ?? first.keyFields
    if kind.keyFields != key {
      let noun = { (key: KeyFields?) in
        key.map {
          "the primary key \(list($0.names.map(quoted)))" + ($0.isScoped ? " in the scope of its owner" : "")
        } ?? "no primary key"
      }
      fault(
        place,
        "expected a mapping with \(noun(key)), found \(quoted(kind.name)) with \(noun(kind.keyFields))")
    }
    if kind.isRow { fault(place, "expected objects, found \(quoted(kind.name)), whose objects are arrays") }
    checkClass(kind, of: mapping, at: place)
    if kind.keyedBy != nil {
      fault(kind.place.appending("keyedBy"), "\"keyedBy\" is refused in a mapping that \"kinds\" names")
    }
    checkNames(of: kind)
  }

  /// Checks that a mapping and its kinds have records, or instances of a class and of its subclasses.
  private mutating func checkClass(
    _ kind: MappingDefinition, of mapping: MappingDefinition, at place: JSONPath
  ) {
    guard let objects = kind.objects, let base = mapping.objects else {
      if kind.objects == nil, mapping.objects == nil { return }
      return fault(
        place,
        "expected a mapping of \(mapping.objects == nil ? "records" : "a class"), found \(quoted(kind.name)), "
          + "which has \(kind.objects == nil ? "records" : "instances of a class")")
    }
    if kind.base !== mapping {
      fault(
        place,
        "expected a mapping that is made with kindOf and \(quoted(mapping.name)), found \(quoted(kind.name))")
    } else if !base.isInstance(objects.make()) {
      fault(
        place,
        "expected a subclass of \(base.typeName), found \(quoted(kind.name)) with the class \(objects.typeName)"
      )
    }
  }

  /// Whether two kinds have one class, so that an instance would be of both.
  private func isTwin(_ a: Int, _ b: Int) -> Bool {
    mappings[a].objects.map { $0.type == mappings[b].objects?.type } ?? false
  }

  /// Gives a kind the fields of its base class that it does not declare itself.
  private mutating func inherit(_ kind: Int, from base: Int) {
    let mapping = mappings[kind]
    let own = Set(
      (mapping.attributes.map(\.name) + mapping.relationships.map(\.name) + mapping.inverses.map(\.name)).map
      {
        ByteName($0)
      })
    let relationships = mappings[base].relationships.indices.filter {
      !own.contains(ByteName(mappings[base].relationships[$0].name))
    }
    destinations[kind] = relationships.map { destinations[base][$0] } + destinations[kind]
    mappings[kind] = mapping.copy(
      mappings[base].attributes.filter { !own.contains(ByteName($0.name)) } + mapping.attributes,
      relationships.map { mappings[base].relationships[$0] } + mapping.relationships, keyedBy: mapping.keyedBy
    )
  }

  private mutating func checkNames(of mapping: MappingDefinition) {
    let fields =
      mapping.attributes.map { ("attributes", $0.name) }
      + mapping.relationships.map { ("relationships", $0.name) }
      + mapping.inverses.map { ("relationships", $0.name) }
    for (section, name) in fields where NameIndex.isSame(name, Kinds.fieldName) {
      fault(
        mapping.place.appending([section, name]),
        "\(quoted(name)) is the name of the chosen mapping, which each object with kinds has; rename the field"
      )
    }
  }

  /// A kind with the attributes of its choice.
  private mutating func withKind(
    _ kind: MappingDefinition, of mapping: MappingDefinition, keptAs name: String
  ) -> MappingDefinition {
    guard let path = mapping.kinds?.keyPath else { return kind }
    var attributes = kind.attributes
    if !attributes.contains(where: { $0.chooses(at: path) }) {
      let section =
        attributes.contains { NameIndex.isSame($0.name, name) }
        ? "attributes"
        : (kind.relationships.map(\.name) + kind.inverses.map(\.name)).contains { NameIndex.isSame($0, name) }
          ? "relationships" : nil
      if let section {
        fault(
          kind.place.appending([section, name]),
          "the value at \(quoted(path.description)) by which \(quoted(mapping.name)) chooses is stored as "
            + "\(quoted(name)), and this is another field; rename it, or give each kind a string attribute at this key path"
        )
      }
      attributes.append(AttributeDefinition(name, .string, at: path))
    }
    return kind.copy(
      attributes + [.kind], kind.relationships, keyedBy: kind.keyedBy, chosenBy: mapping)
  }

  /// Gives a mapping the fields of its kinds.
  private mutating func unite(_ number: Int, _ kinds: [Int]) {
    var attributes: [AttributeDefinition] = []
    var relationships: [RelationshipDefinition] = []
    var targets: [Int?] = []
    var known: Set<ByteName> = []
    if mappings[number].objects != nil {
      attributes = mappings[number].attributes
      relationships = mappings[number].relationships
      targets = destinations[number]
      known = Set((attributes.map(\.name) + relationships.map(\.name)).map { ByteName($0) })
    }
    for kind in kinds {
      for var attribute in mappings[kind].attributes where known.insert(ByteName(attribute.name)).inserted {
        attribute.access = nil  // a property of a subclass
        attributes.append(attribute)
      }
      for (var relationship, target) in zip(mappings[kind].relationships, destinations[kind])
      where known.insert(ByteName(relationship.name)).inserted {
        relationship.access = nil
        relationships.append(relationship)
        targets.append(target)
      }
    }
    mappings[number] = mappings[number].uniting(mappings[kinds[0]], attributes, relationships)
    destinations[number] = targets
  }
}

extension JSONKeyPath {
  fileprivate var lastName: String {
    for case .member(let name) in steps.reversed() where name != Kinds.fieldName { return name }
    return "type"
  }
}

extension MappingDefinition {
  /// The same mapping with the fields of its kinds.
  fileprivate func uniting(
    _ first: MappingDefinition, _ attributes: [AttributeDefinition], _ relationships: [RelationshipDefinition]
  ) -> MappingDefinition {
    MappingDefinition(
      name, entity: first.entity, rootPath: rootPath, primaryKey: first.keyFields,
      missingPrimaryKey: missingPrimaryKey, newerBy: newerBy ?? first.newerBy,
      deletedBy: deletedBy ?? first.deletedBy, keyedBy: nil, ignores: ignores,
      attributes: attributes, relationships: relationships, inverses: inverses, indexes: indexes,
      objects: objects, kinds: kinds, was: was ?? first.was)
  }
}
