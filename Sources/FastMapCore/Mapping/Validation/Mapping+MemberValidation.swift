/// Checks of fields that read the same member, and of key paths through the value of a field.
extension MappingValidator {
  /// A field with its path.
  private struct Use {
    let steps: [JSONKeyPath.Step]
    let section: String
    let name: String
    /// Its number among the attributes or the relationships.
    let number: Int
    var isAttribute: Bool { section == "attributes" }
  }

  /// Fields of one member take values of different kinds, so that each value has one place and is written back. A value
  /// must not be an object for one key path and an array for another.
  ///
  /// - Parameters:
  ///   - targets: The values that represent the targets of each relationship; nil for a mapping that was not found.
  ///   - isWritten: Whether objects are written by the mapping.
  mutating func checkPaths(
    _ mapping: MappingDefinition, to targets: [TargetShapes?], at place: JSONPath, isWritten: Bool = true
  ) {
    let attributes = mapping.attributes.enumerated().filter(\.element.hasPlace).map { number, attribute in
      (
        Use(
          steps: attribute.keyPath.steps, section: "attributes", name: attribute.name, number: number),
        mapping.memberReader(of: attribute)
      )
    }
    let relationships = zip(mapping.relationships, targets).enumerated().map { number, pair in
      (
        Use(
          steps: pair.0.keyPath.steps, section: "relationships", name: pair.0.name, number: number),
        pair.1.map { pair.0.memberReader(to: $0) } ?? MemberReader(own: .any)
      )
    }
    let uses = (attributes + relationships).filter {
      (1...Self.longestKeyPath).contains($0.0.steps.count) && $0.0.steps[0] != .each
    }
    let members = Dictionary(grouping: uses, by: \.0.steps)
    if isWritten {
      for (use, _) in uses {
        guard let all = members[use.steps], all.count > 1 else { continue }
        check(use, among: all, of: mapping, at: place)
      }
    }
    var shapes: [[JSONKeyPath.Step]: (isArray: Bool, name: String)] = [:]
    for (use, _) in uses {
      var here: JSONPath { place.appending([use.section, use.name, "keyPath"]) }
      for length in 0..<use.steps.count {
        let way = Array(use.steps.prefix(length))
        let isArray = if case .member = use.steps[length] { false } else { true }
        if isWritten, let others = members[way],
          let reason = fault(of: use, through: way, of: others, isArray: isArray, mapping)
        {
          fault(here, reason)
          break
        }
        let first = shapes[way] ?? (isArray, use.name)
        shapes[way] = first
        if first.isArray != isArray, way.isEmpty {
          fault(
            here,
            "expected a key path that begins with \(isArray ? "a member" : "an index"), as that of \(quoted(first.name)); "
              + #"a bracket of a name is written \["#)
          break
        }
        if first.isArray != isArray {
          let nouns = isArray ? ("an array", "an object") : ("an object", "an array")
          fault(
            here,
            "\(quoted(JSONKeyPath.text(of: way))) is \(nouns.0) here and \(nouns.1) for \(quoted(first.name))"
          )
          break
        }
      }
    }
  }

  /// Checks a field that reads a member with others.
  private mutating func check(
    _ use: Use, among all: [(Use, MemberReader)], of mapping: MappingDefinition, at place: JSONPath
  ) {
    guard let other = all.first(where: { $0.0.name != use.name })?.0 else { return }
    let here = place.appending([use.section, use.name, "keyPath"])
    let path = quoted(JSONKeyPath.text(of: use.steps))
    guard MemberReader.turns(of: all.map(\.1)) != nil else {
      let first = all.first { $0.0.section == "relationships" }?.0
      if use.section == "relationships", let first, first.name != use.name {
        fault(
          here, "\(path) is the value of \(quoted(first.name)) too: only one of them could be written")
      }
      return
    }
    if let reason = refusal(of: use, sharing: use.steps, in: mapping) {
      fault(here, "\(path) is the value of \(quoted(other.name)) too: \(reason)")
    }
  }

  /// Why a key path must not lead through the value of some fields; nil if it may.
  private func fault(
    of use: Use, through way: [JSONKeyPath.Step], of others: [(use: Use, reader: MemberReader)],
    isArray: Bool, _ mapping: MappingDefinition
  ) -> String? {
    let reason = "leads through \(quoted(JSONKeyPath.text(of: way))), which is the value of "
    let path = MemberReader(own: isArray ? .array : .object, isPath: true)
    let readers = others.map(\.reader) + [path]
    guard MemberReader.turns(of: readers) != nil else {
      let other = others.first { !$0.reader.own.isDisjoint(with: path.own) } ?? others[0]
      return reason + quoted(other.use.name)
    }
    if let key = others.first(where: { mapping.isOfKey($0.use.name) }) {
      return reason + quoted(key.use.name)
    }
    for other in others {
      if let refusal = refusal(of: other.use, sharing: way, in: mapping) {
        return reason + quoted(other.use.name) + ": " + refusal
      }
    }
    let name = quoted(others[0].use.name)
    if let refusal = refusal(of: use, sharing: way, in: mapping) { return reason + name + ": " + refusal }
    let keepsJSON = others[0].reader.keepsJSON
    if keepsJSON, !use.isAttribute {
      return reason + name + ": objects inside of JSON that is kept could not be written back"
    }
    if keepsJSON, use.steps.contains(.each) {
      return reason + name + ": a list inside of JSON that is kept could not be written back"
    }
    if !keepsJSON, let rest = mapping.attributes.first(where: \.isRest) {
      return reason + name + ": \(quoted(rest.name)) cannot have the rest of a member that is not always "
        + (isArray ? "an array" : "an object")
    }
    return nil
  }

  /// Why a field cannot be without a value where another one at its member has it; nil if it can.
  private func refusal(
    of use: Use, sharing way: [JSONKeyPath.Step], in mapping: MappingDefinition
  ) -> String? {
    if mapping.isOfKey(use.name) { return "a primary key has a member for itself" }
    if way.contains(.each) { return "a list of values has one field" }
    let isOuter: Bool
    if use.isAttribute {
      let attribute = mapping.attributes[use.number]
      isOuter = attribute.outerPath != nil
      if attribute.rules.keepsOnNull {
        return
          "the property of \(quoted(use.name)) must be optional, as either of them may be without a value"
      }
      if attribute.defaultValue != nil {
        return "\(quoted(use.name)) must not have a default, as either of them may be without a value"
      }
    } else {
      let relationship = mapping.relationships[use.number]
      isOuter = relationship.outerPath != nil
      if relationship.mayKeepTarget {
        return
          "the policy of \(quoted(use.name)) must be assign or replace, as either of them may be without a value"
      }
    }
    return isOuter
      ? "\(quoted(use.name)) has its value outside of the object, and needs a name for itself" : nil
  }
}
