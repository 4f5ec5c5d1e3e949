extension MappingFileReader {
  /// Refuses the fields of a mapping with the member `kinds`.
  mutating func refuseFields(besideKindsOf node: JSONNode, at place: JSONPath) {
    for member in ["attributes", "relationships", "lenient", "keyedBy"] where node[member] != nil {
      fault(
        place.appending(member),
        "\(quoted(member)) is refused beside \"kinds\": the mappings that \"kinds\" names have the fields")
    }
  }

  mutating func kinds(_ node: JSONNode, at place: JSONPath) -> Kinds? {
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
