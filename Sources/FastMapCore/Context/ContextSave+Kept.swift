/// Saving instances that the store keeps. They are the objects, so their values are stored already: what is left is to make new
/// instances objects, to take over links, and to delete.
extension ContextSave {
  /// Takes over links, and makes new instances objects.
  ///
  /// - Returns: Whether there were any.
  func adopt<W: StoreWriter>(on writer: inout W) throws -> Bool {
    let (edits, new) = (changes.edits.filter(\.member.isKept), changes.new.filter(\.member.isKept))
    if edits.isEmpty, new.isEmpty { return false }
    let targets = (edits + new).flatMap { changes.goneTargets(of: $0.member) }
    let gone = Set(targets.map { titles.title(of: $0, key: graph.key(of: $0)) }).sorted()
    if !gone.isEmpty { throw SaveConflictError(conflicts: [], deleted: gone, deletedHere: gone) }
    let kept = schema.entities.indices.filter { graph[$0].isKept }
    let before = try kept.map { try writer.count(of: $0) }
    for edit in edits {
      let member = edit.member
      _ = try writer.adopt(member.instance, of: member.entity)
      attempt.tally.note(member.id, of: member.entity, isNew: false, isChanged: true)
    }
    for edit in new {
      let member = edit.member
      if let id = try writer.adopt(member.instance, of: member.entity) { member.id = id }
    }
    for (entity, before) in zip(kept, before) {
      attempt.adopted[entity] = try writer.count(of: entity) - before
    }
    return true
  }

  /// Takes what the save deletes out of all relationships: a store that takes them over would make it an object again.
  func trim() {
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
