internal import CFastMap

/// Relationships that a save has changed, as the store has them now.
struct StaleLinks {
  var links: [(entity: Int, ids: [ObjectID], positions: [Int])] = []
  /// Other writers' lists that properties do not show, because the caller has set them meanwhile.
  var hidden: [(member: ContextMember, position: Int, targets: [ObjectID])] = []

  var isEmpty: Bool { links.isEmpty && hidden.isEmpty }
}

/// Shows the results of a save or a rollback in the instances of a context.
extension ContextLoader {
  /// Takes the saved values as read.
  ///
  /// - Returns: The relationships that must be read again.
  func showSaved(_ save: ContextSave) throws -> StaleLinks {
    writes += 1
    let attempt = save.attempt
    var stale = StaleLinks()
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
        guard attempt.theirs.contains(.init(object: member.object, field: link.field)) else {
          let ids = targets.map(\.id)
          let shown = edit.hiddenCounts[position].map { Array(ids.dropLast($0)) }
          markAsRead(ids, shown: shown, of: member, position)
          continue
        }
        if isSet(link, of: member, since: targets) {
          // Kept for the next save: it differs from the other writer's targets.
          let theirs = attempt.targets[.init(object: member.object, field: link.field)] ?? []
          if member.isLoaded(position) {
            // Targets that the context does not have are read below. A rollback shows the known ones.
            markAsRead(theirs.filter { graph[link.target].member($0) != nil }, of: member, position)
            stale.hidden.append((member, position, theirs))
          }
          continue
        }
        try restore(position, link, of: member)
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
      try restore(position, graph[member.entity].links[position], of: member)
    }
    graph.inserted = NewObjects()
    graph.made.removeAll { graph.member(of: $0) != nil }
    try remove(save.changes.deleted + attempt.lost.values)
    let written = Set(save.changes.edits.map(\.member.object))
    try forget(attempt.gone) { member in
      // The save has had its earlier edits.
      if member.isDeleted || !written.contains(member.object) { return try isEdited(member) }
      return !edits(of: member, graph[member.entity], since: save).isEmpty
    }
    try removeForgotten()
    let edited = Dictionary(grouping: save.changes.edits.map(\.member), by: \.entity)
    for number in graph.schema.entities.indices {
      let entity = graph[number]
      // Another writer may have changed relationships of saved objects. They show the change, as attributes do.
      let saved = (edited[number] ?? []).filter { !$0.isGone }
      let own = entity.links.indices.filter { !entity.links[$0].isInverse }
      if saved.contains(where: { member in own.contains { member.isLoaded($0) } }) {
        stale.links.append((number, saved.map(\.id), own))
      }
      let inverses = entity.links.indices.filter { entity.links[$0].isInverse }
      let members = entity.members.filter { member in
        !member.isGone && inverses.contains { member.isLoaded($0) }
      }
      if !members.isEmpty { stale.links.append((number, members.map(\.id), inverses)) }
    }
    return stale
  }

  private func show(_ save: ContextSave, _ edit: ContextChanges.Edit, _ entity: ContextEntity) throws {
    let (attempt, member) = (save.attempt, edit.member)
    let mine = Set(edit.properties.map { entity.properties[$0].field })
    guard let written = attempt.written[member.object] else { return }
    let later = edits(of: member, entity, since: save)
    // They stay as they were read, so that an edit of them is in conflict.
    var unreadable: Set<Int> = []
    try willSet(member)
    if let old = member.stored, let shown = member.shown {
      for property in entity.properties where !later.contains(property.field) {
        let field = property.field
        let isTheirs = attempt.theirs.contains(.init(object: member.object, field: field))
        if isTheirs { property.access.set(member.instance, shown[field]) }
        if isTheirs || !mine.contains(field), !written.slots[field].isSame(as: old.slots[field]) {
          if !property.access.set(member.instance, property.shown(written[field])) {
            recordUnreadable(field, holding: written[field], of: member)
            unreadable.insert(field)
          }
        }
      }
    }
    guard let old = member.stored, let shown = member.shown else {
      // A record has a property for its key, if that has several parts.
      for property in entity.properties where graph.plan.traits.isJoined(property.field, entity.number) {
        property.access.set(member.instance, written[property.field])
      }
      return try keepValues(written, of: member, entity, edited: later)
    }
    // The caller has not seen the other writer's values of these fields, so they are conflicts of the next save.
    let unseen = later.subtracting(mine).union(linksSet(since: edit, entity)).union(unreadable)
    try keepValues(written, of: member, entity, edited: later)
    if unseen.isEmpty { return }
    guard let nowStored = member.stored, let nowShown = member.shown else { return }
    try keepValues(member, entity) { field in
      unseen.contains(field) ? (old[field], shown[field]) : (nowStored[field], nowShown[field])
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
    return !link.access.shape.hasSame(
      now.map { ObjectIdentifier($0) }, as: targets.map { ObjectIdentifier($0.instance) })
  }

  /// The attributes that the caller has set while a save waited for its transaction.
  private func edits(
    of member: ContextMember, _ entity: ContextEntity, since save: ContextSave
  ) -> Set<Int> {
    var now = RowBuffer()
    now.reset(count: entity.fieldCount)
    var edited: Set<Int> = []
    for property in entity.properties where !graph.plan.traits.isJoined(property.field, entity.number) {
      now.set(property.access, of: member.instance, at: property.field)
      if !now.slots[property.field].isSame(as: save.mine(member, property.field)) {
        edited.insert(property.field)
      }
    }
    return edited
  }

  /// Reads the relationships that a save has left stale.
  func refresh<R: StoreReader>(_ stale: StaleLinks, from reader: inout R) throws {
    // Before the others: a property that has less than the list after it is edited.
    try read(stale.hidden, from: &reader)
    for (entity, ids, positions) in stale.links {
      try refreshLinks(ids, of: graph[entity], positions, from: &reader)
    }
  }

  /// Reads the objects of lists that the properties do not show.
  private func read<R: StoreReader>(
    _ hidden: [(member: ContextMember, position: Int, targets: [ObjectID])], from reader: inout R
  ) throws {
    func target(_ member: ContextMember, _ position: Int) -> Int {
      graph[member.entity].links[position].target
    }
    for (entity, lists) in Dictionary(grouping: hidden, by: { target($0.member, $0.position) }) {
      _ = try members(lists.flatMap(\.targets), of: entity, from: &reader)
      for (member, position, targets) in lists where !member.isGone {
        let known = targets.filter { graph[entity].member($0).map { !$0.isGone } ?? false }
        markAsRead(known, of: member, position)
      }
    }
  }

  // MARK: Taking back

  /// Puts all instances back as they were read.
  func rollBack() throws(SystemError) {
    let members = graph.all.filter { !$0.isGone }
    for member in members {
      member.isDeleted = false
      member.record?.forgetMisnamed()
    }
    // The observer of a property may have changed others that were put back before. The second round puts them back
    // again.
    for _ in 0..<2 {
      for member in members {
        let entity = graph[member.entity]
        if let shown = member.shown { restore(shown, of: member, entity) }
        for (position, link) in entity.links.enumerated() { try restore(position, link, of: member) }
      }
    }
    graph.inserted = NewObjects()
    graph.forgotten = [:]
    // The caller has no edits now.
    _ = watched.end()
    for member in members { watched.add(member) }
    try recordObserved()
  }

  /// Puts an instance back as it was read.
  func rollBack(_ member: ContextMember) throws(SystemError) {
    member.isDeleted = false
    member.record?.forgetMisnamed()
    let entity = graph[member.entity]
    try willSet(member)
    // The observer of a property may change another that was put back before.
    for _ in 0..<2 {
      if let shown = member.shown { restore(shown, of: member, entity) }
      for (position, link) in entity.links.enumerated() { try restore(position, link, of: member) }
    }
    try recordObserved()
  }

  /// Removes an object that is not stored any more, with the links to it.
  func leave(_ member: ContextMember) throws(SystemError) {
    writes += 1
    for (instance, entity) in graph.newInstances {
      for link in graph[entity].links {
        let now = link.access.get(instance)
        let left = now.filter { $0 !== member.instance }
        if left.count < now.count { link.access.set(instance, left.isEmpty ? nil : left) }
      }
    }
    try remove([member])
    try recordObserved()
  }

  /// Sets a relationship to the targets read, unless it has them already.
  func restore(
    _ position: Int, _ link: ClassRelationship, of member: ContextMember
  ) throws(SystemError) {
    let now = link.access.get(member.instance)
    let shown = (member.shownTargets(position) ?? []).compactMap { graph[link.target].member($0)?.instance }
    if link.access.shape.hasSame(now.map { ObjectIdentifier($0) }, as: shown.map { ObjectIdentifier($0) }) {
      return
    }
    if member.isLoaded(position) {
      try set(targets(of: member, position), in: member, position, link)
    } else {
      try set([], of: member, position)
    }
  }
}
