/// Saving instances that the store keeps. They are the objects, so their values are stored already: what is left is to make new
/// instances objects, to take over links, and to delete.
extension ContextSave {
  /// Takes over links, and makes new instances objects.
  ///
  /// - Returns: Whether there were any.
  func adopt<W: StoreWriter>(on writer: inout W) throws -> Bool {
    let (edits, new) = (changes.edits.filter(\.member.isKept), changes.new.filter(\.member.isKept))
    if edits.isEmpty, new.isEmpty { return false }
    let kept = schema.entities.indices.filter { graph[$0].isKept }
    let before = try kept.map { try writer.count(of: $0) }
    for edit in edits {
      let member = edit.member
      _ = try writer.adopt(member.instance, of: member.entity)
      attempt.tally.note(member.id, of: member.entity, isNew: false, isChanged: true)
    }
    for edit in new {
      let member = edit.member
      guard let id = try writer.adopt(member.instance, of: member.entity) else { continue }
      member.id = id
      attempt.tally.note(id, of: member.entity, isNew: true, isChanged: true)
    }
    for (entity, before) in zip(kept, before) {
      let noted = new.count { $0.member.entity == entity }
      attempt.adopted[entity] = try writer.count(of: entity) - before - noted
    }
    return true
  }

  /// Refuses what a store of values refuses as well: a changed key, an edit of an object that is not stored any more, and a link to
  /// one.
  func checkKept() throws {
    let (edits, new) = (changes.edits.filter(\.member.isKept), changes.new.filter(\.member.isKept))
    for edit in edits {
      let (entity, properties) = (edit.member.entity, graph[edit.member.entity].properties)
      let keys = plan.traits.keyFields[entity]
      if edit.properties.contains(where: { keys.contains(properties[$0].field) }) {
        throw ContextError.keyChanged(
          entity: schema.entities[entity].name, key: graph.key(of: edit.member))
      }
    }
    let lost = edits.map(\.member).filter(\.isLost)
    let linked = (edits + new).map(\.member).filter { !$0.isLost }.flatMap { changes.goneTargets(of: $0) }
    let gone = lost + linked
    if gone.isEmpty { return }
    func names(_ members: [ContextMember]) -> [String] {
      members.withoutRepeats.map { titles.title(of: $0, key: graph.key(of: $0)) }.sorted()
    }
    throw SaveConflictError(
      conflicts: [], deleted: names(gone),
      deletedHere: names(gone.filter { graph.deleted.contains($0.object) }))
  }

  /// Takes what the save deletes out of all relationships: a store that takes them over would make it an object again. What it
  /// deletes has what was read, as that goes with it.
  func trim() {
    for member in changes.deleted where member.isKept && !member.isLost {
      for (position, link) in graph[member.entity].links.enumerated() where !link.isInverse {
        let (targets, read) = (link.access.get(member.instance), member.keptTargets[position])
        if targets.elementsEqual(read, by: ===) { continue }
        trimmed.append((member, link, targets))
        link.access.set(member.instance, read.isEmpty ? nil : read)
      }
    }
    let leaving = changes.deleted + graph.forgotten.values
    let deleted = Set(leaving.filter(\.isKept).map { ObjectIdentifier($0.instance) })
    if deleted.isEmpty { return }
    for member in graph.all + changes.new.map(\.member)
    where member.isKept && !member.isGone && !member.isDeleted {
      for link in graph[member.entity].links where !link.isInverse {
        let targets = link.access.get(member.instance)
        let left = targets.filter { !deleted.contains(ObjectIdentifier($0)) }
        guard left.count < targets.count else { continue }
        trimmed.append((member, link, targets))
        link.access.set(member.instance, left.isEmpty ? nil : left)
      }
    }
  }

  /// The objects that edits have taken out of relationships which delete or own them.
  func removedFromKept() -> [ChangeBatch.Removed] {
    changes.edits.filter(\.member.isKept).flatMap { removed(from: $0) }
  }

  /// Puts back what a save that has failed took out.
  func restoreTrimmed() {
    for (member, link, targets) in trimmed { link.access.set(member.instance, targets) }
  }

  /// The objects that an edit has taken out of relationships which delete or own them.
  private func removed(from edit: ContextChanges.Edit) -> [ChangeBatch.Removed] {
    let entity = graph[edit.member.entity]
    var removed: [ChangeBatch.Removed] = []
    for (position, _) in edit.links {
      let link = entity.links[position]
      let isOwned = schema.entities[entity.number].fields[link.field].kind.target?.isOwned ?? false
      let isReplace = plan.isReplaced(link.field, of: entity.number)
      let isMixed = plan.traits.ownsKeyless(link.field, of: entity.number)
      guard isOwned || isReplace || isMixed else { continue }
      // Inverses come behind the relationships.
      let ids = edit.member.keptIDs[position]
      let now = Set(link.access.get(edit.member.instance).map { ObjectIdentifier($0) })
      let holder = ChangeBatch.Holder(owner: edit.member.id, entity: entity.number, field: link.field)
      for (instance, id) in ids.sorted(by: { $0.value < $1.value }) where !now.contains(instance) {
        removed.append(
          .init(
            id: id, entity: link.target, isOwned: isOwned, sparesKeyed: isMixed && !isReplace && !isOwned,
            holder: holder))
      }
    }
    return removed
  }
}
