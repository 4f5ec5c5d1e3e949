/// Targets with and without a key in one relationship, where a mapping keeps objects that lack their key. Those without one
/// belong to their owner.
extension StoreReader {
  /// The objects of an entity that have no key, in the order of `ids`.
  ///
  /// A class may have a key that was never read, as in `var id = 0`. So the store must also find the object by it.
  mutating func keyless(_ ids: [ObjectID], of entity: Int, _ plan: Plan) throws -> [ObjectID] {
    var keys: [PrimaryKey] = []
    var keyed: [ObjectID] = []
    try read(ids, of: entity) { index, row in
      guard let key = plan.traits.keyFields[entity].lazy.compactMap({ row[$0].key }).first else { return }
      keys.append(key)
      keyed.append(ids[index])
    }
    let found = Set(zip(keyed, try checkedFind(keys, of: entity)).filter { $0 == $1 }.map(\.0))
    return ids.filter { !found.contains($0) }
  }

  /// Marks the targets without a key as owned: they belonged to the owner that has lost them.
  ///
  /// - Returns: `removed` without the targets with a key that are only unlinked.
  mutating func settleOwnership(
    of removed: [ChangeBatch.Removed], _ plan: Plan
  ) throws -> [ChangeBatch.Removed] {
    var mixed: [Int: [ObjectID]] = [:]
    for object in removed where object.isMixed(in: plan) {
      mixed[object.entity, default: []].append(object.id)
    }
    if mixed.isEmpty { return removed }
    var keyless: [Int: Set<ObjectID>] = [:]
    for (entity, ids) in mixed { keyless[entity] = Set(try self.keyless(ids, of: entity, plan)) }
    return removed.compactMap { object in
      guard object.isMixed(in: plan) else { return object }
      var settled = object
      settled.isOwned = keyless[object.entity]?.contains(object.id) ?? false
      return settled.isOwned || !object.sparesKeyed ? settled : nil
    }
  }
}

extension ChangeBatch.Removed {
  /// Whether its relationship has targets with a key and without.
  fileprivate func isMixed(in plan: Plan) -> Bool {
    !isOwned && plan.traits.ownsKeyless(holder.field, of: holder.entity)
  }
}
