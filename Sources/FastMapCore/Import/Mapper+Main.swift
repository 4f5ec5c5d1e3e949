// Calls with `await` for one instance of a main-actor class. Those for many, and those that answer with a report, are the
// calls of any mapping: Mapper+Async.swift.
extension Mapper {
  /// Imports one JSON object and returns its instance, which is made and set on the main actor.
  ///
  ///     let ada = try await mapper.object(from: text, as: Person.mapping)
  ///
  /// - SeeAlso: The call without `await`, and `objects(from:as:options:)`.
  @MainActor
  public func object<Object: AnyObject & Sendable>(
    from json: some JSONText & Sendable, as mapping: MainMapping<Object>,
    options: ImportOptions = ImportOptions()
  ) async throws -> Object? {
    try await apart(mapping, options) { plan, options throws in
      try json.withJSON { bytes in
        try object(RootSource(bytes, plan: plan, options: options), plan, options, bytes.count)
      }
    }
  }

  /// Imports one JSON object into an instance that the caller has, which is read and set on the main actor.
  ///
  ///     try await mapper.fill(ada, from: text, as: Person.mapping)
  ///
  /// Its text is read and walked on a thread of its own. The transaction is one call on the main actor, whatever the
  /// store, as it asks the instance for what it has.
  ///
  /// - SeeAlso: The call without `await`.
  @MainActor
  @discardableResult
  public func fill<Object: AnyObject & Sendable>(
    _ object: Object, from json: some JSONText & Sendable, as mapping: MainMapping<Object>,
    options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    try await apart(mapping, options) { plan, options throws in
      try json.withJSON { bytes in
        try fill(object, RootSource(bytes, plan: plan, options: options), plan, options, bytes.count)
      }
    }
  }

  /// Imports a tree of one object and returns its instance, which is made and set on the main actor.
  ///
  /// - SeeAlso: The call with bytes.
  @MainActor
  public func object<Object: AnyObject & Sendable>(
    from document: borrowing JSONDocument, as mapping: MainMapping<Object>,
    options: ImportOptions = ImportOptions()
  ) async throws -> Object? {
    let tree = LentTree(document)
    return try await apart(mapping, options) { plan, options throws in
      try object(tree.source(plan, options), plan, options, 0)
    }
  }

  /// Imports a tree of one object into an instance that the caller has, which is read and set on the main actor.
  ///
  /// - SeeAlso: The call with bytes.
  @MainActor
  @discardableResult
  public func fill<Object: AnyObject & Sendable>(
    _ object: Object, from document: borrowing JSONDocument, as mapping: MainMapping<Object>,
    options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    let tree = LentTree(document)
    return try await apart(mapping, options) { plan, options throws in
      try fill(object, tree.source(plan, options), plan, options, 0)
    }
  }
}
