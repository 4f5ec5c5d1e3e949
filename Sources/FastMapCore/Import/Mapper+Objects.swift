/// Imports that answer with instances of a mapped class.
extension Mapper {
  /// Imports one JSON text and returns its root objects, with their relationships.
  ///
  ///     let people = try Mapper(MemoryStore()).objects(from: bytes, as: Person.mapping)
  ///
  /// - Parameters:
  ///   - json: The text, borrowed for the call.
  ///   - mapping: Of instances of a class.
  ///   - options: How the import is done; by default in one transaction that the first fault ends.
  /// - Returns: One instance for each object of the store, in payload order: objects that refer to each other
  ///   are the same instances, however deep, and an object that stands twice at the root is here twice. They are
  ///   those that the store keeps, the same ones in each import; or copies, where it keeps none.
  /// - Throws: As `importJSON(_:as:options:)`.
  public func objects<Source: ClassMapping>(
    from json: some JSONText, as mapping: Source, options: ImportOptions = ImportOptions()
  ) throws -> [Source.Object] {
    defer { options.progress?.end() }
    let plan = try mapping.plan(transforms: transforms)
    return try json.withJSON { bytes in
      try objects(RootSource(bytes, plan: plan, options: options), plan, options, bytes.count)
    }
  }

  /// Imports one JSON object and returns its instance.
  ///
  ///     let ada = try mapper.object(from: bytes, as: Person.mapping)
  ///
  /// - Returns: Its instance; nil where it was left out, and in a dry run.
  /// - Throws: As `objects(from:as:options:)`, and ``MappingError`` for an array.
  public func object<Source: ClassMapping>(
    from json: some JSONText, as mapping: Source, options: ImportOptions = ImportOptions()
  ) throws -> Source.Object? {
    defer { options.progress?.end() }
    let plan = try mapping.plan(transforms: transforms)
    return try json.withJSON { bytes in
      try self.object(RootSource(bytes, plan: plan, options: options), plan, options, bytes.count)
    }
  }

  /// Imports one JSON object into an instance that the caller has.
  ///
  ///     try mapper.fill(ada, from: bytes, as: Person.mapping)
  ///
  /// What the payload has is set; what it does not mention, the instance keeps. A related object is found or made
  /// as in any import.
  ///
  /// In a store that keeps instances, it becomes one of its objects, unless it is that already; whatever key the
  /// payload has becomes its key.
  ///
  /// In any other store the instance stands for the object with its key, the payload's or its own. What it has
  /// and the object has not is stored with the payload, the instances that it refers to included; what the object
  /// has and the instance has not is shown in it. Where both have a value that the payload does not mention, each
  /// keeps its own: a change that was made by hand in a copy of a stored object is not stored. A property that is
  /// as in a new instance has no value here. Read a copy anew before filling it: what an old one has and the object
  /// no longer has is stored again, deleted objects that it refers to included.
  ///
  /// - Parameters:
  ///   - object: The instance.
  ///   - json: The text, borrowed for the call.
  ///   - mapping: Of instances of its class.
  ///   - options: How the import is done.
  /// - Returns: What was done.
  /// - Throws: As `object(from:as:options:)`. ``MappingError`` where the payload's key is that of another
  ///   object. In a store that keeps no instances also where it has another key than the object that the instance
  ///   is, where neither has a key, or where the mapping has none, as nothing says then which object it is; and
  ///   where a related instance that is to be stored lacks its key. The instance is as it was then.
  @discardableResult
  public func fill<Source: ClassMapping>(
    _ object: Source.Object, from json: some JSONText, as mapping: Source,
    options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    defer { options.progress?.end() }
    let plan = try mapping.plan(transforms: transforms)
    return try json.withJSON { bytes in
      try fill(object, RootSource(bytes, plan: plan, options: options), plan, options, bytes.count)
    }
  }

  // MARK: Whatever the root objects come from

  func fill<Object: AnyObject>(
    _ object: Object, _ source: RootSource, _ plan: Plan, _ options: ImportOptions, _ byteCount: Int
  ) throws -> ImportReport {
    let start = ContinuousClock.now
    try source.refuseCollection()
    try checkMain(options, plan)
    let importer = Importer(
      plan: plan, options: options, source: source, totalBytes: byteCount, filling: object)
    let report = try report(of: importer, plan, options, since: start)
    if options.isDryRun || importer.held.isEmpty { return report }
    let show = { try store.show(importer.held, plan) }
    if options.isApartFromMain { try OnMainActor.value(show) } else { try show() }
    return report
  }

  func object<Object: AnyObject>(
    _ source: RootSource, _ plan: Plan, _ options: ImportOptions, _ byteCount: Int
  ) throws -> Object? {
    try source.refuseCollection()
    let found: [Object] = try objects(source, plan, options, byteCount)
    return found.first
  }

  func objects<Object: AnyObject>(
    _ source: RootSource, _ plan: Plan, _ options: ImportOptions, _ byteCount: Int
  ) throws -> [Object] {
    try checkMain(options, plan)
    let importer = Importer(
      plan: plan, options: options, source: source, totalBytes: byteCount, keepsRoots: true)
    try importer.run(in: store)
    return try store.instances(of: importer.roots, plan, isApartFromMain: options.isApartFromMain)
      .compactMap { $0 as? Object }
  }

  /// Refuses instances of main-actor classes elsewhere, before anything is imported.
  private func checkMain(_ options: ImportOptions, _ plan: Plan) throws(MainActorError) {
    if !options.isApartFromMain { try MainIsolation.check(plan.schema.mainEntity) }
  }
}

// A store of any type is opened once for many objects, not for each of them.
extension Store {
  /// The instances of objects of a plan's first mapping.
  ///
  /// - Parameter isApartFromMain: Whether they are made on the main actor, for which the calling thread waits.
  fileprivate func instances(
    of ids: [ObjectID], _ plan: Plan, isApartFromMain: Bool
  ) throws -> [AnyObject] {
    if isApartFromMain {
      return try mainInstances(plan, depth: nil) { _ in ids }
    }
    return try read(plan.schema) { reader in
      var assembler = try ObjectAssembler(plan.schema)
      return try ids.compactMap { try assembler.object($0, of: plan.mappings[0].entity, from: &reader) }
    }
  }

  /// Shows what is stored in the instances that were filled.
  fileprivate func show(_ held: [ObjectAssembler.Place: ObjectAssembler.Held], _ plan: Plan) throws {
    try read(plan.schema) { reader in
      var assembler = try ObjectAssembler(plan.schema)
      try assembler.show(held, from: &reader)
    }
  }
}
