/// An object among those of all entities: a store may give objects of two entities the same number.
struct ObjectIdentity: Hashable {
  var entity: Int
  var id: ObjectID
}

/// The objects from the root down to the one being written.
struct ObjectPath {
  private var objects: [ObjectIdentity] = []
  /// Those beyond the first few, which are faster searched one by one.
  private var deep: Set<ObjectIdentity> = []
  private var counts: [Int]

  private static let searched = 16

  init(entityCount: Int) { counts = [Int](repeating: 0, count: entityCount) }

  func contains(entity: Int) -> Bool { counts[entity] > 0 }

  func contains(_ id: ObjectID, of entity: Int) -> Bool {
    guard counts[entity] > 0 else { return false }
    let object = ObjectIdentity(entity: entity, id: id)
    return objects.prefix(Self.searched).contains(object) || deep.contains(object)
  }

  mutating func push(_ id: ObjectID, of entity: Int) {
    // One that is written into itself counts where it was met first: 0 is no object.
    let object = ObjectIdentity(entity: entity, id: contains(id, of: entity) ? 0 : id)
    objects.append(object)
    counts[entity] += 1
    if objects.count > Self.searched { deep.insert(object) }
  }

  mutating func pop() {
    guard let object = objects.popLast() else { return }
    counts[object.entity] -= 1
    if objects.count >= Self.searched { deep.remove(object) }
  }

  mutating func removeAll() {
    while !objects.isEmpty { pop() }
  }
}
