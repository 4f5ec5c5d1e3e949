extension ObjectAssembler {
  /// Fills the relationships of a tree, level by level.
  ///
  ///     Ada ── friends ──▶ Charles ── friends ──▶ Ada, another instance
  ///     this assembler     the one below          the one below that
  ///
  /// The targets of each level are instances of an assembler of its own. So an instance refers to lower levels only, and no
  /// circle of instances is left that Swift would not release. A shared copy would leave circles, or show a part of a relationship.
  /// With a depth, an object has one instance, which remembers the depth that was followed from it.
  ///
  /// Each level takes two questions for each of its entities.
  func follow<R: StoreReader>(
    _ tree: IncludeTree, from ids: [ObjectID], of entity: Int, _ reader: inout R
  ) throws {
    if tree.isEmpty { return }
    var level = IncludeLevel()
    level.append(ids, of: entity, tree)
    var owners = self
    do {
      while !level.steps.isEmpty {
        let targets = tree.depth > 0 ? self : try owners.makeBelow()
        if targets !== self { targets.begin(with: self) }
        var next = IncludeLevel()
        for step in level.steps { try owners.follow(step, &reader, in: targets, &next) }
        (level, owners) = (next, targets)
      }
    } catch {
      // Instances that are marked as followed may lack deeper levels.
      forgetDepths()
      throw error
    }
  }

  /// Sets the relationships of some owners to instances of an assembler.
  ///
  /// - Parameter next: Receives the targets from which relationships are followed.
  private func follow<R: StoreReader>(
    _ step: IncludeLevel.Step, _ reader: inout R, in lower: ObjectAssembler, _ next: inout IncludeLevel
  ) throws {
    let instances = instances(of: step.entity)
    let branches = step.tree.followed(among: instances.relationships.count)
    if branches.isEmpty { return }
    let links = branches.map { instances.relationships[$0.position] }
    let owners = open(step, instances)
    for start in stride(from: 0, to: owners.count, by: Self.questionSize) {
      let some = Array(owners[start..<min(start + Self.questionSize, owners.count)])
      let lists = try reader.links(of: some, entity: step.entity, links.map(\.field), in: plan.schema)
      var new = ObjectLevel()
      for (link, lists) in zip(links, lists) {
        let known = lower.instances(of: link.target)
        for ids in lists {
          for id in ids where known.place(of: id) == nil { new.append(id, of: link.target) }
        }
      }
      for target in new.entities {
        try lower.make(missing: new[target], of: target, from: &reader) { id in
          place(of: id, target, in: zip(links, lists), some.map { instances.place(of: $0) }, instances)
        }
      }
      for ((branch, link), lists) in zip(zip(branches, links), lists) {
        let known = lower.instances(of: link.target)
        var followed: [ObjectID] = []
        for (id, ids) in zip(some, lists) {
          guard let place = instances.place(of: id) else { continue }
          var targets: [AnyObject] = []
          targets.reserveCapacity(ids.count)
          for id in ids {
            // Some may be gone: a reader that has no snapshot may see a deletion between two questions.
            guard let place = known.place(of: id) else { continue }
            targets.append(known[place])
            if branch.tree.isFollowed(from: known.depth(at: place)) { followed.append(id) }
          }
          link.access.set(instances[place], targets.isEmpty ? nil : targets)
        }
        next.append(followed, of: link.target, branch.tree)
      }
    }
  }

  /// The objects of a step that have an instance, and whose relationships were not followed to the depth of the step.
  private func open(_ step: IncludeLevel.Step, _ instances: EntityInstances) -> [ObjectID] {
    var owners: [ObjectID] = []
    for id in step.tree.branches.isEmpty ? step.ids : step.ids.withoutRepeats {
      guard let place = instances.place(of: id), step.tree.isFollowed(from: instances.depth(at: place)) else {
        continue
      }
      instances.setDepth(max(step.tree.depth, instances.depth(at: place)), at: place)
      owners.append(id)
    }
    return owners
  }

  private func makeBelow() throws(MainActorError) -> ObjectAssembler {
    if let below { return below }
    let new = try ObjectAssembler(plan)
    below = new
    return new
  }
}
