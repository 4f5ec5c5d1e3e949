/// How an import runs. By default, in one transaction that the first fault ends.
///
///     let report = try mapper.importJSON(text, as: plan, options: ImportOptions(faults: .skip, isDryRun: true))
public struct ImportOptions: Sendable {
  /// Whether an import ends at a fault in the data.
  ///
  ///     options.faults = .skip
  public enum FaultPolicy: Sendable {
    /// The import ends with the error, and the store is unchanged.
    case abort
    /// The faulty object is left out with everything inside it, and counted. The report lists the first
    /// ``ImportOptions/maxErrors`` errors. A stored object keeps its values and its links. A line of NDJSON that is not JSON is
    /// left out too. Any other text that is not JSON ends the import.
    case skip
  }

  /// The stored objects that a payload replaces.
  ///
  ///     options.replaces = .matching(try Filter("@.repo == \"swift\""))
  public enum Replacement: Sendable {
    /// All objects of the root entity: the payload is all there is.
    case all
    /// The objects of the root entity that fulfil a condition before the import.
    case matching(Filter)
  }

  /// The progress of an import.
  ///
  ///     options.onProgress = { print($0.bytes, "of", $0.totalBytes) }
  public struct Progress: Sendable {
    /// The number of bytes of the input that have been imported.
    public let bytes: Int
    /// The size of the input in bytes; 0 for a tree, and for a stream until it ends.
    public let totalBytes: Int
    /// The number of root objects that have been imported.
    public let rootObjects: Int
    /// The number of objects that were added to new indexes, at the end of a transaction. An object counts once for each
    /// index.
    public let indexedObjects: Int
    /// The number of objects to add to new indexes; 0 where none is built.
    public let objectsToIndex: Int

    init(
      bytes: Int, totalBytes: Int, rootObjects: Int, indexedObjects: Int = 0, objectsToIndex: Int = 0
    ) {
      self.bytes = bytes
      self.totalBytes = totalBytes
      self.rootObjects = rootObjects
      self.indexedObjects = indexedObjects
      self.objectsToIndex = objectsToIndex
    }
  }

  /// The format of the input. By default, one JSON value.
  public var format: JSONFormat

  /// The place of the objects in the payload. Nil uses the mapping's root path.
  ///
  /// The path may begin with an index, `"[1]"`, and lead to several pages, `"pages[].items"`. A page without the
  /// member, or with null, adds nothing. If no page has it, the import throws a ``MappingError``. So does a second
  /// member of a name on the way to pages, after objects that were found there.
  ///
  /// A line of NDJSON is one object, as exports write it. So the mapping's root path does not apply there, but this
  /// path applies to each line, as to a page. A commit never divides a line.
  public var rootPath: JSONKeyPath?

  /// Whether the import ends at a fault in the data, as by default, or skips the faulty object.
  public var faults: FaultPolicy

  /// The maximum number of errors in the report, from 0. All are counted, but further ones use no memory.
  public var maxErrors: Int

  /// Called for each error of an object that is left out, in payload order, including errors that the report drops.
  /// Errors of unique indexes follow when their transaction ends, because they are found only then.
  ///
  /// The call is made on the importing thread, after the keys of the error's batch were looked up. The call is not repeated
  /// if the store runs a transaction again. An import that fails later has still reported its errors, although it
  /// changed nothing.
  public var onError: (@Sendable (MappingError) -> Void)?

  /// Called for each object that a transaction has changed, after its commit, ascending by entity and key.
  ///
  ///     options.onChange = { change in
  ///       guard change.kind == .updated, let key = change.key else { return }
  ///       print(change.entity, key, change.fields.map { "\($0.name): \($0.before) to \($0.after)" })
  ///     }                                                     // Order 3 ["total: 30 to 31"]
  ///
  /// The call is made on the importing thread. An object that has the same fields as before is none, whatever has happened to it
  /// meanwhile. An object without a key is a part of the field of its owner, and a deletion that removes a link changes the object
  /// that had it. A dry run calls it for the changes that the import would make, as of one transaction. A transaction that runs
  /// again or fails has none. Only entities of the mappings count.
  ///
  /// Until the commit, the changes are in an unnamed file in `TMPDIR` or else `/var/tmp`. The import reads each object that it may
  /// change before and after, so it takes longer.
  public var onChange: (@Sendable (Change) -> Void)?

