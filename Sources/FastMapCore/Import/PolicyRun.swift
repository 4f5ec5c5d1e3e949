internal import CFastMap

/// A place in the payload where a custom policy is to be asked.
struct PolicyCall {
  var planned: PlannedMapping
  /// Its number in the mapping.
  var relationship: Int
  var owner: ObjectID
  /// The new targets.
  var new: [ObjectID]
  var isNull: Bool
}

/// Asks custom policies, and gives relationships what they say.
struct PolicyRun {
  let plan: Plan
  let unit: ImportUnit

  /// What came of it.
  struct Outcome {
    /// Targets that are to be deleted, if nothing refers to them.
    var removed: [ChangeBatch.Removed] = []
    var changed: [ObjectChange] = []
  }

  /// - Parameter calls: In payload order; all objects that they speak of are in the store.
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
    var row = RowBuffer()
    for target in targets where !known.contains(target) {
      guard try writer.read(target, of: entity, into: &row) else {
        throw PolicyError("\(place) returned the target \(target), which is not stored")
      }
    }
  }

  private func set<W: StoreWriter>(
    _ targets: [ObjectID], _ field: Int, of owner: ObjectID, _ entity: Int, isToMany: Bool,
    _ writer: inout W
  ) throws -> [ObjectChange] {
    let fieldCount = plan.schema.entities[entity].fields.count
    guard let row = unit.makeRow(fieldCount), let list = unit.allocate(ObjectID.self, targets.count) else {
      throw OutOfMemoryError()
    }
    if isToMany {
      list.initialize(from: targets, count: targets.count)
      row[field].set(list, count: targets.count)
    } else if let target = targets.first {
      row[field].set(target)
    } else {
      row[field].tag = UInt8(FASTMAP_NULL)
    }
    var batch = ChangeBatch(schema: plan.schema)
    batch.changes.append(
      ObjectChange(
        id: owner, entity: entity, isNew: false, keyField: nil, row: Row(slots: row, count: fieldCount)))
    try writer.apply(&batch)
    return batch.changes
  }
}

/// What a custom policy may not do.
///
///     the policy "newest" of "car" returned 2 targets for a to-one relationship
public struct PolicyError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

extension Schema.Kind {
  /// The targets of a relationship of either cardinality.
  var target: (entity: Int, isOwned: Bool)? {
    switch self {
    case .attribute: nil
    case .toOne(let entity, let isOwned), .toMany(let entity, let isOwned): (entity, isOwned)
    }
  }
}
