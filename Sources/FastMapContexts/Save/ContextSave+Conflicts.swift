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
  func resolve(
    _ edit: ContextChanges.Edit, _ conflicts: [LinkConflict], _ row: UnsafeMutablePointer<fastmap_slot>,
    _ found: inout Faults
  ) throws {
    let member = edit.member
    let entity = graph[member.entity]
    guard let current = attempt.current[member.object], let read = member.stored else {
      return try resolveLost(edit, conflicts, &found)
    }
    for place in edit.properties {
      let field = entity.properties[place].field
      let (old, theirs, mine) = (read.slots[field], current.slots[field], row[field])
      if theirs.isSame(as: old) || theirs.isSame(as: mine) { continue }
      let conflict = conflict(field, of: member, theirs: .value(theirs.value ?? .null))
      if try choose(conflict, &found) == .theirs { keepTheirs(field, of: member, row) }
    }
    try resolve(conflicts, of: member, row, &found)
  }

  /// Resolves relationships. Targets that are not stored any more leave them if the rule keeps the stored targets.
  func resolve(
    _ conflicts: [LinkConflict], of member: ContextMember, _ row: UnsafeMutablePointer<fastmap_slot>,
    _ found: inout Faults
  ) throws {
    for conflict in conflicts {
      // A new object without a part of its key would be another one.
      if member.stored == nil, plan.traits.isOfKey(conflict.link.field, member.entity) {
        for target in conflict.lost { reportDeleted(target, &found) }
        continue
      }
      let choice = try choose(self.conflict(conflict, of: member), reportsFailure: conflict.isChanged, &found)
      guard choice == .theirs else {
        for target in conflict.lost { reportDeleted(target, &found) }
        continue
      }
      for target in conflict.lost { attempt.lost[target.object] = target }
      if conflict.keepsTheirs {
        keepTheirs(conflict.link.field, of: member, row)
      } else {
        let link = conflict.link
        try attempt.rows.set(row + link.field, to: conflict.left, isToMany: link.isToMany)
      }
    }
  }

  /// Drops the edits of an object that is not stored any more, if the rule keeps the stored content of each field.
  private func resolveLost(
    _ edit: ContextChanges.Edit, _ conflicts: [LinkConflict], _ found: inout Faults
  ) throws {
    let member = edit.member
    let properties = graph[member.entity].properties
    let dropped =
      edit.properties.map { conflict(properties[$0].field, of: member, theirs: .value(.null)) }
      + conflicts.map { conflict($0, of: member) }
    guard try dropped.allSatisfy({ try rule.choice($0) == .theirs }) else {
      return reportDeleted(member, &found)
    }
    attempt.conflicts += dropped
    attempt.lost[member.object] = member
  }

  /// A relationship that the caller and another writer have changed, or whose new targets are not stored any more.
  /// Lists are compared as a whole.
  struct LinkConflict {
    let link: ClassRelationship
    let read: [ObjectID]
    let mine: [ObjectID]
    let theirs: [ObjectID]
    /// The caller's targets that are not stored any more.
    var lost: [ContextMember] = []
    /// Whether another writer has changed the relationship.
    var isChanged = false
    /// Whether `.theirs` keeps the stored targets; otherwise it writes the caller's stored ones.
    var keepsTheirs = false
    var all: [ObjectID] { read + mine + theirs }
    /// The caller's targets that are stored.
    var left: [ObjectID] {
      let lost = Set(lost.map(\.id))
      return mine.filter { !lost.contains($0) }
    }
  }

  private func linkConflicts(_ edit: ContextChanges.Edit) -> [LinkConflict] {
    let member = edit.member
    if member.stored == nil, attempt.missing.isEmpty { return [] }
    return edit.links.compactMap { position, targets in
      let link = graph[member.entity].links[position]
      let read = member.targets[position] ?? member.stored?.slots[link.field].object.map { [$0] } ?? []
      let theirs = attempt.targets[Place(object: member.object, field: link.field)] ?? []
      var conflict = LinkConflict(link: link, read: read, mine: targets.map(\.id), theirs: theirs)
      if isLost(member) { return conflict }
      if !attempt.missing.isEmpty { conflict.lost = targets.filter { attempt.missing.contains($0.object) } }
      let kept = read.filter { !isLeaving($0, of: link.target) }
      let now = theirs.filter { !isLeaving($0, of: link.target) }
      let shape = link.access.shape
      conflict.isChanged = !shape.isSame(now, as: kept) && !shape.isSame(now, as: conflict.mine)
      if !conflict.isChanged, conflict.lost.isEmpty { return nil }
      let lost = Set(conflict.lost.map(\.id))
      let isOnlyLost = shape.isSame(now, as: kept.filter { !lost.contains($0) })
      conflict.keepsTheirs = member.stored != nil && !(link.isToMany && isOnlyLost)
      return conflict
    }
  }

  /// Whether an edited object is not stored any more.
  private func isLost(_ member: ContextMember) -> Bool {
    member.stored != nil && attempt.current[member.object] == nil
  }

  /// The conflicts of relationships, by object. The keys of the targets that the context does not have are read with one question
  /// for each entity.
  func linkConflicts<R: StoreReader>(
    readingKeysFrom reader: inout R
  ) throws -> [ObjectIdentity: [LinkConflict]] {
    var found: [ObjectIdentity: [LinkConflict]] = [:]
    var unknown: [Int: Set<ObjectID>] = [:]
    for edit in edits + changes.new {
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
      try reader.copyRows(ids.sorted(), of: entity, fields: graph[entity].fieldCount) {
        [plan, self] id, row in
        attempt.keys[.init(entity: entity, id: id)] =
          plan.traits.keyFields[entity].lazy.compactMap { PrimaryKey(slot: row.slots[$0]) }.first
      }
    }
    return found
  }

  private func reportDeleted(_ member: ContextMember, _ found: inout Faults) {
    guard found.gone.insert(member.object).inserted else { return }
    found.deleted.append(titles.title(of: member, key: key(of: member)))
  }

  private func conflict(
    _ field: Int, of member: ContextMember, theirs: ObjectConflict.State
  ) -> ObjectConflict {
    let read = member.stored?.slots[field].value ?? .null
    let mine = mine(member, field).value ?? .null
    return titles.conflict(
      field, of: member, key: key(of: member), read: .value(read), mine: .value(mine), theirs: theirs)
  }

  private func conflict(_ conflict: LinkConflict, of member: ContextMember) -> ObjectConflict {
    let keys = keys(of: Set(conflict.all), of: conflict.link.target)
    func state(_ ids: [ObjectID]) -> ObjectConflict.State { .targets(ids.map { keys[$0] }) }
    let (read, mine, theirs) = (conflict.read, conflict.mine, conflict.theirs)
    return titles.conflict(
      conflict.link.field, of: member, key: key(of: member), read: state(read), mine: state(mine),
      theirs: state(theirs), numbers: .init(read: read, mine: mine, theirs: theirs))
  }

  /// - Parameter reportsFailure: Whether the error names the conflict if the rule refuses it.
  private func choose(
    _ conflict: ObjectConflict, reportsFailure: Bool = true, _ found: inout Faults
  ) throws -> ConflictRule.Choice {
    let choice = try rule.choice(conflict)
    if choice != .fail {
      attempt.conflicts.append(conflict)
    } else if reportsFailure {
      found.conflicts.append(conflict)
    }
    return choice
  }

  private func keepTheirs(
    _ field: Int, of member: ContextMember, _ row: UnsafeMutablePointer<fastmap_slot>
  ) {
    row[field] = fastmap_slot()
    attempt.theirs.insert(Place(object: member.object, field: field))
  }

  /// Leaves out new objects if only relationships refer to them that keep the other writer's targets, or whose owners
  /// are not stored any more. Inserted objects stay, unless their keys are in the scope of an owner.
  func dropUnlinked() {
    if attempt.theirs.isEmpty, attempt.lost.isEmpty { return }
    let new = Dictionary(
      uniqueKeysWithValues: changes.new.map { (ObjectIdentifier($0.member.instance), $0) })
    var left = Set(changes.new.lazy.map { ObjectIdentifier($0.member.instance) })
    var next = graph.inserted.filter { !plan.traits.isScoped[$0.entity] }
    for edit in edits {
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

  /// Finds the linked objects that are not stored any more.
  func findMissing<R: StoreReader>(on reader: inout R) throws {
    var linked: [Int: Set<ObjectID>] = [:]
    let new = Set(changes.new.map(\.member.object))
    for edit in edits + changes.new where !isLost(edit.member) {
      for (position, targets) in edit.links {
        let link = graph[edit.member.entity].links[position]
        let known = Set(attempt.targets[Place(object: edit.member.object, field: link.field)] ?? [])
        for target in targets where !new.contains(target.object) {
          if target.isGone {
            attempt.missing.insert(target.object)
          } else if !known.contains(target.id) {
            linked[link.target, default: []].insert(target.id)
          }
        }
      }
    }
    for (entity, ids) in linked.sorted(by: { $0.key < $1.key }) {
      let stored = try reader.stored(ids, of: entity)
      for id in ids where !stored.contains(id) { attempt.missing.insert(.init(entity: entity, id: id)) }
    }
  }
}
