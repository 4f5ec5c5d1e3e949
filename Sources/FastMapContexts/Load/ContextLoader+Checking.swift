/// Checks owners, and the other sides of inverses.
extension ContextLoader {
  /// The owners that are not stored any more. An owner that has a target is.
  func notStored<R: StoreReader>(
    _ found: [Found], _ entity: Int, from reader: inout R
  ) throws -> Set<ObjectID> {
    var open: Set<ObjectID> = []
    for found in found {
      for (owner, ids) in zip(found.owners, found.lists) {
        if let ids, ids.isEmpty { open.insert(owner.id) }
      }
    }
    for found in found {
      for (owner, ids) in zip(found.owners, found.lists) where !(ids ?? []).isEmpty { open.remove(owner.id) }
    }
    return open.isEmpty ? [] : open.subtracting(try reader.stored(open, of: entity))
  }

  /// Reads the relationships again whose owners an inverse has got or lost. So both sides show the same.
  func refreshOtherSide<R: StoreReader>(
    of link: ClassRelationship, _ entity: Int, _ owners: Set<ObjectID>, from reader: inout R
  ) throws {
    guard let inverse = graph.schema.entities[entity].inverse(link.field) else { return }
    let other = graph[inverse.entity]
    guard let position = other.links.firstIndex(where: { $0.field == inverse.field }) else { return }
    let known = owners.filter {
      other.member($0).map { !$0.isGone && $0.isLoaded(position) } ?? false
    }
    if known.isEmpty { return }
    // Objects that are not stored any more stay as they are.
    let stored = try reader.stored(known, of: other.number)
    try refreshLinks(stored.sorted(), of: other, [position], from: &reader)
  }
}
