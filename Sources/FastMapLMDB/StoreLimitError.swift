public import FastMapStoreKit

/// A value or a name that is too large for a store.
///
///     entity Person: "photo" has 70000000 bytes, a store holds values of at most 67108864
public struct StoreLimitError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The value that is too large, and the maximum.
  package let reason: String

  init(reason: String) { self.reason = reason }

  public var description: String { reason }

  /// The maximum size of a string, data or JSON text, in bytes.
  static let valueBytes = 64 << 20

  /// The name of an entity or a field, if it is short enough.
  static func checked(_ name: String) throws(StoreLimitError) -> String {
    guard name.utf8.count <= 0xFFFF else {
      throw StoreLimitError(reason: "a name has at most 65535 bytes, this one has \(name.utf8.count)")
    }
    return name
  }
}

extension StoreLimitError: FastMapError {
  public var code: String { "value-too-long" }
}
