internal import CFastMap

/// The objects that a page of values is decoded from: the results of a query, and all objects that they contain.
final class StoredObjects {
  let layouts: [ValueLayout]
  private let objects: GatheredObjects

  init(_ plan: Plan) {
    layouts = plan.mappings.map { ValueLayout($0, plan) }
    objects = GatheredObjects(plan.schema)
  }

  /// The object with a number; nil if it is not stored.
  func object(_ id: ObjectID, of mapping: Int) -> StoredObject? {
    let layout = layouts[mapping]
    guard let row = objects.row(of: ObjectIdentity(entity: layout.entity, id: id)) else { return nil }
    return StoredObject(slots: row.slots, layout: layout, id: id)
  }

  /// The value of a member; nil if it has none.
  @inline(__always)
  func cell(_ member: ValueLayout.Member, of object: StoredObject) -> Cell? {
    let slot = object.slots[member.field]
    switch member.kind {
    case .attribute: return slot.tag == FASTMAP_MISSING || slot.tag == FASTMAP_NULL ? nil : .slot(slot)
    case .toOne(let target): return slot.object.flatMap { self.object($0, of: target) }.map { .object($0) }
    case .toMany: return .targets(of: object, member)
    }
  }

  /// The stored targets of a to-many relationship.
  func targets(_ member: ValueLayout.Member, of object: StoredObject) -> [StoredObject] {
    guard let target = member.target else { return [] }
    let owner = ObjectIdentity(entity: object.layout.entity, id: object.id)
    return (objects.targets(of: owner, field: member.field) ?? []).compactMap { self.object($0, of: target) }
  }

  /// Reads objects of the first mapping, and all that they contain, level by level: two questions for each level.
  func gather<R: StoreReader>(_ ids: [ObjectID], from reader: inout R) throws {
    objects.removeAll()
    var level = [(mapping: 0, ids: ids)]
    var followed = Set<Step>()
    while !level.isEmpty {
      var next: [(mapping: Int, ids: [ObjectID])] = []
      for (mapping, ids) in level {
        let layout = layouts[mapping]
        _ = try reader.gatherRows(of: ids, entity: layout.entity, into: objects)
        if layout.links.isEmpty { continue }
        let owners = ids.filter {
          !objects.isAbsent(ObjectIdentity(entity: layout.entity, id: $0))
            && followed.insert(Step(mapping: mapping, id: $0)).inserted
        }
        _ = try reader.gatherTargets(of: owners, entity: layout.entity, fields: layout.lists, into: objects)
        for link in layout.links {
          guard let target = link.target else { continue }
          let targets = owners.flatMap {
            objects.targets(of: ObjectIdentity(entity: layout.entity, id: $0), field: link.field) ?? []
          }
          if !targets.isEmpty { next.append((target, targets.withoutRepeats)) }
        }
      }
      level = next
    }
  }

  private struct Step: Hashable {
    let mapping: Int
    let id: ObjectID
  }
}
