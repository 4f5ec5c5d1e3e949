/// A place in the payload where a custom policy decides.
struct InstanceQuestion {
  let planned: PlannedMapping
  let relationship: Int
  let owner: AnyObject
  let property: ClassRelationship
  /// The targets in the payload.
  let new: [AnyObject]
  let isNull: Bool
}

/// Asks custom policies. They see the present instances of a property, and the instances of the payload.
extension InstancePass {
  /// Asks about the relationships of a batch, in payload order.
  func askAll() throws {
    if questions.isEmpty { return }
    let questions = self.questions
    self.questions.removeAll(keepingCapacity: true)
    for question in questions { try ask(question) }
  }

  func ask(_ question: InstanceQuestion) throws {
    let relationship = question.planned.mapping.relationships[question.relationship]
    guard let custom = relationship.policy.custom else { return }
    let property = question.property
    merged.set(property, of: question.owner)
    let old = property.access.get(question.owner)
    let owner = lender.number(of: question.owner)
    let (oldIDs, newIDs) = (old.map { lender.number(of: $0) }, question.new.map { lender.number(of: $0) })
    let (chosen, deleted) = try lender.lend { lent in
      var change = RelationshipChange(
        relationship, owner: owner, old: oldIDs, new: newIDs, isNull: question.isNull, lent: lent,
        ownerEntity: plan.schema.entities[question.planned.entity].name,
        targetEntity: plan.schema.entities[property.target].name)
      return (try custom.targets(&change), Set(change.deleted))
    }
    let targets = try chosen.filter { !deleted.contains($0) }.map { try target($0, relationship, property) }
    if !relationship.isToMany, targets.count > 1 {
      throw PolicyError(
        "\(name(relationship)) returned \(targets.count) targets for a to-one relationship")
    }
    if !old.elementsEqual(targets, by: ===) { property.access.set(question.owner, targets) }
  }

  /// The instance that a policy has chosen.
  private func target(
    _ id: ObjectID, _ relationship: RelationshipDefinition, _ property: ClassRelationship
  ) throws(PolicyError) -> AnyObject {
    guard let instance = lender.instance(id),
      plan.classes[property.target].objects?.isInstance(instance) ?? false
    else { throw PolicyError("\(name(relationship)) returned the target \(id), which is not a target") }
    return instance
  }

  private func name(_ relationship: RelationshipDefinition) -> String {
    "the policy \(quoted(relationship.policy.name)) of \(quoted(relationship.name))"
  }
}

/// Lends instances to delegates and policies, which know them by numbers.
struct InstanceLender {
  private let schema: Schema
  private var reader: InstanceReader

  init(_ plan: Plan) {
    schema = plan.schema
    reader = InstanceReader(unchecked: plan)
  }

  mutating func number(of instance: AnyObject) -> ObjectID { reader.number(of: instance) }

  /// The instance with a number; nil if there is none.
  func instance(_ id: ObjectID) -> AnyObject? { reader.instance(id) }

  /// Lends the instances as a snapshot, in which nothing can be looked for.
  mutating func lend<R>(_ body: (LentSnapshot) throws -> R) rethrows -> R {
    let lent = LentSnapshot(Snapshot(reader, schema))
    defer {
      // Keep the numbers that the snapshot has given.
      if let used = lent.snapshot.base as? InstanceReader { reader = used }
    }
    return try body(lent)
  }
}
