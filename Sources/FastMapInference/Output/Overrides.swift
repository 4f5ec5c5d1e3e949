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
    readWishes()
  }

  private mutating func readWishes() {
    guard let members = tree["mappings"]?.members else { return }
    var mappings: [JSONTree.Member] = []
    for mapping in members {
      var mapping = mapping
      if let wish = Self.wish(mapping.value) {
        kindWishes[mapping.name] = wish
        mapping.value["kinds"] = nil
      }
      mappings.append(mapping)
    }
    if !kindWishes.isEmpty { tree["mappings"] = .object(mappings) }
  }

  private static func wish(_ mapping: JSONTree) -> KindChoice.Wish? {
    guard let kinds = mapping["kinds"], kinds["values"] == nil else { return nil }
    if kinds == .null { return KindChoice.Wish.none }
    guard let path = kinds["keyPath"]?.text, case .member(let name)? = JSONKeyPath(path).steps.first else {
      return nil
    }
    return .member(name)
  }

  func apply(to result: inout Inference.Result, _ schema: Schema) {
    let inferred = result.file
    let shapes = Dictionary(schema.entities.map { ($0.name, $0.shape) }) { first, _ in first }
    result.notes += strangers(to: inferred, shapes)
    let tree = distributed(over: inferred)
    var merged = Self.merge(inferred, tree)
    if let mappings = merged["mappings"], !mappings.members.isEmpty {
      merged["mappings"] = .object(
        finished(mappings.members, of: MemberTable(tree["mappings"]), over: MemberTable(inferred["mappings"]))
      )
    }
    result.file = merged
  }

  private static let sections = [("attributes", "relationships"), ("relationships", "attributes")]

  /// Gives the changed fields of a mapping with kinds to those kinds that have them, and new ones to all.
  private func distributed(over inferred: JSONTree) -> JSONTree {
    let old = MemberTable(inferred["mappings"])
    let choosing = (tree["mappings"]?.members ?? []).filter { old[$0.name]?["kinds"] != nil }
    if choosing.isEmpty { return tree }
    var mappings = MemberTable(tree["mappings"])
    for mapping in choosing {
      let kinds = old[mapping.name].map(Draft.kinds) ?? []
      var rest = mapping.value
      for (section, _) in Self.sections {
        guard let fields = mapping.value[section]?.members else { continue }
        rest[section] = nil
        var having: [String: [String]] = [:]
        for kind in kinds {
          let names = Self.sections.flatMap { old[kind]?[$0.0]?.members.map(\.name) ?? [] }
          for name in Set(names) { having[name, default: []].append(kind) }
        }
        for kind in kinds {
          var changes = mappings[kind] ?? .object([])
          var changed = MemberTable(changes[section])
          let added = fields.filter { having[$0.name]?.contains(kind) ?? true }
          if added.isEmpty { continue }
          for field in added where changed[field.name] == nil { changed[field.name] = field.value }
          changes[section] = changed.tree
          mappings[kind] = changes
        }
      }
      mappings[mapping.name] = rest
    }
    var result = tree
    result["mappings"] = mappings.tree
    return result
  }

  /// Whether null is a value of a member, and removes nothing.
  static func keepsNull(_ member: String) -> Bool { member == "keyPath" || member == "default" }

  private static func merge(_ old: JSONTree, _ new: JSONTree) -> JSONTree {
    guard case .object(let changes) = new else { return new }
    var result: MemberTable
    switch old {
    case .object: result = MemberTable(old)
    // An attribute whose type alone is inferred.
    case .string, .list: result = MemberTable(.object(["type": old]))
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
    return result.tree
  }

  /// Gives mappings of a renamed entity its new name, and removes each inferred field that the overrides declare as one of the
  /// other sort.
  private func finished(
    _ mappings: [JSONTree.Member], of changes: MemberTable, over inferred: MemberTable
  ) -> [JSONTree.Member] {
    let own = MemberTable(tree["mappings"])
    var newNames: [String: String] = [:]
    for change in tree["mappings"]?.members ?? [] {
      guard let name = change.value["entity"]?.text, let before = inferred[change.name] else { continue }
      let old = before["entity"]?.text ?? change.name
      if newNames[old] == nil { newNames[old] = name }
    }
    return mappings.map { mapping in
      var mapping = mapping
      if own[mapping.name]?["entity"] == nil,
        let name = newNames[mapping.value["entity"]?.text ?? mapping.name]
      {
        mapping.value["entity"] = .string(name)
      }
      guard let change = changes[mapping.name] else { return mapping }
      for (section, other) in Self.sections {
        let declared = (change[section]?.members ?? []).filter { $0.value != .null }.map(\.name)
        let moved = Set(declared).subtracting(change[other]?.members.map(\.name) ?? [])
        guard !moved.isEmpty, let fields = mapping.value[other]?.members else { continue }
        if fields.contains(where: { moved.contains($0.name) }) {
          mapping.value[other] = .object(fields.filter { !moved.contains($0.name) })
        }
      }
      return mapping
    }
  }
}
