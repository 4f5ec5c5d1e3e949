internal import CFastMap

/// Settles conflicts with the changes of other writers.
extension ContextSave {
  /// The conflicts that the rule refuses, and objects that are not stored any more.
  struct Faults {
    var conflicts: [ObjectConflict] = []
    var deleted: [String] = []
    var gone: Set<ObjectIdentity> = []

    func check() throws(SaveConflictError) {
      if !conflicts.isEmpty || !deleted.isEmpty {
        throw SaveConflictError(conflicts: conflicts, deleted: deleted)
      }
    }
  }

  /// Compares the values read for an edit with the stored ones, and removes fields that keep the other writer's value.
  ///
  /// - Parameter conflicts: The conflicts of the object's relationships.
  func settle(
    _ edit: ContextChanges.Edit, _ conflicts: [LinkConflict], _ row: UnsafeMutablePointer<fastmap_slot>,
    _ found: inout Faults
  ) throws {
    let member = edit.member
    let entity = graph[member.entity]
    guard let current = attempt.current[member.object], let read = member.stored else {
      noteDeleted(member, &found)
      return
    }
    for place in edit.properties {
      let field = entity.properties[place].field
      let (old, theirs, mine) = (read.slots[field], current.slots[field], row[field])
      if theirs.isSame(as: old) || theirs.isSame(as: mine) { continue }
      try choose(
        field, of: member, row, &found, read: .value(old.value ?? .null), mine: .value(mine.value ?? .null),
        theirs: .value(theirs.value ?? .null))
    }
    for conflict in conflicts {
      let keys = keys(of: Set(conflict.all), of: conflict.link.target)
      func state(_ ids: [ObjectID]) -> ObjectConflict.State { .targets(ids.map { keys[$0] }) }
      let (read, mine, theirs) = (conflict.read, conflict.mine, conflict.theirs)
      try choose(
        conflict.link.field, of: member, row, &found, read: state(read), mine: state(mine),
        theirs: state(theirs), numbers: .init(read: read, mine: mine, theirs: theirs))
    }
  }

  /// The targets of a relationship that the caller and another writer have changed. Lists are compared as a whole.
  struct LinkConflict {
    let link: ClassRelationship
    let read: [ObjectID]
    let mine: [ObjectID]
    let theirs: [ObjectID]
    var all: [ObjectID] { read + mine + theirs }
  }

  private func linkConflicts(_ edit: ContextChanges.Edit) -> [LinkConflict] {
    let member = edit.member
    guard attempt.current[member.object] != nil, let stored = member.stored else { return [] }
    return edit.links.compactMap { position, targets in
      let link = graph[member.entity].links[position]
      let read = member.targets[position] ?? stored.slots[link.field].object.map { [$0] } ?? []
      let theirs = attempt.targets[Place(object: member.object, field: link.field)] ?? []
      let mine = targets.map(\.id)
      let kept = read.filter { !isLeaving($0, of: link.target) }
      let now = theirs.filter { !isLeaving($0, of: link.target) }
      let shape = link.access.shape
      if shape.hasSame(now, as: kept) || shape.hasSame(now, as: mine) { return nil }
      return LinkConflict(link: link, read: read, mine: mine, theirs: theirs)
    }
  }

  /// The conflicts of relationships, by object. The keys of the targets that the context does not have are read with one question
  /// for each entity.
  func linkConflicts<W: StoreWriter>(
    readingKeysFrom writer: inout W
  ) throws -> [ObjectIdentity: [LinkConflict]] {
    var found: [ObjectIdentity: [LinkConflict]] = [:]
    var unknown: [Int: Set<ObjectID>] = [:]
    for edit in edits {
      let conflicts = linkConflicts(edit)
      if conflicts.isEmpty { continue }
      found[edit.member.object] = conflicts
      for conflict in conflicts {
        let entity = conflict.link.target
        let keys = keys(of: Set(conflict.all), of: entity)
        unknown[entity, default: []].formUnion(conflict.all.filter { keys[$0] == nil })
      }
    }
    for (entity, ids) in unknown.sorted(by: { $0.key < $1.key }) {
      try writer.copyRows(ids.sorted(), of: entity, fields: graph[entity].fieldCount) {
        [plan, self] id, row in
        attempt.keys[.init(entity: entity, id: id)] =
          plan.traits.keyFields[entity].lazy.compactMap { PrimaryKey(slot: row.slots[$0]) }.first
      }
    }
    return found
  }

