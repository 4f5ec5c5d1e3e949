/// Deletes, at the end of an import, what relationships no longer have and nothing else refers to.
///
/// A target is kept while any relationship of any object has it, and when it was met in the payload. What
/// goes takes with it what it owns, and what only its `replace` relationships had. Objects that refer to each
/// other in a circle stay.
struct DeletionSweep {
  private let plan: Plan
  private var candidates: [ChangeBatch.Removed] = []

  init(plan: Plan) { self.plan = plan }

  mutating func add(_ removed: [ChangeBatch.Removed]) { candidates += removed }

  /// Notes what objects that are about to be deleted will let go.
  mutating func addTargets<W: StoreWriter>(of ids: [ObjectID], _ entity: Int, writer: inout W) throws {
    let followed = Self.followedFields(plan)[entity]
    for start in stride(from: 0, to: followed.isEmpty ? 0 : ids.count, by: 1024) {
      let owners = Array(ids[start..<min(start + 1024, ids.count)])
      for follow in followed {
        let found = try writer.targets(of: owners, entity: entity, field: follow.field)
        for (owner, targets) in zip(owners, found) {
          let holder = ChangeBatch.Holder(owner: owner, entity: entity, field: follow.field)
          candidates += targets.map {
            .init(id: $0, entity: follow.entity, isOwned: follow.isOwned, holder: holder)
          }
        }
      }
    }
  }

  /// Deletes what may go.
  ///
  /// - Parameter onlyOwned: Of an import that has ended between two commits: what has a key might have been met in the
  ///   rest of it, and stays; what is owned nobody would find again.
  mutating func run<W: StoreWriter>(
    on writer: inout W, tally: inout ObjectTally, onlyOwned: Bool = false
  ) throws {
    let followed = Self.followedFields(plan)
    let deletingShared = Self.deletingSharedFields(plan)
    var waiting = candidates
    candidates = []
    var hasDeleted = true
    while hasDeleted {  // a deletion may free what was referred to a moment ago
      hasDeleted = false
      var stack = waiting
      waiting = []
      while let candidate = stack.popLast() {
        if onlyOwned, !candidate.isOwned { continue }
        if !candidate.isOwned, tally.hasMet(candidate.id, of: candidate.entity) { continue }
        let isShared = try writer.isReferenced(candidate.id, of: candidate.entity)
        if isShared, !deletingShared[candidate.holder.entity].contains(candidate.holder.field) {
          waiting.append(candidate)
          continue
        }
        var targets: [ChangeBatch.Removed] = []
        for follow in followed[candidate.entity] {
          let found = try writer.targets(of: [candidate.id], entity: candidate.entity, field: follow.field)
          let holder = ChangeBatch.Holder(owner: candidate.id, entity: candidate.entity, field: follow.field)
          targets += (found.first ?? []).map {
            .init(id: $0, entity: follow.entity, isOwned: follow.isOwned, holder: holder)
          }
        }
        guard try writer.delete(candidate.id, of: candidate.entity) else { continue }
        tally.noteDeleted(candidate.id, of: candidate.entity)
        hasDeleted = true
        stack += targets
      }
    }
  }

  /// By entity, the relationships whose old targets go even where others refer to them.
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
  }

  /// By entity, the relationships whose targets may go with their owner.
  private static func followedFields(_ plan: Plan) -> [Set<Followed>] {
    var result = [Set<Followed>](repeating: [], count: plan.schema.entities.count)
    for planned in plan.mappings {
      for (index, relationship) in planned.mapping.relationships.enumerated() {
        let destination = plan.mappings[planned.destinations[index]]
        let isOwned = destination.mapping.primaryKey == nil
        guard isOwned || relationship.policy.isReplace else { continue }
        result[planned.entity].insert(
          .init(field: planned.relationshipFields[index], entity: destination.entity, isOwned: isOwned))
      }
    }
    return result
  }
}
