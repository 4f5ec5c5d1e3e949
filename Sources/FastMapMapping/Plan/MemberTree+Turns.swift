internal import CFastMap

/// Members whose values are of several kinds, each for another reader.
extension MemberTree {
  /// The JSON values that each reader takes: the attributes, the relationships, and then the key paths inside; nil if
  /// all of them read all values.
  package func turns(
    in mapping: MappingDefinition, to destinations: [Int], _ targets: [TargetShapes]
  ) -> [JSONShapes]? {
    guard attributes.count + relationships.count + (members.isEmpty ? 0 : 1) > 1 else { return nil }
    var readers = attributes.map { mapping.memberReader(of: mapping.attributes[$0]) }
    readers += relationships.map { mapping.relationships[$0].memberReader(to: targets[destinations[$0]]) }
    if let first = members.first {
      let isObject = if case .member = first.step { true } else { false }
      readers.append(MemberReader(own: isObject ? .object : .array, isPath: true))
    }
    return MemberReader.turns(of: readers)
  }
}

extension MappingDefinition {
  /// The JSON values of an object that each reader takes, if they take turns: the attributes that read it as a whole, and
  /// then its members. Nil for a mapping with a field that is always there.
  package func turns(of tree: MemberTree, to destinations: [Int], _ targets: [TargetShapes]) -> [JSONShapes]?
  {
    guard !tree.attributes.isEmpty, tree.relationships.isEmpty,
      !attributes.contains(where: { $0.hasPlace && memberReader(of: $0).isFixed || $0.isRest }),
      !relationships.contains(where: \.mayKeepTarget),
      let turns = tree.turns(in: self, to: destinations, targets),
      !turns.contains(where: { $0.contains(.any) })
    else { return nil }
    return turns
  }
}

extension CompiledPlan {
  /// The readers of a member's values, if each takes values of other kinds.
  struct Turns {
    let mapping: MappingDefinition
    let destinations: [Int]
    package let targets: [TargetShapes]

    func shapes(of tree: MemberTree) -> [JSONShapes]? {
      tree.turns(in: mapping, to: destinations, targets)
    }
  }

  static func readers(
    of member: MemberTree, _ shapes: [JSONShapes], _ turns: Turns, _ arena: inout fastmap_arena
  ) -> [fastmap_plan_member] {
    let uses =
      member.attributes.map { fastmap_plan_use(is_relationship: false, index: UInt32($0)) }
      + member.relationships.map { fastmap_plan_use(is_relationship: true, index: UInt32($0)) }
    return shapes.enumerated().map { number, shapes in
      let own = number < uses.count ? [uses[number]] : []
      let inner = own.isEmpty ? member.members : []
      return fastmap_plan_member(
        step: UInt8(FASTMAP_STEP_NONE), element: shapes.rawValue, name: nil, length: 0,
        use_count: UInt32(own.count), uses: arena.copy(own), member_count: UInt32(inner.count),
        members: compile(inner, turns: turns, &arena))
    }
  }
}
