/// Takes JSON into a store.
///
///     let store = try LMDBStore(at: "people.db")
///     let report = try Mapper(store).importJSON(bytes, as: Plan(person))
///
/// - Note: Thread rule: a mapper holds nothing but its store and may be used on any thread; a call does its
///   work on the thread that makes it. Imports into one store wait for each other.
public struct Mapper<S: Store>: Sendable {
  /// Where the objects are kept.
  public let store: S

  /// Makes a mapper for a store, which others may use at the same time.
  public init(_ store: S) { self.store = store }

  /// Imports one JSON text, or one a line.
  ///
  /// Objects are found by their primary keys, inserted or updated, and related to each other. What equals the
  /// stored value is not written.
  ///
  /// - Parameters:
  ///   - bytes: UTF-8, borrowed for the call.
  ///   - plan: The compiled mapping of the root objects.
  ///   - options: How it is done; by default in one transaction that the first fault ends.
  /// - Returns: What was done. Its `errors` are empty unless `options.faults` is `skip`.
  /// - Throws: ``JSONSyntaxError``, ``MappingError``, or the store's own error. The store is unchanged then,
  ///   but for what `options.commitInterval` committed before.
  /// - Complexity: O(*n* log *n*) in the objects of a batch, O(log *m*) more for each in the objects stored.
  public func importJSON(
    _ bytes: UnsafeRawBufferPointer, as plan: Plan, options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    try run(plan, options, byteCount: bytes.count) { try RootSource(bytes, plan: plan, options: options) }
  }

  /// Imports one JSON text, or one a line.
  ///
  /// - SeeAlso: ``importJSON(_:as:options:)-(UnsafeRawBufferPointer,_,_)``
  public func importJSON(
    _ bytes: [UInt8], as plan: Plan, options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    try bytes.withUnsafeBytes { try importJSON($0, as: plan, options: options) }
  }

  /// Imports a tree.
  ///
  /// - Parameters:
  ///   - document: Borrowed for the call. Errors have no line and column, as there is no text.
  ///   - plan: The compiled mapping of the root objects.
  ///   - options: How it is done; `format` plays no part.
  /// - Returns: What was done. Its `bytes` are 0.
  /// - Throws: ``MappingError``, or the store's own error. The store is unchanged then, but for what
  ///   `options.commitInterval` committed before.
  public func importDocument(
    _ document: borrowing JSONDocument, as plan: Plan, options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    try document.withRoot { root in
      try run(plan, options, byteCount: 0) {
        try RootSource(root, document.bigIntegers, plan: plan, options: options)
      }
    }
  }

  /// Imports a file, whose name may end in `.ndjson` or `.jsonl` to say its format.
  ///
  /// - Parameters:
  ///   - path: The file, which nobody may change during the call; a pipe is read to its end.
  ///   - plan: The compiled mapping of the root objects.
  ///   - options: How it is done; nil for the defaults with the format that the name says. Options that are
  ///     given count as they are, whatever the name.
  /// - Returns: What was done.
  /// - Throws: ``FileError`` where the file cannot be read; else as
  ///   ``importJSON(_:as:options:)-(UnsafeRawBufferPointer,_,_)``.
  public func importFile(
    _ path: String, as plan: Plan, options: ImportOptions? = nil
  ) throws -> ImportReport {
    var chosen = options ?? ImportOptions()
    if options == nil, path.hasSuffix(".ndjson") || path.hasSuffix(".jsonl") { chosen.format = .ndjson }
    let file = try InputFile(path)
    return try importJSON(file.bytes, as: plan, options: chosen)
  }

  /// Imports a file through a mapping that needs no other by name.
  ///
  /// - Parameters:
  ///   - path: Of a file whose name may end in `.ndjson` or `.jsonl` to say its format.
  ///   - mapping: The mapping of the root objects.
  ///   - options: How; nil for the defaults, and the format that the name says.
  /// - Returns: What was done.
  /// - Throws: As ``importJSON(_:as:options:)-(UnsafeRawBufferPointer,_,_)``, ``FileError`` and ``MappingFaults``.
  public func importFile<Object>(
    _ path: String, as mapping: Mapping<Object>, options: ImportOptions? = nil
  ) throws -> ImportReport {
    try importFile(path, as: mapping.plan(), options: options)
  }

  /// Imports one JSON text through a mapping that needs no other by name.
  ///
  /// - Parameters:
  ///   - bytes: UTF-8, borrowed for the call.
  ///   - mapping: The mapping of the root objects.
  ///   - options: How.
  /// - Returns: What was done.
  /// - Throws: As ``importJSON(_:as:options:)-(UnsafeRawBufferPointer,_,_)``, and ``MappingFaults``.
  public func importJSON<Object>(
    _ bytes: [UInt8], as mapping: Mapping<Object>, options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    try importJSON(bytes, as: mapping.plan(), options: options)
  }

  /// Imports one JSON text and returns its root objects, with their relationships.
  ///
  ///     let people = try Mapper(MemoryStore()).objects(from: bytes, as: Person.mapping)
  ///
  /// - Parameters:
  ///   - bytes: UTF-8, borrowed for the call.
  ///   - mapping: Of instances of a class.
  ///   - options: How the import is done; by default in one transaction that the first fault ends.
  /// - Returns: New instances, one for each object of the store, in payload order: objects that refer to each
  ///   other are the same instances, however deep, and an object that stands twice at the root is here twice.
  /// - Throws: As ``importJSON(_:as:options:)-(UnsafeRawBufferPointer,_,_)``, and ``MappingFaults``.
  public func objects<Object: AnyObject>(
    from bytes: UnsafeRawBufferPointer, as mapping: Mapping<Object>, options: ImportOptions = ImportOptions()
  ) throws -> [Object] {
    let plan = try mapping.plan()
    let source = try RootSource(bytes, plan: plan, options: options)
    let importer = Importer(
      plan: plan, options: options, source: source, totalBytes: bytes.count, keepsRoots: true)
    try importer.run(in: store)
    return try store.read(plan.schema) { reader in
      var assembler = ObjectAssembler(plan.schema)
      return try importer.roots.compactMap { id in
        try assembler.object(id, of: plan.mappings[0].entity, from: &reader) as? Object
      }
    }
  }

  /// Imports one JSON text and returns its root objects, with their relationships.
  ///
  /// - SeeAlso: ``objects(from:as:options:)-(UnsafeRawBufferPointer,_,_)``
  public func objects<Object: AnyObject>(
    from bytes: [UInt8], as mapping: Mapping<Object>, options: ImportOptions = ImportOptions()
  ) throws -> [Object] {
    try bytes.withUnsafeBytes { try objects(from: $0, as: mapping, options: options) }
  }

  private func run(
    _ plan: Plan, _ options: ImportOptions, byteCount: Int, _ open: () throws -> RootSource
  ) throws -> ImportReport {
    let clock = ContinuousClock()
    let start = clock.now
    var report = ImportReport(
      mapping: plan.root.name, isDryRun: options.isDryRun, bytes: byteCount, rootObjects: 0, duration: .zero,
      entities: [], errors: [])
    let source = try open()
    let importer = Importer(plan: plan, options: options, source: source, totalBytes: byteCount)
    try importer.run(in: store)
    report.rootObjects = importer.rootObjects
    report.entities = importer.tally.rows(of: plan.schema)
    report.errors = importer.errors
    report.duration = start.duration(to: clock.now)
    return report
  }
}
