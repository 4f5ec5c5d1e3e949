/// The part of a mapping in a choice by a value: see ``Kinds``.
package struct PlannedKinds: Sendable {
  /// The treatment of a value that names no mapping.
  enum Otherwise: Sendable {
    case error
    case skip
    case mapping(Int)
  }

  /// Whether the mapping is a kind. Otherwise it chooses.
  package let isKind: Bool
  /// The number of the mapping that chooses, with the fields of all kinds.
  package let union: Int
  /// The numbers of the kinds.
  package let all: [Int]
  package let keyPath: JSONKeyPath
  package let values: [(value: String, mapping: Int)]
  let otherwise: Otherwise

  /// The same choice, as a kind has it.
  var asKind: PlannedKinds {
    PlannedKinds(
      isKind: true, union: union, all: all, keyPath: keyPath, values: values, otherwise: otherwise)
  }

  package func values(of mapping: Int) -> [String] { values.filter { $0.mapping == mapping }.map(\.value) }
}

extension PlannedMapping {
  /// The name of the kind that its objects are; nil for a mapping that is not one of several kinds.
  package var kind: String? { kinds?.isKind == true ? mapping.name : nil }

  package var kindField: Int? {
    mapping.attributes.firstIndex(where: { $0.source == .kind }).map { attributeFields[$0] }
  }

  /// The attribute that keeps the value by which a mapping is chosen.
  package var choosingAttribute: Int? {
    kinds.flatMap { kinds in mapping.attributes.firstIndex { $0.chooses(at: kinds.keyPath) } }
  }
}

extension AttributeDefinition {
  /// Whether it keeps the value at a key path by which a mapping is chosen.
  func chooses(at path: JSONKeyPath) -> Bool {
    let place = outerPath ?? keyPath
    let path = path.inForm("\(type)")
    return hasPlace && type == .string && place.origin == path.origin && place.steps == path.steps
  }
}

extension MappingDefinition {
  /// The mappings that it chooses from, with their places in a mapping file.
  var kindPlaces: [(place: JSONPath, destination: RelationshipDefinition.Destination)] {
    guard let kinds else { return [] }
    let otherwise = kinds.otherwiseDestination.map { (place.appending(["kinds", "otherwise"]), $0) }
    return kinds.values.map { (place.appending(["kinds", "values", $0.value]), $0.destination) }
      + [otherwise].compactMap(\.self)
  }

  /// Whether its objects are of several kinds.
  var hasKind: Bool { attributes.contains(where: { $0.source == .kind }) }
}

/// The mappings of a set that choose, by the names of their kinds.
struct Choosers {
  private var names = PlaceIndex<ByteName>()
  /// By the number of a name, the mappings that may choose the mapping of that name.
  private var choosers: [[MappingDefinition]] = []
  private let set: MappingSet

  init(_ set: MappingSet) {
    self.set = set
    for mapping in set.mappings {
      for name in mapping.kinds?.names ?? [] {
        let place = names.place(of: ByteName(name))
        if place == choosers.count { choosers.append([]) }
        choosers[place].append(mapping)
      }
    }
  }

  subscript(mapping: MappingDefinition) -> [MappingDefinition] {
    guard let place = names[ByteName(mapping.name)], set[mapping.name] === mapping else { return [] }
    return choosers[place]
  }
}
