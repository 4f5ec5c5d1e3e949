/// Objects that were read from a store, with the objects that a read reaches from them. Instances are then made on the
/// main actor, which need not wait for the store. A question about anything else is an error.
package struct GatheredReader: StoreReader, Sendable {
  private let objects: GatheredObjects
  private let plan: Plan

  /// Objects of one entity to read, with some of their relationships.
  package struct Root: Sendable {
    package let entity: Int
    package let ids: [ObjectID]
    package let tree: IncludeTree

    package init(entity: Int, ids: [ObjectID], tree: IncludeTree) {
      self.entity = entity
      self.ids = ids
      self.tree = tree
    }
  }

  /// Reads objects and the relationships that their trees include, level by level.
  package init<R: StoreReader>(_ roots: [Root], _ plan: Plan, from reader: inout R) throws {
    objects = GatheredObjects(plan.schema)
    self.plan = plan
    for root in roots {
      _ = try reader.gatherRows(of: root.ids, entity: root.entity, into: objects)
      var level = IncludeLevel()
      level.append(root.ids, of: root.entity, root.tree)
      // By object, the depth that was followed from it.
      var depths: [ObjectIdentity: Int] = [:]
      while !level.steps.isEmpty {
        var next = IncludeLevel()
        for step in level.steps { try gather(step, from: &reader, &depths, &next) }
        level = next
      }
    }
  }

  private func gather<R: StoreReader>(
    _ step: IncludeLevel.Step, from reader: inout R, _ depths: inout [ObjectIdentity: Int],
    _ next: inout IncludeLevel
  ) throws {
    let (entity, layout) = (step.entity, plan.schema.entities[step.entity])
    let owners = step.ids.withoutRepeats.map { ObjectIdentity(entity: entity, id: $0) }.filter {
      !objects.isAbsent($0) && step.tree.isFollowed(from: depths[$0] ?? 0)
    }
    if step.tree.depth > 0 {
      for owner in owners { depths[owner] = max(step.tree.depth, depths[owner] ?? 0) }
    }
    let all = links(of: entity)
    let branches = step.tree.followed(among: all.count)
    let lists = branches.map { all[$0.position] }.filter {
      layout.inverse($0) != nil || layout.fields[$0].kind.isToMany
    }
    _ = try reader.gatherTargets(of: owners.map(\.id), entity: entity, fields: lists, into: objects)
    for branch in branches {
      let link = all[branch.position]
      guard let target = layout.target(link) else { continue }
      let targets = owners.flatMap { objects.targets(of: $0, field: link) ?? [] }.withoutRepeats
      _ = try reader.gatherRows(of: targets, entity: target, into: objects)
      next.append(targets, of: target, branch.tree)
    }
  }

  /// The numbers of an entity's relationships and inverses, in the order of a context.
  private func links(of entity: Int) -> [Int] {
    let own = plan.classes[entity]
    if own.objects != nil { return own.links.map(\.field) }
    let layout = plan.schema.entities[entity]
    return layout.fields.indices.filter { layout.target($0) != nil }
      + layout.inverses.indices.map { layout.fields.count + $0 }
  }

  package mutating func use(_ schema: Schema) {}

  package func read(_ ids: [ObjectID], of entity: Int, _ body: (_ index: Int, Row) throws -> Void) throws {
    for (index, id) in ids.enumerated() {
      let object = ObjectIdentity(entity: entity, id: id)
      if !objects.isKnown(object) { throw NotGatheredError() }
      if let row = objects.row(of: object) { try body(index, row) }
    }
  }

  package func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    try fields.map { field in
      try owners.map { try gathered(objects.targets(of: .init(entity: entity, id: $0), field: field)) }
    }
  }

  private func gathered(_ targets: [ObjectID]?) throws -> [ObjectID] {
    guard let targets else { throw NotGatheredError() }
    return targets
  }

  package func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    guard let target = plan.schema.entities[entity].target(field) else { return targets.map { _ in [] } }
    let layout = plan.schema.entities[target]
    let inverses = links(of: target).filter {
      layout.inverse($0).map { $0.entity == entity && $0.field == field } ?? false
    }
    // A to-one inverse has the first object only. Not every inverse was read.
    let lists = inverses.filter { layout.inverse($0)?.isToMany ?? false }
    let fields = lists + inverses.filter { !lists.contains($0) }
    return try targets.map { id in
      let identity = ObjectIdentity(entity: target, id: id)
      return try gathered(fields.lazy.compactMap { objects.targets(of: identity, field: $0) }.first)
    }
  }

  // The assembler does not call any of these.
  package func find(_ keys: [PrimaryKey], of entity: Int) -> [ObjectID?] { keys.map { _ in nil } }
  package func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout GatheredReader, ObjectPage) throws -> Bool
  ) {}
  package func count(of entity: Int) -> Int { 0 }
}

/// A ``GatheredReader`` was asked about objects that it has not read.
package struct NotGatheredError: Error {}
