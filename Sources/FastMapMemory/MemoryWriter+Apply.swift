public import FastMapCore

extension MemoryWriter {
  public mutating func apply(_ changes: inout ChangeBatch) {
    for index in changes.changes.indices {
      let change = changes.changes[index]
      let table = table(change.entity)
      var object: StoredObject
      if change.isNew {
        object = insert(change, in: table)
      } else if let stored = state.tables[table].objects[change.id] {
        object = stored
      } else {
        preconditionFailure("an object that is not new is stored")
      }
      if set(change, in: &object, table, &changes) || change.isNew {
        state.tables[table].objects[change.id] = object
        changes.changes[index].isChanged = true
      }
    }
  }

  private mutating func insert(_ change: ObjectChange, in table: Int) -> StoredObject {
    let key = change.key
    if let key { state.tables[table].keys.insert(change.id, for: key) }
    state.tables[table].count += 1
    state.tables[table].order = ObjectOrder()
    return StoredObject(
      key: key, valueCount: state.tables[table].valueCount, linkCount: state.tables[table].linkCount)
  }

  /// Takes over the fields that are not missing.
  ///
  /// - Returns: Whether anything became different.
  private mutating func set(
    _ change: ObjectChange, in object: inout StoredObject, _ table: Int, _ changes: inout ChangeBatch
  ) -> Bool {
    let row = change.row
    var isDifferent = false
    for (number, field) in binding.fields[change.entity].enumerated() where !row.isMissing(number) {
      guard let field else { preconditionFailure("a write knows every field of its schema") }
      guard case .link(_, let isToMany, _) = field.kind else {
        if object.value(at: field.place).isIdentical(to: row, at: number) { continue }
        object.set(row.value(at: number) ?? .null, at: field.place)
        isDifferent = true
        continue
      }
      let old = object.targets(at: field.place)
      let owner = Referrer(table: table, place: field.place, id: change.id)
      let new = newTargets(old, owner, field, row, at: number, isToMany: isToMany)
      guard old != new else { continue }
      if row.policy(at: number) == .replace {
        var known = Set(new)
        for target in old where known.insert(target).inserted {
          changes.noteRemoved(target, from: number, of: change)
        }
      }
      relink(old, to: new, of: change.id, field, in: table)
      object.set(new, at: field.place)
      isDifferent = true
    }
    return isDifferent
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
