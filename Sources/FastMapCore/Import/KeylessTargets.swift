/// Targets of relationships whose mapping has a key, and keeps objects that lack it: those without one belong to
/// their owner, those with one to nobody.
extension StoreReader {
  /// The objects of an entity that have no key, in the order of `ids`.
  ///
  /// A class may show a key where none was read, `var id = 0`: the store says whether it finds the object by it.
  mutating func keyless(_ ids: [ObjectID], of entity: Int, _ plan: Plan) throws -> [ObjectID] {
    var keys: [PrimaryKey] = []
    var keyed: [ObjectID] = []
    for id in ids {
      let key = try withRow(id, of: entity) { row in
        plan.traits.keyFields[entity].lazy.compactMap { row[$0].key }.first
      }
      guard let key = key ?? nil else { continue }
      keys.append(key)
      keyed.append(id)
    }
    let found = Set(zip(keyed, try find(keys, of: entity)).filter { $0 == $1 }.map(\.0))
    return ids.filter { !found.contains($0) }
  }

  /// Tells the targets without a key, which belonged to the owner that let go of them, from those with one.
  ///
  /// - Returns: `removed` without the targets with a key that are only let go of.
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
