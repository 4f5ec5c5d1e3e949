/// How an import is done. The defaults are: one transaction for all, and the first fault ends it.
///
///     var options = ImportOptions()
///     options.faults = .skip
public struct ImportOptions: Sendable {
  /// What a fault in the data does.
  public enum FaultPolicy: Sendable {
    /// The import ends with the error, and the store is as it was before.
    case abort
    /// The faulty object is left out with all inside of it, listed and counted. An object that exists keeps its values and its links.
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
  public struct Progress: Sendable {
    public let bytes: Int
    public let totalBytes: Int
    public let rootObjects: Int
  }

  public var format = Format.json

  /// Where the objects stand, in place of the mapping's root path; nil for the mapping's own.
  public var rootPath: JSONKeyPath?

  public var faults = FaultPolicy.abort

  /// Commits after so many root objects; nil commits once, at the end.
  ///
  /// An import that fails midway then keeps what was committed.
  public var commitInterval: Int?

  /// Whether everything is done but the commit.
  public var isDryRun = false

  /// Called on the importing thread after each batch.
  public var onProgress: (@Sendable (Progress) -> Void)?

  public init() {}
}
