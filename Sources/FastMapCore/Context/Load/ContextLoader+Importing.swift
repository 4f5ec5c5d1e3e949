internal import CFastMap

/// Shows the results of an import in the instances of a context.
extension ContextLoader {
  /// Shows the stored values after an import, except for edits that the import has kept.
  func take<R: StoreReader>(_ done: ContextImport, from reader: inout R) throws {
    writes += 1
    for place in done.found.theirs {
      if done.isSetSince(place) {
        // Kept for the next save: it differs from the stored value.
        done.found.theirs.remove(place)
        done.found.mine.insert(place)
      } else {
        try giveUp(place, done)
      }
    }
    try removeDeleted(done)
    // All are adopted before any is shown, as they may refer to each other.
    for (entity, adopted) in try adopt(done, from: &reader).sorted(by: { $0.key < $1.key }) {
      try show(adopted, of: graph[entity], done, from: &reader)
    }
    // Before the refresh, which would take a value as unedited that the caller has put back meanwhile.
    for (entity, places) in Dictionary(grouping: done.found.mine, by: \.object.entity) {
      try rebase(places, of: graph[entity], from: &reader)
    }
    _ = try refresh(graph.all.filter { !$0.isGone }, from: &reader)
    try unlinkDeleted(done)
    try noteObserved()
  }

  /// Forgets the objects that the import has deleted. They leave all relationships, as after a save.
  private func removeDeleted(_ done: ContextImport) throws(SystemError) {
    let gone = done.found.deleted.compactMap { graph[$0.entity].member($0.id) }
    try remove(gone.filter { !$0.isGone })
    graph.deleted.formUnion(done.found.deleted)
  }

  /// Takes them out of new instances too.
  private func unlinkDeleted(_ done: ContextImport) throws(SystemError) {
    if done.found.deleted.isEmpty { return }
    for member in done.changes.new.map(\.member) where !member.isGone {
      for (position, link) in graph[member.entity].links.enumerated() {
        let now = link.access.get(member.instance)
        let left = now.filter { instance in
          !(graph.goneMember(of: instance).map { done.found.deleted.contains($0.object) } ?? false)
        }
        if left.count < now.count { try set(left, of: member, position) }
      }
    }
  }

  /// Puts a field back as it was read, so that the refresh shows its stored value.
  private func giveUp(_ place: ContextImport.Place, _ done: ContextImport) throws(SystemError) {
    let entity = graph[place.object.entity]
    guard let member = entity.member(place.object.id) else { return }
    try willSet(member)
    if let property = entity.properties.first(where: { $0.field == place.field }), let shown = member.shown {
      property.access.set(member.instance, shown[place.field])
    }
    for (position, link) in entity.links.enumerated() where link.field == place.field && !link.isInverse {
      try restore(position, link, of: member)
      // It is loaded, and the refresh reads it.
      if !member.isLoaded(position) { member.set([], at: position) }
    }
  }

  /// Makes the stored values the basis of the caller's edits. It asks once for the rows, and once for each
  /// relationship.
  private func rebase<R: StoreReader>(
    _ places: [ContextImport.Place], of entity: ContextEntity, from reader: inout R
  ) throws {
    var fields: [ObjectID: Set<Int>] = [:]
    for place in places where entity.member(place.object.id) != nil {
      fields[place.object.id, default: []].insert(place.field)
    }
    let ids = fields.keys.sorted()
    var rows: [ObjectID: OwnedRow] = [:]
    try reader.copyRows(ids, of: entity.number, fields: entity.fieldCount) { rows[$0] = $1 }
    for id in ids {
      guard let now = rows[id], let mine = fields[id], let member = entity.member(id),
        let oldStored = member.stored, let oldShown = member.shown
      else { continue }
      try note(member, entity) { field in
        mine.contains(field) ? (now[field], now[field]) : (oldStored[field], oldShown[field])
      }
    }
    for (position, link) in entity.links.enumerated() where !link.isInverse {
      let owners = ids.filter { id in
        rows[id] != nil && fields[id]?.contains(link.field) ?? false
          && entity.member(id)?.isLoaded(position) ?? false
      }
      let lists = try lists(of: owners, of: entity, link, from: &reader)
      for (id, targets) in zip(owners, lists) {
        if let member = entity.member(id) { takeAsRead(targets.map(\.id), of: member, position) }
      }
    }
  }

