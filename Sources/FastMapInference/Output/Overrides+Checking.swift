import FastMapCore

/// Finds overrides that meet nothing, such as a misspelt name. They may be for another payload, so they are no faults.
extension Overrides {
  /// A line for each name that is neither inferred nor in the payload.
  ///
  /// - Parameter members: By entity: all its objects in one shape.
  func strangers(to inferred: JSONTree, _ shapes: [String: Shape]) -> [String] {
    var lines: [String] = []
    func note(_ names: [String], _ text: String, among candidates: [String]) {
      let near = names.last.flatMap { suggestion(for: $0, among: candidates) }
      lines.append(
        "overrides: \(JSONPath(names.map { .member($0) })): \(text)"
          + (near.map { "; did you mean \(quoted($0))?" } ?? ""))
    }
    func noteRemovals(_ new: JSONTree, _ old: JSONTree?, _ names: [String]) {
      for member in new.members
      where member.value == .null && !Self.keepsNull(member.name) && old?[member.name] == nil {
        note(names + [member.name], "there is nothing to remove", among: old?.members.map(\.name) ?? [])
      }
    }
    noteRemovals(tree, inferred, [])
    for mapping in tree["mappings"]?.members ?? [] {
      let names = ["mappings", mapping.name]
      guard let old = inferred["mappings"]?[mapping.name] else {
        let text =
          mapping.value == .null ? "there is nothing to remove" : "no mapping of this name is inferred"
        note(names, text, among: inferred["mappings"]?.members.map(\.name) ?? [])
        continue
      }
      noteRemovals(mapping.value, old, names)
      let fields = Self.fields(of: old, in: inferred)
      let shape = shapes[old["entity"]?.text ?? mapping.name]
      let candidates = fields.map(\.name) + (shape?.members.map(\.label) ?? [])
      for section in ["attributes", "relationships"] {
        for field in mapping.value[section]?.members ?? [] {
          let place = names + [section, field.name]
          let known = fields.first { $0.name == field.name }
          let other = section == "attributes" ? "relationships" : "attributes"
          if field.value == .null, known == nil {
            note(place, "there is nothing to remove", among: candidates)
          } else if field.value == .null, old[section]?[field.name] == nil, old[other]?[field.name] != nil {
            note(place, "there is nothing to remove; the field is in \(quoted(other))", among: [])
          } else if let known {
            noteRemovals(field.value, known.value, place)
          } else if let shape, !Self.isMet(field, in: shape) {
            note(place, "neither inferred nor in the payload", among: candidates)
          }
        }
      }
    }
    return lines
  }

  /// The inferred fields of a mapping. With kinds, they are those of its kinds.
  private static func fields(of mapping: JSONTree, in file: JSONTree) -> [JSONTree.Member] {
    ([mapping] + Draft.kinds(of: mapping).compactMap { file["mappings"]?[$0] }).flatMap { mapping in
      ["attributes", "relationships"].flatMap { mapping[$0]?.members ?? [] }
    }
  }

  /// Whether the payload has a value for a field, or the field reads none of the object's members.
  private static func isMet(_ field: JSONTree.Member, in shape: Shape) -> Bool {
    let type = field.value.text ?? field.value["type"]?.text
    if type == "rest" || field.value["context"] != nil || field.value["inverseOf"] != nil { return true }
    guard let path = field.value["keyPath"] else { return has([.member(field.name)], shape) }
    guard let text = path.text, !text.hasPrefix("@") else { return true }
    return has(JSONKeyPath(text).steps[...], shape)
  }

  private static func has(_ path: ArraySlice<JSONKeyPath.Step>, _ shape: Shape) -> Bool {
    guard case .member(let name)? = path.first else { return true }
    guard shape.collected == nil, let member = shape.members.first(where: { $0.label == name }) else {
      return shape.collected != nil
    }
    return has(path.dropFirst(), member)
  }
}
