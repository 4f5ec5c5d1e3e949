/// Imports whose objects are being edited.
extension ObjectContext {
  /// Imports JSON into the store, and shows the changes.
  ///
  ///     let report = try context.importJSON(body, as: Book.mapping)
  ///     for conflict in report.conflicts { print(conflict) }     // Book 1.title: read "Dune", mine "Dune!", theirs "Dune 2"
  ///
  /// The import stores the payload like any other import. Instances of this context show it afterwards, and each object
  /// keeps its instance. An unsaved edit stays for the next save, unless the payload has a value for its field. Then a
  /// rule decides, and the report lists the conflict.
  ///
  /// Objects that the import deletes leave the context, as after a save. They are removed from all relationships of
  /// instances, also from edited ones. Your edits of them are conflicts, and so are edited relationships that refer to
  /// them. ``ConflictRule/fail`` stores nothing then. No rule can keep a deleted object. Your list keeps its other
  /// targets. A to-one shows its stored target.
  ///
  /// A new instance of yours becomes the object of the payload with its key. Values that you have set in it stay for
  /// the next save. An object that you have marked for deletion stays marked.
  ///
  /// - Parameters:
  ///   - json: The text, borrowed for the call.
  ///   - mapping: The mapping of the root objects.
  ///   - rule: Decides about edited fields that the payload has. By default they keep your values, and the next save
  ///     stores them. ``ConflictRule/theirs`` takes the payload's. ``ConflictRule/fail`` stores nothing.
  ///   - transforms: The transforms for property types; none by default.
  ///   - options: How the import is done. It is one transaction, so an ``ImportOptions/commitInterval`` is refused.
  /// - Returns: The report, with the conflicts.
  /// - Throws: ``UnreadableValueError`` with the report of the stored import, if an object of the context cannot show a
  ///   stored value. ``SaveConflictError``, ``ContextError``, ``UnknownNameError`` for a field of `rule`, or as the
  ///   import of a ``Mapper``. The context and the store are as before then.
  public func importJSON<Source: PlanSource>(
    _ json: some JSONSource & ~Escapable, as mapping: Source, onConflict rule: ConflictRule = .mine,
    transforms: Transforms = Transforms(), options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    try run(json, mapping.plan(transforms: transforms), rule, options, isOne: false).report
  }

  /// Imports JSON into the store, and returns the instances of the root objects in this context.
  ///
  ///     let books = try context.objects(from: body, as: Book.mapping, including: \.author)
  ///
  /// - Parameters:
  ///   - json: The text, borrowed for the call.
  ///   - mapping: A mapping of a class that the context knows.
  ///   - paths: The paths of relationships to load: `\.author.books`.
  ///   - rule: Decides about edited fields that the payload has, as for `importJSON`.
  ///   - transforms: The transforms for property types; none by default.
  ///   - options: How the import is done.
  /// - Returns: The instances, in payload order.
  /// - Throws: As `importJSON(_:as:onConflict:transforms:options:)`.
  public func objects<Source: ClassMapping>(
    from json: some JSONSource & ~Escapable, as mapping: Source,
    including paths: PartialKeyPath<RelationshipPath<Source.Object>>...,
    onConflict rule: ConflictRule = .mine, transforms: Transforms = Transforms(),
    options: ImportOptions = ImportOptions()
  ) throws -> [Source.Object] {
    let imported = try mapping.plan(transforms: transforms)
    let loader = try open()
    let entity = try entity(of: imported, Source.Object.self)
    let tree = try IncludeTree(paths.map { $0.steps() }, of: entity, in: plan)
    let (report, roots) = try run(json, imported, rule, options, isOne: false)
    return try report.adding { try members(of: entity, tree, loader) { _, _ in roots } }
      .compactMap { $0.instance as? Source.Object }
  }

