extension MappingFileReader {
  /// Reads a mapping with the member `kinds`.
  mutating func choice(named name: String, _ node: JSONNode, at place: JSONPath) -> MappingDefinition {
    let others = ["attributes", "relationships", "lenient", "keyedBy"]
    for member in others where node[member] != nil {
      fault(
        place.appending(member),
        "\(quoted(member)) is refused beside \"kinds\": the mappings that \"kinds\" names have the fields")
    }
    let known = [
      "entity", "rootPath", "primaryKey", "keyScope", "missingPrimaryKey", "newerBy", "deletedBy", "indexes",
      "kinds",
    ]
    checkMembers(of: node, at: place, known: known + others, owner: "a mapping")
    let missingPrimaryKey: MissingPrimaryKey? = choice(
      "missingPrimaryKey", of: node, at: place, noun: "choice")
    return MappingDefinition(
      name, entity: string("entity", of: node, at: place), rootPath: rootPath(of: node, at: place),
      primaryKey: keyFields(of: node, at: place), missingPrimaryKey: missingPrimaryKey ?? .error,
      newerBy: string("newerBy", of: node, at: place), deletedBy: deletedBy(of: node, at: place),
      attributes: [],
      indexes: indexes(of: node, at: place),
      kinds: node["kinds"].flatMap { kinds($0, at: place.appending("kinds")) })
  }

  private mutating func kinds(_ node: JSONNode, at place: JSONPath) -> Kinds? {
    guard node.isObject else {
      fault(place, expected: "an object", found: node)
      return nil
    }
    checkMembers(
      of: node, at: place, known: ["keyPath", "context", "values", "otherwise"], owner: "\"kinds\"")
    let path = keyPath(of: node, at: place)
    if node["keyPath"] == nil, node["context"] == nil {
      fault(place.appending("keyPath"), expected: "a string", found: nil)
    }
    guard let members = node["values"]?.members else {
      fault(place.appending("values"), expected: "an object", found: node["values"])
      return nil
    }
    var values: [(String, RelationshipDefinition.Destination)] = []
    for (bytes, value) in members {
      let text = String(decoding: bytes, as: UTF8.self)
      if let name = string(value, at: place.appending(["values", text])) {
        values.append((text, .named(name)))
      }
    }
    var otherwise = Kinds.Otherwise.error
    switch string("otherwise", of: node, at: place) {
    case "error", nil: break
    case "skip": otherwise = .skip
    case let name?: otherwise = .mapping(.named(name))
    }
    return Kinds(path, values, otherwise: otherwise)
  }
}
