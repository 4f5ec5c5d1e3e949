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

  /// A member, or a value inside of it.
  private struct Member {
    var fields: [(use: Use, reader: MemberReader)] = []
    /// The faults of a way into it as an object or as an array, whatever field it leads to. Nil until they are looked for.
    var faults: (object: String??, array: String??) = (nil, nil)
    /// Whether the first way leads into it as an array, and the field that it leads to.
    var first: (isArray: Bool, name: String)?
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
    var places = PlaceIndex<[JSONKeyPath.Step]>()
    var members: [Member] = []
    func number(of way: [JSONKeyPath.Step]) -> Int {
      let place = places.place(of: way)
      if place == members.count { members.append(Member()) }
      return place
    }
    for use in uses { members[number(of: use.0.steps)].fields.append(use) }
    if isWritten {
      for member in members where member.fields.count > 1 { check(member.fields, of: mapping, at: place) }
    }
    for (use, _) in uses {
      var here: JSONPath { place.appending([use.section, use.name, "keyPath"]) }
      for length in 0..<use.steps.count {
        let way = Array(use.steps.prefix(length))
        let isArray = if case .member = use.steps[length] { false } else { true }
        let member = number(of: way)
        let others = members[member].fields
        if isWritten, !others.isEmpty {
          let known = isArray ? members[member].faults.array : members[member].faults.object
          let reason = known ?? fault(through: way, of: others, isArray: isArray, mapping)
          if isArray {
            members[member].faults.array = .some(reason)
          } else {
            members[member].faults.object = .some(reason)
          }
          if let reason = reason ?? fault(of: use, through: way, of: others[0], mapping) {
            fault(
              here, "leads through \(quoted(JSONKeyPath.text(of: way[...]))), which is the value of " + reason
            )
            break
          }
        }
        let first = members[member].first ?? (isArray, use.name)
        members[member].first = first
        if first.isArray != isArray, way.isEmpty {
          fault(
            here,
            "expected a key path that begins with \(isArray ? "a member" : "an index"), as for \(quoted(first.name)); "
              + #"a bracket of a name is written \["#)
          break
        }
        if first.isArray != isArray {
          let nouns = isArray ? ("an array", "an object") : ("an object", "an array")
          fault(
            here,
            "\(quoted(JSONKeyPath.text(of: way[...]))) is \(nouns.0) here and \(nouns.1) for \(quoted(first.name))"
          )
          break
        }
      }
    }
  }

  private mutating func check(
    _ all: [(use: Use, reader: MemberReader)], of mapping: MappingDefinition, at place: JSONPath
  ) {
    let path = quoted(JSONKeyPath.text(of: all[0].use.steps[...]))
    guard MemberReader.turns(of: all.map(\.reader)) != nil else {
      let relationships = all.map(\.use).filter { !$0.isAttribute }
      for use in relationships.dropFirst() {
        fault(
          place.appending([use.section, use.name, "keyPath"]),
          "\(path) is the value of \(quoted(relationships[0].name)) too: only one of them could be written")
      }
      return
    }
    for (use, _) in all {
      guard let other = all.first(where: { $0.use.name != use.name })?.use,
        let reason = refusal(of: use, sharing: use.steps, in: mapping)
      else { continue }
      fault(
        place.appending([use.section, use.name, "keyPath"]),
        "\(path) is the value of \(quoted(other.name)) too: \(reason)")
    }
  }

  /// Why no key path must lead through the value of some fields: the name of a field, and the reason; nil if it may.
  private func fault(
    through way: [JSONKeyPath.Step], of others: [(use: Use, reader: MemberReader)], isArray: Bool,
    _ mapping: MappingDefinition
  ) -> String? {
    let path = MemberReader(own: isArray ? .array : .object, isPath: true)
    guard MemberReader.turns(of: others.map(\.reader) + [path]) != nil else {
      guard let other = others.first(where: { !$0.reader.own.isDisjoint(with: path.own) }) else {
        return quoted(others[0].use.name)
      }
      return quoted(other.use.name)
        + ": both take \(isArray ? "arrays" : "objects"), and only one of them could be written"
    }
    if let key = others.first(where: { mapping.isOfKey($0.use.name) }) {
      return "\(quoted(key.use.name)): a primary key has a member for itself"
    }
    for (use, _) in others {
      if let refusal = refusal(of: use, sharing: way, in: mapping) {
        return "\(quoted(use.name)): \(refusal)"
      }
    }
    if !others[0].reader.keepsJSON, let rest = mapping.attributes.first(where: \.isRest) {
      return
        "\(quoted(others[0].use.name)): \(quoted(rest.name)) cannot have the rest of a member that is not always "
        + (isArray ? "an array" : "an object")
    }
    return nil
  }

  private func fault(
    of use: Use, through way: [JSONKeyPath.Step], of other: (use: Use, reader: MemberReader),
    _ mapping: MappingDefinition
  ) -> String? {
    let name = quoted(other.use.name)
    if let refusal = refusal(of: use, sharing: way, in: mapping) { return "\(name): \(refusal)" }
    guard other.reader.keepsJSON else { return nil }
    if !use.isAttribute { return "\(name): objects inside of JSON that is kept could not be written back" }
    return use.steps.contains(.each)
      ? "\(name): a list inside of JSON that is kept could not be written back" : nil
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
