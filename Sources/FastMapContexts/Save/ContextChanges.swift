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

  /// - Throws: ``ContextError``, ``UnknownNameError``.
  init(_ graph: ContextGraph) throws {
    self.graph = graph
    try graph.checkDeleted()
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
        let targets = try targets(of: member, link, read: [])
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
      let read = (member.targets[position] ?? []).filter { id in
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
      edit.properties = try graph.edits(of: member) { shown.slots[$0] }
    }
    for (position, link) in entity.links.enumerated() where !link.isInverse {
      let read = member.targets[position] ?? member.stored?.slots[link.field].object.map { [$0] } ?? []
      let targets = try targets(of: member, link, read: read)
      // Deleted objects leave all relationships by themselves.
      let old = (member.targets[position] ?? []).filter {
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
      edit.links.append((position, link.access.shape.sorted(targets, as: old)))
    }
    return edit
  }

  /// The objects that a property has now, without objects that the save deletes. Unknown ones become new objects.
  ///
  /// - Parameter read: The stored targets. The deletion of others is an error: the caller has set a link to them.
  private func targets(
    of member: ContextMember, _ link: ClassRelationship, read: [ObjectID]
  ) throws -> [ContextMember] {
    var targets: [ContextMember] = []
    for instance in link.access.get(member.instance) {
      if !graph.isLeaving(instance) {
        targets.append(try target(instance, in: link, of: member))
      } else if let deleted = graph.member(of: instance), !read.contains(deleted.id) {
        throw ContextError.deletedTarget(
          place: graph.place(of: instance, in: link, of: member),
          entity: graph.schema.entities[deleted.entity].name, key: graph.key(of: deleted))
      }
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
  /// Whether a property of this shape shows the same for both.
  func isSame<Target: Hashable>(_ now: [Target], as read: [Target]) -> Bool {
    if now == read { return true }
    return switch self {
    case .ordered: false
    case .orderedUnique: withoutRepeats(now) == withoutRepeats(read)
    case .set: Set(now) == Set(read)
    }
  }

  private func withoutRepeats<Target: Hashable>(_ targets: [Target]) -> [Target] {
    var met: Set<Target> = []
    return targets.filter { met.insert($0).inserted }
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
