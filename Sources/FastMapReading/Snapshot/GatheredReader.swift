/// Objects that were read from a store, with the objects that a read reaches from them. Instances are then made on the
/// main actor, which need not wait for the store.
package struct GatheredReader: StoreReader, Sendable {
  private let objects: GatheredObjects
  private let plan: Plan
  /// Whether a question about something else is an error, and not answered with none.
  private let isStrict: Bool

  /// Reads objects and the requested part of their relationships, level by level.
  package init<R: StoreReader>(
    _ ids: [ObjectID], of entity: Int, _ plan: Plan, from reader: inout R, _ reach: IncludeDepth
  ) throws {
    objects = GatheredObjects(plan.schema)
    self.plan = plan
    isStrict = false
    var level = ObjectLevel()
    var next = level
    level.append(contentsOf: ids, of: entity)
    var left = reach.depth
    while !level.isEmpty {
      for entity in level.entities {
        let relationships = plan.classes[entity].links
        let new = level[entity].filter { !objects.isKnown(ObjectIdentity(entity: entity, id: $0)) }
          .sortedUnique()
        _ = try reader.gatherRows(of: new, entity: entity, into: objects)
        guard left > 0, !relationships.isEmpty else { continue }
        let stored = new.filter { !objects.isAbsent(ObjectIdentity(entity: entity, id: $0)) }
        let lists = relationships.filter { $0.isToMany || $0.isInverse }.map(\.field)
        _ = try reader.gatherTargets(of: stored, entity: entity, fields: lists, into: objects)
        for relationship in relationships {
          for id in stored {
            let owner = ObjectIdentity(entity: entity, id: id)
            let targets = objects.targets(of: owner, field: relationship.field) ?? []
            next.append(contentsOf: targets, of: relationship.target)
          }
        }
      }
      level.removeAll()
      swap(&level, &next)
      if left != .max { left -= 1 }
    }
    try gather(reach.tree, ids, entity, from: &reader)
  }

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

  /// Reads objects for a context, which asks about nothing else, unless the caller edits relationships meanwhile.
  package init<R: StoreReader>(_ roots: [Root], _ plan: Plan, from reader: inout R) throws {
    objects = GatheredObjects(plan.schema)
    self.plan = plan
    isStrict = true
    for root in roots {
      _ = try reader.gatherRows(of: root.ids, entity: root.entity, into: objects)
      try gather(root.tree, root.ids, root.entity, from: &reader)
    }
  }

  private func gather<R: StoreReader>(
    _ tree: IncludeTree, _ ids: [ObjectID], _ entity: Int, from reader: inout R
  ) throws {
    var level = [(tree: tree, entity: entity, ids: ids)]
    while !level.isEmpty {
      var next: [(tree: IncludeTree, entity: Int, ids: [ObjectID])] = []
      for (tree, entity, ids) in level {
        let layout = plan.schema.entities[entity]
        let all = links(of: entity)
        let links = tree.branches.map { all[$0.position] }
        let stored = ids.filter { !objects.isAbsent(ObjectIdentity(entity: entity, id: $0)) }
        let lists = links.filter { layout.inverse($0) != nil || layout.fields[$0].kind.isToMany }
        _ = try reader.gatherTargets(of: stored, entity: entity, fields: lists, into: objects)
        for (branch, link) in zip(tree.branches, links) {
          guard let target = layout.target(link) else { continue }
          let targets = stored.flatMap { id in
            objects.targets(of: ObjectIdentity(entity: entity, id: id), field: link) ?? []
          }.withoutRepeats
          _ = try reader.gatherRows(of: targets, entity: target, into: objects)
          next.append((branch.tree, target, targets))
        }
      }
      level = next
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
      if isStrict, !objects.isKnown(object) { throw NotGatheredError() }
      if let row = objects.row(of: object) { try body(index, row) }
    }
  }

  package func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    try fields.map { field in
      try owners.map { try gathered(objects.targets(of: .init(entity: entity, id: $0), field: field)) }
    }
  }

  private func gathered(_ targets: [ObjectID]?) throws -> [ObjectID] {
    if targets == nil, isStrict { throw NotGatheredError() }
    return targets ?? []
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
