internal import CFastMap

/// Relationships that a save has changed, to be read again.
typealias StaleLinks = [(entity: Int, ids: [ObjectID], positions: [Int])]

/// Shows the results of a save or a rollback in the instances of a context.
extension ContextLoader {
  /// Takes the saved values as read.
  ///
  /// - Returns: The relationships that must be read again.
  func showSaved(_ save: ContextSave) throws -> StaleLinks {
    let attempt = save.attempt
    for edit in save.new { graph.add(edit.member, to: graph[edit.member.entity]) }
    for edit in save.new + save.edits {
      let member = edit.member
      let entity = graph[member.entity]
      if member.stored == nil {
        // A new object has all its relationships and inverses.
        for position in entity.links.indices { member.set([], at: position) }
      }
      try show(save, edit, entity)
      for (position, targets) in edit.links {
        let link = entity.links[position]
        let place = ContextSave.Place(object: member.object, field: link.field)
        guard attempt.theirs.contains(place) else {
          member.set(targets.map(\.id), at: position)
          continue
        }
        if isSet(link, of: member, since: targets) {
          // Kept for the next save: it differs from the other writer's targets. Some of these may have to be read.
          if member.isLoaded(position) { member.set(attempt.targets[place] ?? [], at: position) }
          continue
        }
        restore(position, link, of: member)
        // A loaded relationship is read with the others below.
        if !member.isLoaded(position) { member.set([], at: position) }
      }
    }
    // The save has checked edited inverses against the store, so they count as loaded.
    for edit in save.changes.inverses where !edit.member.isNew {
      let (member, position) = (edit.member, edit.position)
      if !member.isLoaded(position) { member.set([], at: position) }
      // They may contradict relationships that the rule has left as they were.
      if attempt.theirs.isEmpty, attempt.lost.isEmpty { continue }
      restore(position, graph[member.entity].links[position], of: member)
    }
    graph.inserted = NewObjects()
    graph.made.removeAll { graph.member(of: $0) != nil }
    try graph.remove(save.changes.deleted + attempt.lost.values)
    let written = Set(save.changes.edits.map(\.member.object))
    try forget(attempt.gone) { member in
      // The save has had its earlier edits.
      if member.isDeleted || !written.contains(member.object) { return try graph.isEdited(member) }
      return try !edits(of: member, since: save).isEmpty
    }
    try removeForgotten()
    return staleLinks(save)
  }

  private func staleLinks(_ save: ContextSave) -> StaleLinks {
    var stale: StaleLinks = []
    let edited = Dictionary(grouping: save.changes.edits.map(\.member), by: \.entity)
    for number in graph.schema.entities.indices {
      let links = graph[number].links
      func add(_ members: [ContextMember], _ positions: [Int]) {
        let loaded = members.filter { member in !member.isGone && positions.contains { member.isLoaded($0) } }
        if !loaded.isEmpty { stale.append((number, loaded.map(\.id), positions)) }
      }
      // Another writer may have changed relationships of saved objects. They show the change, as attributes do.
      add(edited[number] ?? [], links.indices.filter { !links[$0].isInverse })
      add(graph[number].members, links.indices.filter { links[$0].isInverse })
    }
    return stale
  }

  private func show(_ save: ContextSave, _ edit: ContextChanges.Edit, _ entity: ContextEntity) throws {
    let (attempt, member) = (save.attempt, edit.member)
    let mine = Set(edit.properties.map { entity.properties[$0].field })
    guard let written = attempt.written[member.object] else { return }
    let later = try edits(of: member, since: save)
    // They stay as they were read, so that an edit of them is in conflict: the caller has not seen the other writer's values.
    var unseen: Set<Int> = []
    if let old = member.stored, let shown = member.shown {
      unseen = later.subtracting(mine).union(linksSet(since: edit, entity))
      for property in entity.properties where !later.contains(property.field) {
        let field = property.field
        let isTheirs = attempt.theirs.contains(.init(object: member.object, field: field))
        if isTheirs { property.access.set(member.instance, shown[field]) }
        if isTheirs || !mine.contains(field), !written.slots[field].isSame(as: old.slots[field]) {
          if !property.access.set(member.instance, property.shown(written[field])) {
            recordUnreadable(field, holding: written[field], of: member)
            unseen.insert(field)
          }
        }
      }
    } else {
      // A record has a property for its key, if that has several parts.
      for property in entity.properties where graph.plan.traits.isJoined(property.field, entity.number) {
        property.access.set(member.instance, written[property.field])
      }
    }
    let (now, old, shown) = (try graph.values(of: member), member.stored, member.shown)
    try keepValues(member, entity) { field in
      if unseen.contains(field), let old, let shown { return (old[field], shown[field]) }
      return (written[field], later.contains(field) ? written[field] : now[field])
    }
  }

