import FastMapCore

/// A person's changes to an inferred mapping file.
///
/// They have the form of a mapping file. Members of objects are merged, everything else replaces the inferred value, and `null`
/// removes it. A `keyPath` or `default` of `null` is a value.
///
/// Inference obeys `"kinds": null`, and `"kinds": {"keyPath": "type"}` without values. Fields of a mapping with kinds are those of its kinds.
struct Overrides {
  private(set) var tree: JSONTree
  /// By the names of mappings.
  private(set) var kindWishes: [String: KindChoice.Wish] = [:]

  init(_ tree: JSONTree) throws(InferenceError) {
    guard case .object = tree else {
      throw InferenceError("expected an object with the members of a mapping file")
    }
    self.tree = tree
    takeWishes()
  }

  private mutating func takeWishes() {
    for mapping in tree["mappings"]?.members ?? [] {
      guard let kinds = mapping.value["kinds"], kinds["values"] == nil else { continue }
      if kinds == .null {
        kindWishes[mapping.name] = KindChoice.Wish.none
      } else if let path = kinds["keyPath"]?.text, case .member(let name)? = JSONKeyPath(path).steps.first {
        kindWishes[mapping.name] = .member(name)
      } else {
        continue
      }
      var value = mapping.value
      value["kinds"] = nil
      tree["mappings"]?[mapping.name] = value
    }
  }

  func apply(to result: inout Inference.Result, _ schema: Schema) {
    let inferred = result.file
    let shapes = Dictionary(schema.entities.map { ($0.name, $0.shape) }) { first, _ in first }
    result.notes += strangers(to: inferred, shapes)
    let tree = distributed(over: inferred)
    var merged = Self.merge(inferred, tree)
    followEntities(in: &merged, inferred)
    moveFields(tree, in: &merged)
    result.file = merged
  }

  /// Gives the changed fields of a mapping with kinds to those kinds that have them, and new ones to all.
  private func distributed(over inferred: JSONTree) -> JSONTree {
    var result = tree
    for mapping in tree["mappings"]?.members ?? [] {
      guard let old = inferred["mappings"]?[mapping.name], old["kinds"] != nil else { continue }
      let kinds = Draft.kinds(of: old)
      for section in ["attributes", "relationships"] {
        guard let fields = mapping.value[section]?.members else { continue }
        result["mappings"]?[mapping.name]?[section] = nil
        for field in fields {
          let having = kinds.filter { kind in
            ["attributes", "relationships"].contains { inferred["mappings"]?[kind]?[$0]?[field.name] != nil }
          }
          for kind in having.isEmpty ? kinds : having {
            var changes = result["mappings"]?[kind] ?? .object([])
            var changed = changes[section] ?? .object([])
            if changed[field.name] == nil { changed[field.name] = field.value }
            changes[section] = changed
            result["mappings"]?[kind] = changes
          }
        }
      }
    }
    return result
  }

  /// Whether null is a value of a member, and removes nothing.
  static func keepsNull(_ member: String) -> Bool { member == "keyPath" || member == "default" }

  private static func merge(_ old: JSONTree, _ new: JSONTree) -> JSONTree {
    guard case .object(let changes) = new else { return new }
    var result = old
    switch old {
    case .object: break
    // An attribute whose type alone is inferred.
    case .string, .list: result = .object(["type": old])
    default: return new
    }
    for change in changes {
      if change.value == .null, !keepsNull(change.name) {
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
  private func moveFields(_ tree: JSONTree, in file: inout JSONTree) {
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
