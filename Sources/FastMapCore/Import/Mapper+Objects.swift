/// Imports that return instances of a mapped class.
extension Mapper {
  /// Imports JSON and returns the root objects.
  ///
  ///     let people = try mapper.objects(from: bytes, as: Person.mapping)
  ///
  /// - Parameters:
  ///   - json: The text, borrowed for the call.
  ///   - mapping: A mapping of a class.
  ///   - paths: The relationships that the copies and their targets have, as for a ``Snapshot``.
  ///   - depth: The number of levels of all relationships that copies have, `Int.max` for everything reachable. Circles of such
  ///     copies are yours to break.
  ///   - options: How the import is done; by default in one transaction that the first fault ends.
  /// - Returns: Copies of the root objects, in payload order, made after the last commit. An object that is twice at the root is here
  ///   twice.
  /// - Throws: ``ContextError`` for a path without a relationship, ``UnreadableValueError`` with the report of the stored import, and as
  ///   `importJSON(_:as:options:)`.
  public func objects<Source: ClassMapping>(
    from json: some JSONSource & ~Escapable, as mapping: Source,
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>..., depth: Int = 0,
    options: ImportOptions = ImportOptions()
  ) throws -> [Source.Object] {
    defer { options.progress?.end() }
    let plan = try mapping.plan(transforms: transforms)
    return try objects(from: json, plan, IncludeDepth(paths, depth: depth, in: plan), options)
  }

  /// Imports one JSON object and returns its instance.
  ///
  ///     let ada = try mapper.object(from: bytes, as: Person.mapping)
  ///
  /// - Returns: The instance; nil if the object was left out, and in a dry run.
  /// - Throws: As `objects(from:as:including:depth:options:)`, and ``MappingError`` for an array.
  public func object<Source: ClassMapping>(
    from json: some JSONSource & ~Escapable, as mapping: Source,
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>..., depth: Int = 0,
    options: ImportOptions = ImportOptions()
  ) throws -> Source.Object? {
    defer { options.progress?.end() }
    let plan = try mapping.plan(transforms: transforms)
    return try object(from: json, plan, IncludeDepth(paths, depth: depth, in: plan), options)
  }

  // MARK: All sources

  func object<Object: AnyObject>(
    from json: some JSONSource & ~Escapable, _ plan: Plan, _ reach: IncludeDepth, _ options: ImportOptions
  ) throws -> Object? {
    let found: [Object] = try objects(from: json, plan, reach, options, isOne: true)
    return found.first
  }

  /// - Parameter isOne: Whether more than one object is an error.
  func objects<Object: AnyObject>(
    from json: some JSONSource & ~Escapable, _ plan: Plan, _ reach: IncludeDepth, _ options: ImportOptions,
    isOne: Bool = false
  ) throws -> [Object] {
    let (importer, report) = try json.withInput { input throws -> (Importer, ImportReport) in
      let start = ContinuousClock.now
      let source = try RootSource(input, plan: plan, options: options)
      if isOne { try source.requireOne() }
      try checkMain(options, plan)
      let importer = Importer(
        plan: plan, options: options, source: source, totalBytes: input.byteCount, keepsRoots: true)
      return (importer, try self.report(of: importer, plan, options, since: start))
    }
    return try report.adding {
      try store.instances(of: importer.roots, plan, reach, isApartFromMain: options.isApartFromMain)
        .compactMap { $0 as? Object }
    }
  }

  /// Checks that instances of main-actor classes are used on the main actor, before anything is imported.
  private func checkMain(_ options: ImportOptions, _ plan: Plan) throws(MainActorError) {
    if !options.isApartFromMain { try MainIsolation.check(plan.schema.mainEntity) }
  }
}

// The existential store is opened once for many objects, not for each of them.
extension Store {
  /// The instances of objects of a plan's first mapping.
  ///
  /// - Parameter isApartFromMain: Whether they are created on the main actor, while the calling thread waits.
  fileprivate func instances(
    of ids: [ObjectID], _ plan: Plan, _ reach: IncludeDepth, isApartFromMain: Bool
  ) throws -> [AnyObject] {
    if isApartFromMain {
      return try mainInstances(plan, reach) { _ in ids }
    }
    return try read(plan.schema) { reader in
      let assembler = try ObjectAssembler(plan.schema)
      return try assembler.objects(ids, of: plan.mappings[0].entity, from: &reader, reach)
    }
  }
}
