/// Targets with and without a key in one relationship, where a mapping keeps objects that lack their key. Targets
/// without a key belong to their owner.
extension StoreReader {
  /// The objects of an entity that have no key.
  ///
  /// A class may have a key that was never read, as in `var id = 0`. So the store must also find the object by it.
  ///
  /// - Parameter ids: In any order. Each is asked for once, however often it is repeated.
  mutating func keyless(
    _ ids: some Sequence<ObjectID>, of entity: Int, _ plan: Plan
  ) throws -> Set<ObjectID> {
    var keyless = Set(ids)
    let all = keyless.sorted()
    let fields = plan.schema.entities[entity].fields.count
    for start in stride(from: 0, to: all.count, by: 4096) {
      let some = Array(all[start..<min(start + 4096, all.count)])
      var keys: [PrimaryKey] = []
      var keyed: [ObjectID] = []
      try read(some, of: entity) { index, row in
        try row.check(index, of: some, fields: fields)
        guard let key = row.key(in: plan.traits.keyFields[entity]) else { return }
        keys.append(key)
        keyed.append(some[index])
      }
      if keys.isEmpty { continue }
      for (id, found) in zip(keyed, try checkedFind(keys, of: entity)) where id == found {
        keyless.remove(id)
      }
    }
    return keyless
  }

  /// Marks the targets without a key as owned: they belonged to the owner that has lost them.
  ///
  /// - Returns: `removed` without the targets with a key that are only unlinked.
  package mutating func markOwnership(
    of removed: [ChangeBatch.Removed], _ plan: Plan
  ) throws -> [ChangeBatch.Removed] {
    var mixed: [Int: [ObjectID]] = [:]
    for object in removed where object.isMixed(in: plan) {
      mixed[object.entity, default: []].append(object.id)
    }
    if mixed.isEmpty { return removed }
    var keyless: [Int: Set<ObjectID>] = [:]
    for (entity, ids) in mixed { keyless[entity] = try self.keyless(ids, of: entity, plan) }
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

extension StoreReader {
  /// Finds the objects that are still stored.
  ///
  /// An import in several commits keeps numbers from one transaction to the next. In between, another write may delete
  /// their objects. So the import asks about the objects before it links or writes them.
  ///
  /// - Parameter ids: In any order. Each is asked for once, however often it is repeated.
  package mutating func stored(_ ids: some Sequence<ObjectID>, of entity: Int) throws -> Set<ObjectID> {
    let all = Array(ids).sortedUnique()
    var stored: Set<ObjectID> = []
    for start in stride(from: 0, to: all.count, by: 4096) {
      let some = Array(all[start..<min(start + 4096, all.count)])
      try read(some, of: entity) { index, _ in
        try StoreContractError.check(position: index, below: some.count)
        stored.insert(some[index])
      }
    }
    return stored
  }
}
