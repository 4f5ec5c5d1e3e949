internal import CFastMap

/// The deletions of an import. Deleted objects leave the context, as after a save. Their edits are lost, and edited
/// relationships lose them as targets. Each is a conflict that the rule may refuse. Inserting the object again would
/// store only the part that the context has loaded.
extension ContextImport {
  /// Asks about the edits that a deletion changes.
  ///
  /// - Parameters:
  ///   - deleted: The objects that the import has deleted, with the numbers of its own plan.
  ///   - failed: Receives the conflicts that must not be.
  func settle<W: StoreWriter>(
    deleted: Set<ObjectIdentity>, _ failed: inout [ObjectConflict], _ writer: inout W
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

  /// The edited relationships with targets that the import has deleted. If the payload has the relationship, the rule
  /// was asked already.
  private func settleReferences<W: StoreWriter>(
    _ edited: Edited, _ object: ObjectIdentity, _ failed: inout [ObjectConflict], _ writer: inout W
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
      // The rest of a list stays edited, even if the import has deleted all objects that the edit left out.
      // A to-one has no target left. If the edit stayed, the next save would clear the stored target.
      let place = Place(object: object, field: link.field)
      if !link.isToMany, found.mine.remove(place) != nil { found.theirs.insert(place) }
    }
  }

  /// The caller's edits that were made while the import waited for its transaction, and are lost through its
  /// deletions. The deletions are stored, so the rule is not asked.
  ///
  /// - Parameter now: The changes after the transaction, before the instances show it.
  func lost(_ now: ContextChanges) -> [ObjectConflict] {
    LostEdits(graph: graph, titles: titles, deleted: found.deleted).conflicts(now, since: changes)
  }

  private typealias Target = (id: ObjectID, key: PrimaryKey?)

  private func mine(_ edited: Edited, _ position: Int) -> [Target] {
    (edited.targets[position] ?? []).map { (number(of: $0), key(of: $0)) }
  }

  /// The targets of a relationship when it was read. The store is asked for keys that the context does not know.
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
