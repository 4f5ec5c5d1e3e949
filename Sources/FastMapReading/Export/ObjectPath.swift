/// The objects from the root to the one being written.
struct ObjectPath {
  private var objects: [ObjectIdentity] = []
  /// The objects after the first few. A linear search of the first few is faster.
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
    // An object written within itself counts only at its first place: 0 is no object.
    let object = ObjectIdentity(entity: entity, id: contains(id, of: entity) ? .unset : id)
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
