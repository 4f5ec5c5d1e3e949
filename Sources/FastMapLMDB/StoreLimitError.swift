/// Something is larger than a store can hold.
///
///     entity Person: "photo" has 70000000 bytes, a store holds values of at most 67108864
public struct StoreLimitError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is too large, and how large it may be.
  public let reason: String

  init(reason: String) { self.reason = reason }

  public var description: String { reason }

  /// The longest string, data or JSON text, in bytes.
  static let valueBytes = 64 << 20
}
