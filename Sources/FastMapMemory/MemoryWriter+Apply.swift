internal import CFastMap
public import FastMapCore

extension MemoryWriter {
  /// Sets attributes before relationships, so that every target of the batch is there when they are set.
  public mutating func apply(_ changes: inout ChangeBatch) {
    for index in changes.changes.indices {
      if setAttributes(changes.changes[index]) { changes.changes[index].isChanged = true }
    }
    for index in changes.changes.indices where hasLinks(changes.changes[index].entity) {
      if setLinks(changes.changes[index], &changes) { changes.changes[index].isChanged = true }
    }
  }

  private func hasLinks(_ entity: Int) -> Bool { state.tables[table(entity)].linkCount > 0 }

  // MARK: Attributes

  /// Inserts the object, where it is new, and takes over the attributes that are not missing.
  ///
  /// - Returns: Whether anything became different.
  private mutating func setAttributes(_ change: ObjectChange) -> Bool {
    let table = table(change.entity)
    if change.isNew {
      let object = state.tables[table].makeObject(key: change.key)
      if let instance = object.instance { set(instance, to: change.row, of: change.entity) }
      state.tables[table].insert(setValues(of: object, change), change.id)
      return true
    }
    guard let old = state.tables[table].objects[change.id] else {
      preconditionFailure("an object that is not new is stored")
    }
    var isDifferent = false
    if let instance = old.instance {
      for property in binding.properties[change.entity] where !change.row.isMissing(property.number) {
        if set(property, of: instance, change, table) { isDifferent = true }
      }
    }
    var object = setValues(of: old, change)
    var hasNewValues = !object.isIdentical(to: old)
    if change.keyField != nil, let key = change.key, key != object.key {
      state.tables[table].rename(change.id, from: object.key, to: key)
      object.key = key
      hasNewValues = true
    }
    if hasNewValues { state.tables[table].objects[change.id] = object }
    return isDifferent || hasNewValues
  }

  /// Takes over the attributes that are not properties.
  private func setValues(of object: StoredObject, _ change: ObjectChange) -> StoredObject {
    let fields = binding.fields[change.entity]
    if object.instance != nil,
      binding.properties[change.entity].count == binding.attributeCounts[change.entity]
    {
      return object
    }
    var object = object
    for number in fields.indices where !change.row.isMissing(number) {
      guard let field = fields[number] else { preconditionFailure("a write knows every field of its schema") }
      guard case .attribute = field.kind, object.instance == nil || field.access == nil else { continue }
      if !object.value(at: field.place).isIdentical(to: change.row, at: number) {
        object.set(change.row.value(at: number) ?? .null, at: field.place)
      }
    }
    return object
  }

  /// Sets the properties of an instance that was just made.
  private func set(_ instance: Instance, to row: Row, of entity: Int) {
    binding.properties[entity].withUnsafeBufferPointer { properties in
      for index in properties.indices where !row.isMissing(properties[index].number) {
        properties[index].access.set(instance.object, FieldValue(row.slots + properties[index].number))
      }
    }
  }

  /// Sets a property, unless it holds the value already.
  private mutating func set(
    _ property: Binding.Property, of instance: Instance, _ change: ObjectChange, _ table: Int
  ) -> Bool {
    let slot = change.row.slots + property.number
    let old = scratch.read(property.access, instance.object)
    if old.isIdentical(to: slot.pointee) || change.row.isNull(property.number) && old.tag == FASTMAP_MISSING {
      return false
    }
    let value = old.value
    let new = FieldValue(slot)
    guard let normal = normalScratch.normalise(new, property.access), !normal.isIdentical(to: old) else {
      return false
    }
    note(value ?? .null, property, of: instance, change.id, table)
    property.access.set(instance.object, new)
    return true
  }

  // MARK: Relationships

  /// Takes over the relationships that are not missing.
  ///
  /// - Returns: Whether anything became different.
  private mutating func setLinks(_ change: ObjectChange, _ changes: inout ChangeBatch) -> Bool {
    let row = change.row
    let table = table(change.entity)
    var isDifferent = false
    for (number, field) in binding.fields[change.entity].enumerated() where !row.isMissing(number) {
      guard let field, case .link(let targets, let isToMany, _) = field.kind,
        var object = state.tables[table].objects[change.id]
      else { continue }
      if !change.isNew { takeOver(field, of: &object, change.id, in: table, targets) }
      let old = object.targets(at: field.place)
      let owner = Referrer(table: table, place: field.place, id: change.id)
      let new = newTargets(old, owner, field, row, at: number, isToMany: isToMany)
      if old == new {
        if change.isNew { show(new, row, number, field, of: object, in: targets) }
        continue
      }
      if row.policy(at: number) == .replace {
        var known = Set(new)
        for target in old where known.insert(target).inserted {
          changes.noteRemoved(target, from: number, of: change)
        }
      }
      relink(old, to: new, of: change.id, field, in: table)
      object.set(new, at: field.place)
      if !change.isNew { noteTargets(field, of: object, change.id, table) }
      show(new, row, number, field, of: object, in: targets)
      state.tables[table].objects[change.id] = object
      isDifferent = true
    }
    return isDifferent
  }

  /// Sets the property of a relationship.
  private func show(
    _ ids: [ObjectID], _ row: Row, _ number: Int, _ field: Table.Field, of object: StoredObject,
    in targets: Int
  ) {
    guard let instance = object.instance, case .relationship(let access)? = field.access else { return }
    access.set(instance.object, row.isNull(number) ? nil : state.instances(of: ids, table: targets))
  }

  private func newTargets(
    _ old: [ObjectID], _ owner: Referrer, _ field: Table.Field, _ row: Row, at number: Int, isToMany: Bool
  ) -> [ObjectID] {
    let isMerge = row.policy(at: number) == .merge
    guard isToMany else {
      return row.target(at: number).map { [$0] } ?? (isMerge ? old : [])
    }
    let given = row.targets(at: number)
    guard isMerge, case .link(let table, _, _) = field.kind else { return Array(given) }
    var new = old
    var appended: Set<ObjectID> = []
    for target in given {
      let isOld = state.tables[table].referrers[target]?.contains(owner) ?? false
      if !isOld, appended.insert(target).inserted { new.append(target) }
    }
    return new
  }

  /// Tells targets who refers to them.
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

extension Table {
  func makeObject(key: PrimaryKey?) -> StoredObject {
    StoredObject(
      key: key, instance: objectAccess.map { Instance(object: $0.make()) }, valueCount: valueCount,
      linkCount: linkCount)
  }

  mutating func insert(_ object: StoredObject, _ id: ObjectID) {
    if let key = object.key { keys.insert(id, for: key) }
    count += 1
    order = order.forgotten
    objects[id] = object
  }

  fileprivate mutating func rename(_ id: ObjectID, from old: PrimaryKey?, to new: PrimaryKey) {
    if let old { keys.remove(old) }
    keys.insert(id, for: new)
    order = order.forgotten
  }
}