  /// The number of root objects per commit, at least 1. Nil commits once, at the end.
  ///
  /// The interval also limits memory: an LMDB store keeps up to 512 MiB of changed pages until a transaction ends. Apart from
  /// those pages, an import of any length takes at most some 50 MiB, unless a single root object needs more.
  ///
  /// An import that fails midway keeps its commits. Unlinked objects are deleted with the last commit, because
  /// the payload may link them again until then. A persistent store saves a list of them with each commit. If the
  /// process ends, the next import or deletion deletes them, and `check` counts them until then. An import that fails
  /// deletes objects that have lost their owner. It leaves objects with a key to the next import or deletion.
  ///
  /// Other writes may delete objects between two commits. If the payload names a deleted object again by its key, the
  /// import makes it again. Any other deleted object stays deleted, and nothing links to it. They may also merge elements
  /// without a key into a list that the import has met before. An equal element of a later commit is then a second one.
  ///
  /// One kind of payload is written again by each import: one whose distant root objects contradict each other about
  /// an object or a list. Each commit stores the values up to that point.
  public var commitInterval: Int?

  /// The stored objects that the payload replaces; nil for none. At its end, the import deletes each
  /// of them that the payload lacks.
  ///
  /// The deletion follows `replace` does: an object stays if another object that stays refers to it. An object that
  /// the payload has anywhere stays too, also if it is left out. If the key of a root object could not be read,
  /// nothing is deleted, and a note in the report says so. An input or a page without the root path counts as such an object.
  /// With a ``commitInterval``, the last commit has the deletion.
  ///
  /// Root objects without a key are matched as the elements of one list: each takes a stored one with the same value.
  /// So the same payload twice changes nothing. If one of them could not be read, nothing is deleted.
  ///
  /// The cost grows with the replaced objects and not with the others.
  public var replaces: Replacement?

  /// The values for fields with the key path ``JSONKeyPath/context(_:)``, by name. They are the same for all objects.
  ///
  ///     options.context = ["match": 3788741]
  ///
  /// A string is read as the field's type: `"3788741"` for an integer, `"2026-01-31"` for a date. An import throws a
  /// ``ContextValueError`` for a value that no field uses or can hold. So does a field without a value, if an object has
  /// no member with the field's own name.
  public var context: [String: Value]

  /// The text of the mapping file that the store keeps with this import, which ``Store/mappings()`` reads; nil keeps none.
  ///
  ///     options.mappingFile = file
  ///
  /// Its mappings join the kept ones and replace kept ones of the same name. Other kept mappings take its types for the
  /// attributes of their entities. If they are not valid together, the store keeps its file, and a note in the report says
  /// so. The first transaction writes the text if it differs from the kept one; a dry run does not. The store in memory
  /// keeps no file.
  public var mappingFile: [UInt8]?

  /// Whether to refuse a payload whose first root objects look like the objects of another mapping.
  package var refusesOthers = false

  /// Whether to do everything except the commit.
  public var isDryRun: Bool

  /// Whether a member that no field of its mapping reads is a fault of its object: see ``ImportReport/unread``. Members that the
  /// mapping ignores are none.
  public var refusesUnread = false

  /// The maximum nesting, from 0, of arrays and objects in a root object, and in a text that is read as a whole.
  public var maxDepth: Int

