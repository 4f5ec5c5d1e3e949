/// Checks of key paths.
extension MappingValidator {
  /// Key paths beyond this are refused: the walk recurses over them.
  static let longestKeyPath = 64

  /// The fault in the form of a path; nil for a well-formed path.
  static func malformed(_ path: JSONKeyPath) -> String? {
    if let bracket = path.strayBracket {
      return
        #"expected [], or an index between brackets, found \#(quoted(bracket)); a bracket of a name is written \["#
    }
    guard path.steps.count > longestKeyPath else { return nil }
    return "expected at most \(longestKeyPath) components, found \(path.steps.count)"
  }

  /// Indices beyond this are refused: the elements before it are written as null.
  package static let greatestIndex = 65_535

  package mutating func check(_ keyPath: JSONKeyPath, at place: @autoclosure () -> JSONPath) {
    if keyPath.isWhole { return }
    if let reason = Self.malformed(keyPath) { return fault(place(), reason) }
    if keyPath.steps.first == .each {
      fault(
        place(),
        "expected a key path that begins with a member or an index, found \(quoted(keyPath.description))")
    }
    if keyPath.steps.count(where: { $0 == .each }) > 1 {
      fault(place(), "expected at most one [] in a key path, found \(quoted(keyPath.description))")
    }
    for case .index(let index) in keyPath.steps where !(0...Self.greatestIndex).contains(index) {
      fault(place(), "expected an index from 0 to \(Self.greatestIndex), found \(index)")
    }
  }

  mutating func checkRootPath(_ mapping: MappingDefinition, at place: JSONPath) {
    if let reason = mapping.rootPath.faultAsRoot { fault(place.appending("rootPath"), reason) }
  }
}

extension MappingValidator {
  /// Checks that a mapping of rows reads its objects as arrays only, and that none is read as its owner's object.
  mutating func checkRows(
    _ mapping: MappingDefinition, _ destinations: [MappingDefinition?], at place: JSONPath
  ) {
    for (relationship, destination) in zip(mapping.relationships, destinations) {
      guard relationship.keyPath.isWhole, let destination, destination.isRow else { continue }
      fault(
        place.appending(["relationships", relationship.name, "keyPath"]),
        "expected a key path, found the representation of the owner: the objects of \(quoted(destination.name)) are arrays"
      )
    }
    guard mapping.isRow else { return }
    let wholes =
      mapping.attributes.filter(\.keyPath.isWhole).map { ["attributes", $0.name, "keyPath"] }
      + mapping.relationships.filter(\.keyPath.isWhole).map { ["relationships", $0.name, "keyPath"] }
    for whole in wholes {
      fault(
        place.appending(whole),
        "expected a key path that begins with an index, as the other ones of this mapping, found the whole array"
      )
    }
  }
}

extension MappingDefinition {
  /// Whether its objects are arrays: its key paths begin with an index.
  package var isRow: Bool {
    func isIndex(_ path: JSONKeyPath) -> Bool { if case .index? = path.steps.first { true } else { false } }
    return attributes.contains { isIndex($0.keyPath) } || relationships.contains { isIndex($0.keyPath) }
  }
}

extension JSONKeyPath {
  /// Why it cannot lead to the root objects; nil for a path that can.
  package var faultAsRoot: String? {
    if origin != .object { return "expected a path from the root, found \(quoted(description))" }
    if let reason = MappingValidator.malformed(self) { return reason }
    for case .index(let index) in steps where index < 0 { return "expected an index from 0, found \(index)" }
    return nil
  }
}
