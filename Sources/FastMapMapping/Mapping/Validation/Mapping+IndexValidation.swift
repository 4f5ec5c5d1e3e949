extension MappingValidator {
  /// Checks the indexes of a mapping.
  ///
  /// - Parameter destinations: The targets of its relationships; nil for a mapping that was not found.
  mutating func checkIndexes(
    _ mapping: MappingDefinition, _ destinations: [MappingDefinition?], at place: JSONPath
  ) {
    var met: Set<[IndexField]> = []
    for (number, index) in mapping.indexes.enumerated() {
      let here = place.appending(["indexes"]).appending(.index(number))
      if !met.insert(index.fields).inserted {
        fault(here, "the index \(quoted(index.description)) is declared twice")
      }
      if index.fields.isEmpty { fault(here, "expected at least one field, found none") }
      if index.fields.count > Schema.Index.mostFields {
        fault(here, "expected at most \(Schema.Index.mostFields) fields, found \(index.fields.count)")
      }
      var names: Set<ByteName> = []
      for (number, field) in index.fields.enumerated() {
        let here = here.appending(.index(number))
        if !names.insert(ByteName(field.name)).inserted {
          fault(here, "\(quoted(field.name)) is in the index twice")
        } else if let reason = refusal(of: field, in: mapping, destinations) {
          fault(here, reason)
        }
      }
    }
  }

  /// Why a field cannot be in an index; nil if it can.
  private func refusal(
    of field: IndexField, in mapping: MappingDefinition, _ destinations: [MappingDefinition?]
  ) -> String? {
    let name = field.name
    if name.utf8.contains(UInt8(ascii: ",")) {
      return "the name of an index has commas between its fields, and \(quoted(name)) has one itself"
    }
    if let attribute = mapping.attributes.first(where: { NameIndex.isSame($0.name, name) }) {
      return attribute.type.kind == .json
        ? "an index has no order for json, and \(quoted(name)) is json" : nil
    }
    if mapping.inverses.contains(where: { NameIndex.isSame($0.name, name) }) {
      return "an index has stored values; \(quoted(name)) is an inverse, which is not stored"
    }
    guard let place = mapping.relationships.firstIndex(where: { NameIndex.isSame($0.name, name) }) else {
      let names =
        mapping.attributes.filter { $0.type.kind != .json }.map(\.name)
        + mapping.relationships.filter { !$0.isToMany }.map(\.name)
      let verb = "no attribute or relationship named"
      if field.isDescending, names.contains(where: { NameIndex.isSame($0, "-" + name) }) {
        let spelling = IndexField(name: "-" + name, isDescending: false).spelling
        return
          "\(verb) \(quoted(name)) to descend by; write \(quoted(spelling)) for the field \(quoted("-" + name))"
      }
      return unknownName(
        "field for an index", named: name,
        among: names.map { IndexField(name: $0, isDescending: false).spelling }, verb: verb)
    }
    if mapping.relationships[place].isToMany {
      return "an index has at most one target of each object, and \(quoted(name)) is to-many"
    }
    if let destination = destinations[place], destination.primaryKey == nil {
      return "an index has targets with a primary key, and the mapping \(quoted(destination.name)) has none"
    }
    return nil
  }
}
