/// The objects of one level of relationships, by entity.
package struct ObjectLevel {
  /// In the order of the first object of each entity.
  private var groups: [(entity: Int, ids: [ObjectID])] = []
  /// The group of the last object. The next object is often of the same one.
  private var last = 0

  package init() {}

  package var entities: [Int] { groups.map(\.entity) }

  package subscript(entity: Int) -> [ObjectID] { groups.first { $0.entity == entity }?.ids ?? [] }

  package mutating func append(_ id: ObjectID, of entity: Int) {
    find(entity)
    groups[last].ids.append(id)
  }

  /// Few entities have objects at one level, so a list is faster than a table.
  private mutating func find(_ entity: Int) {
    if last < groups.count, groups[last].entity == entity { return }
    last = groups.firstIndex { $0.entity == entity } ?? groups.count
    if last == groups.count { groups.append((entity, [])) }
  }
}

extension [ObjectID] {
  /// The first of each repeat, in order.
  package var withoutRepeats: [ObjectID] {
    var met: Set<ObjectID> = []
    return filter { met.insert($0).inserted }
  }
}
