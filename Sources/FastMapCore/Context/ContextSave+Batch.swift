internal import CFastMap

/// The rows that a save writes, without what stays another writer's.
extension ContextSave {
  /// The changes for the store: of each entity new objects by key, then stored ones, then new ones without a key.
  func batch<W: StoreWriter>(_ writer: inout W) throws -> ChangeBatch {
    var found = Faults()
    var rows: [GoingObjects.Object: UnsafeMutablePointer<fastmap_slot>] = [:]
    for edit in new { rows[edit.member.object] = try newRow(edit) }
    for edit in edits {
      let row = try row(edit)
      try settle(edit, row, &found, &writer)
      rows[edit.member.object] = row
    }
    dropUnlinked()
    try checkTargets(&found, &writer)
    try found.check()

    var batch = ChangeBatch(schema: schema)
    let new = Dictionary(grouping: self.new.map(\.member), by: \.entity)
    let edited = Dictionary(grouping: edits.map(\.member), by: \.entity)
    for (entity, layout) in schema.entities.enumerated() {
      let mixed = layout.fields.indices.filter {
        layout.fields[$0].kind.target != nil && plan.traits.ownsKeyless($0, of: entity)
      }
      func append(_ member: ContextMember, isNew: Bool, keyField: Int?) {
        guard let row = rows[member.object] else { return }
        let isWritten = (0..<layout.fields.count).contains { row[$0].kind != .missing }
        guard isNew || isWritten else { return }
        batch.append(
          ObjectChange(
            id: member.id, entity: entity, isNew: isNew, keyField: keyField,
            row: Row(slots: row, count: layout.fields.count)), mixed: mixed)
      }
      func key(_ member: ContextMember) -> PrimaryKey? {
        guard layout.keyKind != nil, let field = layout.keyField else { return nil }
        return rows[member.object].flatMap { PrimaryKey(slot: $0[field]) }
      }
      let keyed = (new[entity] ?? []).compactMap { member in key(member).map { (key: $0, member: member) } }
      for (_, member) in keyed.sorted(by: { $0.key < $1.key }) {
        append(member, isNew: true, keyField: layout.keyField)
      }
      for member in (edited[entity] ?? []).sorted(by: { $0.id < $1.id }) {
        append(member, isNew: false, keyField: nil)
      }
      for member in new[entity] ?? [] where key(member) == nil {
        append(member, isNew: true, keyField: nil)
      }
    }
    return batch
  }

  // MARK: Rows

  private func newRow(_ edit: ContextChanges.Edit) throws -> UnsafeMutablePointer<fastmap_slot> {
    let entity = graph[edit.member.entity]
    let row = try attempt.rows.makeRow(entity.fieldCount)
    for property in entity.properties {
      row[property.field] = mine(edit.member, property.field)
    }
    try setLinks(edit, row)
    return row
  }

  private func row(_ edit: ContextChanges.Edit) throws -> UnsafeMutablePointer<fastmap_slot> {
    let entity = graph[edit.member.entity]
    let row = try attempt.rows.makeRow(entity.fieldCount)
    for place in edit.properties {
      let property = entity.properties[place]
      row[property.field] = mine(edit.member, property.field)
      if row[property.field].kind == .missing { row[property.field].tag = UInt8(FASTMAP_NULL) }
      if plan.traits.keyFields[entity.number].contains(property.field) {
        throw ContextError.keyChanged(
          entity: schema.entities[entity.number].name, key: graph.key(of: edit.member))
      }
    }
    try setLinks(edit, row)
    return row
  }

  private func setLinks(
    _ edit: ContextChanges.Edit, _ row: UnsafeMutablePointer<fastmap_slot>
  ) throws(SystemError) {
    let entity = graph[edit.member.entity]
    for (position, targets) in edit.links {
      let link = entity.links[position]
      try attempt.rows.set(row + link.field, to: targets.map(\.id), isToMany: link.isToMany)
      let isOwned = schema.entities[entity.number].fields[link.field].kind.target?.isOwned ?? false
      let isReplace = plan.isReplaced(link.field, of: entity.number)
      let isMixed = plan.traits.ownsKeyless(link.field, of: entity.number)
      row[link.field].policy = UInt8(isOwned || isReplace || isMixed ? FASTMAP_REPLACE : FASTMAP_ASSIGN)
      row[link.field].spares_keyed = isMixed && !isReplace && !isOwned
    }
  }

  // MARK: Conflicts

  /// What another writer has changed.
  private struct Faults {
    var conflicts: [ObjectConflict] = []
    var deleted: [String] = []
    var deletedHere: [String] = []
    var gone: Set<GoingObjects.Object> = []

    func check() throws(SaveConflictError) {
      if !conflicts.isEmpty || !deleted.isEmpty {
        throw SaveConflictError(conflicts: conflicts, deleted: deleted, deletedHere: deletedHere)
      }
    }
  }

