/// How many objects are written as one text. The defaults are: a JSON array at the mapping's root path, on one line.
///
///     try serializer.exportFile("people.txt", from: store, options: ExportOptions(format: .ndjson))
public struct ExportOptions: Sendable {
  /// What the output holds.
  public typealias Format = ImportOptions.Format

  /// How far an export has come.
  ///
  ///     options.onProgress = { print($0.objects, "objects,", $0.bytes, "bytes") }
  public struct Progress: Sendable {
    /// The objects that have been written.
    public let objects: Int
    /// The objects that there are to write; nil where that is not known before, as for a range of keys.
    public let totalObjects: Int?
    /// The bytes of their text.
    public let bytes: Int
  }

  /// What the output holds: one array, at the mapping's root path, or one object a line, where a root path plays no part.
  public var format: Format

  /// Whether members and elements stand on lines of their own, indented by two spaces a level. It plays no part in
  /// `ndjson`.
  public var isPretty: Bool

  /// Called on the exporting thread after each object, and after each piece of a large one. An error that it throws ends
  /// the export.
  public var onProgress: (@Sendable (Progress) throws -> Void)?

  /// Makes the default options, but for those that are given.
  public init(
    format: Format = .json, isPretty: Bool = false,
    onProgress: (@Sendable (Progress) throws -> Void)? = nil
  ) {
    self.format = format
    self.isPretty = isPretty
    self.onProgress = onProgress
  }
}

/// What an export wrote.
///
///     let report = try serializer.exportFile("people.ndjson", from: store)
///     print(report.objects, "objects")
public struct ExportReport: Equatable, Sendable {
  /// The root objects.
  public internal(set) var objects = 0
  /// The bytes of the whole text.
  public internal(set) var bytes = 0
}

/// An object that could not be written among others.
///
///     $.born: the date 253402300800 seconds from 1970 cannot be written … (Person 314)
public struct ExportError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong, and where in the object's own text.
  public let error: MappingError
  /// The kind of object.
  public let entity: String
  /// Its primary key; nil for an object without one.
  public let key: PrimaryKey?

  public var description: String {
    "\(error) (\(escaped(entity)) \(key.map(\.description) ?? "without a key"))"
  }
}
