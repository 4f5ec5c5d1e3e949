internal import CFastMap

/// Deciding about the edits that a payload has met.
extension ContextImport {
  /// Decides about each of them, before the commit.
  ///
  /// - Parameters:
  ///   - roots: The root objects of the payload.
  ///   - deleted: The objects that the import has deleted, with the numbers of its own plan.
  /// - Throws: ``SaveConflictError``, ``ContextError``, or an error of the rule.
  func settle<W: StoreWriter>(
    _ writer: inout W, roots: [ObjectID], deleted: Set<ObjectIdentity>
  ) throws {
    found.roots = roots
    try checkFilled(&writer)
    var failed: [ObjectConflict] = []
    let met = Set(found.met.map(\.object)).filter { edited($0) != nil }
    for (number, names) in names.enumerated() {
      guard let names else { continue }
      let objects = met.filter { $0.entity == names.entity }.sorted { $0.id < $1.id }
      if !objects.isEmpty { failed += try settle(objects, number, names, &writer) }
    }
    try settle(deleted: deleted, &failed, &writer)
    if !failed.isEmpty { throw SaveConflictError(conflicts: failed, deleted: []) }
  }

  /// Asks the store once for the rows, once for each relationship and once for the keys of the targets.
  ///
  /// - Parameters:
  ///   - objects: Edited objects of one entity.
  ///   - number: The entity in the import.
  /// - Returns: The conflicts that must not be.
  private func settle<W: StoreWriter>(
    _ objects: [ObjectIdentity], _ number: Int, _ names: Names, _ writer: inout W
  ) throws -> [ObjectConflict] {
    let entity = graph[names.entity]
    var failed: [ObjectConflict] = []
    var rows: [ObjectID: OwnedRow] = [:]
    try writer.copyRows(objects.map(\.id), of: number, fields: names.fields.count) { rows[$0] = $1 }
    let stored = objects.filter { rows[$0.id] != nil }
    let lists = try metLists(of: stored, number, names, &writer)
    let keys = try keys(of: lists.values.flatMap(\.values).filter { !$0.isSame }, &writer)
    for object in stored {
      guard let edited = edited(object), let row = rows[object.id] else { continue }
      let member = edited.edit.member
      // A new instance need not have the key of its object yet.
      let key =
        member.isNew
        ? imported.traits.keyFields[number].lazy.compactMap { PrimaryKey(slot: row.slots[$0]) }.first
        : key(of: member.instance)
      for place in edited.edit.properties {
        let field = entity.properties[place].field
        guard isMet(object, field), let other = names.fields.firstIndex(of: field) else { continue }
        let (mine, theirs) = (edited.mine.slots[field], row.slots[other])
        if mine.isSame(as: theirs) {
          found.mine.insert(Place(object: object, field: field))
          continue
        }
        try choose(
          field, of: object, member, key: key, &failed,
          read: .value(member.stored?.slots[field].value ?? .null), mine: .value(mine.value ?? .null),
          theirs: .value(theirs.value ?? .null))
      }
      for (position, _) in edited.edit.links {
        let link = entity.links[position]
        guard let list = lists[object.id]?[position] else { continue }
        let mine = edited.targets[position] ?? []
        if list.isSame {
          found.mine.insert(Place(object: object, field: link.field))
          continue
        }
        let known = keys[list.target] ?? [:]
        try choose(
          link.field, of: object, member, key: key, &failed, read: .targets(list.read.map { known[$0] }),
          mine: .targets(mine.map { self.key(of: $0) }),
          theirs: .targets(list.theirs.map { known[$0] }),
          numbers: .init(
            read: list.read, mine: mine.map { self.number(of: $0) }, theirs: list.theirs))
      }
    }
    return failed
  }

  /// A relationship that the caller has edited and the payload has.
  private struct MetList {
    /// The entity of the targets in the import, and in the context.
    let target: Int
    let known: Int
    let read: [ObjectID]
    let theirs: [ObjectID]
    /// Whether the property and the payload have the same targets.
    let isSame: Bool
  }

  /// The relationships of some objects, by position.
  private func metLists<W: StoreWriter>(
    of objects: [ObjectIdentity], _ number: Int, _ names: Names, _ writer: inout W
  ) throws -> [ObjectID: [Int: MetList]] {
    var lists: [ObjectID: [Int: MetList]] = [:]
    for (position, link) in graph[names.entity].links.enumerated() where !link.isInverse {
      guard let other = names.fields.firstIndex(of: link.field) else { continue }
      let owners = objects.filter { object in
        isMet(object, link.field)
          && edited(object)?.edit.links.contains { $0.position == position } ?? false
      }
      if owners.isEmpty { continue }
      let target = imported.schema.entities[number].fields[other].kind.target?.entity ?? 0
      let found = try writer.checkedTargets(of: owners.map(\.id), entity: number, fields: [other])[0]
      for (object, theirs) in zip(owners, found) {
        guard let edited = edited(object) else { continue }
        let member = edited.edit.member
        let read = member.targets[position] ?? member.stored?.slots[link.field].object.map { [$0] } ?? []
        let isSame = link.access.shape.hasSame(
          (edited.targets[position] ?? []).map { self.number(of: $0) }, as: theirs)
        lists[object.id, default: [:]][position] = MetList(
          target: target, known: link.target, read: read, theirs: theirs, isSame: isSame)
      }
    }
    return lists
  }

  /// Asks the rule about a field.
  func choose(
    _ field: Int, of object: ObjectIdentity, _ member: ContextMember, key: PrimaryKey?,
    _ failed: inout [ObjectConflict], read: ObjectConflict.State, mine: ObjectConflict.State,
    theirs: ObjectConflict.State, numbers: ObjectConflict.Numbers = .init()
  ) throws {
    let conflict = titles.conflict(
      field, of: member, id: object.id, key: key, read: read, mine: mine, theirs: theirs, numbers: numbers)
    found.conflicts.append(conflict)
    let place = Place(object: object, field: field)
    switch try rule.choice(conflict) {
    case .fail: failed.append(conflict)
    case .mine: found.mine.insert(place)
    case .theirs: found.theirs.insert(place)
    }
  }

  /// The keys of the targets of lists, by entity of the import.
  private func keys<W: StoreWriter>(
    of lists: [MetList], _ writer: inout W
  ) throws -> [Int: [ObjectID: PrimaryKey]] {
    var keys: [Int: [ObjectID: PrimaryKey]] = [:]
    for (target, lists) in Dictionary(grouping: lists, by: \.target) {
      let ids = Set(lists.flatMap { $0.theirs + $0.read })
      keys[target] = try self.keys(of: ids, of: target, lists[0].known, &writer)
    }
    return keys
  }

  /// The keys of objects, as far as they have one and are stored.
  ///
  /// - Parameters:
  ///   - entity: Its number in the import.
  ///   - known: Its number in the context.
  func keys<W: StoreWriter>(
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
