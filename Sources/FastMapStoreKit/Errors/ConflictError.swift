/// Another write has conflicted with this one, or the connection was lost before the commit. Nothing is changed, and
/// another attempt may succeed.
///
///     throw ConflictError("could not serialize access due to concurrent update (40001)")
public struct ConflictError: Error, Sendable, CustomStringConvertible {
  /// The store's report.
  public let reason: String
  /// Whether the connection was lost, and no other write is known to conflict.
  package let isConnectionLost: Bool
  /// How many attempts have failed in a row, as ``RetryPolicy`` allows; 1 before it is asked.
  public internal(set) var attempts = 1
  /// Whether the attempts before have failed in the same way.
  var isAsBefore = true

  /// Makes an error with the store's report.
  public init(_ reason: String, isConnectionLost: Bool = false) {
    self.reason = reason
    self.isConnectionLost = isConnectionLost
  }

  public var description: String {
    let (now, before) =
      isConnectionLost
      ? ("the connection was lost", "the connection was lost")
      : ("the write conflicts with another one", "the write conflicted with another one")
    if attempts == 1 { return "\(now): \(reason)" }
    return "\(before) in \(isAsBefore ? "each" : "the last") of \(attempts) attempts: \(reason)"
  }
}

/// The connection was lost during the commit, or a commit that waits for a standby was cancelled. The store cannot
/// tell whether the changes were kept.
///
///     catch let error as UnknownOutcomeError { print(error) }      // read the store before you repeat the write
///
/// An import of objects with keys may simply be repeated: it finds committed objects unchanged. Root objects
/// without a key would be stored twice.
public struct UnknownOutcomeError: Error, Sendable, CustomStringConvertible {
  /// The store's report.
  public let reason: String

  /// Makes an error with the store's report.
  public init(_ reason: String) { self.reason = reason }

  public var description: String {
    "the outcome of the commit is unknown, so the changes may be stored or not: \(reason)"
  }
}
