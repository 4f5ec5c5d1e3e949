/// Finds the stored objects for the links at the end of the payload.
extension PendingLinks {
  /// The objects stored at the end of the payload.
  struct Found {
    /// Objects by key: unresolved targets, and targets of custom policies that may have been deleted and made again.
    var byKey: [Key: ObjectID] = [:]
    /// The objects that earlier batches have met by their numbers, as far as they are still stored. Nil if no other
    /// writer can have deleted one.
    var met: [Int: Set<ObjectID>]?

    /// Whether an object that an earlier batch has met is stored.
    func has(_ id: ObjectID, of entity: Int) -> Bool { met.map { $0[entity]?.contains(id) ?? false } ?? true }

    /// Finds the object that a target of a custom policy stands for now; nil if it is missing or gone.
    ///
    /// An object that was deleted and made again has another number.
    func target(_ target: LateLink.Target, of entity: Int) -> ObjectID? {
      switch target {
      case .object(let id, let key):
        has(id, of: entity) ? id : key.flatMap { byKey[Key(entity: entity, key: $0)] }
      case .unresolved(let key): byKey[Key(entity: entity, key: key)]
      }
    }
  }

  /// Finds the unresolved objects that are stored now.
  ///
  /// - Parameters:
  ///   - tombstones: Objects that the payload has deleted are linked no more.
  ///   - mayBeGone: Whether others may have deleted objects since a batch has met them.
  func find<R: StoreReader>(
    _ reader: inout R, without tombstones: Tombstones?, mayBeGone: Bool
  ) throws -> Found {
    var wanted: Set<Key> = []
    var met: [Int: Set<ObjectID>] = [:]
    for link in links {
      guard let entity = targetEntity(of: link.holder) else { continue }
      switch link.says {
      case .new: break
      case .unresolved(let key, _, _): wanted.insert(Key(entity: entity, key: key))
      case .merged(let keys): wanted.formUnion(keys.map { Key(entity: entity, key: $0) })
      case .ask(_, _, let targets):
        if mayBeGone { met[link.holder.entity, default: []].insert(link.holder.owner) }
        for target in targets {
          switch target {
          case .unresolved(let key): wanted.insert(Key(entity: entity, key: key))
          case .object(let id, let key) where mayBeGone:
            met[entity, default: []].insert(id)
            if let key { wanted.insert(Key(entity: entity, key: key)) }
          case .object: break
          }
        }
      }
    }
    var found = Found()
    let gone = tombstones?.gone ?? [:]
    for entity in plan.schema.entities.indices {
      let keys = wanted.filter { $0.entity == entity }.map(\.key).sorted()
      for start in stride(from: 0, to: keys.count, by: 4096) {
        let some = Array(keys[start..<min(start + 4096, keys.count)])
        for (key, id) in zip(some, try reader.checkedFind(some, of: entity)) {
          if let id, gone[entity]?.contains(id) != true { found.byKey[Key(entity: entity, key: key)] = id }
        }
      }
    }
    if mayBeGone {
      var stored: [Int: Set<ObjectID>] = [:]
      for (entity, ids) in met { stored[entity] = try reader.stored(ids, of: entity) }
      found.met = stored
    }
    return found
  }

  func targetEntity(of holder: Holder) -> Int? {
    plan.schema.entities[holder.entity].fields[holder.field].kind.target?.entity
  }
}
