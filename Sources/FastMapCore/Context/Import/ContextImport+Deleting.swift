internal import CFastMap

/// What an import deletes. It leaves the context, as what a save deletes: an edit of it is lost, and one that refers to it loses
/// it. Each is a conflict, which the rule may refuse. Inserting the object again would store only the part that the context has loaded.
extension ContextImport {
  /// Asks about the edits that a deletion changes.
  ///
  /// - Parameters:
  ///   - deleted: What the import has deleted, with the numbers of its own plan.
  ///   - failed: Receives the conflicts that must not be.
  func settle<W: StoreWriter>(
    deleted: Set<CascadeDeletion.Object>, _ failed: inout [ObjectConflict], _ writer: inout W
  ) throws {
    for object in deleted {
      guard let names = names[object.entity] else { continue }
      found.deleted.insert(.init(entity: names.entity, id: object.id))
    }
    if found.deleted.isEmpty { return }
    for edit in changes.edits {
      guard let edited = edited(edit.member.object) else { continue }
      if found.deleted.contains(edit.member.object) {
        try settleLost(edited, &failed, &writer)
      } else {
        try settleReferences(edited, edit.member.object, &failed, &writer)
      }
    }
    for edit in changes.new {
      let instance = ObjectIdentifier(edit.member.instance)
      guard let edited = new[instance] else { continue }
      let id = found.adopted[instance] ?? .unset
      try settleReferences(edited, .init(entity: edit.member.entity, id: id), &failed, &writer)
    }
  }

  /// The edits of an object that the import has deleted.
  private func settleLost<W: StoreWriter>(
    _ edited: Edited, _ failed: inout [ObjectConflict], _ writer: inout W
  ) throws {
    let member = edited.edit.member
    let entity = graph[member.entity]
    for place in edited.edit.properties {
      let field = entity.properties[place].field
      try choose(
        field, of: member.object, member, key: key(of: member.instance), &failed,
        read: .value(member.stored?.slots[field].value ?? .null),
        mine: .value(edited.mine.slots[field].value ?? .null), theirs: .deleted)
    }
    for (position, _) in edited.edit.links {
      let link = entity.links[position]
      let read = try read(member, position, link, &writer)
      let mine = mine(edited, position)
      try choose(
        link.field, of: member.object, member, key: key(of: member.instance), &failed,
        read: .targets(read.map(\.key)), mine: .targets(mine.map(\.key)), theirs: .deleted,
        numbers: .init(read: read.map(\.id), mine: mine.map(\.id)))
    }
  }

  /// The edits that refer to what the import has deleted. If the payload has the relationship, the rule was asked already.
  private func settleReferences<W: StoreWriter>(
    _ edited: Edited, _ object: CascadeDeletion.Object, _ failed: inout [ObjectConflict], _ writer: inout W
  ) throws {
    let member = edited.edit.member
    for (position, _) in edited.edit.links {
      let link = graph[member.entity].links[position]
      let mine = mine(edited, position)
      func isLeft(_ id: ObjectID) -> Bool { !found.deleted.contains(.init(entity: link.target, id: id)) }
      if mine.allSatisfy({ isLeft($0.id) }) { continue }
      if !isMet(object, link.field) {
        let read = try read(member, position, link, &writer)
        let theirs = read.filter { isLeft($0.id) }
        try choose(
          link.field, of: object, member, key: key(of: member.instance), &failed,
          read: .targets(read.map(\.key)), mine: .targets(mine.map(\.key)),
          theirs: .targets(theirs.map(\.key)),
          numbers: .init(read: read.map(\.id), mine: mine.map(\.id), theirs: theirs.map(\.id)))
      }
      // The rest of a list stays edited, even if the import has deleted all that the edit left out.
      // Nothing is left of a to-one. Were it kept, the next save would clear what is stored.
      let place = Place(object: object, field: link.field)
      if !link.isToMany, found.mine.remove(place) != nil { found.theirs.insert(place) }
    }
  }

  /// What the caller has set while the import waited for its transaction, and loses with what it has deleted. That is stored, so the
  /// rule is not asked.
  ///
  /// - Parameter now: The changes after the transaction, before the instances show it.
  func lost(_ now: ContextChanges) -> [ObjectConflict] {
    LostEdits(graph: graph, titles: titles, deleted: found.deleted).conflicts(now, since: changes)
  }

  private typealias Target = (id: ObjectID, key: PrimaryKey?)

  private func mine(_ edited: Edited, _ position: Int) -> [Target] {
    (edited.targets[position] ?? []).map { (number(of: $0), key(of: $0)) }
  }

  /// What a relationship had when it was read. The key of a target that the context does not have is asked for.
  private func read<W: StoreWriter>(
    _ member: ContextMember, _ position: Int, _ link: ClassRelationship, _ writer: inout W
  ) throws -> [Target] {
    let ids = member.targets[position] ?? member.stored?.slots[link.field].object.map { [$0] } ?? []
    let known = graph[link.target]
    var keys: [ObjectID: PrimaryKey] = [:]
    for id in ids { keys[id] = known.member(id).flatMap { graph.key(of: $0) } }
    let unknown = Set(ids.filter { known.member($0) == nil })
    if !unknown.isEmpty, let entity = names.firstIndex(where: { $0?.entity == link.target }) {
      keys.merge(try self.keys(of: unknown, of: entity, link.target, &writer)) { own, _ in own }
    }
    return ids.map { ($0, keys[$0]) }
  }
}
