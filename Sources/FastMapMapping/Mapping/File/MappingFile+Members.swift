/// Reads members of the file's objects. A missing member is nil; a wrong one is nil and a fault.
extension MappingFileReader {
  mutating func checkMembers(of node: JSONNode, at place: JSONPath, known: [String], owner: String) {
    guard let members = node.members else { return }
    for (bytes, _) in members {
      let name = String(decoding: bytes, as: UTF8.self)
      guard !known.contains(name) else { continue }
      fault(
        place.appending(name),
        unknownName(
          "member", named: name, among: known, verb: "\(owner) has no member named"))
    }
  }

  mutating func string(_ node: JSONNode, at place: JSONPath) -> String? {
    if let text = node.string { return text }
    fault(place, expected: "a string", found: node)
    return nil
  }

  mutating func string(_ name: String, of object: JSONNode, at place: JSONPath) -> String? {
    guard let node = object[name] else { return nil }
    return string(node, at: place.appending(name))
  }

  mutating func boolean(_ name: String, of object: JSONNode, at place: JSONPath) -> Bool? {
    guard let node = object[name] else { return nil }
    if let value = node.boolean { return value }
    fault(place.appending(name), expected: "a boolean", found: node)
    return nil
  }

  /// One of a few words.
  mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, of object: JSONNode, at place: JSONPath, noun: String
  ) -> Choice? {
    choice(name, of: object, at: place, noun: noun, among: Choice.allCases.map(\.rawValue))
      .flatMap { Choice(rawValue: $0) }
  }

  mutating func choice(
    _ name: String, of object: JSONNode, at place: JSONPath, noun: String, among words: [String]
  ) -> String? {
    guard let text = string(name, of: object, at: place) else { return nil }
    if words.contains(text) { return text }
    fault(
      place.appending(name),
      unknownName(noun, named: text, among: words, verb: "no \(noun) named"))
    return nil
  }

  /// The key path of a field: null is the whole value; without one it is the field's own name.
  mutating func keyPath(of field: JSONNode, at place: JSONPath) -> JSONKeyPath {
    if let name = string("context", of: field, at: place) {
      if field["keyPath"] != nil {
        fault(
          place.appending("keyPath"),
          "\"keyPath\" is refused beside \"context\": both name the place of the value")
      }
      if name.isEmpty { fault(place.appending("context"), "a context value needs a name") }
      return .context(name)
    }
    guard let node = field["keyPath"] else { return .ownName }
    if let text = node.string { return JSONKeyPath(text) }
    if !node.isNull { fault(place.appending("keyPath"), expected: "a string or null", found: node) }
    return .wholeValue
  }

  /// The root path: without one, for null and for the empty string it is the whole payload.
  mutating func rootPath(of mapping: JSONNode, at place: JSONPath) -> JSONKeyPath {
    guard let node = mapping["rootPath"], !node.isNull else { return .wholeValue }
    if let text = node.string { return text.isEmpty ? .wholeValue : JSONKeyPath(text) }
    fault(place.appending("rootPath"), expected: "a string", found: node)
    return .wholeValue
  }
}
