internal import CFastMap

/// The caller's edits that were made while a transaction was awaited, and are lost through its deletions.
struct LostEdits {
  let graph: ContextGraph
  let titles: ObjectNames
  let deleted: Set<ObjectIdentity>

  /// The edits of deleted objects, and edited relationships that refer to one. The reports have them as conflicts.
  ///
  /// - Parameters:
  ///   - now: The changes after the transaction, before the instances show it.
  ///   - before: The changes that the transaction knew.
  func conflicts(_ now: ContextChanges, since before: ContextChanges) -> [ObjectConflict] {
    let known = Dictionary(
      (before.edits + before.new).map { (ObjectIdentifier($0.member.instance), $0) },
      uniquingKeysWith: { first, _ in first })
    return (now.edits + now.new).flatMap { edit in
      let before = known[ObjectIdentifier(edit.member.instance)]
      return attributes(edit, before) + relationships(edit, before)
    }
  }

  private func attributes(_ edit: ContextChanges.Edit, _ before: ContextChanges.Edit?) -> [ObjectConflict] {
    let (member, entity) = (edit.member, graph[edit.member.entity])
    if !deleted.contains(member.object) { return [] }
    return edit.properties.filter { before?.properties.contains($0) != true }.map { place in
      let property = entity.properties[place]
      var mine = RowBuffer()
      mine.reset(count: 1)
      mine.set(property.access, of: member.instance, at: 0)
      return titles.conflict(
        property.field, of: member, key: graph.key(of: member),
        read: .value(member.stored?.slots[property.field].value ?? .null),
        mine: .value(mine.slots[0].value ?? .null), theirs: .deleted)
    }
  }

  private func relationships(_ edit: ContextChanges.Edit, _ before: ContextChanges.Edit?) -> [ObjectConflict]
  {
    let (member, entity) = (edit.member, graph[edit.member.entity])
    let isDeleted = deleted.contains(member.object)
    return edit.links.compactMap { position, targets in
      let link = entity.links[position]
      func isLeft(_ id: ObjectID) -> Bool { !deleted.contains(.init(entity: link.target, id: id)) }
      let old = before?.links.first { $0.position == position }?.targets
      let known = Set((old ?? []).map { ObjectIdentifier($0.instance) })
      let isLost =
        isDeleted
        ? old == nil
        : targets.contains { !isLeft($0.id) && !known.contains(ObjectIdentifier($0.instance)) }
      if !isLost { return nil }
      let ids = member.targets[position] ?? member.stored?.slots[link.field].object.map { [$0] } ?? []
      let read = ids.map { id in (id: id, key: graph[link.target].member(id).flatMap { graph.key(of: $0) }) }
      let theirs = read.filter { isLeft($0.id) }
      return titles.conflict(
        link.field, of: member, key: graph.key(of: member), read: .targets(read.map(\.key)),
        mine: .targets(targets.map { graph.key(of: $0) }),
        theirs: isDeleted ? .deleted : .targets(theirs.map(\.key)),
        numbers: .init(read: ids, mine: targets.map(\.id), theirs: theirs.map(\.id)))
    }
  }
}
