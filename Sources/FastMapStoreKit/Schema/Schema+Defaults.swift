// An attribute that is new to a store: until the first write that declares it, readers show its default. The first
// write stores the default in every object.

extension Schema.Entity {
  /// The attributes with a default among fields that a store lacks.
  ///
  ///     let new = entity.defaults { bound.fields[$0] == nil }
  ///     for (field, value) in new { buffer.set(value, at: field) }
  ///
  /// - Parameter isMissing: Whether the store lacks a field, by its number.
  /// - Complexity: O(*n*) in the fields.
  public func defaults(where isMissing: (Int) -> Bool) -> [(field: Int, value: Value)] {
    fields.indices.compactMap { field in
      guard let value = fields[field].defaultValue, isMissing(field) else { return nil }
      return (field, value)
    }
  }
}

extension StoreWriter {
  /// Stores the defaults of attributes in all objects of an entity.
  ///
  ///     let new = entity.defaults { bound.fields[$0] == nil }
  ///     try writer.storeDefaults(new, in: schema, of: number)
  ///
  /// Call it in a writer that has just added the attributes, before anything else is written.
  ///
  /// - Parameters:
  ///   - defaults: The attributes, and a value for each.
  ///   - schema: The schema of the write.
  ///   - entity: The number of the entity.
  /// - Throws: Errors of the store.
  /// - Complexity: O(*n*) in the objects of the entity.
  public mutating func storeDefaults(
    _ defaults: [(field: Int, value: Value)], in schema: Schema, of entity: Int
  ) throws {
    if defaults.isEmpty { return }
    var buffer = RowBuffer()
    buffer.reset(count: schema.entities[entity].fields.count)
    for (field, value) in defaults { buffer.set(value, at: field) }
    try buffer.checkWhole()
    // A copy of the reader goes on while the writer writes.
    var reader = reader
    try reader.forEachPage(of: entity, keys: nil, isDescending: false, pageSize: PageSize.ofNumbers) {
      _, page in
      var batch = ChangeBatch(schema: schema)
      batch.changes = page.ids.map {
        ObjectChange(id: $0, entity: entity, isNew: false, keyField: nil, row: buffer.row)
      }
      try apply(&batch)
      try finish(&batch)
      return true
    }
  }
}
