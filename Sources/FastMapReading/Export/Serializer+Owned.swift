extension Serializer {
  /// The objects of the exported entity that are owned by others of it. They are written only within their owners.
  ///
  /// An example is a comment without a key that is a reply to another comment. If it also had a line of its own, an
  /// import would create two objects.
  ///
  /// - Complexity: O(*n*) in the objects and links of entities that can own some. Constant if there are none.
  func ownedRoots<R: StoreReader>(_ reader: inout R) throws -> Set<ObjectID> {
    var owned: Set<ObjectID> = []
    for (entity, field) in fieldsThatOwnRoots() {
      try reader.forEachPage(
        of: entity, keys: nil, isDescending: false, pageSize: PageSize.ofNumbers
      ) { reader, page in
        for targets in try reader.targets(of: page.ids, entity: entity, field: field) {
          owned.formUnion(targets)
        }
        return true
      }
    }
    return owned
  }

  /// The relationships through which objects of the exported entity own others of it, directly or through objects
  /// without a key.
  private func fieldsThatOwnRoots() -> [(entity: Int, field: Int)] {
    let root = plan.mappings[0].entity
    var fields: [(entity: Int, field: Int)] = []
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
        if destination.entity == root { fields.append((planned.entity, field)) }
        if isOwned, met.insert(planned.destinations[index]).inserted {
          pending.append(planned.destinations[index])
        }
      }
    }
    return fields
  }
}
