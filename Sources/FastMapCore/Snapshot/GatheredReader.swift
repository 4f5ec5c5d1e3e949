/// Objects that were read from a store of values, with everything that they refer to. Instances are then made on the
/// main actor, which need not wait for the store.
struct GatheredReader: StoreReader, Sendable {
  private let objects: GatheredObjects
  private let schema: Schema

  /// Reads objects and everything reachable through properties of their classes, level by level.
  ///
  /// - Parameter depth: The number of levels of relationships to follow; nil for all.
  init<R: StoreReader>(
    _ ids: [ObjectID], of entity: Int, _ schema: Schema, from reader: inout R, depth: Int? = nil
  ) throws {
    objects = GatheredObjects(schema)
    self.schema = schema
    var level = ObjectLevel()
    var next = level
    level.append(contentsOf: ids, of: entity)
    var left = depth ?? .max
    while !level.isEmpty {
      for entity in level.entities {
        let relationships = schema.entities[entity].classLinks
        let new = level[entity].filter { !objects.isKnown(ObjectIdentity(entity: entity, id: $0)) }
          .sortedUnique()
        _ = try reader.gatherRows(of: new, entity: entity, into: objects)
        guard left > 0, !relationships.isEmpty else { continue }
        let stored = new.filter { !objects.isAbsent(ObjectIdentity(entity: entity, id: $0)) }
        let lists = relationships.filter { $0.isToMany || $0.isInverse }.map(\.field)
        _ = try reader.gatherTargets(of: stored, entity: entity, fields: lists, into: objects)
        for relationship in relationships {
          for id in stored {
            let owner = ObjectIdentity(entity: entity, id: id)
            let targets = objects.targets(of: owner, field: relationship.field) ?? []
            next.append(contentsOf: targets, of: relationship.target)
          }
        }
      }
      level.removeAll()
      swap(&level, &next)
      if left != .max { left -= 1 }
    }
  }

  mutating func use(_ schema: Schema) {}

  func read(_ ids: [ObjectID], of entity: Int, _ body: (_ index: Int, Row) throws -> Void) throws {
    for (index, id) in ids.enumerated() {
      if let row = objects.row(of: ObjectIdentity(entity: entity, id: id)) { try body(index, row) }
    }
  }

  func targets(of owners: [ObjectID], entity: Int, fields: [Int]) -> [[[ObjectID]]] {
    fields.map { field in
      owners.map { objects.targets(of: ObjectIdentity(entity: entity, id: $0), field: field) ?? [] }
    }
  }

  func owners(of targets: [ObjectID], entity: Int, field: Int) -> [[ObjectID]] {
    guard let target = schema.entities[entity].target(field) else { return targets.map { _ in [] } }
    let links = schema.entities[target].classLinks.filter { link in
      schema.entities[target].inverse(link.field).map { $0.entity == entity && $0.field == field } ?? false
    }
    // A to-one inverse has the first object only.
    guard let link = (links.first { $0.isToMany } ?? links.first)?.field else {
      return targets.map { _ in [] }
    }
    return targets.map { objects.targets(of: ObjectIdentity(entity: target, id: $0), field: link) ?? [] }
  }

  // The assembler does not call any of these.
  func find(_ keys: [PrimaryKey], of entity: Int) -> [ObjectID?] { keys.map { _ in nil } }
  func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout GatheredReader, ObjectPage) throws -> Bool
  ) {}
  func count(of entity: Int) -> Int { 0 }
}
