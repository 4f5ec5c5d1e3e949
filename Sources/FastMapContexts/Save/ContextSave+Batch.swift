internal import CFastMap

/// The rows that a save writes, without fields that keep another writer's value.
extension ContextSave {
  /// The changes for the store: of each entity new objects by key, then stored ones, then new ones without a key.
  func batch<R: StoreReader>(_ reader: inout R) throws -> ChangeBatch {
    var found = Faults()
    var rows: [ObjectIdentity: UnsafeMutablePointer<fastmap_slot>] = [:]
    for edit in new { rows[edit.member.object] = try newRow(edit) }
    try findMissing(on: &reader)
    let conflicts = try linkConflicts(readingKeysFrom: &reader)
    for edit in edits {
      let row = try row(edit)
      try resolve(edit, conflicts[edit.member.object] ?? [], row, &found)
      rows[edit.member.object] = row
    }
    dropUnlinked()
    for edit in conflicts.isEmpty ? [] : self.new {
      guard let row = rows[edit.member.object] else { continue }
      try resolve(conflicts[edit.member.object] ?? [], of: edit.member, row, &found)
    }
    try found.check()

    var batch = ChangeBatch(schema: schema)
    let new = Dictionary(grouping: self.new.map(\.member), by: \.entity)
    let edited = Dictionary(grouping: edits.map(\.member), by: \.entity)
    for (entity, layout) in schema.entities.enumerated() {
      let mixed = layout.fields.indices.filter {
        layout.fields[$0].kind.target != nil && plan.traits.ownsKeyless($0, of: entity)
      }
      typealias Written = (member: ContextMember, row: UnsafeMutablePointer<fastmap_slot>)
      func written(_ members: [ContextMember]?) -> [Written] {
        (members ?? []).compactMap { member in rows[member.object].map { (member, $0) } }
      }
      func append(_ each: Written, isNew: Bool, keyField: Int?) {
        let isWritten = isNew || layout.fields.indices.contains { each.row[$0].kind != .missing }
        guard isWritten else { return }
        batch.append(
          ObjectChange(
            id: each.member.id, entity: entity, isNew: isNew, keyField: keyField,
            row: Row(slots: each.row, count: layout.fields.count)), mixed: mixed)
      }
      func key(_ row: UnsafeMutablePointer<fastmap_slot>) -> PrimaryKey? {
        layout.keyKind == nil ? nil : layout.keyField.flatMap { PrimaryKey(slot: row[$0]) }
      }
      let inserted = written(new[entity]).map { (key: key($0.row), written: $0) }
      let keyed = inserted.compactMap { each in each.key.map { (key: $0, written: each.written) } }
      for (_, written) in keyed.sorted(by: { $0.key < $1.key }) {
        append(written, isNew: true, keyField: layout.keyField)
      }
      for written in written(edited[entity]).sorted(by: { $0.member.id < $1.member.id }) {
        append(written, isNew: false, keyField: nil)
      }
      for each in inserted where each.key == nil { append(each.written, isNew: true, keyField: nil) }
    }
    return batch
  }

  // MARK: Rows

  private func newRow(_ edit: ContextChanges.Edit) throws -> UnsafeMutablePointer<fastmap_slot> {
    let entity = graph[edit.member.entity]
    let row = try attempt.rows.makeRow(entity.fieldCount)
    if let values = captured[ObjectIdentifier(edit.member.instance)] {
      row.update(from: values.slots, count: values.count)
      for field in 0..<values.count { try checkRest(field, of: edit.member, row[field]) }
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
      try checkRest(property.field, of: edit.member, row[property.field])
      if row[property.field].kind == .missing { row[property.field].tag = UInt8(FASTMAP_NULL) }
      if plan.traits.isOfKey(property.field, entity.number) {
        throw ContextError.keyChanged(
          entity: schema.entities[entity.number].name, key: graph.key(of: edit.member))
      }
    }
    try setLinks(edit, row)
    return row
  }

  private func setLinks(
    _ edit: ContextChanges.Edit, _ row: UnsafeMutablePointer<fastmap_slot>
  ) throws {
    let entity = graph[edit.member.entity]
    for (position, targets) in edit.links {
      let link = entity.links[position]
      if edit.member.stored != nil, plan.traits.isOfKey(link.field, entity.number) {
        throw ContextError.keyChanged(
          entity: schema.entities[entity.number].name, key: graph.key(of: edit.member))
      }
      try attempt.rows.set(row + link.field, to: targets.map(\.id), isToMany: link.isToMany)
      let isOwned =
        plan.traits.isScoped[link.target]
        || schema.entities[entity.number].fields[link.field].kind.target?.isOwned ?? false
      let isReplace = plan.isReplaced(link.field, of: entity.number)
      let isMixed = plan.traits.ownsKeyless(link.field, of: entity.number)
      row[link.field].policy = UInt8(isOwned || isReplace || isMixed ? FASTMAP_REPLACE : FASTMAP_ASSIGN)
      row[link.field].spares_keyed = isMixed && !isReplace && !isOwned
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
