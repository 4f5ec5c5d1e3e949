/// The format of an export. By default, a JSON array at the mapping's root path, on one line.
///
///     try serializer.exportFile("people.txt", from: store, options: ExportOptions(format: .ndjson))
public struct ExportOptions: Sendable {
  /// The format of the output.
  public typealias Format = ImportOptions.Format

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
  public var format: Format

  /// Whether each member and element is on its own line, indented by two spaces per level. NDJSON ignores it.
  public var isPretty: Bool

  /// Called on the exporting thread after each object, and after each piece of a large one. An error that it throws
  /// ends the export.
  public var onProgress: (@Sendable (Progress) throws -> Void)?

  /// Makes options. Arguments that you omit have their defaults.
  public init(
    format: Format = .json, isPretty: Bool = false,
    onProgress: (@Sendable (Progress) throws -> Void)? = nil
  ) {
    self.format = format
    self.isPretty = isPretty
    self.onProgress = onProgress
  }
}

/// The result of an export.
///
///     let report = try serializer.exportFile("people.ndjson", from: store)
///     print(report.objects, "objects")
public struct ExportReport: Equatable, Sendable {
  /// The number of root objects.
  public internal(set) var objects = 0
  /// The size of the whole text, in bytes.
  public internal(set) var bytes = 0
}

/// An object of an export that could not be written.
///
///     $.born: the date 253402300800 seconds from 1970 cannot be written … (Person 314)
public struct ExportError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The fault and its path within the object's text.
  public let error: MappingError
  /// The entity of the object.
  public let entity: String
  /// Its primary key; nil for an object without one.
  public let key: PrimaryKey?

  public var description: String {
    "\(error) (\(escaped(entity)) \(key.map(\.description) ?? "without a key"))"
  }
}
