import FastMapCore

/// The mappings with kinds of a file, and the mappings of their kinds.
struct GeneratedKinds {
  /// By the name of a kind's mapping: the mapping that chooses it.
  private var choosers: [ByteName: MappingDefinition] = [:]
  /// By the name of a mapping with kinds: the first kind.
  private var firstKinds: [ByteName: MappingDefinition] = [:]
  /// By the name of a mapping with kinds: the mappings of its kinds.
  private var kinds: [ByteName: [MappingDefinition]] = [:]
  /// By entity: how many kinds it has, and how many of them have each field.
  private var counts: [ByteName: (kinds: Int, fields: [ByteName: Int])] = [:]

  init(_ set: MappingSet) {
    let all = Dictionary(
      set.mappings.map { (ByteName($0.name), $0) }, uniquingKeysWith: { first, _ in first })
    for mapping in set.mappings {
      let chosen = mapping.kindNames.compactMap { all[ByteName($0)] }
      firstKinds[ByteName(mapping.name)] = chosen.first
      for kind in chosen where choosers[ByteName(kind.name)] == nil && kind.kinds == nil {
        choosers[ByteName(kind.name)] = mapping
        kinds[ByteName(mapping.name), default: []].append(kind)
        count(kind)
      }
    }
  }

  private mutating func count(_ kind: MappingDefinition) {
    counts[ByteName(kind.entity), default: (0, [:])].kinds += 1
    for field in Set(kind.fieldNames.map { ByteName($0) }) {
      counts[ByteName(kind.entity)]?.fields[field, default: 0] += 1
    }
  }

  /// The mapping that chooses a mapping; nil if none does.
  func chooser(of mapping: MappingDefinition) -> MappingDefinition? {
    choosers[ByteName(mapping.name)]
  }

  func hasKinds(_ entity: String) -> Bool { counts[ByteName(entity)] != nil }

  /// The kinds that a mapping chooses, in the order of the file's values.
  func kinds(of mapping: MappingDefinition) -> [MappingDefinition] {
    kinds[ByteName(mapping.name)] ?? []
  }

  /// The entity of a mapping. With kinds, it is theirs.
  func entity(of mapping: MappingDefinition) -> String {
    firstKinds[ByteName(mapping.name)]?.entity ?? mapping.entity
  }

  func key(of mapping: MappingDefinition) -> KeyFields? {
    mapping.keyFields ?? firstKinds[ByteName(mapping.name)]?.keyFields
  }

  func allHave(_ field: String, of entity: String) -> Bool {
    counts[ByteName(entity)].map { $0.fields[ByteName(field)] == $0.kinds } ?? true
  }

  /// Members of a kind's mapping that a subclass cannot have, since its base class has others.
  func faults(in mapping: MappingDefinition) -> [MappingDefinitionError.Fault] {
    guard let base = chooser(of: mapping) else { return [] }
    var members: [String] = []
    if !mapping.rootPath.isWhole, mapping.rootPath != base.rootPath { members.append("rootPath") }
    if mapping.missingPrimaryKey != base.missingPrimaryKey { members.append("missingPrimaryKey") }
    if let newerBy = mapping.newerBy, newerBy != base.newerBy { members.append("newerBy") }
    if mapping.deletedBy != nil, base.deletedBy == nil { members.append("deletedBy") }
    return members.map { member in
      .init(
        place: JSONPath(["mappings", mapping.name, member].map { .member($0) }),
        reason:
          "a subclass has the \(quoted(member)) of its base class; write it in the mapping \(quoted(base.name))"
      )
    }
  }
}

extension MappingDefinition {
  /// The names of the mappings that it chooses.
  var kindNames: [String] {
    guard let kinds else { return [] }
    var destinations = kinds.values.map(\.destination)
    if case .mapping(let destination) = kinds.otherwise { destinations.append(destination) }
    return destinations.compactMap { if case .named(let name) = $0 { name } else { nil } }
  }

  var fieldNames: [String] {
    declaredAttributes.map(\.name) + relationships.map(\.name) + inverses.map(\.name)
  }
}
