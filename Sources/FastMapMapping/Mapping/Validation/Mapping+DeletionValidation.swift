/// Faults of the attribute whose value marks an object as deleted.
extension MappingValidator {
  mutating func checkDeletedBy(_ mapping: MappingDefinition, at place: JSONPath) {
    guard let deletedBy = mapping.deletedBy else { return }
    let here = place.appending("deletedBy")
    let name = quoted(deletedBy.attribute)
    if mapping.primaryKey == nil {
      fault(here, "deletedBy needs objects with a primary key; the mapping \(quoted(mapping.name)) has none")
    }
    guard let attribute = mapping.attributes.first(where: { NameIndex.isSame($0.name, deletedBy.attribute) })
    else {
      let names = mapping.attributes.filter { Self.kinds.contains($0.type.kind) }.map(\.name)
      return fault(
        here,
        unknownName(
          "attribute", named: deletedBy.attribute, among: names, verb: "no attribute named"))
    }
    if mapping.keyFields?.names.contains(where: { NameIndex.isSame($0, attribute.name) }) ?? false {
      fault(here, "\(name) is of the key, which names the object; expected another attribute")
    }
    let path = attribute.keyPath
    if attribute.source != .keyPath || attribute.outerPath != nil || path.isWhole || path.isEach {
      fault(here, "expected an attribute with one member inside the object, \(name) has none")
    }
    checkValues(of: deletedBy, attribute.type.kind, at: here)
    guard let value = attribute.defaultValue else { return }
    if deletedBy.values?.contains(value) ?? (value != .boolean(false)) {
      fault(here, "the default of \(name) would delete every object whose payload lacks it")
    }
  }

  private static let kinds: [AttributeKind] = [.boolean, .date, .integer, .string]

  private mutating func checkValues(of deletedBy: DeletedBy, _ kind: AttributeKind, at place: JSONPath) {
    let name = quoted(deletedBy.attribute)
    guard let values = deletedBy.values else {
      if kind == .boolean || kind == .date { return }
      let hint = Self.kinds.contains(kind) ? ", or the values that delete" : ""
      return fault(
        place, "expected an attribute of type boolean or date\(hint), \(name) is \(kind.noun)")
    }
    let place = place.appending("values")
    if kind == .date || !Self.kinds.contains(kind) {
      return fault(
        place, "expected an attribute of type boolean, integer or string, \(name) is \(kind.noun)")
    }
    if values.isEmpty { fault(place, "expected at least one value, found none") }
    for (index, value) in values.enumerated() {
      let isSound =
        switch value {
        case .boolean: kind == .boolean
        case .integer: kind == .integer
        case .string: kind == .string
        default: false
        }
      if !isSound {
        fault(place.appending(.index(index)), "expected \(kind.noun), as \(name) is one")
      }
    }
  }
}
