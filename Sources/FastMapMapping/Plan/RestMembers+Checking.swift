/// Checks the members that no field reads, where a caller sets them.
extension RestMembers {
  /// A value that no import keeps, in words.
  package struct Misfit {
    package let expected: String
    package let found: String
  }

  /// Finds the first part of a JSON text that no import keeps; nil if there is none.
  ///
  /// - Parameters:
  ///   - stored: The text before; nil for none. Its members may stay, although a mapping of today reads them.
  ///   - levels: The members that mappings read. A member is refused if all of them read it.
  package static func misfit(in text: [UInt8], over stored: [UInt8]?, _ levels: [Level]) -> Misfit? {
    guard let new = document(text) else {
      return Misfit(expected: "a JSON object", found: "text that is not JSON")
    }
    let old = stored.flatMap(document)
    return new.withRoot { node in
      guard node.isObject else {
        return Misfit(expected: "a JSON object", found: JSONValue(node, new.bigIntegers).found)
      }
      guard let old else { return misfit(in: node, over: nil, levels, below: []) }
      return old.withRoot { misfit(in: node, over: $0, levels, below: []) }
    }
  }

  private static func document(_ text: [UInt8]) -> JSONDocument? {
    text.withUnsafeBytes { try? JSONDocument(parsing: $0, maxDepth: Int(UInt32.max), keepsReals: true) }
  }

  private static func misfit(
    in object: JSONNode, over stored: JSONNode?, _ levels: [Level], below path: [String]
  ) -> Misfit? {
    guard let members = object.members else { return nil }
    for (bytes, node) in members {
      let path = path + [String(decoding: bytes, as: UTF8.self)]
      let name = quoted(JSONKeyPath(components: path).description)
      if node.isNull { return Misfit(expected: "members with a value", found: "null in \(name)") }
      let known = levels.compactMap { $0.members[Array(bytes)] }
      guard !levels.isEmpty, known.count == levels.count else { continue }
      let old = path.last.flatMap { stored?[$0] }
      let inner = known.compactMap { $0 }
      if inner.isEmpty || !node.isObject {
        if old == nil { return Misfit(expected: "members that no field reads", found: name) }
      } else if let found = misfit(in: node, over: old, inner, below: path) {
        return found
      }
    }
    return nil
  }
}
