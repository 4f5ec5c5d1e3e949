/// The layout of many objects in a text.
///
///     let options = ImportOptions(format: .ndjson)
public enum JSONFormat: Sendable {
  /// One JSON value, such as an array of objects.
  case json
  /// One JSON value a line.
  case ndjson
  /// NDJSON if each of the first two lines is a value or begins one, in files also by the extensions `.ndjson` and `.jsonl`. A first
  /// line of more than 2 MiB is of one JSON value.
  case automatic

  /// The format of a file with this name, also behind `.gz`.
  package init(ofFile path: String) {
    var ending = path.lowercased()
    if ending.hasSuffix(".gz") { ending.removeLast(3) }
    self = ending.hasSuffix(".ndjson") || ending.hasSuffix(".jsonl") ? .ndjson : .automatic
  }
}
