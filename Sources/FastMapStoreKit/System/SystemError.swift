/// The operating system refused something: a file cannot be read or written, a thread cannot be started, or memory ran
/// out.
///
///     people.json: No such file or directory
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file, as the caller named it; nil for a thread or memory.
  public let path: String?
  /// The system's message.
  public let reason: String

  package init(path: String?, reason: String) {
    self.path = path
    self.reason = reason
  }

  @usableFromInline package static var outOfMemory: SystemError {
    SystemError(path: nil, reason: "out of memory")
  }

  public var description: String { path.map { "\($0): \(reason)" } ?? reason }
}
