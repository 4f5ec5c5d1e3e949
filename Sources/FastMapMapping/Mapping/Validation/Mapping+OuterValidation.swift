/// Checks of fields whose values are outside of their object.
extension MappingValidator {
  /// Why a path that begins outside of the object is refused; nil for any other path, and for a sound one.
  static func faultOutside(_ path: JSONKeyPath) -> String? {
    switch path.origin {
    case .object, .context: return nil
    case .parent(let levels) where levels > longestKeyPath:
      return "expected at most \(longestKeyPath) levels of owners, found \(levels)"
    case .parent, .root: break
    }
    return path.steps.isEmpty
      ? "expected a key path into the \(path.origin == .root ? "document" : "owner"), found \(quoted(path.description))"
      : nil
  }

  mutating func checkOuter(
    _ mapping: MappingDefinition, _ destinations: [MappingDefinition?], at place: JSONPath
  ) {
    for attribute in mapping.attributes {
      guard let path = attribute.outerPath else { continue }
      check(outer: path, of: mapping, at: place.appending(["attributes", attribute.name]))
    }
    for (relationship, destination) in zip(mapping.relationships, destinations) {
      guard let path = relationship.outerPath else { continue }
      let here = place.appending(["relationships", relationship.name])
      check(outer: path, of: mapping, at: here)
      guard let destination else { continue }
      if path.origin == .context {
        if relationship.isToMany {
          fault(here.appending("context"), "a context value is the key of one object")
        }
        if destination.primaryKey == nil || destination.isScoped {
          fault(
            here.appending("context"),
            "a context value is the key of an object, and the mapping \(quoted(destination.name)) has none that can be named"
          )
        }
      } else if !destination.relationships.isEmpty || destination.hasKind {
        fault(
          here.appending("keyPath"),
          "expected a mapping without relationships, found \(quoted(destination.name)): its objects are outside of "
            + "\(quoted(mapping.name)), which they could contain")
      }
      if path.isEach {
        fault(
          here.appending("keyPath"),
          "expected a key path without [] outside of the object, found \(quoted(path.description))")
      }
    }
  }

  private mutating func check(outer path: JSONKeyPath, of mapping: MappingDefinition, at place: JSONPath) {
    let here = place.appending(path.origin == .context ? "context" : "keyPath")
    if let reason = Self.faultOutside(path) {
      fault(here, reason)
    } else {
      check(path, at: here)
    }
    if mapping.isRow {
      fault(
        here, "an object that is an array has no member in which \(quoted(path.description)) could be written"
      )
    }
  }

  /// A missed target of a weak relationship is kept without its owner and its document.
  mutating func checkOuterOfWeak(_ mappings: [MappingDefinition], _ destinations: [[Int?]]) {
    guard mappings.contains(where: { !$0.outerPaths.isEmpty }) else { return }
    for (number, mapping) in mappings.enumerated() {
      for (relationship, destination) in zip(mapping.relationships, destinations[number]) {
        guard relationship.isWeak, let destination else { continue }
        var level: Set<Int> = [destination]
        var met: Set<Int> = []
        var depth = 0
        while !level.isEmpty {
          met.formUnion(level)
          let reader = level.sorted().first { number in
            mappings[number].outerPaths.contains { path in
              if case .parent(let levels) = path.origin { levels > depth } else { path.origin == .root }
            }
          }
          if let reader {
            fault(
              mapping.place.appending(["relationships", relationship.name, "weak"]),
              "the objects of \(quoted(mappings[reader].name)) read values of their owners, and a weak relationship owns none"
            )
            break
          }
          level = Set(level.flatMap { destinations[$0].compactMap(\.self) }).subtracting(met)
          depth += 1
        }
      }
    }
  }
}