  /// Whether a second thread reads the next batches of a long text while the current one is mapped.
  ///
  /// The result of the import is the same. Either thread may walk a batch, so ``AttributeValue`` conformances
  /// are called on both, also concurrently. Transforms are called one at a time: for the first batches on the calling
  /// thread, then on the reading thread. All other code of yours is called on the calling thread.
  ///
  /// Reading ahead needs a second core and at least about 1 MiB before the end or the next commit. The rest of a
  /// stream is assumed to be as long as the part so far. Documents and single values are never read ahead. Memory
  /// grows by two batches, some 10 MiB each, or by one with transforms.
  public var readsAhead: Bool

  /// Called with the error that ends an import, and the counts of its committed transactions.
  package var onAbort: (@Sendable (ImportReport, any Error) -> Void)?

  /// For tests, which have neither long texts nor always a second core.
  package var alwaysReadsAhead = false

  /// For tests: a transaction may run more than 64 times, as long as its runs have met at most so many objects.
  package var spareConflictWork = 1 << 22

  /// For tests: called with the number of bytes that were scanned to locate faults.
  package var onPlaceSearch: (@Sendable (Int) -> Void)?

  /// The number of objects that a batch should have: enough for sorting, few enough for the cache.
  ///
  /// Nil goes by the store's preference, the `batchSize` of ``StoreCapabilities``, or else 4096. At least 1.
  public var batchSize: Int?

  /// How often a transaction is tried that conflicts with another writer, in a store with several.
  ///
  /// A failed attempt loses its counts, so the report counts each object and each error once. Custom
  /// policies, transforms, ``onProgress`` and ``delegate`` are called again for each attempt, but ``onError`` is not.
  public var retries: RetryPolicy

  /// Called on the importing thread after each batch. If a store runs a transaction again, the calls repeat, and their
  /// numbers begin again where that transaction began.
  public var onProgress: (@Sendable (Progress) -> Void)?

  /// Called for each step of the import: its beginning, batches, commits, conflicts, retries and its end.
  ///
  /// The call is made on the importing thread, which waits for it. <doc:ImportingJSON> forwards the steps to swift-log, swift-metrics and
  /// swift-distributed-tracing.
  public var observer: (@Sendable (Event) -> Void)?

  /// Reports the progress and can cancel the import, on any thread. Use a new one for each import.
  public var progress: ImportProgress?

  /// Called for each object. If the store has to grow, or another writer has interfered, a transaction runs again and
  /// repeats the calls.
  public var delegate: (any ImportDelegate)?

  /// Makes options. Arguments that you omit have their defaults. The import throws ``OptionError`` for a number out of
  /// its range.
  public init(
    format: JSONFormat = .json, rootPath: JSONKeyPath? = nil, faults: FaultPolicy = .abort,
    maxErrors: Int = 1000, onError: (@Sendable (MappingError) -> Void)? = nil, commitInterval: Int? = nil,
    replaces: Replacement? = nil, context: [String: Value] = [:], mappingFile: [UInt8]? = nil,
    isDryRun: Bool = false, maxDepth: Int = 512,
    readsAhead: Bool = true,
    batchSize: Int? = nil, retries: RetryPolicy = RetryPolicy(),
    onProgress: (@Sendable (Progress) -> Void)? = nil, progress: ImportProgress? = nil,
    delegate: (any ImportDelegate)? = nil
  ) {
    self.format = format
    self.rootPath = rootPath
    self.faults = faults
    self.maxErrors = maxErrors
    self.onError = onError
    self.commitInterval = commitInterval
    self.replaces = replaces
    self.context = context
    self.mappingFile = mappingFile
    self.isDryRun = isDryRun
    self.maxDepth = maxDepth
    self.readsAhead = readsAhead
    self.batchSize = batchSize
    self.retries = retries
    self.onProgress = onProgress
    self.progress = progress
    self.delegate = delegate
  }
}

extension ImportOptions {
  func check() throws(OptionError) {
    try OptionError.check("commitInterval", commitInterval, atLeast: 1)
    try OptionError.check("batchSize", batchSize, atLeast: 1)
    try OptionError.check("maxErrors", maxErrors, atLeast: 0)
    try OptionError.check("maxDepth", maxDepth, atLeast: 0)
  }
}
