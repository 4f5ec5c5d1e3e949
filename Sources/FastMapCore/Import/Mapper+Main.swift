// The `async` calls for one instance of a main-actor class. The calls for several instances, and those that return a
// report, are in Mapper+Async.swift.
extension Mapper {
  /// Imports one JSON object and returns its instance, which is created and set on the main actor.
  ///
  ///     let ada = try await mapper.object(from: text, as: Person.mapping)
  ///
  /// - SeeAlso: The call without `await`, and `objects(from:as:including:depth:options:)`.
  @MainActor
  public func object<Object: AnyObject & Sendable>(
    from json: some JSONSource & Sendable, as mapping: MainMapping<Object>,
    including paths: PartialKeyPath<RelationshipPath<Object>>..., depth: Int = 0,
    options: ImportOptions = ImportOptions()
  ) async throws -> Object? {
    let reach = try Reach(paths, depth: depth, in: mapping.plan(transforms: transforms))
    return try await apart(mapping, options) { plan, options throws in
      try object(from: json, plan, reach, options)
    }
  }

  /// Imports one JSON object into an existing instance, which is read and set on the main actor.
  ///
  ///     try await mapper.fill(ada, from: text, as: Person.mapping)
  ///
  /// The text is read and walked on a separate thread. The transaction is one call on the main actor, in any store,
  /// because it reads the instance.
  ///
  /// - SeeAlso: The call without `await`.
  @MainActor
  @discardableResult
  public func fill<Object: AnyObject & Sendable>(
    _ object: Object, from json: some JSONSource & Sendable, as mapping: MainMapping<Object>,
    options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    try await apart(mapping, options) { plan, options throws in
      try fill(object, from: json, plan, options)
    }
  }
}
