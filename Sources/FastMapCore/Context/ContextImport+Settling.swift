internal import CFastMap

/// Deciding about the edits that a payload has met.
extension ContextImport {
  /// Decides about each of them, before the commit.
  ///
  /// - Parameter roots: The root objects of the payload.
  /// - Throws: ``SaveConflictError``, ``ContextError``, or an error of the rule.
  func settle<W: StoreWriter>(_ writer: inout W, roots: [ObjectID]) throws {
    found.roots = roots
    try checkFilled(&writer)
    var failed: [ObjectConflict] = []
    let met = Dictionary(grouping: found.met, by: \.object)
    for (number, names) in names.enumerated() {
      guard let names else { continue }
      let objects = met.filter { $0.key.entity == names.entity }.sorted { $0.key.id < $1.key.id }
      for (object, _) in objects {
        guard let edited = edited(object) else { continue }
        failed += try settle(object, edited, number, names, &writer)
      }
    }
    if !failed.isEmpty { throw SaveConflictError(conflicts: failed, deleted: []) }
  }

  /// - Parameter number: The entity in the import.
  /// - Returns: The conflicts that must not be.
  private func settle<W: StoreWriter>(
    _ object: GoingObjects.Object, _ edited: Edited, _ number: Int, _ names: Names, _ writer: inout W
  ) throws -> [ObjectConflict] {
    let member = edited.edit.member
    let entity = graph[object.entity]
    var failed: [ObjectConflict] = []
    var stored: RowCopy?
    try writer.copyRows([object.id], of: number, fields: names.fields.count) { stored = $1 }
    guard let stored else { return [] }
    for place in edited.edit.properties {
      let field = entity.properties[place].field
      guard isMet(object, field), let other = names.fields.firstIndex(of: field) else { continue }
      let (mine, theirs) = (edited.mine.slots[field], stored.slots[other])
      if mine.isSame(as: theirs) {
        found.mine.insert(Place(object: object, field: field))
        continue
      }
      try choose(
        field, of: object, member, &failed, read: .value(member.stored?.slots[field].value ?? .null),
        mine: .value(mine.value ?? .null), theirs: .value(theirs.value ?? .null))
    }
    for (position, _) in edited.edit.links {
      let link = entity.links[position]
      guard isMet(object, link.field), let other = names.fields.firstIndex(of: link.field) else { continue }
      let theirs = try writer.checkedTargets(of: [object.id], entity: number, fields: [other])[0][0]
      let mine = edited.targets[position] ?? []
      let target = imported.schema.entities[number].fields[other].kind.target?.entity ?? 0
      let ids = mine.map { graph.member(of: $0)?.id ?? found.adopted[ObjectIdentifier($0)] ?? .unset }
      let shown = theirs.compactMap { writer.instance($0, of: target) }
      let shape = link.access.shape
      let isSame =
        member.isKept
        ? shape.hasSame(mine.map { ObjectIdentifier($0) }, as: shown.map { ObjectIdentifier($0) })
        : shape.hasSame(ids, as: theirs)
      if isSame {
        found.mine.insert(Place(object: object, field: link.field))
        continue
      }
      let read = member.targets[position] ?? member.stored?.slots[link.field].object.map { [$0] } ?? []
      let keys = try keys(of: Set(theirs + read), of: target, link.target, &writer)
      let readKeys =
        member.isKept
        ? member.keptTargets[position].map { key(of: $0, link.target) } : read.map { keys[$0] }
      try choose(
        link.field, of: object, member, &failed, read: .targets(readKeys),
        mine: .targets(mine.map { key(of: $0, link.target) }), theirs: .targets(theirs.map { keys[$0] }))
    }
    return failed
  }

  private func choose(
    _ field: Int, of object: GoingObjects.Object, _ member: ContextMember,
    _ failed: inout [ObjectConflict], read: ObjectConflict.State, mine: ObjectConflict.State,
    theirs: ObjectConflict.State
  ) throws {
    let layout = graph.schema.entities[object.entity]
    let conflict = ObjectConflict(
      entity: layout.name, key: graph.key(of: member), id: object.id, field: layout.fields[field].name,
      read: read, mine: mine, theirs: theirs)
    found.conflicts.append(conflict)
    let place = Place(object: object, field: field)
    switch try rule.choice(conflict) {
    case .fail: failed.append(conflict)
    case .mine: found.mine.insert(place)
    case .theirs: found.theirs.insert(place)
    }
  }

  /// The key of an instance.
  private func key(of instance: AnyObject, _ entity: Int) -> PrimaryKey? {
    graph.key(of: graph.member(of: instance) ?? graph.newMember(instance, of: entity))
  }

  /// The keys of objects, as far as they have one and are stored.
  ///
  /// - Parameters:
  ///   - entity: Its number in the import.
  ///   - known: Its number in the context.
  private func keys<W: StoreWriter>(
    of ids: Set<ObjectID>, of entity: Int, _ known: Int, _ writer: inout W
  ) throws -> [ObjectID: PrimaryKey] {
    var keys: [ObjectID: PrimaryKey] = [:]
    let fields = imported.traits.keyFields[entity]
    let count = imported.schema.entities[entity].fields.count
    try writer.copyRows(ids.sorted(), of: entity, fields: count) { id, row in
      keys[id] = fields.lazy.compactMap { PrimaryKey(slot: row.slots[$0]) }.first
    }
    for id in ids where keys[id] == nil {
      keys[id] = graph[known].member(id).flatMap { graph.key(of: $0) }
    }
    return keys
  }

  /// Checks that the payload is about the instance that is filled.
  private func checkFilled<W: StoreWriter>(_ writer: inout W) throws {
    let entity = imported.mappings[0].entity
    guard let filled, let root = found.roots.first, let names = names[entity] else { return }
    let name = graph.schema.entities[names.entity].name
    let known = graph[names.entity].member(root)
    if let member = graph.member(of: filled) {
      if member.id == root { return }
      throw ContextError.otherObject(
        entity: name, expected: graph.key(of: member),
        found: try keys(of: [root], of: entity, names.entity, &writer)[root])
    }
    if let known, known.instance !== filled {
      throw ContextError.otherInstance(entity: name, key: graph.key(of: known))
    }
  }
}
