internal import CFastMap

/// A place in the payload where a custom policy decides.
struct PolicyCall {
  var planned: PlannedMapping
  /// Its number in the mapping.
  var relationship: Int
  var owner: ObjectID
  var new: [ObjectID]
  var isNull: Bool
}

/// Calls custom policies and writes the targets that they return.
///
/// Policies are called in payload order, in runs that name each relationship once. Within a run, every policy sees the store
/// as it was before the run, and the store is asked and written in sets. Showing each policy the effect of the one before would take
/// a write for each.
struct CustomPolicyRun {
  let plan: Plan
  let unit: ImportUnit
  let changeLog: ChangeLog?

  struct Outcome {
    /// Targets to delete if nothing refers to them.
    var removed: [ChangeBatch.Removed] = []
    var changed: [ObjectChange] = []
  }

  /// One call, and the result of its policy.
  private struct Decision {
    let call: PolicyCall
    let entity: Int
    let field: Int
    let target: (entity: Int, isOwned: Bool)
    var old: [ObjectID] = []
    package var targets: [ObjectID] = []
    var deleted: Set<ObjectID> = []

    var relationship: RelationshipDefinition { call.planned.mapping.relationships[call.relationship] }
    var holder: ChangeBatch.Holder { .init(owner: call.owner, entity: entity, field: field) }
  }

  /// - Parameter calls: In payload order. The store has all their objects.
  func run<W: StoreWriter>(_ calls: [PolicyCall], on writer: inout W) throws -> Outcome {
    var outcome = Outcome()
    var decisions: [Decision] = []
    var holders: Set<ChangeBatch.Holder> = []
    for call in calls {
      let entity = call.planned.entity
      let field = call.planned.relationshipFields[call.relationship]
      guard let target = plan.schema.entities[entity].fields[field].kind.target else { continue }
      let decision = Decision(call: call, entity: entity, field: field, target: target)
      if !holders.insert(decision.holder).inserted {
        try run(&decisions, on: &writer, &outcome)
        (decisions, holders) = ([], [decision.holder])
      }
      decisions.append(decision)
    }
    try run(&decisions, on: &writer, &outcome)
    return outcome
  }

  private func run<W: StoreWriter>(
    _ decisions: inout [Decision], on writer: inout W, _ outcome: inout Outcome
  ) throws {
    if decisions.isEmpty { return }
    try readTargets(of: &decisions, &writer.reader)
    try writer.lend(plan.schema) { lent in
      for index in decisions.indices { try ask(&decisions[index], lent) }
    }
    try check(decisions, &writer.reader)
    try drop(&decisions, &writer.reader)
    for decision in decisions {
      outcome.removed += decision.deleted.sorted().map {
        .init(
          id: $0, entity: decision.target.entity, isOwned: decision.target.isOwned, holder: decision.holder)
      }
    }
    outcome.changed += try write(decisions.filter { $0.targets != $0.old }, &writer)
  }

  private func readTargets<R: StoreReader>(of decisions: inout [Decision], _ reader: inout R) throws {
    var indices: [[Int]: [Int]] = [:]
    for (index, decision) in decisions.enumerated() {
      indices[[decision.entity, decision.field], default: []].append(index)
    }
    for (relationship, indices) in indices {
      let owners = indices.map { decisions[$0].call.owner }
      let found = try reader.targets(of: owners, entity: relationship[0], field: relationship[1])
      for (index, targets) in zip(indices, found) { decisions[index].old = targets }
    }
  }

  private func ask(_ decision: inout Decision, _ lent: LentSnapshot) throws {
    let relationship = decision.relationship
    guard let custom = relationship.policy.custom else { return }
    var change = RelationshipChange(
      relationship, owner: decision.call.owner, old: decision.old, new: decision.call.new,
      isNull: decision.call.isNull, lent: lent,
      ownerEntity: plan.schema.entities[decision.entity].name,
      targetEntity: plan.schema.entities[decision.target.entity].name)
    decision.targets = try custom.targets(&change)
    decision.deleted = Set(change.deleted)
  }

  /// Refuses targets that no relationship can have.
  private func check<R: StoreReader>(_ decisions: [Decision], _ reader: inout R) throws {
    func place(_ decision: Decision) -> String {
      "the policy \(quoted(decision.relationship.policy.name)) of \(quoted(decision.relationship.name))"
    }
    var unknown: [Int: [(id: ObjectID, decision: Decision)]] = [:]
    for decision in decisions {
      if !decision.relationship.isToMany, decision.targets.count > 1 {
        throw PolicyError(
          "\(place(decision)) returned \(decision.targets.count) targets for a to-one relationship")
      }
      let known = Set(decision.old + decision.call.new)
      unknown[decision.target.entity, default: []] += decision.targets.filter { !known.contains($0) }.map {
        ($0, decision)
      }
    }
    for (entity, targets) in unknown where !targets.isEmpty {
      let stored = try reader.stored(targets.map(\.id), of: entity)
      if let (id, decision) = targets.first(where: { !stored.contains($0.id) }) {
        throw PolicyError("\(place(decision)) returned the target \(id), which is not stored")
      }
    }
  }

  /// Adds owned objects that their owners no longer have to the deleted ones.
  private func drop<R: StoreReader>(_ decisions: inout [Decision], _ reader: inout R) throws {
    var mixed: [Int: Set<ObjectID>] = [:]
    for index in decisions.indices {
      let decision = decisions[index]
      let gone = Set(decision.old + decision.call.new).subtracting(decision.targets)
      if plan.traits.ownsKeyless(decision.field, of: decision.entity) {
        mixed[decision.target.entity, default: []].formUnion(gone)
      } else if decision.target.isOwned {
        decisions[index].deleted.formUnion(gone)
      }
    }
    if mixed.isEmpty { return }
    var keyless: [Int: Set<ObjectID>] = [:]
    for (entity, ids) in mixed { keyless[entity] = try reader.keyless(ids, of: entity, plan) }
    for index in decisions.indices {
      let decision = decisions[index]
      guard plan.traits.ownsKeyless(decision.field, of: decision.entity) else { continue }
      let gone = Set(decision.old + decision.call.new).subtracting(decision.targets)
      decisions[index].deleted.formUnion(gone.intersection(keyless[decision.target.entity] ?? []))
    }
  }

  /// Writes the new targets, all fields of one owner as one change.
  private func write<W: StoreWriter>(_ decisions: [Decision], _ writer: inout W) throws -> [ObjectChange] {
    if decisions.isEmpty { return [] }
    let sorted = decisions.sorted { ($0.entity, $0.call.owner) < ($1.entity, $1.call.owner) }
    var batch = ChangeBatch(schema: plan.schema)
    var start = 0
    while start < sorted.count {
      let first = sorted[start]
      let own = sorted[start...].prefix { $0.entity == first.entity && $0.call.owner == first.call.owner }
      let fieldCount = plan.schema.entities[first.entity].fields.count
      let row = try unit.makeSlots(fieldCount)
      for decision in own {
        row[decision.field] = try unit.makeSlot(
          decision.targets, isToMany: decision.relationship.isToMany)
      }
      batch.changes.append(
        ObjectChange(
          id: first.call.owner, entity: first.entity, isNew: false, keyField: nil,
          row: Row(slots: row, count: fieldCount)))
      start = own.endIndex
    }
    try changeLog.write(&batch, on: &writer)
    return batch.changes
  }
}
