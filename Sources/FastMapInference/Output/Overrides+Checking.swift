import FastMapCore

/// Finds overrides that meet nothing, such as a misspelt name. They may be for another payload, so they are no faults.
extension Overrides {
  /// A line for each name that is neither inferred nor in the payload.
  ///
  /// - Parameter members: By entity: all its objects in one shape.
  func strangers(to inferred: JSONTree, _ shapes: [String: Shape]) -> [String] {
    var found: [(names: [String], text: String, candidates: [String])] = []
    func report(_ names: [String], _ text: String, among candidates: [String]) {
      found.append((names, text, candidates))
    }
    func reportRemovals(_ new: JSONTree, _ old: JSONTree?, _ names: [String]) {
      let candidates = old?.members.map(\.name) ?? []
      let known = Set(candidates)
      for member in new.members
      where member.value == .null && !Self.keepsNull(member.name) && !known.contains(member.name) {
        report(names + [member.name], "there is nothing to remove", among: candidates)
      }
    }
    reportRemovals(tree, inferred, [])
    let inferredNames = inferred["mappings"]?.members.map(\.name) ?? []
    let inferredMappings = MemberTable(inferred["mappings"])
    for mapping in tree["mappings"]?.members ?? [] {
      let names = ["mappings", mapping.name]
      guard let old = inferredMappings[mapping.name] else {
        let text =
          mapping.value == .null ? "there is nothing to remove" : "no mapping of this name is inferred"
        report(names, text, among: inferredNames)
        continue
      }
      reportRemovals(mapping.value, old, names)
      let fields = Self.fields(of: old, in: inferredMappings)
      let tables = [
        "attributes": MemberTable(old["attributes"]), "relationships": MemberTable(old["relationships"]),
      ]
      let knownFields = Dictionary(fields.map { ($0.name, $0) }) { first, _ in first }
      let shape = shapes[old["entity"]?.text ?? mapping.name]
      let candidates = fields.map(\.name) + (shape?.members.map(\.label) ?? [])
      for section in ["attributes", "relationships"] {
        for field in mapping.value[section]?.members ?? [] {
          let place = names + [section, field.name]
          let known = knownFields[field.name]
          let other = section == "attributes" ? "relationships" : "attributes"
          if field.value == .null, known == nil {
            report(place, "there is nothing to remove", among: candidates)
          } else if field.value == .null, tables[section]?[field.name] == nil,
            tables[other]?[field.name] != nil
          {
            report(place, "there is nothing to remove; the field is in \(quoted(other))", among: [])
          } else if let known {
            reportRemovals(field.value, known.value, place)
          } else if let shape, !Self.isMet(field, in: shape) {
            report(place, "neither inferred nor in the payload", among: candidates)
          }
        }
      }
    }
    return messageLines(found.count) { index in
      let (names, text, candidates) = found[index]
      let near = names.last.flatMap { suggestion(for: $0, among: candidates) }
      return "overrides: \(JSONPath(names.map { .member($0) })): \(text)"
        + (near.map { "; did you mean \(quoted($0))?" } ?? "")
    }
  }

  /// The inferred fields of a mapping. With kinds, they are those of its kinds.
  private static func fields(of mapping: JSONTree, in mappings: MemberTable) -> [JSONTree.Member] {
    ([mapping] + Draft.kinds(of: mapping).compactMap { mappings[$0] }).flatMap { mapping in
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
    guard shape.collected == nil, let member = shape.member(hash: KeyNames.hash(of: name)) else {
      return shape.collected != nil
    }
    return has(path.dropFirst(), member)
  }
}
