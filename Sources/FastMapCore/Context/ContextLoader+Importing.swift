internal import CFastMap

/// What an import does to the instances of a context.
extension ContextLoader {
  /// Shows what is stored after an import, and keeps what the caller has edited, as far as the import has decided so.
  func take<R: StoreReader>(_ done: ContextImport, from reader: inout R) throws {
    writes += 1
    for place in done.found.theirs { giveUp(place, done) }
    var adopted: [(member: ContextMember, row: RowCopy)] = []
    for member in done.changes.new.map(\.member) {
      guard let id = done.found.adopted[ObjectIdentifier(member.instance)] else { continue }
      if let row = try adopt(member, id, from: &reader) { adopted.append((member, row)) }
    }
    // They may refer to each other.
    for (member, row) in adopted { try show(row, of: member, done, from: &reader) }
    try refreshKept(done, from: &reader)
    _ = try refresh(graph.all.filter { !$0.isGone && !$0.isKept }, from: &reader)
    for (object, places) in Dictionary(grouping: done.found.mine, by: \.object) {
      guard let member = graph[object.entity].member(object.id), !member.isKept else { continue }
      try rebase(member, Set(places.map(\.field)), from: &reader)
    }
  }

  /// Puts a field back as it was read, so that it shows what is stored.
  private func giveUp(_ place: ContextImport.Place, _ done: ContextImport) {
    let entity = graph[place.object.entity]
    guard let member = entity.member(place.object.id), !member.isKept else { return }
    if let property = entity.properties.first(where: { $0.field == place.field }), let shown = member.shown {
      property.access.set(member.instance, shown[place.field])
    }
    for (position, link) in entity.links.enumerated() where link.field == place.field && !link.isInverse {
      restore(position, link, of: member)
    }
  }

  /// Takes what is stored now as what the caller's own values were made from.
  private func rebase<R: StoreReader>(
    _ member: ContextMember, _ fields: Set<Int>, from reader: inout R
  ) throws {
    let entity = graph[member.entity]
    guard let oldStored = member.stored, let oldShown = member.shown else { return }
    var now: RowCopy?
    try reader.copyRows([member.id], of: entity.number, fields: entity.fieldCount) { now = $1 }
    guard let now else { return }
    try note(member, entity) { field in
      fields.contains(field) ? (now[field], now[field]) : (oldStored[field], oldShown[field])
    }
    for (position, link) in entity.links.enumerated() where !link.isInverse && fields.contains(link.field) {
      let ids = try reader.checkedTargets(of: [member.id], entity: entity.number, fields: [link.field])[0][0]
      let targets = try members(ids, of: link.target, from: &reader)
      if member.isLoaded(position) { member.set(targets.compactMap { $0?.id }, at: position) }
    }
  }

  /// Makes a new instance that of an object which the payload has.
  ///
  /// - Returns: What is stored of it; nil if the context has another instance for it, or it is not stored any more.
  private func adopt<R: StoreReader>(
    _ member: ContextMember, _ id: ObjectID, from reader: inout R
  ) throws -> RowCopy? {
    let entity = graph[member.entity]
    guard entity.member(id) == nil else { return nil }
    var row: RowCopy?
    try reader.copyRows([id], of: entity.number, fields: entity.fieldCount) { row = $1 }
    guard let row else { return nil }
    graph.inserted.remove(member.instance)
    member.id = id
    graph.add(member, to: entity)
    return row
  }

  /// Shows what is stored of an object that has got its instance. What the caller has set stays, to be saved.
  private func show<R: StoreReader>(
    _ row: RowCopy, of member: ContextMember, _ done: ContextImport, from reader: inout R
  ) throws {
    let entity = graph[member.entity]
    let id = member.id
    var blanks = ContextBlanks()
    var edited: Set<Int> = []
    for property in entity.properties {
      let isStored =
        done.found.theirs.contains(.init(object: member.object, field: property.field))
        || graph.plan.traits.keyFields[entity.number].contains(property.field)
        || blanks.isBlank(property, of: member.instance, entity)
      if isStored {
        property.access.set(member.instance, row[property.field])
      } else {
        edited.insert(property.field)
      }
    }
    try note(row, of: member, entity, edited: edited)
    for (position, link) in entity.links.enumerated() where !link.isInverse {
      let ids = try reader.checkedTargets(of: [id], entity: entity.number, fields: [link.field])[0][0]
      let targets = try members(ids, of: link.target, from: &reader).compactMap(\.self)
      member.set(targets.map(\.id), at: position)
      let isStored =
        done.found.theirs.contains(.init(object: member.object, field: link.field))
        || link.access.get(member.instance).isEmpty
      if isStored { link.access.set(member.instance, targets.isEmpty ? nil : targets.map(\.instance)) }
    }
  }

  // MARK: Instances that the store keeps

  /// Takes what the import has set in instances of the store, and sets the values again that stay the caller's.
  private func refreshKept<R: StoreReader>(_ done: ContextImport, from reader: inout R) throws {
    for member in graph.all where member.isKept && !member.isGone {
      let entity = graph[member.entity]
      guard reader.instance(member.id, of: member.entity) != nil else { continue }
      guard let edited = done.edits[member.object], let old = member.stored else {
        try capture(member, entity, from: &reader)
        continue
      }
      let (targets, ids) = (member.keptTargets, member.keptIDs)
      try capture(member, entity, from: &reader)
      guard let now = member.stored else { continue }
      let fields = Set(edited.edit.properties.map { entity.properties[$0].field })
      let isOld = { (field: Int) in
        fields.contains(field) && !done.found.met.contains(.init(object: member.object, field: field))
      }
      try note(member, entity) { field in isOld(field) ? (old[field], old[field]) : (now[field], now[field]) }
      for (position, _) in edited.edit.links {
        let place = ContextImport.Place(object: member.object, field: entity.links[position].field)
        if done.found.met.contains(place) { continue }
        member.keptTargets[position] = targets[position]
        if position < ids.count { member.keptIDs[position] = ids[position] }
      }
      for place in done.found.mine where place.object == member.object {
        if let property = entity.properties.first(where: { $0.field == place.field }) {
          property.access.set(member.instance, edited.mine[place.field])
        }
        for (position, link) in entity.links.enumerated() where link.field == place.field && !link.isInverse {
          let mine = edited.targets[position] ?? []
          link.access.set(member.instance, mine.isEmpty ? nil : mine)
        }
      }
    }
  }
}
