/// The members of a representation that fields read, so that an attribute can have the rest.
package struct RestMembers: Sendable {
  package let attribute: Int
  package let read: Level

  /// The members on one level.
  package final class Level: Sendable {
    /// By name, the level inside a member through which key paths lead; nil for a member that a field reads.
    package let members: [[UInt8]: Level?]

    init(_ members: [[UInt8]: Level?]) { self.members = members }

    fileprivate convenience init(_ trees: [MemberTree]) {
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
  ///   - isUndecided: Whether the mapping reads objects whose kind is chosen later: they keep all members until then.
  init?(
    of number: Int, _ mappings: [MappingDefinition], _ destinations: [[Int]], isKeyedRoot: Bool,
    isUndecided: Bool
  ) {
    guard let attribute = mappings[number].attributes.firstIndex(where: { $0.source == .rest }) else {
      return nil
    }
    self.attribute = attribute
    if isUndecided {
      read = Level([MemberTree]())
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
    read = Level(trees)
  }
}
