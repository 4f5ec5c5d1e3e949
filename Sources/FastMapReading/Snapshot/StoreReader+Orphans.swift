extension Snapshot {
  /// The keys of the results of a query to which nothing refers, in its order.
  package mutating func orphans<Source: PlanSource>(_ query: some QueryConvertible<Source>) throws
    -> [PrimaryKey]
  {
    try withQuery(query) { bound, reader in try reader.orphans(of: bound) }
  }
}

extension StoreReader {
  /// The keys of the results of a query that no stored relationship has, also none that the plan does not know.
  fileprivate mutating func orphans(of query: BoundQuery) throws -> [PrimaryKey] {
    var objects: [(id: ObjectID, key: PrimaryKey)] = []
    var run = QueryRun(query)
    try run.forEachPage(&self) { _, page in
      for (id, key) in zip(page.ids, page.keys) { if let key { objects.append((id, key)) } }
      return true
    }
    let name = query.plan.schema.entities[query.entity].name
    let schema = try storedSchema() ?? query.plan.schema
    guard let entity = schema.entities.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      return objects.map(\.key)
    }
    try use(schema)
    let found = Result { try unreferenced(objects, of: entity, in: schema) }
    try use(query.plan.schema)
    return try found.get()
  }

  private mutating func unreferenced(
    _ objects: [(id: ObjectID, key: PrimaryKey)], of entity: Int, in schema: Schema
  ) throws -> [PrimaryKey] {
    var found: [PrimaryKey] = []
    for start in stride(from: 0, to: objects.count, by: 4096) {
      var left = Array(objects[start..<min(start + 4096, objects.count)])
      for (owner, layout) in schema.entities.enumerated() {
        for (field, link) in layout.fields.enumerated()
        where link.kind.target?.entity == entity && !left.isEmpty {
          let owners = try firstOwners(of: left.map(\.id), entity: owner, field: field)
          try StoreContractError.check(
            owners.count, isCount: left.count, of: "owners", in: "firstOwners(of:entity:field:)")
          left = zip(left, owners).filter { $1 == nil }.map(\.0)
        }
      }
      found += left.map(\.key)
    }
    return found
  }
}