  /// The targets of a relationship of several owners, as objects of the context.
  private func lists<R: StoreReader>(
    of owners: [ObjectID], of entity: ContextEntity, _ link: ClassRelationship, from reader: inout R
  ) throws -> [[ContextMember]] {
    if owners.isEmpty { return [] }
    let found = try reader.checkedTargets(of: owners, entity: entity.number, fields: [link.field])[0]
    var next = try members(found.flatMap(\.self), of: link.target, from: &reader)[...]
    return found.map { ids in
      defer { next = next.dropFirst(ids.count) }
      return next.prefix(ids.count).compactMap(\.self)
    }
  }

  private typealias Adopted = (member: ContextMember, row: OwnedRow)

  /// Makes new instances the payload's objects, unless the context has another instance for one, or it is not stored
  /// any more.
  ///
  /// - Returns: The adopted objects with their stored rows, by entity.
  private func adopt<R: StoreReader>(
    _ done: ContextImport, from reader: inout R
  ) throws -> [Int: [Adopted]] {
    var adopted: [Int: [Adopted]] = [:]
    let new = Dictionary(grouping: done.changes.new.map(\.member), by: \.entity)
    for (number, members) in new.sorted(by: { $0.key < $1.key }) {
      let entity = graph[number]
      var met: [(member: ContextMember, id: ObjectID)] = []
      for member in members {
        let id = done.found.adopted[ObjectIdentifier(member.instance)]
        if let id, entity.member(id) == nil { met.append((member, id)) }
      }
      if met.isEmpty { continue }
      var rows: [ObjectID: OwnedRow] = [:]
      try reader.copyRows(met.map(\.id).sortedUnique(), of: number, fields: entity.fieldCount) {
        rows[$0] = $1
      }
      for (member, id) in met {
        guard entity.member(id) == nil, let row = rows[id] else { continue }
        graph.inserted.remove(member.instance)
        member.id = id
        // Its inverses count as loaded, like its relationships. The refresh reads them with all others.
        for (position, link) in entity.links.enumerated() where link.isInverse {
          member.set([], at: position)
        }
        graph.add(member, to: entity)
        adopted[number, default: []].append((member, row))
      }
    }
    return adopted
  }

  /// Shows the stored values of adopted objects. Values that the caller has set stay for the next save.
  private func show<R: StoreReader>(
    _ adopted: [Adopted], of entity: ContextEntity, _ done: ContextImport, from reader: inout R
  ) throws {
    var blanks = InitialValues(graph)
    func isTheirs(_ field: Int, of member: ContextMember) -> Bool {
      done.found.theirs.contains(.init(object: member.object, field: field))
    }
    for (member, row) in adopted {
      var edited: Set<Int> = []
      for property in entity.properties {
        let isStored =
          isTheirs(property.field, of: member)
          || graph.plan.traits.keyFields[entity.number].contains(property.field)
          || blanks.isBlank(property, of: member.instance, entity)
        if isStored {
          if !property.access.set(member.instance, property.shown(row[property.field])) {
            noteUnreadable(property.field, holding: row[property.field], of: member)
          }
        } else {
          edited.insert(property.field)
        }
      }
      try note(row, of: member, entity, edited: edited)
      try willSet(member)
    }
    for (position, link) in entity.links.enumerated() where !link.isInverse {
      let lists = try lists(of: adopted.map(\.member.id), of: entity, link, from: &reader)
      for ((member, _), targets) in zip(adopted, lists) {
        member.set(targets.map(\.id), at: position)
        if isTheirs(link.field, of: member) || blanks.isBlank(link, of: member.instance, entity) {
          try set(targets.map(\.instance), of: member, position)
        }
      }
    }
  }
}
