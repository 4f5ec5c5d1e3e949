/// Checks of primary keys.
extension MappingValidator {
  mutating func checkPrimaryKey(
    _ mapping: MappingDefinition, _ destinations: [MappingDefinition?], at place: JSONPath
  ) {
    guard let fields = mapping.keyFields else {
      for (relationship, destination) in zip(mapping.relationships, destinations)
      where destination?.isScoped == true {
        fault(
          place.appending(["relationships", relationship.name]),
          "the keys of the mapping \(quoted(destination?.name ?? "")) begin with the key of their owner, and "
            + "\(quoted(mapping.name)) has none")
      }
      return
    }
    let here = place.appending("primaryKey")
    checkScopes(mapping, destinations, at: place)
    if fields.names.count == 1 { return checkKey(fields.names[0], of: mapping, at: here) }
    guard (1...KeyFields.mostParts).contains(fields.names.count) else {
      return fault(
        here, "expected one attribute, or two to four parts of a key, found \(fields.names.count) names")
    }
    for (index, name) in fields.names.enumerated() {
      let here = here.appending(.index(index))
      if fields.names.prefix(index).contains(where: { NameIndex.isSame($0, name) }) {
        fault(here, "\(quoted(name)) is a part of the key twice")
      } else if let place = mapping.relationships.firstIndex(where: { NameIndex.isSame($0.name, name) }) {
        check(part: mapping.relationships[place], to: destinations[place], at: here)
      } else {
        checkKey(
          name, of: mapping, among: mapping.relationships.filter { !$0.isToMany }.map(\.name), at: here)
      }
    }
    for attribute in mapping.attributes where attribute.keyPath.isWhole && attribute.source != .rest {
      fault(
        place.appending(["attributes", attribute.name, "keyPath"]),
        "a primary key with several parts needs a member for each attribute; "
          + "\(quoted(attribute.name)) reads the representation itself")
    }
  }

  /// Objects with a scoped key have owners with a key.
  private mutating func checkScopes(
    _ mapping: MappingDefinition, _ destinations: [MappingDefinition?], at place: JSONPath
  ) {
    for (relationship, destination) in zip(mapping.relationships, destinations) {
      guard let destination, destination.isScoped else { continue }
      let here = place.appending(["relationships", relationship.name])
      let name = quoted(destination.name)
      if relationship.isWeak {
        fault(
          here.appending("weak"),
          "the objects of the mapping \(name) belong to their owner, and a weak relationship owns none")
      }
      if relationship.policy.custom != nil {
        fault(
          here.appending("policy"),
          "the objects of the mapping \(name) belong to their owner; expected assign, merge or replace")
      }
      if mapping.keepsKeyless {
        fault(
          place.appending("missingPrimaryKey"),
          "the keys of the mapping \(name) begin with the key of their owner, so each owner needs one")
      }
    }
  }

  /// - Parameter others: The names of fields that can be a part of a key, beside attributes.
  private mutating func checkKey(
    _ name: String, of mapping: MappingDefinition, among others: [String] = [], at place: JSONPath
  ) {
    guard let key = mapping.attributes.first(where: { NameIndex.isSame($0.name, name) }) else {
      let names = mapping.attributes.filter { $0.type.isKey && $0.source != .parts }.map(\.name) + others
      let noun = others.isEmpty ? "attribute" : "field"
      return fault(
        place, unknownName(noun, named: name, among: names, verb: "no \(noun) named"))
    }
    if !key.type.isKey {
      fault(
        place, "expected an attribute of type integer or string, \(quoted(name)) is \(key.type.kind.noun)")
    }
  }

  private mutating func check(
    part relationship: RelationshipDefinition, to destination: MappingDefinition?, at place: JSONPath
  ) {
    let name = quoted(relationship.name)
    if relationship.isToMany { return fault(place, "a part of a key is one object, and \(name) is to-many") }
    if relationship.isWeak { fault(place, "a part of a key has its target, and \(name) is weak") }
    if relationship.policy.name != RelationshipPolicy.assign.name || relationship.policy.custom != nil {
      fault(place, "a part of a key has the policy \"assign\", and \(name) has another one")
    }
    if let destination, destination.isScoped {
      fault(
        place,
        "a part of a key is an object of its own, and the objects of \(quoted(destination.name)) belong to their owner"
      )
    } else if let destination, destination.primaryKey == nil {
      fault(
        place,
        "a part of a key is the key of its target, and the mapping \(quoted(destination.name)) has none")
    } else if let destination, destination.deletedBy != nil {
      fault(
        place,
        "a part of a key has its target, and an object of \(quoted(destination.name)) may be deleted by its payload; "
          + "name a mapping of its entity without \"deletedBy\"")
    }
  }

  /// A key must not be a part of itself.
  mutating func checkParts(_ mappings: [MappingDefinition], _ destinations: [[Int?]]) {
    func next(_ index: Int) -> [Int] {
      mappings[index].keyParts.compactMap { part in
        guard case .relationship(let place) = part else { return nil }
        return destinations[index][place]
      }
    }
    for start in mappings.indices where mappings[start].keyFields?.parts.isEmpty == false {
      var met: Set<Int> = []
      var waiting = next(start)
      while let index = waiting.popLast() {
        guard met.insert(index).inserted else { continue }
        waiting += next(index)
      }
      if met.contains(start) {
        fault(
          mappings[start].place.appending("primaryKey"),
          "the key of \(escaped(mappings[start].entity)) is a part of itself, through the key of a target")
      }
    }
  }
}