  /// Imports one JSON object into an instance of this context, or into a new one.
  ///
  ///     try context.insert(draft, as: Book.mapping)
  ///     try context.fill(draft, from: answer, as: Book.mapping)     // the answer has the key
  ///
  /// Fields that the payload does not have stay as they are. Your edits stay for the next save, unless the payload has
  /// values for them: see `importJSON`.
  ///
  /// - Parameters:
  ///   - object: An instance of this context, or a new one. It becomes the object of the payload.
  ///   - json: The text, borrowed for the call. It has the key of the object.
  ///   - mapping: A mapping of its class that the context knows.
  ///   - rule: Decides about edited fields that the payload has, as for `importJSON`.
  ///   - transforms: The transforms for property types; none by default.
  ///   - options: How the import is done.
  /// - Returns: The report, with the conflicts.
  /// - Throws: ``ContextError/otherObject(entity:expected:found:)`` for the payload of another object,
  ///   ``ContextError/otherInstance(entity:key:)`` if the context has another instance for it, or as
  ///   `importJSON(_:as:onConflict:transforms:options:)`. Nothing is stored then.
  @discardableResult
  public func fill<Source: ClassMapping>(
    _ object: Source.Object, from json: some JSONSource & ~Escapable, as mapping: Source,
    onConflict rule: ConflictRule = .mine, transforms: Transforms = Transforms(),
    options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    let imported = try mapping.plan(transforms: transforms)
    let (graph, isUnknown) = try note(object, imported)
    // It is forgotten if the import has not stored it.
    defer { if isUnknown { graph.inserted.remove(object) } }
    return try run(json, imported, rule, options, isOne: true, filling: object).report
  }

  /// Adds an instance that is filled, unless the context has it.
  ///
  /// - Returns: Also whether it did not.
  func note<Object: AnyObject>(
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

  func run(
    _ json: some JSONSource & ~Escapable, _ imported: Plan, _ rule: ConflictRule, _ options: ImportOptions,
    isOne: Bool, filling filled: AnyObject? = nil
  ) throws -> (report: ImportReport, roots: [ObjectID]) {
    let loader = try open()
    let work = try ImportWork(
      ContextChanges(loader.graph), imported, rule, options, isOne: isOne, filling: filled)
    let report = try work.run(json, options, in: store)
    if !options.isDryRun {
      // The import is stored: the next refresh shows values that cannot be shown now.
      loader.unreadable = UnreadableMembers()
      try? store.withReader(plan.schema) { reader in try loader.take(work.watch, from: &reader) }
      try loader.throwUnreadable(report)
    }
    return (report, work.watch.found.roots)
  }
}

/// An import into a context, which may go to a thread and come back.
// @unchecked: the context refuses other uses meanwhile, and the transaction reads no instance.
final class ImportWork: @unchecked Sendable {
  let watch: ContextImport
  private let isOne: Bool

  /// - Parameter isOne: Whether the payload is one object.
  /// - Throws: ``ContextError``, ``UnknownNameError``, ``SystemError``.
  init(
    _ changes: ContextChanges, _ imported: Plan, _ rule: ConflictRule, _ options: ImportOptions, isOne: Bool,
    filling filled: AnyObject?
  ) throws {
    try rule.check(changes.graph.schema)
    if options.commitInterval != nil, !options.isDryRun, !isOne { throw ContextError.commitInterval }
    watch = try ContextImport(changes, rule, of: imported, filling: filled)
    self.isOne = isOne
  }

  func run(
    _ json: some JSONSource & ~Escapable, _ options: ImportOptions, in store: any Store
  ) throws -> ImportReport {
    let start = ContinuousClock.now
    var options = options
    if isOne { options.commitInterval = nil }
    var report = try json.withInput { input throws -> ImportReport in
      defer { options.progress?.end() }
      let source = try RootSource(input, plan: watch.imported, options: options)
      if isOne { try source.requireOne() }
      let importer = try Importer(
        plan: watch.imported, options: options, source: source, totalBytes: input.byteCount,
        keepsRoots: true, watch: watch)
      return try Mapper(store).report(of: importer, watch.imported, options, since: start)
    }
    report.conflicts = watch.found.conflicts
    return report
  }
}
