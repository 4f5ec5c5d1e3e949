// The `async` calls of ClassMapping+Objects.swift, for main-actor classes. The text is read and walked on a thread of its
// own. Instances are made, read and set on the main actor in one step, while the thread waits.
extension MainActorMapping where Object: Sendable {
  /// Reads JSON into instances, which are made and set on the main actor.
  ///
  ///     let people = try await Person.mapping.objects(from: text)
  ///
  /// The whole payload is read before the first instance is made. Transforms are called on the reading thread; delegates and
  /// policies are called on the main actor.
  ///
  /// - SeeAlso: The call without `await`.
  @MainActor
  public func objects(
    from json: some JSONSource & Sendable, transforms: Transforms = Transforms(),
    options: ImportOptions = ImportOptions()
  ) async throws -> MappedObjects<Object> {
    try await read(json, transforms, options)
  }

  /// Reads one JSON object into a new instance, which is made and set on the main actor.
  ///
  ///     let ada = try await Person.mapping.object(from: text)
  ///
  /// - SeeAlso: The call without `await`.
  @MainActor
  public func object(
    from json: some JSONSource & Sendable, transforms: Transforms = Transforms(),
    options: ImportOptions = ImportOptions()
  ) async throws -> Object? {
    try await read(json, transforms, options, isOne: true).first
  }

  /// Reads one JSON object into an existing instance, which is read and set on the main actor.
  ///
  ///     try await Person.mapping.fill(ada, from: text)
  ///
  /// - SeeAlso: The call without `await`.
  @MainActor
  @discardableResult
  public func fill(
    _ object: Object, from json: some JSONSource & Sendable, transforms: Transforms = Transforms(),
    options: ImportOptions = ImportOptions()
  ) async throws -> MappedObjects<Object> {
    try await read(json, transforms, options, isOne: true, filling: object)
  }

  @MainActor
  private func read(
    _ json: some JSONSource & Sendable, _ transforms: Transforms, _ options: ImportOptions,
    isOne: Bool = false, filling object: Object? = nil
  ) async throws -> MappedObjects<Object> {
    let plan = try plan(transforms: transforms)
    return try await options.apart { options in
      try json.withInput { input in
        let instances = try InstanceImport(plan, input, options, isOne: isOne, filling: object)
        instances.readAll()
        return try OnMainActor.value {
          try instances.run()
          return MappedObjects(instances)
        }
      }
    }
  }
}
