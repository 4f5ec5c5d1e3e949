extension Mapping where Object: Decodable {
  /// Reads JSON into values, without a store.
  ///
  ///     let users = try User.mapping.values(from: #"{"id": 7, "name": "Ada", "friends": []}"#)
  ///
  /// The place of the values is the mapping's root path: one object, or an array of them.
  ///
  /// - Parameter json: The text or document, borrowed for the call.
  /// - Throws: `DecodingError`, ``JSONSyntaxError``, and ``MappingDefinitionError``, also for a mapping whose builder reads a field at
  ///   another place than its type.
  public func values(from json: some JSONSource & ~Escapable) throws -> [Object] {
    let root = try plan().root
    if let encoded = root.recorded?.encoded?.definition, !root.isPlaced(like: encoded) {
      throw MappingDefinitionError([
        .init(
          place: root.place,
          reason:
            "a field stands at another place than in the type \(Object.self), so values are read through a store"
        )
      ])
    }
    if let values = try json.withParsedJSON({ try values(in: $0, root) }) { return values }
    return try json.withJSON { bytes in
      let document = try JSONDocument(parsing: bytes, keepsReals: true)
      return try document.withRoot { try values(in: JSONValue($0, document.bigIntegers), root) }
    }
  }

  private func values(in value: JSONValue, _ root: MappingDefinition) throws -> [Object] {
    var nodes = [value.node]
    for step in root.rootPath.steps {
      nodes = nodes.flatMap { node in
        step == .each ? node.elements.map { Array($0) } ?? [] : node[step].map { [$0] } ?? []
      }
    }
    if nodes.isEmpty, !root.rootPath.steps.contains(.each) {
      throw DecodingError.valueNotFound(
        Object.self,
        .init(codingPath: [], debugDescription: "there is nothing at the root path \(root.rootPath)"))
    }
    let decoder = FastMapDecoder()
    return try nodes.flatMap { node in
      let value = JSONValue(node, value.bigIntegers)
      return node.elements == nil
        ? [try decoder.decode(Object.self, from: value)] : try decoder.decode([Object].self, from: value)
    }
  }
}

extension MappingDefinition {
  /// Whether all fields have the places and types that another mapping gives them.
  fileprivate func isPlaced(like other: MappingDefinition) -> Bool {
    zip(attributes, other.attributes).allSatisfy { $0.place == $1.place && $0.type == $1.type }
      && zip(relationships, other.relationships).allSatisfy { $0.place == $1.place }
  }
}
