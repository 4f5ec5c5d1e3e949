/// The layout of many objects in a text.
///
///     let options = ImportOptions(format: .ndjson)
public enum JSONFormat: Sendable {
  /// One JSON value, such as an array of objects.
  case json
  /// One JSON value a line.
  case ndjson

  /// The format of a file with this name. The extensions `.ndjson` and `.jsonl` select `ndjson`.
  package init(ofFile path: String) {
    self = path.hasSuffix(".ndjson") || path.hasSuffix(".jsonl") ? .ndjson : .json
  }
}
