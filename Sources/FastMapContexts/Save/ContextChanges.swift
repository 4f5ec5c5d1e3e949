internal import CFastMap

/// The caller's changes in a context since it was read.
final class ContextChanges {
  /// A changed or new object.
  struct Edit {
    let member: ContextMember
    /// The attributes, as positions among the entity's properties.
    var properties: [Int] = []
    /// The relationships, by position, with their targets now.
    var links: [(position: Int, targets: [ContextMember])] = []
    /// How many of the last targets the property does not show, by position.
    var hiddenCounts: [Int: Int] = [:]
  }

  /// An inverse whose property differs from the objects read.
  struct InverseEdit {
    let member: ContextMember
    let position: Int
    let added: [AnyObject]
    let removed: [ObjectID]
  }

  let graph: ContextGraph
  private(set) var edits: [Edit] = []
  /// New objects, with their relationships. An object comes before the new objects that are found through it.
  private(set) var new: [Edit] = []
  private(set) var deleted: [ContextMember] = []
  private(set) var inverses: [InverseEdit] = []
  private var newOf: [ObjectIdentifier: ContextMember] = [:]
  private var now = RowBuffer()

  /// - Throws: ``ContextError``, ``UnknownNameError``.
  init(_ graph: ContextGraph) throws {
    self.graph = graph
    for member in graph.inserted {
      try graph.checkValues(of: member)
      add(member)
    }
    for member in graph.all where !member.isGone {
      if member.isDeleted {
        deleted.append(member)
        continue
      }
      let edit = try edit(of: member)
      if !edit.properties.isEmpty || !edit.links.isEmpty { edits.append(edit) }
    }
    // New objects may refer to further ones.
    var next = 0
    while next < new.count {
      let member = new[next].member
      for (position, link) in graph[member.entity].links.enumerated()
      where !link.isInverse {
        let targets = try targets(of: member, link)
        if !targets.isEmpty { new[next].links.append((position, targets)) }
      }
      next += 1
    }
    for member in graph.all + new.map(\.member) {
      if !member.isGone, !member.isDeleted { collectInverses(of: member) }
    }
  }

  var isEmpty: Bool { edits.isEmpty && new.isEmpty && deleted.isEmpty && inverses.isEmpty }

  /// The object of an instance; nil for an unknown one.
  func member(of instance: AnyObject) -> ContextMember? {
    graph.member(of: instance) ?? newOf[ObjectIdentifier(instance)]
  }

  private func collectInverses(of member: ContextMember) {
    for (position, link) in graph[member.entity].links.enumerated() where link.isInverse {
      let now = link.access.get(member.instance)
      let read = (member.shownTargets(position) ?? []).filter { id in
        !(graph[link.target].member(id)?.isDeleted ?? false)
      }
      if now.isEmpty, read.isEmpty { continue }
      let known = Set(read)
      let added = now.filter { instance in
        !graph.isLeaving(instance) && !(self.member(of: instance).map { known.contains($0.id) } ?? false)
      }
      let left = Set(now.compactMap { self.member(of: $0)?.id })
      let removed = read.filter { !left.contains($0) }
      if !added.isEmpty || !removed.isEmpty {
        inverses.append(InverseEdit(member: member, position: position, added: added, removed: removed))
      }
    }
  }

  private func add(_ member: ContextMember) {
    newOf[ObjectIdentifier(member.instance)] = member
    new.append(Edit(member: member))
  }

  // MARK: Stored objects

