/// The fields of a plan that a store lacks, and that read members which its objects may keep in a rest.
///
///     the store has    Order {id, rest}              {"discount": 5} in the rest of an order
///     the plan has     Order {id, discount, rest}    discount is 5, and the rest is empty
///
/// The first write that declares the fields moves the values: ``run(on:check:)``. Until then, a ``RestReader`` shows them.
package struct RestMoves {
  let plan: Plan
  /// By entity, the new fields of each mapping with a rest.
  private(set) var sources: [Int: [Source]] = [:]
  /// By entity, whether the store does not know the kinds of its objects yet.
  private(set) var areKindsNew: Set<Int> = []
  private(set) var held: HeldFields

  /// The new fields of one mapping.
  struct Source {
    let mapping: Int
    /// The field with the rest.
    let rest: Int
    var attributes: [Int]
    let relationships: [Int]
  }

  /// Nil if the plan has no rest, or the store cannot tell its fields.
  ///
  /// - Parameter countsLeft: Whether fields count whose values stayed in a rest when they were new.
  init?<R: StoreReader>(_ plan: Plan, in reader: inout R, countsLeft: Bool = false) throws {
    guard plan.traits.hasRest, let stored = try reader.storedSchema() else { return nil }
    let held = try HeldFields(in: &reader)
    (self.plan, self.held) = (plan, held)
    let entities = NameIndex(stored.entities.map(\.name))
    for (number, planned) in plan.mappings.enumerated() where planned.kinds?.isKind ?? true {
      guard let rest = planned.rest, let place = entities[planned.mapping.entity] else { continue }
      let entity = stored.entities[place]
      let fields = NameIndex(entity.fields.map(\.name))
      let mapping = planned.mapping
      guard fields[mapping.attributes[rest.attribute].name] != nil else { continue }
      func isNew(_ field: String) -> Bool {
        let name = HeldFields.Name(entity.name, field)
        return fields[field] == nil || held.pending.contains(name) || countsLeft && held.left.contains(name)
      }
      let isKindNew = planned.kindField != nil && isNew(Kinds.fieldName)
      if isKindNew { areKindsNew.insert(planned.entity) }
      let source = Source(
        mapping: number, rest: planned.attributeFields[rest.attribute],
        attributes: mapping.attributes.indices.filter {
          mapping.attributes[$0].isMember && isNew(mapping.attributes[$0].name)
        },
        relationships: mapping.relationships.indices.filter {
          let relationship = mapping.relationships[$0]
          return relationship.outerPath == nil && !relationship.keyPath.isWhole && isNew(relationship.name)
        })
      if isKindNew || !source.attributes.isEmpty || !source.relationships.isEmpty {
        sources[planned.entity, default: []].append(source)
      }
    }
  }

  var isEmpty: Bool { sources.isEmpty }

  /// The entities whose rests may have members that fields read.
  var leftEntities: Set<Int> {
    Set(
      plan.schema.entities.indices.filter { number in
        held.left.contains { NameIndex.isSame($0.entity.text, plan.schema.entities[number].name) }
      })
  }

  func name(_ field: Int, of entity: Int) -> HeldFields.Name {
    .init(plan.schema.entities[entity].name, plan.schema.entities[entity].fields[field].name)
  }

  /// The fields of an entity that this moves values into, and the new relationships.
  func fields(of entity: Int) -> Set<Int> {
    Set(
      (sources[entity] ?? []).flatMap { source in
        let planned = plan.mappings[source.mapping]
        return source.attributes.map { planned.attributeFields[$0] }
          + source.relationships.map { planned.relationshipFields[$0] }
          + (areKindsNew.contains(entity) ? [planned.kindField].compactMap(\.self) : [])
      })
  }
}

extension Store {
  /// Finds the values that the next write of a plan moves out of rests; nil for none.
  ///
  /// In a store that adds fields before a write, they are marked first: if that write fails, the next one moves the values.
  package func restMoves(to plan: Plan, isDryRun: Bool) throws -> RestMoves? {
    guard let moves = try findRestMoves(to: plan) else { return nil }
    guard !isDryRun, !moves.isEmpty, capabilities.concurrency == .serializable else { return moves }
    if let transaction = openTransaction {
      try transaction.runOutside(plan) { _ = try $0.restMoves(to: plan, isDryRun: false) }
      return moves
    }
    try mark(moves)
    return try findRestMoves(to: plan)
  }

  private func findRestMoves(to plan: Plan) throws -> RestMoves? {
    guard plan.traits.hasRest else { return nil }
    return try read(Schema(entities: [])) { try RestMoves(plan, in: &$0) }
  }

  private func mark(_ moves: RestMoves) throws {
    let names = moves.sources.keys.flatMap { entity in
      moves.fields(of: entity).map { moves.name($0, of: entity) }
    }
    try transact(Schema(entities: [])) { writer in
      let known = try HeldFields(in: &writer.reader)
      var held = known
      for name in names { held.insert(name, isPending: true) }
      return try held != known && held.write(to: &writer) ? .commit(()) : .rollBack(())
    }
  }

  /// Moves values out of rests in a transaction of its own, before a write that is no import.
  package func moveRests(to plan: Plan) throws {
    guard let moves = try restMoves(to: plan, isDryRun: false), !moves.isEmpty else { return }
    _ = try prepare(plan.schema)
    try transact(plan.schema) { writer in
      _ = try moves.run(on: &writer)
      return .commit(())
    }
  }

  /// Leaves the values in rests to the next import, before a save whose instances show none of them.
  package func leaveRests(to plan: Plan) throws {
    guard let moves = try findRestMoves(to: plan), !moves.isEmpty else { return }
    if let transaction = openTransaction {
      try transaction.runOutside(plan) { try $0.leaveRests(to: plan) }
    } else {
      try mark(moves)
    }
  }
}
