// Imports with `await`. A thread of its own runs the transaction and reads its results. Instances are made and set
// where the call came from.
extension ObjectContext {
  /// Imports JSON into the store on a thread of its own, and shows the changes.
  ///
  ///     let report = try await context.importJSON(body, as: Book.mapping)
  ///
  /// Values that you set in instances meanwhile are edits, which stay.
  ///
  /// Several imports and saves with `await` wait for each other, and so do awaiting reads. Other uses of the context throw
  /// a ``ContextError`` until it is done, except ``end()``.
  ///
  /// Cancelling the task cancels the import.
  ///
  /// - Parameters:
  ///   - json: The text.
  ///   - mapping: The mapping of the root objects.
  ///   - transforms: The transforms for property types; none by default.
  ///   - options: How the import is done.
  /// - Returns: The report.
  /// - Throws: As the call without `await`, and `CancellationError`.
  /// - SeeAlso: The call without `await`.
  nonisolated(nonsending) public func importJSON<Source: PlanSource>(
    _ json: some JSONSource & Sendable, as mapping: Source,
    transforms: Transforms = Transforms(), options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    let imported = try mapping.plan(transforms: transforms)
    return try await inTurn { try await runApart(json, imported, options).report }
  }

  /// Imports JSON into the store on a thread of its own, and returns the instances of the root objects in this context.
  ///
  ///     let books = try await context.objects(from: body, as: Book.mapping, including: \.author)
  ///
  /// - Parameters:
  ///   - json: The text.
  ///   - mapping: A mapping of a class that the context knows.
  ///   - paths: The paths of relationships to load: `\.author.books`.
  ///   - transforms: The transforms for property types; none by default.
  ///   - options: How the import is done.
  /// - Returns: The instances, in payload order.
  /// - Throws: As `importJSON` with `await`. If the context has ended meanwhile, ``ContextError``: the import is stored.
  /// - SeeAlso: The call without `await`.
  nonisolated(nonsending) public func objects<Source: ClassMapping>(
    from json: some JSONSource & Sendable, as mapping: Source,
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>...,
    transforms: Transforms = Transforms(), options: ImportOptions = ImportOptions()
  ) async throws -> [Source.Object] {
    let imported = try mapping.plan(transforms: transforms)
    return try await inTurn {
      _ = try open()
      let entity = try entity(of: imported, Source.Object.self)
      let tree = try IncludeTree(paths.map { $0.steps() }, of: entity, in: plan)
      return try await runApart(json, imported, options, returning: (entity, tree)).members
        .compactMap { $0.instance as? Source.Object }
    }
  }

  /// Imports one JSON object on a thread of its own, into an instance of this context or into a new one.
  ///
  ///     try await context.fill(draft, from: answer, as: Book.mapping)     // the answer has the key
  ///
  /// Values that you set in the instance meanwhile stay for the next save.
  ///
  /// - Parameters:
  ///   - object: An instance of this context, or a new one, which becomes the object of the payload.
  ///   - json: The text, with the key of the object.
  ///   - mapping: A mapping of its class that the context knows.
  ///   - transforms: The transforms for property types; none by default.
  ///   - options: How the import is done.
  /// - Returns: The report.
  /// - Throws: As the call without `await`, and `CancellationError`. Nothing is stored then.
  /// - SeeAlso: The call without `await`.
  @discardableResult
  nonisolated(nonsending) public func fill<Source: ClassMapping>(
    _ object: Source.Object, from json: some JSONSource & Sendable, as mapping: Source,
    transforms: Transforms = Transforms(), options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    let imported = try mapping.plan(transforms: transforms)
    return try await inTurn {
      let (graph, isUnknown) = try register(object, imported)
      var isStored = false
      // An instance that the import has not stored is forgotten.
      defer { if isUnknown, !isStored { graph.inserted.remove(object) } }
      do {
        return try await runApart(json, imported, options, filling: object).report
      } catch let error as ContextRefreshError {
        isStored = true
        throw error
      }
    }
  }

  nonisolated(nonsending) func runApart(
    _ json: some JSONSource & Sendable, _ imported: Plan, _ options: ImportOptions,
    filling filled: AnyObject? = nil, returning wanted: Wanted? = nil
  ) async throws -> Imported {
    let loader = try open()
    let work = try ContextImport(loader.graph, of: imported, filling: filled)
    loader.isSaving = true
    defer {
      loader.isSaving = false
      if !isOpen { loader.graph.clearRelationships() }
    }
    let report = try await Mapper(store).apart(imported, options) { [store] _, options in
      try work.run(json, options, in: store)
    }
    do {
      let members = try await readApart(loader) { reader in
        try work.findNew(from: &reader)
        return work.shown(with: wanted)
      } _: { loader, reader, _ in
        try loader.show(work, report, returning: wanted, from: &reader)
      }
      return (report, members)
    } catch {
      if isOpen { throw report.refreshError(error) }
      if wanted != nil { throw ContextError.hasEnded }
      return (report, [])
    }
  }
}
