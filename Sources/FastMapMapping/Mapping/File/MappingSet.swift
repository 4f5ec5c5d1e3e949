/// Mappings that find each other by name.
///
///     let mappings = try MappingSet(file: bytes)
///     let plan = try mappings.plan(for: "Person")
public struct MappingSet: Sendable {
  /// The mappings, in the order they were declared.
  package let mappings: [MappingDefinition]
  private let places: NameIndex
  /// Names that two different mappings have.
  private let sharedNames: [String]

  /// Makes a set of mappings of records whose names differ.
  public init(_ mappings: [Mapping<Record>]) { self.init(mappings.map(\.definition)) }

  /// Makes a set of mappings whose names differ.
  public init(_ mappings: [MappingDefinition]) {
    self.mappings = mappings
    let places = NameIndex(mappings.map(\.name))
    self.places = places
    sharedNames = mappings.filter { mapping in
      places[mapping.name].map { mappings[$0] !== mapping } ?? false
    }.map(\.name)
  }

  /// The mapping with a name; nil where there is none.
  public subscript(name: String) -> MappingDefinition? {
    places[name].map { mappings[$0] }
  }

  /// Compiles one of the mappings, with all it refers to.
  ///
  /// - Throws: ``MappingDefinitionError`` with every fault found.
  public func plan(for name: String) throws(MappingDefinitionError) -> Plan {
    try checkNames()
    guard let mapping = self[name] else {
      let reason = unknownName(
        "mapping", named: name, among: mappings.map(\.name), verb: "no mapping named")
      throw MappingDefinitionError([.init(place: .init(), reason: reason)])
    }
    return try Plan(mapping, in: self)
  }

  /// - Throws: ``MappingDefinitionError`` if two mappings have the same name.
  func checkNames() throws(MappingDefinitionError) {
    guard sharedNames.isEmpty else {
      throw MappingDefinitionError(
        sharedNames.map {
          .init(
            place: JSONPath().appending(["mappings", $0]), reason: "another mapping of the set has this name")
        })
    }
  }

  /// The mappings whose keys have an object as a part that a mapping reaches, in the order of declaration.
  ///
  /// A plan needs them to delete their objects with that object.
  func dependents(of mapping: MappingDefinition) -> [MappingDefinition] {
    let keyed = mappings.filter { !$0.keyParts.isEmpty }
    if keyed.isEmpty { return [] }
    var (reached, waiting): (Set<ObjectIdentifier>, _) = ([], [mapping])
    var entities: Set<ByteName> = []
    repeat {
      while let next = waiting.popLast() {
        guard reached.insert(ObjectIdentifier(next)).inserted else { continue }
        entities.insert(ByteName(next.entity))
        waiting += next.relationships.compactMap { target(of: $0) }
      }
      waiting = keyed.filter { owner in
        !reached.contains(ObjectIdentifier(owner))
          && owner.keyParts.contains { part in
            guard case .relationship(let index) = part, let target = target(of: owner.relationships[index])
            else { return false }
            return entities.contains(ByteName(target.entity))
          }
      }
    } while !waiting.isEmpty
    return keyed.filter { $0 !== mapping && reached.contains(ObjectIdentifier($0)) }
  }

  private func target(of relationship: RelationshipDefinition) -> MappingDefinition? {
    switch relationship.destination {
    case .named(let name): self[name]
    case .mapping(let mapping): mapping()
    case .onMain: nil
    }
  }
}
