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

extension ExportError: FastMapError {
  public var code: String { "export" }
  public var place: String? { key.map { "\(entity) \($0)" } ?? entity }
}
