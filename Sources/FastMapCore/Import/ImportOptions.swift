/// How an import is done. The defaults are: one transaction for all, and the first fault ends it.
///
///     let report = try mapper.importJSON(text, as: plan, options: ImportOptions(faults: .skip, isDryRun: true))
public struct ImportOptions: Sendable {
  /// What a fault in the data does.
  public enum FaultPolicy: Sendable {
    /// The import ends with the error, and the store is as it was before.
    case abort
    /// The faulty object is left out with all inside of it, counted, and listed among the first ``ImportOptions/maxErrors``. An
    /// object that exists keeps its values and its links.
    case skip
  }

  /// What the input holds.
  public enum Format: Sendable {
    /// One JSON value.
    case json
    /// One JSON value a line.
    case ndjson
  }

  /// How far an import has come.
  ///
  ///     options.onProgress = { print($0.bytes, "of", $0.totalBytes) }
  public struct Progress: Sendable {
    /// The bytes of the input that have been imported.
    public let bytes: Int
    /// The bytes of the whole input; 0 for a tree, and for a stream as long as it has not ended.
    public let totalBytes: Int
    /// The root objects that have been imported.
    public let rootObjects: Int
  }

  /// What the input holds: one JSON value by default.
  public var format: Format

  /// Where the objects stand, in place of the mapping's root path; nil for the mapping's own.
  ///
  /// A line of NDJSON is one object, as an export writes it: the mapping's own root path does not apply there, and one
  /// that is given here applies to each line.
  public var rootPath: JSONKeyPath?

  /// What a fault in the data does: by default it ends the import.
  public var faults: FaultPolicy

  /// How many errors the report keeps of objects that are left out. All are counted; memory does not grow with those beyond.
  public var maxErrors: Int

  /// Told of each error of an object that is left out, in payload order, also of those that the report does not keep.
  ///
  /// Called on the importing thread, once the store has been asked for the keys of the error's batch. An import that
  /// fails afterwards has told of errors, and changed nothing. A transaction that the store runs again tells of none a
  /// second time.
  public var onError: (@Sendable (MappingError) -> Void)?

  /// Commits after so many root objects; nil commits once, at the end.
  ///
  /// It bounds memory, too: an LMDB store keeps the pages that a transaction has changed, up to 512 MiB of them. Without
  /// those an import takes some 50 MiB at most, whatever its length, unless a single root object takes more.
  ///
  /// An import that fails midway then keeps what was committed. What relationships have let go is deleted with the last
  /// commit, as it may come back until then. A store that outlives its process keeps a list of it with each commit: what an
  /// import has left whose process ended is deleted by the next import or deletion, and `check` counts it until then. An
  /// import that fails deletes what has no owner any more, and leaves what has a key to the next import or deletion.
  ///
  /// A payload that contradicts itself, with root objects far apart that say different things of one object or list, is
  /// written anew each time it comes: each commit writes what the payload says up to there.
  public var commitInterval: Int?

  /// Whether everything is done but the commit.
  public var isDryRun: Bool

  /// How many arrays and objects may stand within each other in a root object, and in a text that is read as a whole.
  public var maxDepth: Int

  /// Whether the next batches of a long text, in memory or from a stream, are read on a thread of its own while the last
  /// one is mapped into the store.
  ///
  /// The import does the same and says the same in either case. What was read is walked on that thread or on the
  /// caller's, whichever has time, so what an ``AttributeValue`` says of JSON is asked on either, and on both at once.
  /// Transforms are called one at a time, but for the first batches on that thread. Everything else that is
  /// yours is called on the caller's.
  ///
  /// It is not done where the calling thread may run on one core only, or less than about 1 MiB is left to be
  /// read before the end or the next commit; a stream, which does not say, is taken to have as much again as has
  /// come. A document and a lone value are never read ahead. It takes the memory of two more batches, some 10 MiB
  /// each; of one where there are transforms.
  public var readsAhead: Bool

  /// Whether a thread of its own imports into instances of main-actor classes.
  var isApartFromMain = false

  /// For tests, which have neither long texts nor always a second core.
  package var alwaysReadsAhead = false

  /// For tests: told how many bytes were gone over to find where faults stand.
  package var onPlaceSearch: (@Sendable (Int) -> Void)?

  /// The objects that a batch should have: enough to sort, few enough to stay in cache.
  package var batchSize = 4096

  /// Called on the importing thread after each batch.
  public var onProgress: (@Sendable (Progress) -> Void)?

  /// Shows how far the import has come, and can stop it, on any thread. A new one for each import.
  public var progress: ImportProgress?

  /// Is told of each object. A store that has to make room runs a transaction again, and calls it again then.
  public var delegate: (any ImportDelegate)?

  /// Makes the default options, but for those that are given.
  public init(
    format: Format = .json, rootPath: JSONKeyPath? = nil, faults: FaultPolicy = .abort,
    maxErrors: Int = 1000, onError: (@Sendable (MappingError) -> Void)? = nil, commitInterval: Int? = nil,
    isDryRun: Bool = false, maxDepth: Int = 512, readsAhead: Bool = true,
    onProgress: (@Sendable (Progress) -> Void)? = nil, progress: ImportProgress? = nil,
    delegate: (any ImportDelegate)? = nil
  ) {
    self.format = format
    self.rootPath = rootPath
    self.faults = faults
    self.maxErrors = maxErrors
    self.onError = onError
    self.commitInterval = commitInterval
    self.isDryRun = isDryRun
    self.maxDepth = maxDepth
    self.readsAhead = readsAhead
    self.onProgress = onProgress
    self.progress = progress
    self.delegate = delegate
  }
}
