/// Keys of several parts, as text.
extension Plan {
  /// The type of a part.
  private enum PartType {
    case integer, string
    case parts([PartType])
  }

  /// Reads the key of a root object, a JSON array of its parts.
  ///
  /// - Parameter isPrefix: Whether the last parts may be missing.
  /// - Returns: The parts; nil for a text that is no such array.
  package func keyParts(json text: String, isPrefix: Bool) -> [PrimaryKey]? {
    guard let document = try? JSONDocument(parsing: Array(text.utf8)), case .parts(let types) = keyType(of: 0)
    else { return nil }
    return document.withRoot { Self.parts(of: $0, types, isPrefix: isPrefix) }
  }

  /// A key as an example: `["a",1]`.
  package var exampleOfKey: String { Self.example(of: keyType(of: 0)) }

  /// Recurses over keys of targets, which are never parts of themselves.
  private func keyType(of number: Int) -> PartType {
    let planned = mappings[number]
    if planned.parts.isEmpty {
      return planned.mapping.key?.type == .integer ? .integer : .string
    }
    return .parts(
      planned.parts.map { part in
        switch part {
        case .attribute(let index): planned.mapping.attributes[index].type == .integer ? .integer : .string
        case .relationship(let index): keyType(of: planned.destinations[index])
        }
      })
  }

  private static func parts(of node: JSONNode, _ types: [PartType], isPrefix: Bool) -> [PrimaryKey]? {
    guard let elements = node.elements,
      isPrefix ? elements.count <= types.count : elements.count == types.count
    else { return nil }
    var parts: [PrimaryKey] = []
    for (element, type) in zip(elements, types) {
      switch type {
      case .integer:
        guard let value = element.integer else { return nil }
        parts.append(.integer(value))
      case .string:
        guard let text = element.string else { return nil }
        parts.append(.string(text))
      case .parts(let types):
        guard let inner = Self.parts(of: element, types, isPrefix: false) else { return nil }
        parts.append(PrimaryKey(parts: inner))
      }
    }
    return parts
  }

  private static func example(of type: PartType) -> String {
    switch type {
    case .integer: "1"
    case .string: "\"a\""
    case .parts(let types): "[" + types.map(example).joined(separator: ",") + "]"
    }
  }
}