  private func noteDeleted(_ member: ContextMember, _ found: inout Faults) {
    guard found.gone.insert(member.object).inserted else { return }
    found.deleted.append(titles.title(of: member, key: key(of: member)))
  }

  private func choose(
    _ field: Int, of member: ContextMember, _ row: UnsafeMutablePointer<fastmap_slot>,
    _ found: inout Faults, read: ObjectConflict.State, mine: ObjectConflict.State,
    theirs: ObjectConflict.State, numbers: ObjectConflict.Numbers = .init()
  ) throws {
    let conflict = titles.conflict(
      field, of: member, key: graph.key(of: member), read: read, mine: mine, theirs: theirs, numbers: numbers)
    let choice = try rule.choice(conflict)
    if choice == .fail { return found.conflicts.append(conflict) }
    attempt.conflicts.append(conflict)
    if choice == .theirs {
      row[field] = fastmap_slot()
      attempt.theirs.insert(Place(object: member.object, field: field))
    }
  }

  /// Leaves out new objects if only relationships refer to them that keep the other writer's targets. Inserted objects
  /// stay.
  func dropUnlinked() {
    if attempt.theirs.isEmpty { return }
    let new = Dictionary(
      uniqueKeysWithValues: changes.new.map { (ObjectIdentifier($0.member.instance), $0) })
    var left = Set(changes.new.lazy.map { ObjectIdentifier($0.member.instance) })
    var next = graph.inserted.map { $0 }
    for edit in changes.edits {
      let links = graph[edit.member.entity].links
      for (position, targets) in edit.links {
        let place = Place(object: edit.member.object, field: links[position].field)
        if !attempt.theirs.contains(place) { next += targets }
      }
    }
    while let member = next.popLast() {
      let instance = ObjectIdentifier(member.instance)
      guard left.remove(instance) != nil, let edit = new[instance] else { continue }
      for (_, targets) in edit.links { next += targets }
    }
    attempt.dropped = left
  }

  /// Whether this save deletes an object, or it has left the context before.
  private func isLeaving(_ id: ObjectID, of entity: Int) -> Bool {
    graph[entity].member(id).map { $0.isDeleted || $0.isGone } ?? false
  }

  /// The keys of objects, if the context or the attempt has read them.
  private func keys(of ids: Set<ObjectID>, of entity: Int) -> [ObjectID: PrimaryKey] {
    var keys: [ObjectID: PrimaryKey] = [:]
    let new =
      attempt.newMembers
      ?? Dictionary(
        changes.new.map { ($0.member.object, $0.member) }, uniquingKeysWith: { first, _ in first })
    attempt.newMembers = new
    for id in ids {
      let object = ObjectIdentity(entity: entity, id: id)
      let member = new[object] ?? graph[entity].member(id)
      keys[id] = member.flatMap { key(of: $0) } ?? attempt.keys[object]
    }
    return keys
  }

  /// Checks that all linked objects are stored.
  func checkTargets<W: StoreWriter>(_ found: inout Faults, _ writer: inout W) throws {
    var linked: [Int: [ObjectID: ContextMember]] = [:]
    let new = Set(new.map(\.member.object))
    for edit in edits + self.new {
      for (position, targets) in edit.links {
        let link = graph[edit.member.entity].links[position]
        let place = Place(object: edit.member.object, field: link.field)
        if attempt.theirs.contains(place) { continue }
        let known = Set(attempt.targets[place] ?? [])
        for target in targets where !known.contains(target.id) && !new.contains(target.object) {
          linked[link.target, default: [:]][target.id] = target
        }
      }
    }
    for (entity, members) in linked.sorted(by: { $0.key < $1.key }) {
      let stored = try writer.stored(members.keys, of: entity)
      for (id, member) in members.sorted(by: { $0.key < $1.key }) where !stored.contains(id) {
        noteDeleted(member, &found)
      }
    }
  }
}
