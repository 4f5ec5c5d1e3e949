import FastMapCore

extension CommandMappings {
  /// The commands that give an inferred attribute a type for the value of an error; none for any other error.
  ///
  /// - Parameter store: The store as the user wrote it.
  func wideningCommands(after error: MappingError, in store: String) -> [String] {
    guard case .unexpected(_, let found) = error.reason,
      (try? JSONTree(parsing: file)["inferred"]) == .boolean(true),
      let (mapping, attribute) = attribute(at: error.path)
    else { return [] }
    let type = attribute.type == .integer && found.hasPrefix("the number ") ? "number" : "json"
    let name = shellWord(store)
    return [
      "\(quoted(attribute.name)) of \(escaped(mapping)) has an inferred type; to widen it, and import again:",
      "  fastmap mappings \(name) > mappings.json",
      "  edit mappings.json: give \(quoted(attribute.name)) of \(escaped(mapping)) the type \(quoted(type))",
      "  fastmap mappings \(name) mappings.json",
    ]
  }

  /// The attribute that reads a place, unless it is a key, which keeps its type.
  private func attribute(at path: JSONPath) -> (mapping: String, AttributeDefinition)? {
    let name = path.steps.reversed().lazy.compactMap { step in
      if case .member(let name) = step { name } else { nil }
    }.first
    guard let name else { return nil }
    for mapping in set.mappings {
      let found = mapping.attributes.first {
        $0.hasPlace && $0.place.components?.last == name && !mapping.isOfKey($0.name)
      }
      if let found { return (mapping.name, found) }
    }
    return nil
  }
}
