public import FastMapStoreKit

extension MemoryWriter {
  /// Sets attributes before relationships, so that every target of the batch exists.
  public mutating func apply(_ changes: inout ChangeBatch) {
    let runs = runs(of: changes)
    for run in runs {
      for index in run.range {
        if setAttributes(changes.changes[index], run.entity, run.table) {
          changes.changes[index].isChanged = true
        }
      }
    }
    for run in runs where !run.entity.links.isEmpty {
      for index in run.range {
        if setLinks(changes.changes[index], run.entity, run.table, &changes) {
          changes.changes[index].isChanged = true
        }
      }
    }
  }

  /// The changes of one entity.
  private struct Run {
    var entity: Binding.Entity
    var table: Int
    var range: Range<Int>
  }

  private func runs(of changes: ChangeBatch) -> [Run] {
    var runs: [Run] = []
    var start = 0
    while start < changes.changes.count {
      let entity = changes.changes[start].entity
      var end = start + 1
      while end < changes.changes.count, changes.changes[end].entity == entity { end += 1 }
      runs.append(Run(entity: binding.entities[entity], table: table(entity), range: start..<end))
      start = end
    }
    return runs
  }

  // MARK: Attributes

  /// Inserts the object if it is new, and sets the attributes that are not missing.
  ///
  /// - Returns: Whether anything changed.
  private mutating func setAttributes(
    _ change: ObjectChange, _ entity: Binding.Entity, _ table: Int
  ) -> Bool {
    if change.isNew {
      var object = entity.makeObject(key: change.key)
      entity.setValues(of: &object, to: change.row)
      state.tables[table].insert(consume object, change.id)
      return true
    }
    guard let old = state.tables[table].objects[change.id] else {
      preconditionFailure("an object that is not new is stored")
    }
    var object = old
    entity.setValues(of: &object, to: change.row)
    var isDifferent = !object.isIdentical(to: old)
    if change.keyField != nil, let key = change.key, key != object.key {
      state.tables[table].rename(change.id, from: object.key, to: key)
      object.key = key
      isDifferent = true
    }
    if isDifferent { state.tables[table].objects[change.id] = object }
    return isDifferent
  }

  // MARK: Relationships

  /// Sets the relationships that are not missing.
  ///
  /// - Returns: Whether anything changed.
  private mutating func setLinks(
    _ change: ObjectChange, _ entity: Binding.Entity, _ table: Int, _ changes: inout ChangeBatch
  ) -> Bool {
    var isDifferent = false
    for link in entity.links where !change.row[link.number].isMissing {
      let (number, field) = (link.number, link.field)
      guard case .link(_, let isToMany, _) = field.kind,
        var object = state.tables[table].objects[change.id]
      else { continue }
      let old = object.targets(at: field.place)
      let owner = Referrer(table: table, place: field.place, id: change.id)
      let new = newTargets(old, owner, field, change, number, isToMany: isToMany)
      if old == new { continue }
      if change.update(of: number) == .replace {
        var known = Set(new)
        for target in old where known.insert(target).inserted {
          changes.recordRemoved(target, from: number, of: change)
        }
      }
      relink(old, to: new, of: change.id, field, in: table)
      object.set(new, at: field.place)
      state.tables[table].objects[change.id] = object
      isDifferent = true
    }
    return isDifferent
  }

  private func newTargets(
    _ old: [ObjectID], _ owner: Referrer, _ field: Table.Field, _ change: ObjectChange, _ number: Int,
    isToMany: Bool
  ) -> [ObjectID] {
    let isMerge = change.update(of: number) == .merge
    guard isToMany else {
      return change.row[number].target.map { [$0] } ?? (isMerge ? old : [])
    }
    let given = change.row[number].targets
    guard isMerge, case .link(let table, _, _) = field.kind else { return Array(given) }
    var new = old
    var appended: Set<ObjectID> = []
    for target in given {
      let isOld = state.tables[table].referrers[target]?.contains(owner) ?? false
      if !isOld, appended.insert(target).inserted { new.append(target) }
    }
    return new
  }

  /// Updates the referrers of targets.
  mutating func relink(
    _ old: [ObjectID], to new: [ObjectID], of owner: ObjectID, _ field: Table.Field, in table: Int
  ) {
    guard case .link(let targetTable, _, _) = field.kind else { return }
    let referrer = Referrer(table: table, place: field.place, id: owner)
    let shared = zip(old, new).prefix { $0 == $1 }.count
    for target in old[shared...] { state.tables[targetTable].referrers[target].remove(referrer) }
    for target in new[shared...] { state.tables[targetTable].referrers[target].add(referrer) }
  }
}

extension Binding.Entity {
  /// Sets the attributes that are not properties.
  fileprivate func setValues(of object: inout StoredObject, to row: Row) {
    for value in values where !row[value.number].isMissing {
      if !object.value(at: value.place).isIdentical(to: row, at: value.number) {
        object.set(row[value.number].value ?? .null, at: value.place)
      }
    }
  }
}

extension Table {
  mutating func insert(_ object: consuming StoredObject, _ id: ObjectID) {
    if let key = object.key { keys.insert(id, for: key) }
    count += 1
    forgetOrder()
    objects[id] = consume object
  }

  mutating func forgetOrder() {
    if order.isInUse { order = ObjectOrder() }
  }

  mutating func rename(_ id: ObjectID, from old: PrimaryKey?, to new: PrimaryKey) {
    if let old { keys.remove(old) }
    keys.insert(id, for: new)
    forgetOrder()
  }
}