  /// The to-one relationships that are not loaded, and that the caller has set while a save waited for its transaction.
  private func linksSet(since edit: ContextChanges.Edit, _ entity: ContextEntity) -> [Int] {
    entity.links.enumerated().filter { position, link in
      !link.isToMany && !link.isInverse && !edit.member.isLoaded(position)
        && !edit.links.contains { $0.position == position }
        && !link.access.get(edit.member.instance).isEmpty
    }.map(\.element.field)
  }

  /// Whether the caller has set a relationship while a save waited for its transaction.
  ///
  /// - Parameter targets: The targets when the save began.
  private func isSet(
    _ link: ClassRelationship, of member: ContextMember, since targets: [ContextMember]
  ) -> Bool {
    let now = link.access.get(member.instance).filter { !graph.isLeaving($0) }
    return !link.access.shape.isSame(
      now.map { ObjectIdentifier($0) }, as: targets.map { ObjectIdentifier($0.instance) })
  }

  /// The attributes that the caller has set while a save waited for its transaction.
  private func edits(of member: ContextMember, since save: ContextSave) throws(SystemError) -> Set<Int> {
    let properties = graph[member.entity].properties
    let edited = try graph.edits(of: member) { save.mine(member, $0) }.map { properties[$0].field }
    return Set(edited.filter { !graph.plan.traits.isJoined($0, member.entity) })
  }

  /// Reads the relationships that a save has left stale.
  func refresh<R: StoreReader>(_ stale: StaleLinks, from reader: inout R) throws {
    for (entity, ids, positions) in stale {
      let members = ids.compactMap { graph[entity].present($0) }
      for position in positions { try readUnknown(position, of: members, graph[entity], from: &reader) }
    }
    for (entity, ids, positions) in stale {
      try refreshLinks(ids, of: graph[entity], positions, from: &reader)
    }
  }

  /// Reads the targets that the context does not have.
  private func readUnknown<R: StoreReader>(
    _ position: Int, of members: [ContextMember], _ entity: ContextEntity, from reader: inout R
  ) throws {
    let target = graph[entity.links[position].target]
    func isUnknown(_ id: ObjectID) -> Bool { target.present(id) == nil }
    for member in members where member.targets[position]?.contains(where: isUnknown) ?? false {
      let ids = member.targets[position] ?? []
      try make(ids, of: target, from: &reader)
      member.set(ids.filter { !isUnknown($0) }, at: position)
    }
  }

  func removeForgotten() throws(SystemError) {
    try graph.remove(Array(graph.forgotten.values))
    graph.forgotten = [:]
  }

  // MARK: Taking back

  /// Puts all instances back as they were read.
  func rollBack() throws(SystemError) {
    for member in graph.gone.values { member.standing = .gone(try InstanceState(member, in: graph)) }
    try rollBack(graph.all.filter { !$0.isGone })
    graph.inserted = NewObjects()
    graph.forgotten = [:]
  }

  /// Puts instances back as they were read.
  func rollBack(_ members: [ContextMember]) throws(SystemError) {
    for member in members {
      member.standing = .present
      member.record?.forgetMisnamed()
    }
    // The observer of a property may have changed others that were put back before. The second round puts them back
    // again.
    for _ in 0..<2 {
      for member in members {
        let entity = graph[member.entity]
        if let shown = member.shown {
          for place in try graph.edits(of: member, since: { shown.slots[$0] }) {
            let property = entity.properties[place]
            property.access.set(member.instance, shown[property.field])
          }
        }
        for (position, link) in entity.links.enumerated() { restore(position, link, of: member) }
      }
    }
  }

  /// Removes an object that is not stored any more, with the links to it.
  func leave(_ member: ContextMember) throws(SystemError) {
    member.standing = .present
    for (instance, entity) in graph.newInstances {
      for link in graph[entity].links {
        let now = link.access.get(instance)
        let left = now.filter { $0 !== member.instance }
        if left.count < now.count { link.access.set(instance, left.isEmpty ? nil : left) }
      }
    }
    try graph.remove([member])
  }

  /// Sets a relationship to the targets read, unless it has them already.
  func restore(_ position: Int, _ link: ClassRelationship, of member: ContextMember) {
    if graph.shows(member.targets[position] ?? [], link, in: member) { return }
    let shown = targets(of: member, position).map(\.instance)
    link.access.set(member.instance, shown.isEmpty ? nil : shown)
  }
}
