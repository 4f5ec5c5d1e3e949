/// Faults of the members that a mapping ignores.
extension MappingValidator {
  mutating func checkIgnores(_ mapping: MappingDefinition, at place: JSONPath) {
    var met: Set<JSONKeyPath> = []
    for (index, path) in mapping.ignores.enumerated() {
      let here = place.appending("ignores").appending(.index(index))
      let name = quoted(path.description)
      if !met.insert(path).inserted {
        fault(here, "\(name) is ignored twice")
      } else if path.isWhole {
        continue
      } else if let reason = Self.malformed(path) ?? path.faultAsMember {
        fault(here, reason)
      } else if let field = reader(of: path, mapping) {
        fault(here, "expected a member that no field reads, found \(name), which \(quoted(field)) reads")
      }
    }
  }

  /// The field whose key path leads to a member, through it, or to a value that has it inside.
  private func reader(of path: JSONKeyPath, _ mapping: MappingDefinition) -> String? {
    let fields =
      mapping.attributes.filter(\.hasPlace).map { ($0.name, $0.keyPath, $0.outerPath) }
      + mapping.relationships.map { ($0.name, $0.keyPath, $0.outerPath) }
    return fields.first { _, own, outer in
      outer == nil && !own.isWhole
        && (own.steps.starts(with: path.steps) || path.steps.starts(with: own.steps))
    }?.0
  }
}

extension JSONKeyPath {
  /// Why it is no member of an object; nil for one.
  fileprivate var faultAsMember: String? {
    if origin != .object { return "expected a member inside the object, found \(quoted(description))" }
    guard case .member? = steps.last else {
      return "expected the key path of a member, found \(quoted(description))"
    }
    return nil
  }
}
