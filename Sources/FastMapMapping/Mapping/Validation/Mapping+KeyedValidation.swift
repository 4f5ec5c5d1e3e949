/// Checks of objects that are the members of an object: `keyedBy`.
extension MappingValidator {
  mutating func checkKeyed(
    _ mapping: MappingDefinition, _ destinations: [MappingDefinition?], at place: JSONPath
  ) {
    if let name = mapping.keyedBy {
      checkName(name, of: mapping, at: place.appending("keyedBy"))
      if mapping.rootPath.isEach {
        fault(
          place.appending("keyedBy"),
          "expected a root path to one object, as its members are the root objects, found "
            + quoted(mapping.rootPath.description))
      }
    }
    for (relationship, destination) in zip(mapping.relationships, destinations) {
      guard let name = relationship.keyedBy, let destination else { continue }
      let here = place.appending(["relationships", relationship.name, "keyedBy"])
      if !relationship.isToMany {
        fault(
          here,
          "an object with a member for each target needs a to-many relationship; this one is to-one")
      }
      if relationship.keyPath.isWhole || relationship.keyPath.isEach {
        fault(
          here,
          "expected a key path to one object, as its members are the targets, found "
            + (relationship.keyPath.isWhole
              ? "the representation of the owner" : quoted(relationship.keyPath.description)))
      }
      checkName(name, of: destination, at: here)
    }
  }

  private mutating func checkName(_ name: String, of mapping: MappingDefinition, at place: JSONPath) {
    guard mapping.attributes.contains(where: { NameIndex.isSame($0.name, name) }) else {
      return fault(
        place,
        unknownName(
          "attribute", named: name, among: mapping.attributes.map(\.name), verb: "no attribute named"))
    }
    if !mapping.isOfKey(name) {
      fault(
        place,
        "expected the primary key, or a part of it, of the mapping \(quoted(mapping.name)), found \(quoted(name))"
      )
    }
    if mapping.hasKind {
      fault(place, "\"keyedBy\" is refused here: the objects of \(quoted(mapping.name)) have kinds")
    }
    if mapping.isRow {
      fault(place, "expected objects, found the mapping \(quoted(mapping.name)), whose objects are arrays")
    }
  }
}
