/// Takes JSON into a store.
///
///     let store = try LMDBStore(at: "people.db")
///     let report = try Mapper(store).importJSON(bytes, as: Plan(person))
///
/// - Note: Thread rule: a mapper holds nothing but its store and may be used on any thread; a call does its
///   work on the thread that makes it, but for the reading of long texts: see ``ImportOptions/readsAhead``.
///   Imports into one store wait for each other.
public struct Mapper<S: Store>: Sendable {
  /// Where the objects are kept.
  public let store: S

  /// How properties of some types are read and written, by every mapping that it is given and that has no
  /// transform of its own for them. A ``Plan`` has its own.
  public let transforms: Transforms

  /// Makes a mapper for a store, which others may use at the same time.
  ///
  /// - Parameters:
  ///   - store: Where the objects are kept.
  ///   - transforms: By the types of properties; none by default.
  public init(_ store: S, transforms: Transforms = Transforms()) {
    self.store = store
    self.transforms = transforms
  }

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
  ///   - path: The file, which nobody may change during the call; a pipe is imported as it is read.
  ///   - plan: The compiled mapping of the root objects.
  ///   - options: How it is done; nil for the defaults with the format that the name says. Options that are
  ///     given count as they are, whatever the name.
  /// - Returns: What was done.
  /// - Throws: ``FileError`` where the file cannot be read; else as
  ///   ``importJSON(_:as:options:)-(UnsafeRawBufferPointer,_,_)``.
  public func importFile(
    _ path: String, as plan: Plan, options: ImportOptions? = nil
  ) throws -> ImportReport {
    let options = options ?? Self.options(forFile: path)
    defer { options.progress?.end() }
    if InputStreamFile.isStream(path) {
      let stream = try InputStreamFile(path)
      return try importDescriptor(stream.descriptor, name: path, as: plan, options: options)
    }
    let file = try InputFile(path)
    return try importJSON(file.bytes, as: plan, options: options)
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
    defer { options?.progress?.end() }
    return try importFile(path, as: plan(of: mapping), options: options)
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
    defer { options.progress?.end() }
    return try importJSON(bytes, as: plan(of: mapping), options: options)
  }

  /// The defaults, with the format that a file's name says.
  static func options(forFile path: String) -> ImportOptions {
    var options = ImportOptions()
    if path.hasSuffix(".ndjson") || path.hasSuffix(".jsonl") { options.format = .ndjson }
    return options
  }

  func run(
    _ plan: Plan, _ options: ImportOptions, byteCount: Int?, _ open: () throws -> RootSource
  ) throws -> ImportReport {
    defer { options.progress?.end() }
    let start = ContinuousClock.now
    let importer = Importer(plan: plan, options: options, source: try open(), totalBytes: byteCount)
    return try report(of: importer, plan, options, since: start)
  }

  /// - Parameter start: Before anything of the input was read.
  func report(
    of importer: Importer, _ plan: Plan, _ options: ImportOptions, since start: ContinuousClock.Instant
  ) throws -> ImportReport {
    try importer.run(in: store)
    return ImportReport(
      mapping: plan.root.name, isDryRun: options.isDryRun, bytes: importer.byteCount,
      rootObjects: importer.rootObjects, duration: start.duration(to: .now),
      entities: importer.tally.rows(of: plan.schema), errors: importer.errors,
      errorCount: importer.errorCount, unseen: importer.unseen, layoutNotes: importer.layoutNotes)
  }

  func plan<Object>(of mapping: Mapping<Object>) throws(MappingFaults) -> Plan {
    transforms.isEmpty ? try mapping.plan() : try Plan(mapping, transforms: transforms)
  }
}
