// The `async` calls for one instance of a main-actor class. Mapper+Async.swift has the calls for several instances, and
// the calls that return a report.
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
    let reach = try IncludeDepth(paths, depth: depth, in: mapping.plan(transforms: transforms))
    return try await apart(mapping, options) { plan, options throws in
      try object(from: json, plan, reach, options)
    }
  }
}
