internal import CFastMap

/// A place in the payload where a custom policy decides.
struct PolicyCall {
  var planned: PlannedMapping
  /// Its number in the mapping.
  var relationship: Int
  var owner: ObjectID
  /// The new targets.
  var new: [ObjectID]
  var isNull: Bool
}

/// Calls custom policies and writes the targets that they return.
struct PolicyRun {
  let plan: Plan
  let unit: ImportUnit

  struct Outcome {
    /// Targets to delete if nothing refers to them.
    var removed: [ChangeBatch.Removed] = []
    var changed: [ObjectChange] = []
  }

  /// - Parameter calls: In payload order. The store has all their objects.
  func run<W: StoreWriter>(_ calls: [PolicyCall], on writer: inout W) throws -> Outcome {
    var outcome = Outcome()
    for call in calls { try run(call, on: &writer, &outcome) }
    return outcome
  }

  private func run<W: StoreWriter>(
    _ call: PolicyCall, on writer: inout W, _ outcome: inout Outcome
  ) throws {
    let relationship = call.planned.mapping.relationships[call.relationship]
    guard let custom = relationship.policy.custom else { return }
    let entity = call.planned.entity
    let field = call.planned.relationshipFields[call.relationship]
    let owner = call.owner
    guard let kind = plan.schema.entities[entity].fields[field].kind.target else { return }
    let old = try writer.targets(of: [owner], entity: entity, field: field).first ?? []
    let new = call.new

    let (targets, deleted) = try writer.lend(plan.schema) { lent in
      var change = RelationshipChange(
        relationship, owner: owner, old: old, new: new, isNull: call.isNull,
        lent: lent, ownerEntity: plan.schema.entities[entity].name,
        targetEntity: plan.schema.entities[kind.entity].name)
      return (try custom.targets(&change), change.deleted)
    }
    try check(targets, of: relationship, known: Set(old + new), kind.entity, &writer)

    let holder = ChangeBatch.Holder(owner: owner, entity: entity, field: field)
    var dropped = Set(deleted)
    let isMixed = plan.traits.ownsKeyless(field, of: entity)
    if kind.isOwned || isMixed {
      let gone = Set(old + new).subtracting(targets)
      dropped.formUnion(isMixed ? try writer.keyless(gone.sorted(), of: kind.entity, plan) : Array(gone))
    }
    outcome.removed += dropped.sorted().map {
      .init(id: $0, entity: kind.entity, isOwned: kind.isOwned, holder: holder)
    }
    guard targets != old else { return }
    outcome.changed += try set(targets, field, of: owner, entity, isToMany: relationship.isToMany, &writer)
  }

  private func check<W: StoreWriter>(
    _ targets: [ObjectID], of relationship: RelationshipDefinition, known: Set<ObjectID>, _ entity: Int,
    _ writer: inout W
  ) throws {
    let place = "the policy \(quoted(relationship.policy.name)) of \(quoted(relationship.name))"
    if !relationship.isToMany, targets.count > 1 {
      throw PolicyError("\(place) returned \(targets.count) targets for a to-one relationship")
    }
    let unknown = targets.filter { !known.contains($0) }
    if unknown.isEmpty { return }
    var isStored = [Bool](repeating: false, count: unknown.count)
    try writer.read(unknown, of: entity) { index, _ in isStored[index] = true }
    if let missing = isStored.firstIndex(of: false) {
      throw PolicyError("\(place) returned the target \(unknown[missing]), which is not stored")
    }
  }

  private func set<W: StoreWriter>(
    _ targets: [ObjectID], _ field: Int, of owner: ObjectID, _ entity: Int, isToMany: Bool,
    _ writer: inout W
  ) throws -> [ObjectChange] {
    let fieldCount = plan.schema.entities[entity].fields.count
    let row = try unit.makeSlots(fieldCount)
    row[field] = try unit.makeSlot(targets, isToMany: isToMany)
    var batch = ChangeBatch(schema: plan.schema)
    batch.changes.append(
      ObjectChange(
        id: owner, entity: entity, isNew: false, keyField: nil, row: Row(slots: row, count: fieldCount)))
    try writer.apply(&batch)
    try writer.settle(&batch)
    return batch.changes
  }
}
