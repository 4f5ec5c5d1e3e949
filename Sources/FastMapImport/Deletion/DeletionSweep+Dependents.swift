/// Objects whose key has a deleted object as a part.
extension DeletionSweep {
  /// Adds the objects that cannot be without some objects which are deleted.
  ///
  /// - Parameter ids: Stored objects of one entity, without repeats.
  /// - Complexity: O(*n* log *n*) in the references to them; nothing if no key has them as a part.
  mutating func addDependents<W: StoreWriter>(
    of ids: [ObjectID], _ entity: Int, writer: inout W
  ) throws {
    for (owner, fields) in Dictionary(grouping: plan.traits.dependentFields[entity], by: \.entity) {
      let owners = try referrers(to: ids, of: entity, from: owner, writer: &writer)
      if owners.isEmpty { continue }
      let deleted = Set(ids)
      let lists = try writer.reader.checkedTargets(of: owners, entity: owner, fields: fields.map(\.field))
      for list in lists {
        addDeleted(
          zip(owners, list).filter { $1.contains(where: deleted.contains) }.map(\.0), of: owner,
          evenIfMet: deletesMetDependents)
      }
    }
  }

  /// The objects of an entity that refer to some objects, in ascending order.
  private func referrers<W: StoreWriter>(
    to ids: [ObjectID], of entity: Int, from owner: Int, writer: inout W
  ) throws -> [ObjectID] {
    var found: Set<ObjectID> = []
    for id in ids {
      var last: Reference?
      repeat {
        let lists = try writer.references(to: [id], of: entity, after: last, limit: Self.referencesAtOnce)
        try StoreContractError.check(
          lists.count, isCount: 1, of: "lists", in: "references(to:of:after:limit:)")
        for reference in lists[0] where reference.entity == owner { found.insert(reference.owner) }
        last = lists[0].count < Self.referencesAtOnce ? nil : lists[0].last
      } while last != nil
    }
    return found.sorted()
  }

  private static var referencesAtOnce: Int { 1024 }
}
