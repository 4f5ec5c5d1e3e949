extension StoreReader {
  /// The objects with some keys that the first mapping of a plan reads.
  package mutating func find(_ keys: [PrimaryKey], as plan: Plan) throws -> [ObjectID?] {
    let found = try find(keys, of: plan.mappings[0].entity)
    if plan.rootKind == nil { return found }
    let ids = Set(try ids(of: try plan.query.keys(keys).bound(to: plan)))
    return found.map { id in id.flatMap { ids.contains($0) ? $0 : nil } }
  }
}

extension Store {
  /// Lends a reader of any store to `body`.
  package func withReader<R>(_ schema: Schema, _ body: (inout any StoreReader) throws -> R) throws -> R {
    try read(schema) { reader in
      var erased: any StoreReader = reader
      return try body(&erased)
    }
  }
}
