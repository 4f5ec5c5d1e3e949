/// An error in a text that is not valid JSON.
///
///     line 3, column 17: expected a comma or ']'
public struct JSONSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line and column of the error.
  public let location: TextLocation

  /// The same place, in bytes from the start.
  package let offset: Int

  /// The fault. Advice follows if the text looks like another format, or like values in another layout.
  public let reason: String

  /// The path of the value that is not JSON: `$[3]` for a line, `$` for any other text.
  package var path = JSONPath()
  /// The file with the text, if it is one of several.
  package var file: String?

  package init(location: TextLocation, offset: Int, reason: String) {
    self.location = location
    self.offset = offset
    self.reason = reason
  }

  public var description: String { (file.map { $0 + ": " } ?? "") + "\(location): \(reason)" }
}

extension JSONSyntaxError: FastMapError {
  public var code: String { "not-json" }
  public var place: String? { file.map { "\($0), \(location)" } ?? "\(location)" }
}
