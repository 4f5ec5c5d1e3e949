// An attribute that keeps the whole owner may contain members of a related object that its mapping does not read.
// They stay.
extension OutputProgram {
  /// Merges the kept JSON of a relationship with its written text.
  ///
  /// - Parameter documents: Owns memory that the result borrows.
  func join(
    _ kept: JSONValue, _ text: ArraySlice<UInt8>, _ destination: Int, _ documents: inout [KeptObject]
  ) throws -> OutputTree {
    let mapping = plan.mappings[destination].mapping
    if mapping.isRow { return .placed(text) }
    if let old = kept.node.elements, let new = text.elements, old.count == new.count {
      var elements: [OutputTree?] = []
      for (index, element) in new.enumerated() {
        elements.append(
          try join(JSONValue(old[index], kept.bigIntegers), element, destination, &documents))
      }
      return .array(elements, isList: true)
    }
    let readsWhole =
      mapping.attributes.contains { $0.keyPath.isWhole }
      || mapping.relationships.contains { $0.keyPath.isWhole }
    guard kept.node.isObject, text.first == UInt8(ascii: "{"), !readsWhole,
      case let written = try KeptObject(text)
    else { return .placed(text) }
    documents.append(written)
    guard isSameObject(kept, written, mapping) else { return .placed(text) }
    var tree: OutputTree? = .kept(written.value)
    Self.addRest(of: kept, MemberTree.members(of: mapping), to: &tree)
    return tree ?? .placed(text)
  }

  private func isSameObject(
    _ kept: JSONValue, _ written: KeptObject, _ mapping: MappingDefinition
  ) -> Bool {
    guard let place = mapping.keyPlace else { return true }
    let parts = mapping.keyParts.isEmpty ? [.attribute(place)] : mapping.keyParts
    return parts.allSatisfy { part in
      // A target may be an object on one side and a key on the other.
      guard case .attribute = part else { return true }
      let path = mapping.keyPath(of: part)
      guard let new = written.value(at: path.steps), let old = kept.node.value(at: path) else { return false }
      return JSONValue(old, kept.bigIntegers).keptText == new.keptText
    }
  }

  private static func addRest(of kept: JSONValue, _ members: [MemberTree], to tree: inout OutputTree?) {
    var rest: [OutputTree.Member] = []
    guard let names = kept.node.members else { return }
    for (name, node) in names {
      let value = JSONValue(node, kept.bigIntegers)
      guard let inner = members.first(where: { $0.step.isMember(name) }) else {
        rest.append(.init(name: Array(name), value: .kept(value)))
        continue
      }
      guard inner.attributes.isEmpty, inner.relationships.isEmpty, node.isObject else { continue }
      var group: OutputTree? = .object([])
      addRest(of: value, inner.members, to: &group)
      if case .object(let members)? = group, !members.isEmpty {
        rest.append(.init(name: Array(name), value: group))
      }
    }
    tree = merged(tree, rest)
  }

  /// Appends members. If both sides have an object of the same name, their members are merged.
  private static func merged(_ tree: OutputTree?, _ rest: [OutputTree.Member]) -> OutputTree? {
    var members: [OutputTree.Member]
    switch tree {
    case .object(let there)?: members = there
    case .kept(let value)?:
      members =
        value.node.members?.map {
          .init(name: Array($0.name), value: .kept(JSONValue($0.value, value.bigIntegers)))
        } ?? []
    default: return tree
    }
    for member in rest {
      if let index = members.firstIndex(where: { $0.name == member.name }) {
        if case .object(let inner)? = member.value {
          members[index].value = merged(members[index].value, inner)
        }
      } else {
        members.append(member)
      }
    }
    return .object(members)
  }
}

extension JSONKeyPath.Step {
  fileprivate func isMember(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    if case .member(let own) = self { own.utf8.elementsEqual(name) } else { false }
  }
}