  /// Compares what an edit was made from with what is stored now, and removes what stays the other writer's.
  private func settle<W: StoreWriter>(
    _ edit: ContextChanges.Edit, _ row: UnsafeMutablePointer<fastmap_slot>, _ found: inout Faults,
    _ writer: inout W
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
    for (position, targets) in edit.links {
      let link = entity.links[position]
      let old = member.targets[position] ?? read.slots[link.field].object.map { [$0] } ?? []
      let theirs = attempt.targets[Place(object: member.object, field: link.field)] ?? []
      let mine = targets.map(\.id)
      let kept = old.filter { !isDeletedHere($0, of: link.target) }
      let now = theirs.filter { !isDeletedHere($0, of: link.target) }
      let shape = link.access.shape
      if shape.hasSame(now, as: kept) || shape.hasSame(now, as: mine) { continue }
      let keys = try self.keys(of: Set(old + theirs + mine), of: link.target, &writer)
      func state(_ ids: [ObjectID]) -> ObjectConflict.State { .targets(ids.map { keys[$0] }) }
      try choose(
        link.field, of: member, row, &found, read: state(old), mine: state(mine), theirs: state(theirs),
        numbers: .init(read: old, mine: mine, theirs: theirs))
    }
  }

  private func noteDeleted(_ member: ContextMember, _ found: inout Faults) {
    guard found.gone.insert(member.object).inserted else { return }
    let title = titles.title(of: member, key: key(of: member))
    found.deleted.append(title)
    if graph.deleted.contains(member.object) { found.deletedHere.append(title) }
  }

  private func choose(
    _ field: Int, of member: ContextMember, _ row: UnsafeMutablePointer<fastmap_slot>,
    _ found: inout Faults, read: ObjectConflict.State, mine: ObjectConflict.State,
    theirs: ObjectConflict.State, numbers: ObjectConflict.Numbers = .init()
  ) throws {
    let layout = schema.entities[member.entity]
    let key = graph.key(of: member)
    let conflict = ObjectConflict(
      entity: layout.name, key: key, id: member.id, field: layout.fields[field].name,
      title: titles.title(of: member, key: key), read: read, mine: mine, theirs: theirs, numbers: numbers)
    switch try rule.choice(conflict) {
    case .fail: found.conflicts.append(conflict)
    case .mine: break
    case .theirs:
      row[field] = fastmap_slot()
      attempt.theirs.insert(Place(object: member.object, field: field))
    }
  }

  /// Leaves out the new objects that only relationships refer to which stay the other writer's, unless the caller has inserted
  /// them.
  private func dropUnlinked() {
    if attempt.theirs.isEmpty { return }
    let new = Dictionary(
      uniqueKeysWithValues: changes.new.map { (ObjectIdentifier($0.member.instance), $0) })
    var left = Set(changes.new.lazy.filter { !$0.member.isKept }.map { ObjectIdentifier($0.member.instance) })
    var next = graph.inserted.map { $0 } + changes.new.map(\.member).filter(\.isKept)
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

  /// Whether this save deletes an object, or an earlier one of the context has.
  private func isDeletedHere(_ id: ObjectID, of entity: Int) -> Bool {
    graph[entity].member(id)?.isDeleted ?? false || graph.deleted.contains(.init(entity: entity, id: id))
  }

  /// The keys of objects, as far as they have one and are stored.
  private func keys<W: StoreWriter>(
    of ids: Set<ObjectID>, of entity: Int, _ writer: inout W
  ) throws -> [ObjectID: PrimaryKey] {
    var keys: [ObjectID: PrimaryKey] = [:]
    let new =
      attempt.newMembers
      ?? Dictionary(
        changes.new.map { ($0.member.object, $0.member) }, uniquingKeysWith: { first, _ in first })
    attempt.newMembers = new
    for id in ids {
      let member = new[.init(entity: entity, id: id)] ?? graph[entity].member(id)
      keys[id] = member.flatMap { key(of: $0) }
    }
    let unknown = ids.filter { keys[$0] == nil }.sorted()
    try writer.copyRows(unknown, of: entity, fields: graph[entity].fieldCount) { [plan] id, row in
      keys[id] = plan.traits.keyFields[entity].lazy.compactMap { PrimaryKey(slot: row.slots[$0]) }.first
    }
    return keys
  }

  /// Checks that what is linked is stored.
  private func checkTargets<W: StoreWriter>(_ found: inout Faults, _ writer: inout W) throws {
    var linked: [Int: [ObjectID: ContextMember]] = [:]
    let new = Set(storedNew.map(\.member.object))
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

extension Plan {
  /// Whether a mapping deletes the old targets of a relationship.
  func isReplaced(_ field: Int, of entity: Int) -> Bool {
    mappings.contains { planned in
      planned.entity == entity
        && zip(planned.relationshipFields, planned.mapping.relationships).contains {
          $0 == field && $1.policy.isReplace
        }
    }
  }
}
