/// Imports whose objects are being edited.
extension ObjectContext {
  /// Imports JSON into the store, and reads the objects of this context again.
  ///
  ///     let report = try context.importJSON(body, as: Book.mapping)
  ///     try context.save(onConflict: .theirs)
  ///
  /// The import stores the payload like any other import. Instances of this context show it afterwards. Your
  /// edits stay. The next save reports a conflict where the payload has changed an edited field.
  ///
  /// A new instance becomes the stored object with its key. The values that you have set in it are edits.
  ///
  /// An object that is not stored any more leaves the context, unless you have edited it. The next save reports the edit.
  ///
  /// - Parameters:
  ///   - json: The text, borrowed for the call.
  ///   - mapping: The mapping of the root objects.
  ///   - transforms: The transforms for property types; none by default.
  ///   - options: How the import is done.
  /// - Returns: The report.
  /// - Throws: ``UnreadableValueError`` with the report of the stored import, if an object of the context cannot show a
  ///   stored value. ``ContextError``, ``UnknownNameError``, or as the import of a ``Mapper``. The context is as before
  ///   then, and the store too, except for commits of `options.commitInterval`.
  public func importJSON<Source: PlanSource>(
    _ json: some JSONSource & ~Escapable, as mapping: Source,
    transforms: Transforms = Transforms(), options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    try run(json, mapping.plan(transforms: transforms), options).report
  }

  /// Imports JSON into the store, and returns the instances of the root objects in this context.
  ///
  ///     let books = try context.objects(from: body, as: Book.mapping, including: \.author)
  ///
  /// - Parameters:
  ///   - json: The text, borrowed for the call.
  ///   - mapping: A mapping of a class that the context knows.
  ///   - paths: The paths of relationships to load: `\.author.books`.
  ///   - transforms: The transforms for property types; none by default.
  ///   - options: How the import is done.
  /// - Returns: The instances, in payload order.
  /// - Throws: As `importJSON(_:as:transforms:options:)`.
  public func objects<Source: ClassMapping>(
    from json: some JSONSource & ~Escapable, as mapping: Source,
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>...,
    transforms: Transforms = Transforms(), options: ImportOptions = ImportOptions()
  ) throws -> [Source.Object] {
    let imported = try mapping.plan(transforms: transforms)
    _ = try open()
    let entity = try entity(of: imported, Source.Object.self)
    let tree = try IncludeTree(paths.map { $0.steps() }, of: entity, in: plan)
    return try run(json, imported, options, returning: (entity, tree)).members
      .compactMap { $0.instance as? Source.Object }
  }

  /// Imports one JSON object into an instance of this context, or into a new one.
  ///
  ///     try context.insert(draft, as: Book.mapping)
  ///     try context.fill(draft, from: answer, as: Book.mapping)     // the answer has the key
  ///
  /// Your edits stay. A new instance shows all that the payload has. Its other values are edits if you have set
  /// them.
  ///
  /// - Parameters:
  ///   - object: An instance of this context, or a new one, which becomes the object of the payload.
  ///   - json: The text, borrowed for the call, with the key of the object.
  ///   - mapping: A mapping of its class that the context knows.
  ///   - transforms: The transforms for property types; none by default.
  ///   - options: How the import is done.
  /// - Returns: The report.
  /// - Throws: ``ContextError`` for the payload of another object, or if the context has another instance for it. Or as
  ///   `importJSON(_:as:transforms:options:)`. Nothing is stored then.
  @discardableResult
  public func fill<Source: ClassMapping>(
    _ object: Source.Object, from json: some JSONSource & ~Escapable, as mapping: Source,
    transforms: Transforms = Transforms(), options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    let imported = try mapping.plan(transforms: transforms)
    let (graph, isUnknown) = try register(object, imported)
    var isStored = false
    // An instance that the import has not stored is forgotten.
    defer { if isUnknown, !isStored { graph.inserted.remove(object) } }
    do {
      return try run(json, imported, options, filling: object).report
    } catch let error as ContextRefreshError {
      isStored = true
      throw error
    }
  }

  /// Adds an instance that is filled, unless the context has it.
  ///
  /// - Returns: Also whether it did not.
  func register<Object: AnyObject>(
    _ object: Object, _ imported: Plan
  ) throws -> (graph: ContextGraph, isUnknown: Bool) {
    let graph = try open().graph
    let entity = try entity(of: imported, Object.self)
    let known = graph.member(of: object) ?? graph.inserted.member(of: object)
    if let known, known.entity != entity { throw graph.otherEntity(entity, found: known) }
    let isUnknown = known == nil
    if isUnknown {
      try graph.check(object, of: entity)
      graph.inserted.append(graph.newMember(object, of: entity))
    }
    return (graph, isUnknown)
  }

  /// The results of an import: its report, and root objects that were asked for.
  typealias Imported = (report: ImportReport, members: [ContextMember])
  /// The entity of root objects, and the relationships to read with them.
  typealias Wanted = (entity: Int, tree: IncludeTree)

  func run(
    _ json: some JSONSource & ~Escapable, _ imported: Plan, _ options: ImportOptions,
    filling filled: AnyObject? = nil, returning wanted: Wanted? = nil
  ) throws -> Imported {
    let loader = try open()
    let work = try ContextImport(loader.graph, of: imported, filling: filled)
    let report = try work.run(json, options, in: store)
    do {
      let members = try store.withReader(plan.schema) { reader in
        try work.findNew(from: &reader)
        return try loader.reading { try loader.show(work, report, returning: wanted, from: &reader) }
      }
      return (report, members)
    } catch {
      throw report.refreshError(error)
    }
  }
}

extension ContextLoader {
  /// Shows an import, and reads the root objects that are asked for.
  func show<R: StoreReader>(
    _ work: ContextImport, _ report: ImportReport, returning wanted: ObjectContext.Wanted?,
    from reader: inout R
  ) throws -> [ContextMember] {
    if !report.isDryRun { try adoptImported(work, from: &reader) }
    guard let wanted else { return [] }
    return try members(work.roots, of: wanted.entity, wanted.tree, .fail, from: &reader)
  }
}

extension ImportReport {
  /// The error for an import that is stored and cannot be shown.
  func refreshError(_ error: any Error) -> any Error {
    if isDryRun { return error }
    guard var unreadable = error as? UnreadableValueError else { return ContextRefreshError(error, self) }
    unreadable.report = self
    return unreadable
  }
}
