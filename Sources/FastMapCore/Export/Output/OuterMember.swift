/// The member outside of an object from which a relationship of it reads its targets: `@parent.repo`, `@root.repo`.
///
/// An import reads that member, and not the object's own. So a target that the member has stays in full there, and is
/// written as its key in the object.
struct OuterMember: Sendable {
  let origin: JSONKeyPath.Origin
  /// The relationships that write the member, by their mappings.
  let writers: [Int: (field: Int, isToMany: Bool, destination: Int)]
}

extension OutputCompiler {
  /// The number of the member that a relationship reads; negative for a member of its own object.
  mutating func outerMember(of relationship: RelationshipDefinition) -> Int32 {
    guard let path = relationship.outerPath, path.origin != .context else { return -1 }
    if let known = outerNumbers[path] { return known }
    let number = Int32(outers.count)
    outerNumbers[path] = number
    outers.append(OuterMember(origin: path.origin, writers: writers(of: path.steps)))
    return number
  }

  private func writers(
    of path: [JSONKeyPath.Step]
  ) -> [Int: (field: Int, isToMany: Bool, destination: Int)] {
    var writers: [Int: (field: Int, isToMany: Bool, destination: Int)] = [:]
    for (number, planned) in plan.mappings.enumerated() {
      for (index, relationship) in planned.mapping.relationships.enumerated()
      where relationship.outerPath == nil && relationship.keyPath.steps == path {
        if let shouldWrite = options.shouldWrite, !shouldWrite(planned.mapping, relationship) { continue }
        writers[number] = (
          planned.relationshipFields[index], relationship.isToMany, planned.destinations[index]
        )
      }
    }
    return writers
  }
}

extension SerializerRun {
  /// Whether an owner of the current frame writes the targets of its relationship with the same content.
  ///
  /// - Complexity: O(*n*) in the targets.
  mutating func isWrittenOutside<R: StoreReader>(_ step: OutputStep, _ reader: inout R) throws -> Bool {
    let member = program.outers[Int(step.outer)]
    let owner: Int
    switch member.origin {
    case .parent(let levels): owner = outer.count - levels
    case .root: owner = 1
    case .object, .context: return false
    }
    // The outermost entry is empty.
    guard step.source == 0, owner > 0, owner < outer.count else { return false }
    let frame = outer[owner]
    guard let writer = member.writers[frame.mapping],
      program.contents[step.destination].isIncluded(in: program.contents[writer.destination])
    else { return false }
    let entity = program.layouts[frame.mapping].entity
    let id = sources[frame.base].id
    if writer.isToMany {
      guard step.kind == .toMany else { return false }
      return try reader.targets(of: id, entity: entity, field: writer.field) == self.frame.targets
    }
    _ = try rows.load(id, entity, at: frame.base, &reader)
    return step.kind == .toOne && rows.row(at: frame.base)[writer.field].target == self.frame.target
  }
}
