/// Members that several fields of a mapping write.
extension OutputCompiler {
  /// Finds the members that several fields of a source write.
  mutating func shared(_ sources: [OutputSource]) -> [SharedMember] {
    var found: [SharedMember] = []
    for (number, source) in sources.enumerated() {
      let planned = plan.mappings[source.mapping]
      var waiting = MemberTree.members(of: planned.mapping).map { ([$0.step], $0) }
      while let (path, tree) = waiting.popLast() {
        waiting += tree.members.map { (path + [$0.step], $0) }
        guard let shapes = tree.turns(in: planned.mapping, to: planned.destinations, targets) else {
          continue
        }
        let fields =
          tree.attributes.map { [field(attribute: $0, of: planned, number)] }
          + tree.relationships.map { [field(relationship: $0, of: planned, number)].compactMap(\.self) }
        var inner: [SharedMember.Field] = []
        var trees = tree.members
        while let tree = trees.popLast() {
          trees += tree.members
          inner += tree.attributes.map { field(attribute: $0, of: planned, number) }
          inner += tree.relationships.compactMap { field(relationship: $0, of: planned, number) }
        }
        found.append(
          SharedMember(
            source: number, path: path, sides: fields + (tree.members.isEmpty ? [] : [inner]),
            keepsJSON: shapes.first == .any))
      }
    }
    return found
  }

  private mutating func field(
    attribute index: Int, of planned: PlannedMapping, _ source: Int
  ) -> SharedMember.Field {
    let definition = planned.mapping.attributes[index]
    return SharedMember.Field(
      name: definition.name, path: definition.keyPath.steps,
      step: attribute(index, of: planned, source: source), reader: reader(index, of: planned))
  }

  /// Nil for a relationship that is not written.
  private func field(
    relationship index: Int, of planned: PlannedMapping, _ source: Int
  ) -> SharedMember.Field? {
    let relationship = planned.mapping.relationships[index]
    if let shouldWrite = options.shouldWrite, !shouldWrite(planned.mapping, relationship) { return nil }
    return SharedMember.Field(
      name: relationship.name, path: relationship.keyPath.steps,
      step: step(
        relationship.isToMany ? .toMany : .toOne, of: planned.entity, source,
        planned.relationshipFields[index], destination: planned.destinations[index]))
  }

  /// The attributes as they are declared, but after JSON that has the values of other ones.
  func attributesInOrder(of mapping: MappingDefinition) -> [Int] {
    let indices = Array(mapping.attributes.indices)
    var kept: Set<Int> = []
    var waiting = MemberTree.members(of: mapping)
    while let tree = waiting.popLast() {
      if !tree.members.isEmpty {
        kept.formUnion(tree.attributes.filter { mapping.attributes[$0].keepsAnyJSON })
      }
      waiting += tree.members
    }
    return kept.isEmpty ? indices : indices.filter(kept.contains) + indices.filter { !kept.contains($0) }
  }
}
