internal import CFastMap

/// Reads objects of a context again.
extension ContextLoader {
  /// Shows the stored values of all fields that the caller has not changed.
  ///
  /// - Parameter settle: Receives the objects that are not stored any more, before relationships are read. By default
  ///   they stay as they are.
  /// An object that has changed its kind leaves the context, as its instance has the wrong class. Relationships get a new one.
  ///
  /// - Returns: The objects that are not stored any more, and these.
  func refresh<R: StoreReader>(
    _ members: [ContextMember], from reader: inout R, settle: ([ContextMember]) throws -> Void = { _ in }
  ) throws -> [ContextMember] {
    var gone: [ContextMember] = []
    var changed: [ContextMember] = []
    let members = Dictionary(grouping: members, by: \.entity)
    for (number, members) in members {
      let entity = graph[number]
      let ids = members.map(\.id).sortedUnique()
      var left = Set(ids)
      try reader.read(ids, of: number) { index, row in
        try row.check(index, of: ids, fields: entity.fieldCount)
        guard left.remove(ids[index]) != nil, let member = entity.member(ids[index]) else { return }
        if entity.isOtherKind(row, than: member.instance) { return changed.append(member) }
        try refresh(member, row, entity)
      }
      gone += left.sorted().compactMap { entity.member($0) }
    }
    try settle(gone)
    if !changed.isEmpty {
      gone += changed
      try forget(changed)
      try refreshLinks(to: Set(changed.map(\.entity)), from: &reader)
    }
    let left = Set(gone.map(\.object))
    for (number, members) in members {
      let ids = members.filter { !left.contains($0.object) }.map(\.id).sortedUnique()
      try refreshLinks(ids, of: graph[number], from: &reader)
    }
    return gone
  }

  private func refresh(_ member: ContextMember, _ row: Row, _ entity: ContextEntity) throws {
    guard let oldStored = member.stored, let oldShown = member.shown else { return }
    stored.copy(row)
    shown.reset(count: entity.fieldCount)
    var isApart = false
    var edited: Set<Int> = []
    for property in entity.properties {
      shown.set(property.access, of: member.instance, at: property.field)
      if !shown.slots[property.field].isSame(as: oldShown.slots[property.field]) {
        edited.insert(property.field)
      }
    }
    let changed = entity.properties.filter { property in
      !edited.contains(property.field)
        && !stored.slots[property.field].isSame(as: oldStored.slots[property.field])
    }
    for property in changed {
      let value = stored.row[property.field]
      if value.isMissing || value.isNull { continue }
      guard shown.normalise(value, property.access, at: property.field) else {
        return recordUnreadable(property.field, holding: value, of: member)
      }
    }
    for property in changed {
      property.access.set(member.instance, property.shown(stored.row[property.field]))
      shown.set(property.access, of: member.instance, at: property.field)
    }
    for property in entity.properties {
      let field = property.field
      if edited.contains(field) {
        // The caller's value stays, and so does the stored value that it was made from.
        stored.borrow(oldStored[field], at: field)
        shown.borrow(oldShown[field], at: field)
      }
      if !shown.slots[field].isSame(as: stored.slots[field]) { isApart = true }
    }
    for (position, link) in entity.links.enumerated() where !link.isToMany && !link.isInverse {
      // The same of a target that was set and not loaded.
      if !member.isLoaded(position), !link.access.get(member.instance).isEmpty {
        stored.borrow(oldStored[link.field], at: link.field)
      }
    }
    try keepValues(member, entity, isApart: isApart)
  }

  /// Keeps the places of objects without a key in a relationship that loses some, for messages.
  private func recordPlaces(in owner: ContextMember, _ position: Int, _ link: ClassRelationship) {
    for (index, id) in (owner.targets[position] ?? []).enumerated() {
      guard let target = graph[link.target].member(id), graph.key(of: target) == nil else { continue }
      target.lastPlace = .init(owner: owner.object, position: position, index: index)
    }
  }

  /// Reads all loaded relationships again that may have objects of some entities.
  private func refreshLinks<R: StoreReader>(to targets: Set<Int>, from reader: inout R) throws {
    for number in graph.schema.entities.indices {
      let entity = graph[number]
      let positions = entity.links.indices.filter { targets.contains(entity.links[$0].target) }
      let owners = entity.members.filter { !$0.isGone }.map(\.id)
      if !positions.isEmpty { try refreshLinks(owners.sorted(), of: entity, positions, from: &reader) }
    }
  }

  /// Reads the loaded relationships of stored objects again.
  ///
  /// - Parameter positions: The relationships to read; by default all.
  func refreshLinks<R: StoreReader>(
    _ ids: [ObjectID], of entity: ContextEntity, _ positions: [Int]? = nil, from reader: inout R
  ) throws {
    let members = ids.compactMap { entity.present($0) }
    let positions = (positions ?? Array(entity.links.indices)).filter { position in
      members.contains { $0.isLoaded(position) }
    }
    var new = ObjectLevel()
    var found = try ask(positions, of: members, entity, from: &reader, &new) { owner, position in
      owner.isLoaded(position) && !graph.isEdited(position, of: owner)
    }
    for number in new.entities { try make(new[number], of: graph[number], from: &reader) }
    leaveOutUnreadable(&found)
    var included: [IncludeTree: [ContextMember]] = [:]
    for found in found {
      var moved: Set<ObjectID> = []
      for (owner, ids) in zip(found.owners, found.lists) {
        guard let ids else { continue }
        let stored = ids.compactMap { graph[found.link.target].present($0) }
        if stored.map(\.id) == owner.targets[found.position] { continue }
        if found.link.isInverse {
          moved.formUnion(Set(stored.map(\.id)).symmetricDifference(owner.targets[found.position] ?? []))
        } else {
          recordPlaces(in: owner, found.position, found.link)
        }
        set(stored, in: owner, found.position, found.link)
        if owner.included.isDeep { included[owner.included, default: []].append(owner) }
      }
      try refreshOtherSide(of: found.link, entity.number, moved, from: &reader)
    }
    // The order of trees that were read before makes no difference.
    if !included.isEmpty { _ = try include(included.map { ($0, $1) }, from: &reader) }
  }
}
