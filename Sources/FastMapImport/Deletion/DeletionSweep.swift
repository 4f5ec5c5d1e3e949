/// Deletes, at the end of an import, the objects that relationships have lost and nothing else refers to.
///
/// A target stays if a relationship of any object has it, or if the payload had it. Otherwise imports of one payload would
/// insert and delete the target in turn. An object is deleted with the objects that it owns, and with objects that only
/// its `replace` relationships had. Objects that refer to each other in a circle stay.
package struct DeletionSweep {
  let plan: Plan
  private(set) var candidates: [ChangeBatch.Removed] = []
  /// Whether objects stay whose key has a deleted object as a part.
  var sparesDependents = false
  /// Whether objects go with a part of their key although the payload has them.
  var deletesMetDependents = false
  var changeLog: ChangeLog?

  package init(plan: Plan) { self.plan = plan }

  package mutating func add(_ removed: [ChangeBatch.Removed]) { candidates += removed }

  package var candidateCount: Int { candidates.count }

  /// Keeps only the first `count` candidates.
  mutating func goBack(to count: Int) { candidates.removeLast(candidates.count - count) }

  /// The candidates after the first `count` ones, for a store to keep.
  func leftovers(after count: Int) -> [Leftover] {
    let deletingShared = Self.deletingSharedFields(plan)
    return candidates[count...].map {
      Leftover(
        id: $0.id, entity: $0.entity, isOwned: $0.isOwned,
        deletesShared: $0.deletesShared || deletingShared[$0.holder.entity].contains($0.holder.field))
    }
  }

  /// Adds the candidates of an import that ended midway.
  ///
  /// - Throws: ``StoreContractError`` for an entity that the schema does not have.
  package mutating func add(_ leftovers: [Leftover]) throws {
    candidates += try leftovers.map {
      try StoreContractError.check(
        entity: $0.entity, below: plan.schema.entities.count, in: "claimLeftovers(of:)")
      let holder = ChangeBatch.Holder(owner: .unset, entity: $0.entity, field: -1)  // unknown now
      return .init(
        id: $0.id, entity: $0.entity, isOwned: $0.isOwned, deletesShared: $0.deletesShared, holder: holder)
    }
  }

  /// Adds objects that are deleted although others refer to them.
  ///
  /// - Parameter evenIfMet: Whether they are deleted although the payload has them.
  package mutating func addDeleted(_ ids: [ObjectID], of entity: Int, evenIfMet: Bool = false) {
    candidates += ids.map { id in
      .init(
        id: id, entity: entity, isOwned: evenIfMet, deletesShared: true,
        holder: .init(owner: id, entity: entity, field: 0))
    }
  }

  /// Adds the targets of objects that will be deleted, and objects whose key has one of them as a part.
  package mutating func addCompanions<W: StoreWriter>(of ids: [ObjectID], _ entity: Int, writer: inout W)
    throws
  {
    try addTargets(of: ids, entity, Self.followedFields(plan)[entity], reader: &writer.reader)
    try addDependents(of: ids, entity, writer: &writer)
  }

  private mutating func addTargets<R: StoreReader>(
    of ids: [ObjectID], _ entity: Int, _ followed: Set<Followed>, reader: inout R
  ) throws {
    for start in stride(from: 0, to: followed.isEmpty ? 0 : ids.count, by: 4096) {
      let owners = Array(ids[start..<min(start + 4096, ids.count)])
      let follows = Array(followed)
      let lists = try reader.checkedTargets(of: owners, entity: entity, fields: follows.map(\.field))
      for (follow, found) in zip(follows, lists) {
        var removed: [ChangeBatch.Removed] = []
        for (owner, targets) in zip(owners, found) {
          let holder = ChangeBatch.Holder(owner: owner, entity: entity, field: follow.field)
          removed += targets.map { follow.removed($0, from: holder) }
        }
        candidates += try reader.markOwnership(of: removed, plan)
      }
    }
  }

  /// Deletes the candidates that nothing refers to.
  ///
  /// The sweep first finds all objects to delete, and then deletes them at once. So it looks at each reference once,
  /// and goes once over each list that loses objects. The order of the candidates does not matter.
  ///
  /// - Parameters:
  ///   - onlyOwned: For an import that failed between two commits. No later import would find its owned objects, so
  ///     these are deleted. The rest of the payload might have had the objects with a key, so these stay candidates.
  ///   - ids: Objects that a full payload does not have, which are candidates unless something else needs them.
  /// - Returns: With `ids`, the number of them that are deleted, and of the objects that stay although only deleted ones referred to
  ///   them, and the payload does not have them.
  /// - Complexity: O(*n* log *n*) in the candidates, the objects deleted with them, and the references to all of these.
  @discardableResult
  package mutating func run<W: StoreWriter>(
    on writer: inout W, tally: inout ChangeCounts, onlyOwned: Bool = false, replacing ids: [ObjectID] = [],
    of entity: Int = 0
  ) throws -> (deleted: Int, left: Int) {
    if candidates.isEmpty { return (0, 0) }
    let (going, waiting) = try findDeleted(on: &writer, tally, onlyOwned: onlyOwned)
    let targets = try ids.isEmpty ? [:] : remainingTargets(of: going, tally, in: &writer.reader)
    try changeLog?.beginDeletion(of: going.objects, on: &writer)
    for (entity, ids) in going.objects.enumerated() where !ids.isEmpty {
      for id in try writer.delete(ids.sorted(), of: entity) { tally.countDeleted(id, of: entity) }
    }
    candidates = waiting
    var left = 0
    for (entity, ids) in targets {
      left += try Self.unreferenced(ids.sorted(), of: entity, in: &writer).count
    }
    return (ids.count { going.objects[entity].contains($0) }, left)
  }

  /// Finds the objects to delete. No candidates are left.
  ///
  /// - Returns: Also the candidates that stay candidates.
  mutating func findDeleted<W: StoreWriter>(
    on writer: inout W, _ tally: ChangeCounts, onlyOwned: Bool = false
  ) throws -> (going: CascadeDeletion, waiting: [ChangeBatch.Removed]) {
    let followed = Self.followedFields(plan)
    let deletingShared = Self.deletingSharedFields(plan)
    var going = CascadeDeletion(entityCount: plan.schema.entities.count)
    var waiting: [ChangeBatch.Removed] = []
    while !candidates.isEmpty {
      let round = candidates
      candidates = []
      for candidate in round {
        if !candidate.isOwned, !plan.traits.isScoped[candidate.entity],
          tally.hasMet(candidate.id, of: candidate.entity)
        {
          continue
        }
        if onlyOwned, !candidate.isOwned {
          waiting.append(candidate)
          continue
        }
        let object = ObjectIdentity(entity: candidate.entity, id: candidate.id)
        if candidate.deletesShared || deletingShared[candidate.holder.entity].contains(candidate.holder.field)
        {
          going.add(object)
        } else {
          going.addUnlessReferenced(object)
        }
      }
      try going.resolve(on: &writer)
      for (entity, ids) in going.popNew() {
        try addTargets(of: ids, entity, followed[entity], reader: &writer.reader)
        if !sparesDependents { try addDependents(of: ids, entity, writer: &writer) }
      }
    }
    return (going, waiting)
  }

  /// The relationships whose old targets are deleted although others refer to them, by entity.
  private static func deletingSharedFields(_ plan: Plan) -> [Set<Int>] {
    var result = [Set<Int>](repeating: [], count: plan.schema.entities.count)
    for planned in plan.mappings {
      for (index, relationship) in planned.mapping.relationships.enumerated()
      where relationship.policy.deletesShared {
        result[planned.entity].insert(planned.relationshipFields[index])
      }
    }
    return result
  }

  private struct Followed: Hashable {
    var field: Int
    var entity: Int
    var isOwned: Bool
    /// Whether only targets without a key are deleted, which belong to the owner.
    var sparesKeyed: Bool

    func removed(_ id: ObjectID, from holder: ChangeBatch.Holder) -> ChangeBatch.Removed {
      .init(id: id, entity: entity, isOwned: isOwned, sparesKeyed: sparesKeyed, holder: holder)
    }
  }

  /// The relationships whose targets may be deleted with their owner, by entity.
  private static func followedFields(_ plan: Plan) -> [Set<Followed>] {
    var result = [Set<Followed>](repeating: [], count: plan.schema.entities.count)
    for planned in plan.mappings {
      for (index, relationship) in planned.mapping.relationships.enumerated() {
        let destination = plan.mappings[planned.destinations[index]]
        let isOwned = destination.mapping.primaryKey == nil
        let field = planned.relationshipFields[index]
        let isReplace = relationship.policy.isReplace || destination.mapping.isScoped
        guard isOwned || isReplace || plan.traits.ownsKeyless(field, of: planned.entity) else {
          continue
        }
        result[planned.entity].insert(
          .init(
            field: field, entity: destination.entity, isOwned: isOwned, sparesKeyed: !isOwned && !isReplace))
      }
    }
    return result
  }
}
