/// Checks of an attribute that has the members that no field reads.
extension MappingValidator {
  mutating func checkRest(_ mapping: MappingDefinition, at place: JSONPath) {
    let rests = mapping.attributes.filter { $0.source == .rest }
    guard let rest = rests.first else { return }
    let here = place.appending(["attributes", rest.name])
    if rests.count > 1 {
      fault(
        place.appending(["attributes", rests[1].name]),
        "expected one attribute with the rest, found \(quoted(rest.name)) too")
    }
    if rest.defaultValue != nil {
      fault(here, "the members that no field reads have no default")
    }
    if let access = rest.access, rest.rules.misfit != nil || rest.rules.reading != nil {
      return fault(here, "the property is a \(access.typeName), which cannot hold each JSON object")
    }
    if mapping.isRow {
      return fault(
        here, "expected objects, which have members: the objects of \(quoted(mapping.name)) are arrays")
    }
    if let whole = mapping.attributes.first(where: { $0.keyPath.isWhole && $0.hasPlace }) {
      fault(here, "\(quoted(whole.name)) reads the whole object, and leaves no rest")
    }
    let kept = mapping.attributes.filter { $0.type == .json && $0.source != .rest }.map(\.keyPath.steps)
    let paths = mapping.attributes.map(\.keyPath) + mapping.relationships.map(\.keyPath)
    if let path = paths.first(where: { path in
      path.components == nil && !kept.contains { path.steps.starts(with: $0) }
    }) {
      fault(
        here,
        "the key path \(quoted(path.description)) leads into an array, whose other values would be lost: map the array as JSON"
      )
    }
  }
}
