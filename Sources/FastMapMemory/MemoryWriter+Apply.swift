internal import CFastMap
public import FastMapCore

extension MemoryWriter {
  public mutating func apply(_ changes: inout ChangeBatch) throws {
    do { try applyAll(&changes) } catch {
      unfinished = unfinished ?? error
      throw error
    }
  }

  /// Sets attributes before relationships, so that every target of the batch exists.
  private mutating func applyAll(_ changes: inout ChangeBatch) throws {
    let runs = runs(of: changes)
    for run in runs {
      for index in run.range {
        if setAttributes(changes.changes[index], run.entity, run.table) {
          changes.changes[index].isChanged = true
        }
      }
    }
    numbers.removeAll()
    for run in runs where !run.entity.links.isEmpty {
      for index in run.range {
        if try setLinks(changes.changes[index], run.entity, run.table, &changes) {
          changes.changes[index].isChanged = true
        }
      }
    }
    try takeOverAdded()
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
      var object = entity.makeObject(key: change.key, keyField: change.keyField)
      if let instance = object.instance { entity.set(instance, to: change.row) }
      entity.setValues(of: &object, to: change.row)
      state.tables[table].insert(consume object, change.id)
      return true
    }
    guard let old = state.tables[table].objects[change.id] else {
      preconditionFailure("an object that is not new is stored")
    }
    var isDifferent = false
    if let instance = old.instance {
      for property in entity.properties where !change.row[property.number].isMissing {
        if set(property, of: instance, change, table) { isDifferent = true }
      }
    }
    var object = old
    entity.setValues(of: &object, to: change.row)
    var hasNewValues = !object.isIdentical(to: old)
    if change.keyField != nil, let key = change.key, key != object.key {
      state.tables[table].rename(change.id, from: object.key, to: key)
      for field in state.tables[table].fields where field.hasInverse {
        // They are sorted by this key.
        if case .link(let targets, _, _) = field.kind {
          inverses.note(object.targets(at: field.place), targets)
        }
      }
      object.key = key
      object.keyField = change.keyField.flatMap { entity.places[$0] }
      hasNewValues = true
    }
    if hasNewValues { state.tables[table].objects[change.id] = object }
    return isDifferent || hasNewValues
  }

  /// Sets a property, unless it already has the value.
  private mutating func set(
    _ property: Binding.Property, of instance: Instance, _ change: ObjectChange, _ table: Int
  ) -> Bool {
    let new = change.row[property.number]
    let old = scratch.read(property.access, instance.object)
    if old.isIdentical(to: new.slot) || new.isNull && old.tag == FASTMAP_MISSING {
      return false
    }
    let value = old.value
    guard let normal = normalScratch.normalise(new, property.access), !normal.isIdentical(to: old) else {
      return false
    }
    note(value ?? .null, property, of: instance, change.id, table)
    property.access.set(instance.object, new)
    return true
  }

  // MARK: Relationships

  /// Sets the relationships that are not missing.
  ///
  /// - Returns: Whether anything changed.
  private mutating func setLinks(
    _ change: ObjectChange, _ entity: Binding.Entity, _ table: Int, _ changes: inout ChangeBatch
  ) throws -> Bool {
    var isDifferent = false
    for link in entity.links where !change.row[link.number].isMissing {
      let (number, field) = (link.number, link.field)
      guard case .link(let targets, let isToMany, _) = field.kind,
        var object = state.tables[table].objects[change.id]
      else { continue }
      if !change.isNew { try takeOver(field, of: &object, change.id, in: table, targets) }
      let old = object.targets(at: field.place)
      let owner = Referrer(table: table, place: field.place, id: change.id)
      let new = newTargets(old, owner, field, change, number, isToMany: isToMany)
      if old == new {
        if change.isNew { show(new, change.row[number], field, of: object, in: targets) }
        continue
      }
      if change.policy(of: number) == .replace {
        var known = Set(new)
        for target in old where known.insert(target).inserted {
          changes.noteRemoved(target, from: number, of: change)
        }
      }
      relink(old, to: new, of: change.id, field, in: table)
      object.set(new, at: field.place)
      if !change.isNew { noteTargets(field, of: object, change.id, table) }
      show(new, change.row[number], field, of: object, in: targets)
      state.tables[table].objects[change.id] = object
      isDifferent = true
    }
    return isDifferent
  }

  /// Sets the property of a relationship.
  private func show(
    _ ids: [ObjectID], _ lent: Field, _ field: Table.Field, of object: StoredObject, in targets: Int
  ) {
    guard let instance = object.instance, case .relationship(let access)? = field.access else { return }
    access.set(instance.object, lent.isNull ? nil : state.instances(of: ids, table: targets))
  }

  private func newTargets(
    _ old: [ObjectID], _ owner: Referrer, _ field: Table.Field, _ change: ObjectChange, _ number: Int,
    isToMany: Bool
  ) -> [ObjectID] {
    let isMerge = change.policy(of: number) == .merge
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
    if field.hasInverse {
      inverses.note(old[shared...], targetTable)
      inverses.note(new[shared...], targetTable)
    }
  }
}

extension Binding.Entity {
  /// Sets the properties of a new instance.
  fileprivate func set(_ instance: Instance, to row: Row) {
    properties.withUnsafeBufferPointer { properties in
      for index in properties.indices where !row[properties[index].number].isMissing {
        // Only the closure, because copying the access would copy everything it refers to.
        _ = properties[index].access.access(
          instance.object, row[properties[index].number], nil)
      }
    }
  }

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

  /// Call it when an object is inserted or deleted.
  mutating func forgetOrder() {
    if order.isInUse { order = ObjectOrder() }
  }

  mutating func rename(_ id: ObjectID, from old: PrimaryKey?, to new: PrimaryKey) {
    if let old { keys.remove(old) }
    keys.insert(id, for: new)
    forgetOrder()
  }
}
