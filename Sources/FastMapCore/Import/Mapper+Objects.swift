/// Imports that return instances of a mapped class.
extension Mapper {
  /// Imports JSON and returns the root objects.
  ///
  ///     let people = try Mapper(MemoryStore()).objects(from: bytes, as: Person.mapping)
  ///
  /// - Parameters:
  ///   - json: The text, borrowed for the call.
  ///   - mapping: Of instances of a class.
  ///   - paths: The relationships that copies have, and those of their targets, as for a ``Snapshot``. Instances that the store
  ///     keeps have all.
  ///   - depth: The number of levels of all relationships that copies have, `Int.max` for everything reachable. Circles of such
  ///     copies are yours to break.
  ///   - options: How the import is done; by default in one transaction that the first fault ends.
  /// - Returns: The instances of the root objects, in payload order. An object that is twice at the root is here twice. A store that keeps instances returns the same ones from
  ///   each import. Other stores return copies, which are made once after the last commit. If a store that keeps instances
  ///   runs a transaction again, their properties are set again, and so their observers are called again.
  /// - Throws: ``ContextError`` for a path without a relationship, ``UnreadableValueError`` with the report of the stored import, and as
  ///   `importJSON(_:as:options:)`.
  public func objects<Source: ClassMapping>(
    from json: some JSONSource & ~Escapable, as mapping: Source,
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>..., depth: Int = 0,
    options: ImportOptions = ImportOptions()
  ) throws -> [Source.Object] {
    defer { options.progress?.end() }
    let plan = try mapping.plan(transforms: transforms)
    return try objects(from: json, plan, Reach(paths, depth: depth, in: plan), options)
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
    return try object(from: json, plan, Reach(paths, depth: depth, in: plan), options)
  }

  /// Imports one JSON object into an existing instance.
  ///
  ///     try mapper.fill(ada, from: bytes, as: Person.mapping)
  ///
  /// Values of the payload are set. The instance keeps values that the payload does not have. Related objects are found or
  /// made as in any import.
  ///
  /// In a store that keeps instances, the instance becomes one of its objects. It gets the key of the payload.
  ///
  /// In any other store, the instance stands for the object with the payload's key, or else with its own:
  ///
  /// - Values that only the instance has are stored, with the instances that it refers to.
  /// - Values that only the object has are set in the instance.
  /// - Where both have a value and the payload has none, each keeps its own. So a change to a copy of a stored object is not
  ///   stored.
  /// - A property that is as in a new instance counts as no value.
  ///
  /// Read a copy again before you fill it. Values that an old copy has and the object has lost are stored again, and so are
  /// deleted objects that it refers to.
  ///
  /// - Parameters:
  ///   - object: The instance.
  ///   - json: The text, borrowed for the call.
  ///   - mapping: Of instances of its class.
  ///   - options: How the import is done.
  /// - Returns: What was done.
  /// - Throws: As `object(from:as:options:)`, and ``MappingError`` if the payload's key belongs to another object. In a store
  ///   of values also if the payload has another key than the instance's stored object, if neither has a key, or if the mapping
  ///   has none. The same if a related instance that must be stored has no key. The instance is unchanged then.
  ///   ``UnreadableValueError`` with the report of the stored import, if the instance cannot show what is stored.
  @discardableResult
  public func fill<Source: ClassMapping>(
    _ object: Source.Object, from json: some JSONSource & ~Escapable, as mapping: Source,
    options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    defer { options.progress?.end() }
    let plan = try mapping.plan(transforms: transforms)
    return try fill(object, from: json, plan, options)
  }

  // MARK: Whatever the root objects come from

  func fill<Object: AnyObject>(
    _ object: Object, from json: some JSONSource & ~Escapable, _ plan: Plan, _ options: ImportOptions
  ) throws -> ImportReport {
    let (importer, report) = try json.withInput { input throws -> (Importer, ImportReport) in
      let start = ContinuousClock.now
      let source = try RootSource(input, plan: plan, options: options)
      try source.requireOne()
      try checkMain(options, plan)
      let importer = Importer(
        plan: plan, options: options, source: source, totalBytes: input.byteCount, filling: object)
      return (importer, try self.report(of: importer, plan, options, since: start))
    }
    if options.isDryRun || importer.held.isEmpty { return report }
    let show = { try store.show(importer.held, levels: importer.levels, plan) }
    try report.adding { if options.isApartFromMain { try OnMainActor.value(show) } else { try show() } }
    return report
  }

  func object<Object: AnyObject>(
    from json: some JSONSource & ~Escapable, _ plan: Plan, _ reach: Reach, _ options: ImportOptions
  ) throws -> Object? {
    let found: [Object] = try objects(from: json, plan, reach, options, isOne: true)
    return found.first
  }

  /// - Parameter isOne: Whether more than one object is an error.
  func objects<Object: AnyObject>(
    from json: some JSONSource & ~Escapable, _ plan: Plan, _ reach: Reach, _ options: ImportOptions,
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
    of ids: [ObjectID], _ plan: Plan, _ reach: Reach, isApartFromMain: Bool
  ) throws -> [AnyObject] {
    if isApartFromMain {
      return try mainInstances(plan, reach) { _ in ids }
    }
    return try read(plan.schema) { reader in
      let assembler = try ObjectAssembler(plan.schema)
      return try assembler.objects(ids, of: plan.mappings[0].entity, from: &reader, reach)
    }
  }

  /// Sets the stored values in the instances that were filled.
  fileprivate func show(
    _ held: [ObjectAssembler.Place: ObjectAssembler.Held], levels: Int, _ plan: Plan
  ) throws {
    try read(plan.schema) { reader in
      let assembler = try ObjectAssembler(plan.schema)
      try assembler.show(held, levels: levels, from: &reader)
    }
  }
}
