internal import CFastMap

/// Fields whose values are outside of the object: in its owner, in the document, or given to the import.
extension CompiledPlan {
  static func outers(of mapping: MappingDefinition, _ arena: inout fastmap_arena) -> [fastmap_plan_outer] {
    mapping.origins.map { origin in
      let members = MemberTree.members(of: mapping, from: origin)
      return fastmap_plan_outer(
        origin: origin.code, member_count: UInt32(members.count), members: compile(members, &arena))
    }
  }

  static func owns(of mapping: MappingDefinition, _ arena: inout fastmap_arena) -> [fastmap_plan_own] {
    func own(
      _ path: JSONKeyPath, _ outer: JSONKeyPath?, _ index: Int, isRelationship: Bool
    ) -> fastmap_plan_own? {
      guard let outer, case .member(let name)? = path.steps.first else { return nil }
      return fastmap_plan_own(
        use: fastmap_plan_use(is_relationship: isRelationship, index: UInt32(index)),
        is_needed: outer.origin == .context, name: arena.copy(text: name), length: UInt32(name.utf8.count))
    }
    let attributes = mapping.attributes.enumerated().compactMap {
      own($1.keyPath, $1.outerPath, $0, isRelationship: false)
    }
    let relationships = mapping.relationships.enumerated().compactMap {
      own($1.keyPath, $1.outerPath, $0, isRelationship: true)
    }
    return attributes + relationships
  }
}

extension MappingDefinition {
  /// The key paths of its fields that begin outside of its objects.
  package var outerPaths: [JSONKeyPath] {
    attributes.compactMap(\.outerPath) + relationships.compactMap(\.outerPath)
  }

  /// The places outside of its objects that it reads from, each once.
  var origins: [JSONKeyPath.Origin] {
    var origins: [JSONKeyPath.Origin] = []
    for path in outerPaths where !origins.contains(path.origin) { origins.append(path.origin) }
    return origins
  }
}

extension JSONKeyPath.Origin {
  package var code: UInt32 {
    switch self {
    case .object: UInt32(FASTMAP_OF_OBJECT)
    case .parent(let levels): UInt32(levels)
    case .root: UInt32(FASTMAP_OF_DOCUMENT)
    case .context: UInt32(FASTMAP_OF_CONTEXT)
    }
  }
}
