/// The objects from the root down to the one being written.
struct ObjectPath {
  private var ids: [ObjectID] = []
  private var entities: [Int] = []
  /// Those beyond the first few, which are faster searched one by one.
  private var deep: Set<ObjectID> = []
  private var counts: [Int]

  private static let searched = 16

  init(entityCount: Int) { counts = [Int](repeating: 0, count: entityCount) }

  func contains(entity: Int) -> Bool { counts[entity] > 0 }

  func contains(_ id: ObjectID, of entity: Int) -> Bool {
    counts[entity] > 0 && (ids.prefix(Self.searched).contains(id) || deep.contains(id))
  }

  mutating func push(_ id: ObjectID, of entity: Int) {
    // One that is written into itself counts where it was met first: 0 is no object.
    let entry = contains(id, of: entity) ? 0 : id
    ids.append(entry)
    entities.append(entity)
    counts[entity] += 1
    if ids.count > Self.searched { deep.insert(entry) }
  }

  mutating func pop() {
    guard let id = ids.popLast(), let entity = entities.popLast() else { return }
    counts[entity] -= 1
    if ids.count >= Self.searched { deep.remove(id) }
  }

  mutating func removeAll() {
    while !ids.isEmpty { pop() }
  }
}
