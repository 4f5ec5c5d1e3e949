/// Imports JSON into a store.
///
///     let store = try LMDBStore(at: "people.db")
///     let report = try Mapper(store).importJSON(text, as: Person.mapping)
///     let report = try Mapper(store).importJSON(.file("people.ndjson"), as: Person.mapping)
///
/// The store may have any type, also one chosen at run time.
///
/// - Note: Thread rule: a mapper holds only its store, and any thread may use it. A call works on the calling thread, and may
///   read long texts on a second one: see ``ImportOptions/readsAhead``. Imports into one store wait for each other.
public struct Mapper: Sendable {
  /// The store of the objects.
  public let store: any Store

  /// The transforms for property types. They apply to every mapping passed to the mapper, except to attributes with
  /// their own transform. A ``Plan`` has its own transforms.
  package let transforms: Transforms

  /// Makes a mapper for a store. Others may use the store at the same time.
  ///
  /// - Parameters:
  ///   - store: The store of the objects.
  ///   - transforms: The transforms for property types; none by default.
  public init(_ store: any Store, transforms: Transforms = Transforms()) {
    self.store = store
    self.transforms = transforms
  }

  /// Imports JSON: a text with one value, NDJSON, or a document.
  ///
  /// Objects are found by their primary keys, inserted or updated, and related to each other. Equal values are not
  /// written.
  ///
  /// - Parameters:
  ///   - json: Borrowed for the call. Errors in a document have no line and column, as there is no text.
  ///   - mapping: The mapping of the root objects: a ``Mapping`` or a ``Plan``.
  ///   - options: How it is done; by default in one transaction that the first fault ends.
  /// - Returns: The report of the import. Its `errors` are empty unless `options.faults` is `skip`.
  /// - Throws: ``JSONSyntaxError``, ``MappingError``, ``MappingDefinitionError``, ``OptionError``, or the store's own error.
  ///   The store is unchanged then, except for commits of `options.commitInterval` before.
  /// - Complexity: O(*n* log *n*) in the objects of a batch, O(log *m*) more for each in the objects stored.
  public func importJSON<Source: PlanSource>(
    _ json: some JSONSource & ~Escapable, as mapping: Source, options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    defer { options.progress?.end() }
    let plan = try mapping.plan(transforms: transforms)
    return try json.withInput { input in
      try run(plan, options, byteCount: input.byteCount) {
        RootSources(
          try RootSource(input, plan: plan, options: options), plan: plan, options: options)
      }
    }
  }

  package func run(
    _ plan: Plan, _ options: ImportOptions, byteCount: Int?, _ open: () throws -> RootSources
  ) throws -> ImportReport {
    defer { options.progress?.end() }
    let start = ContinuousClock.now
    var importer: Importer?
    do {
      let new = try Importer(plan: plan, options: options, source: try open(), totalBytes: byteCount)
      importer = new
      return try report(of: new, plan, options, since: start)
    } catch {
      var committed = ImportReport(
        mapping: plan.root.name, isDryRun: options.isDryRun, bytes: importer?.byteCount ?? byteCount ?? 0,
        rootObjects: importer?.rootObjects ?? 0, duration: start.duration(to: .now),
        entities: importer?.rows ?? [], errors: importer?.errors ?? [],
        errorCount: importer?.errorCount ?? 0, unseen: [], notes: importer?.notes ?? [],
        attempts: importer?.attempts ?? 1)
      importer?.addFindings(to: &committed)
      options.onAbort?(committed, error)
      throw error
    }
  }

  /// - Parameter start: The time before the input was read.
  package func report(
    of importer: Importer, _ plan: Plan, _ options: ImportOptions, since start: ContinuousClock.Instant
  ) throws -> ImportReport {
    options.observer?(.began(mapping: plan.root.name))
    let ending = Result {
      try importer.run(in: store)
      var report = ImportReport(
        mapping: plan.root.name, isDryRun: options.isDryRun, bytes: importer.byteCount,
        rootObjects: importer.rootObjects, duration: start.duration(to: .now),
        entities: importer.rows, errors: importer.errors,
        errorCount: importer.errorCount, unseen: importer.unseen, notes: importer.notes,
        attempts: importer.attempts)
      importer.addFindings(to: &report)
      return report
    }
    options.observer?(.ended(ending))
    return try ending.get()
  }
}
