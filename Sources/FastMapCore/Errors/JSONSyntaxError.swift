/// An error in a text that is not valid JSON.
///
///     line 3, column 17: expected a comma or ']'
public struct JSONSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line and column of the error.
  public let location: TextLocation

  /// The same place, in bytes from the start.
  public let offset: Int

  /// What is wrong there.
  public let reason: String

  package init(location: TextLocation, offset: Int, reason: String) {
    self.location = location
    self.offset = offset
    self.reason = reason
  }

  public var description: String { "\(location): \(reason)" }
}