  private func edit(of member: ContextMember) throws -> Edit {
    try graph.checkValues(of: member)
    var edit = Edit(member: member)
    let entity = graph[member.entity]
    if let shown = member.shown {
      now.reset(count: entity.fieldCount)
      for (place, property) in entity.properties.enumerated() {
        now.set(property.access, of: member.instance, at: property.field)
        if !now.slots[property.field].isSame(as: shown.slots[property.field]) {
          edit.properties.append(place)
        }
      }
      try now.checkWhole()
    }
    for (position, link) in entity.links.enumerated() where !link.isInverse {
      var targets = try targets(of: member, link)
      // Deleted objects leave all relationships by themselves.
      let old = (member.shownTargets(position) ?? []).filter {
        !(graph[link.target].member($0)?.isDeleted ?? false)
      }
      let isSame =
        targets.allSatisfy { !$0.isNew } && link.access.shape.isSame(targets.map(\.id), as: old)
      if isSame { continue }
      // The edit could mean to add or to replace. An edit of a to-one always replaces.
      if link.isToMany, !member.isLoaded(position) {
        let key = graph.key(of: member)
        throw ContextError.notLoaded(
          entity: graph.schema.entities[member.entity].name, key: key,
          title: ObjectNames(graph).title(of: member, key: key),
          relationship: graph.name(of: link, member.entity))
      }
      targets = link.access.shape.sorted(targets, as: old)
      if link.isToMany {
        let hidden = hiddenTargets(of: member, position, link, besides: targets)
        if !hidden.isEmpty { edit.hiddenCounts[position] = hidden.count }
        targets += hidden
      }
      edit.links.append((position, targets))
    }
    return edit
  }

  /// The stored targets that an observer has taken out of a property: no edit of the caller.
  ///
  /// - Parameter shown: The targets of the property. The caller may have put hidden ones back.
  private func hiddenTargets(
    of member: ContextMember, _ position: Int, _ link: ClassRelationship, besides shown: [ContextMember]
  ) -> [ContextMember] {
    let hidden = member.hiddenTargets(position)
    if hidden.isEmpty { return [] }
    let shown = Set(shown.map(\.id))
    return hidden.filter { !shown.contains($0) }.compactMap { graph[link.target].member($0) }.filter {
      !$0.isDeleted && !$0.isGone
    }
  }

  /// The objects that a property has now, without objects that the save deletes. Unknown ones become new objects.
  private func targets(
    of member: ContextMember, _ link: ClassRelationship
  ) throws -> [ContextMember] {
    var targets: [ContextMember] = []
    for instance in link.access.get(member.instance) where !graph.isLeaving(instance) {
      targets.append(try target(instance, in: link, of: member))
    }
    return targets
  }

  private func target(
    _ instance: AnyObject, in link: ClassRelationship, of owner: ContextMember
  ) throws -> ContextMember {
    let entity = link.target
    // An object that has left this context is not new: the save finds that it is not stored.
    if let known = member(of: instance) ?? graph.goneMember(of: instance) {
      if known.entity != entity {
        throw graph.otherEntity(
          entity, found: known, at: graph.place(of: instance, in: link, of: owner))
      }
      return known
    }
    try graph.check(instance, of: entity, at: graph.place(of: instance, in: link, of: owner))
    let new = graph.newMember(instance, of: entity)
    try graph.checkValues(of: new)
    add(new)
    return new
  }
}

extension RelatedObjectsShape {
  /// Whether two lists of targets are the same. The order of a set is no difference.
  func hasSame<Target: Hashable>(_ a: [Target], as b: [Target]) -> Bool {
    a == b || self == .set && Set(a) == Set(b)
  }

  /// The same of instances.
  func isSame(_ a: [AnyObject], as b: some Sequence<AnyObject>) -> Bool {
    if a.elementsEqual(b, by: ===) { return true }
    return self == .set && Set(a.map { ObjectIdentifier($0) }) == Set(b.map { ObjectIdentifier($0) })
  }

  /// Whether a property of this shape shows the same for both.
  func isSame(_ now: [ObjectID], as read: [ObjectID]) -> Bool {
    switch self {
    case .ordered: now == read
    case .orderedUnique: now == read.withoutRepeats
    case .set: Set(now) == Set(read)
    }
  }

  /// Puts the targets of a set into a fixed order: first the targets read, then stored ones, then new ones.
  func sorted(_ targets: [ContextMember], as read: [ObjectID]) -> [ContextMember] {
    guard self == .set else { return targets }
    let places = Dictionary(zip(read, read.indices), uniquingKeysWith: { first, _ in first })
    return targets.sorted {
      let (a, b) = (places[$0.id] ?? .max, places[$1.id] ?? .max)
      return a != b ? a < b : ($0.isNew ? 1 : 0, $0.id.rawValue) < ($1.isNew ? 1 : 0, $1.id.rawValue)
    }
  }
}
