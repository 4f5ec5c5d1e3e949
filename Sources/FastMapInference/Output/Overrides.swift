/// A person's changes to an inferred mapping file.
///
/// They have the form of a mapping file. Members of objects are merged, everything else replaces the inferred value, and `null`
/// removes it. A `keyPath` or `default` of `null` is a value.
struct Overrides {
  private let tree: JSONTree

  init(_ tree: JSONTree) throws(InferenceError) {
    guard case .object = tree else {
      throw InferenceError("expected an object with the members of a mapping file")
    }
    self.tree = tree
  }

  func apply(to result: inout Inference.Result) throws(InferenceError) {
    let inferred = result.file
    for mapping in tree["mappings"]?.members ?? [] where inferred["mappings"]?[mapping.name] == nil {
      result.notes.append("\(mapping.name): a mapping of the overrides alone; none with the name is inferred")
    }
    var merged = Self.merge(inferred, tree)
    followEntities(in: &merged, inferred)
    moveFields(in: &merged)
    result.file = merged
  }

  private static func merge(_ old: JSONTree, _ new: JSONTree) -> JSONTree {
    guard case .object = old, case .object(let changes) = new else { return new }
    var result = old
    for change in changes {
      let keepsNull = change.name == "keyPath" || change.name == "default"
      if change.value == .null, !keepsNull {
        result[change.name] = nil
      } else if let before = result[change.name] {
        result[change.name] = merge(before, change.value)
      } else {
        result[change.name] = change.value
      }
    }
    return result
  }

  /// Gives mappings of a renamed entity its new name.
  private func followEntities(in file: inout JSONTree, _ inferred: JSONTree) {
    for change in tree["mappings"]?.members ?? [] {
      guard let name = change.value["entity"]?.text, let before = inferred["mappings"]?[change.name] else {
        continue
      }
      let old = before["entity"]?.text ?? change.name
      for mapping in file["mappings"]?.members ?? [] {
        let isSame = (mapping.value["entity"]?.text ?? mapping.name) == old
        let isChanged = tree["mappings"]?[mapping.name]?["entity"] != nil
        if isSame, !isChanged {
          var value = mapping.value
          value["entity"] = .string(name)
          file["mappings"]?[mapping.name] = value
        }
      }
    }
  }

  /// Removes an inferred field that the overrides declare as one of the other sort.
  private func moveFields(in file: inout JSONTree) {
    for mapping in tree["mappings"]?.members ?? [] {
      for (section, other) in [("attributes", "relationships"), ("relationships", "attributes")] {
        for field in mapping.value[section]?.members ?? [] where field.value != .null {
          if mapping.value[other]?[field.name] == nil {
            file["mappings"]?[mapping.name]?[other]?[field.name] = nil
          }
        }
      }
    }
  }
}
