extension Serializer {
  /// The objects of the exported entity that are owned by others of it. They are written only within their owners.
  ///
  /// An example is a comment without a key that is a reply to another comment. If it also had a line of its own, an
  /// import would create two objects.
  ///
  /// - Complexity: O(*n*) in the objects and links of entities that can own some. Constant if there are none.
  func ownedRoots<R: StoreReader>(_ reader: inout R) throws -> Set<ObjectID> {
    var owned: Set<ObjectID> = []
    for (entity, field, isToMany) in fieldsThatOwnRoots() {
      var buffer = RowBuffer()
      var owners: [ObjectID] = []
      func collect(_ reader: inout R) throws {
        for targets in try reader.targets(of: owners, entity: entity, field: field) {
          owned.formUnion(targets)
        }
        owners.removeAll(keepingCapacity: true)
      }
      try reader.forEach(of: entity, keys: nil) { reader, id, _ in
        if isToMany {
          owners.append(id)
          if owners.count == 1000 { try collect(&reader) }
        } else if try reader.read(id, of: entity, into: &buffer), let target = buffer.row[field].target {
          owned.insert(target)
        }
        return true
      }
      if !owners.isEmpty { try collect(&reader) }
    }
    return owned
  }

  /// The relationships through which objects of the exported entity own others of it, directly or through objects
  /// without a key.
  private func fieldsThatOwnRoots() -> [(entity: Int, field: Int, isToMany: Bool)] {
    let root = plan.mappings[0].entity
    var fields: [(entity: Int, field: Int, isToMany: Bool)] = []
    var pending = plan.mappings.indices.filter { plan.mappings[$0].entity == root }
    var met = Set(pending)
    while let number = pending.popLast() {
      let planned = plan.mappings[number]
      for (index, relationship) in planned.mapping.relationships.enumerated() {
        if let shouldWrite = options.shouldWrite, !shouldWrite(planned.mapping, relationship) { continue }
        let destination = plan.mappings[planned.destinations[index]]
        let field = planned.relationshipFields[index]
        let isOwned = destination.mapping.primaryKey == nil
        guard isOwned || plan.traits.ownsKeyless(field, of: planned.entity) else { continue }
        if destination.entity == root { fields.append((planned.entity, field, relationship.isToMany)) }
        if isOwned, met.insert(planned.destinations[index]).inserted {
          pending.append(planned.destinations[index])
        }
      }
    }
    return fields
  }
}
