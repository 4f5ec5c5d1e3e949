/// The members of a representation that fields read, so that an attribute can have the rest.
package struct RestMembers: Sendable {
  package let attribute: Int
  package let read: Level
  /// Whether another mapping of the entity may have kept members here that this one reads.
  package let mayHoldRead: Bool

  /// The members on one level.
  package final class Level: Sendable {
    /// By name, the level inside a member through which key paths lead; nil for a member that a field reads.
    package let members: [[UInt8]: Level?]

    init(_ members: [[UInt8]: Level?]) { self.members = members }

    package convenience init(_ trees: [MemberTree]) {
      var inner: [[UInt8]: [MemberTree]?] = [:]
      for tree in trees {
        guard case .member(let name) = tree.step else { continue }
        let isRead = !tree.attributes.isEmpty || !tree.relationships.isEmpty
        let known = inner[Array(name.utf8)] ?? []
        inner.updateValue(isRead ? nil : known.map { $0 + tree.members }, forKey: Array(name.utf8))
      }
      self.init(inner.mapValues { $0.map { Level($0) } })
    }
  }

  /// Nil if no attribute of the mapping has the rest.
  ///
  /// - Parameters:
  ///   - isKeyedRoot: Whether the names of members are keys at the root. A line has such a key in the object, so the rest
  ///     must not have it as well.
  ///   - isUndecided: Whether the mapping reads objects whose kind is chosen later: they keep all but the key until then.
  ///   - others: Mappings beside the plan.
  init?(
    of number: Int, _ mappings: [MappingDefinition], _ destinations: [[Int]], isKeyedRoot: Bool,
    isUndecided: Bool, beside others: [MappingDefinition]
  ) {
    guard let attribute = mappings[number].attributes.firstIndex(where: { $0.source == .rest }) else {
      return nil
    }
    self.attribute = attribute
    let (own, read) = (mappings[number], mappings[number].places)
    mayHoldRead =
      !isUndecided
      && (mappings + others).contains { other in
        NameIndex.isSame(other.entity, own.entity) && other.attributes.contains { $0.source == .rest }
          && !read.isSubset(of: other.places)
      }
    if isUndecided {
      self.read = Level(own.keyParts.count > 1 ? MemberTree.members(of: own.keyParts, own) : [])
      return
    }
    var trees = isKeyedRoot ? MemberTree.memberNames(of: mappings[number]) : []
    var met: Set<Int> = []
    var waiting = [number]
    // Targets that read the same representation write their members back.
    while let next = waiting.popLast() {
      guard met.insert(next).inserted else { continue }
      trees += MemberTree.members(of: mappings[next], withOwnNames: true)
      for (relationship, destination) in zip(mappings[next].relationships, destinations[next])
      where relationship.keyPath.isWhole { waiting.append(destination) }
    }
    self.read = Level(trees)
  }
}

extension PlannedMapping {
  /// Whether an attribute has a value of the payload: a rest grows, and the name of a kind stands in no payload.
  package func hasPayloadValue(_ field: Int) -> Bool {
    field != kindField && field != rest.map { attributeFields[$0.attribute] }
  }
}

extension MappingDefinition {
  /// The places inside of a representation that the mapping reads.
  fileprivate var places: Set<String> {
    Set(
      attributes.lazy.filter { $0.source == .keyPath && $0.outerPath == nil }.map { $0.keyPath.description }
    )
    .union(relationships.lazy.filter { $0.outerPath == nil }.map { $0.keyPath.description })
  }
}
