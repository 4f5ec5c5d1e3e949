extension ObjectAssembler {
  /// Fills the relationships of a tree, level by level.
  ///
  ///     Ada ── friends ──▶ Charles ── friends ──▶ Ada, another instance
  ///     this assembler     the one below          the one below that
  ///
  /// The targets of each level are instances of an assembler of its own. So an instance refers to lower levels only, and no
  /// circle of instances is left that Swift would not release. A shared copy would leave circles, or show a part of a relationship.
  ///
  /// Each level takes two questions for each of its entities.
  ///
  /// - Parameter isOneLevel: Whether this assembler makes the targets as well.
  func include<R: StoreReader>(
    _ tree: IncludeTree, of ids: [ObjectID], entity: Int, isOneLevel: Bool, from reader: inout R
  ) throws {
    if tree.branches.isEmpty { return }
    var level = [(tree: tree, entity: entity, ids: ids)]
    var owners = self
    while !level.isEmpty {
      let targets = isOneLevel ? self : try owners.makeBelow()
      if targets !== self { targets.begin(with: self) }
      var next: [(tree: IncludeTree, entity: Int, ids: [ObjectID])] = []
      for (tree, entity, ids) in level {
        let found = try owners.show(tree, of: ids.withoutRepeats, entity, from: &reader, in: targets)
        for (branch, ids) in zip(tree.branches, found) where !branch.tree.branches.isEmpty {
          next.append((branch.tree, owners.instances(of: entity).relationships[branch.position].target, ids))
        }
      }
      level = next
      owners = targets
    }
  }

  /// Sets the first relationships of a tree to instances of an assembler.
  ///
  /// - Returns: The targets by relationship.
  private func show<R: StoreReader>(
    _ tree: IncludeTree, of ids: [ObjectID], _ entity: Int, from reader: inout R,
    in lower: ObjectAssembler
  ) throws -> [[ObjectID]] {
    let instances = instances(of: entity)
    let links = tree.branches.map { instances.relationships[$0.position] }
    let owners = ids.filter { instances.place(of: $0) != nil }
    var all: [[ObjectID]] = links.map { _ in [] }
    for start in stride(from: 0, to: owners.count, by: Self.questionSize) {
      let some = Array(owners[start..<min(start + Self.questionSize, owners.count)])
      let lists = try reader.links(of: some, entity: entity, links.map(\.field), in: plan.schema)
      var level = ObjectLevel()
      for (link, lists) in zip(links, lists) {
        level.append(contentsOf: lists.flatMap(\.self), of: link.target)
      }
      for target in level.entities {
        try lower.make(missing: level[target], of: target, from: &reader) { id in
          place(of: id, target, in: zip(links, lists), some.map { instances.place(of: $0) }, instances)
        }
      }
      for (index, (link, lists)) in zip(links, lists).enumerated() {
        let known = lower.instances(of: link.target)
        for (id, targets) in zip(some, lists) {
          guard let place = instances.place(of: id) else { continue }
          // Some may be gone: a reader that has no snapshot may see a deletion between two questions.
          let stored = targets.compactMap { known.place(of: $0).map { known[$0] } }
          if !stored.isEmpty { link.access.set(instances[place], stored) }
          all[index] += targets
        }
      }
    }
    return all
  }

  private func makeBelow() throws(MainActorError) -> ObjectAssembler {
    if let below { return below }
    let new = try ObjectAssembler(plan)
    below = new
    return new
  }
}
