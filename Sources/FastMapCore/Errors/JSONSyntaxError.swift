/// A text that is not JSON.
///
///     line 3, column 17: expected a comma or ']'
public struct JSONSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where the reader could not go on.
  public let location: TextLocation

  /// The same place, as a number of bytes from the start.
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
