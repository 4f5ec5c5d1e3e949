/// The format of an export. By default, a JSON array at the mapping's root path, on one line.
///
///     try serializer.exportFile("people.txt", from: store, options: ExportOptions(format: .ndjson))
public struct ExportOptions: Sendable {
  /// The progress of an export.
  ///
  ///     options.onProgress = { print($0.objects, "objects,", $0.bytes, "bytes") }
  public struct Progress: Sendable {
    /// The number of objects written so far.
    public let objects: Int
    /// The number of objects to write; nil if it is not known in advance, as for a range of keys.
    public let totalObjects: Int?
    /// The size of the text so far, in bytes.
    public let bytes: Int
  }

  /// One array at the mapping's root path, or one object per line. NDJSON ignores the root path.
  public var format: JSONFormat

  /// Whether each member and element is on its own line, indented by two spaces per level. NDJSON ignores it.
  public var isPretty: Bool

  /// Called on the exporting thread after each object, and after each piece of a large one. An error that it throws
  /// ends the export.
  public var onProgress: (@Sendable (Progress) throws -> Void)?

  /// Makes options. Arguments that you omit have their defaults.
  public init(
    format: JSONFormat = .json, isPretty: Bool = false,
    onProgress: (@Sendable (Progress) throws -> Void)? = nil
  ) {
    self.format = format
    self.isPretty = isPretty
    self.onProgress = onProgress
  }
}
