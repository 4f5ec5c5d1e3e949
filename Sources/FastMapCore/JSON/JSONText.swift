/// A JSON text in UTF-8: a `String`, an array of bytes, or a buffer. With the module `FastMapFoundation`, also
/// `Data`.
///
///     try mapper.importJSON(#"[{"id": 314}]"#, as: Person.mapping)
public protocol JSONText {
  /// Lends the bytes to `body`.
  func withJSON<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R
}

extension UnsafeRawBufferPointer: JSONText {
  public func withJSON<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { try body(self) }
}

extension Array: JSONText where Element == UInt8 {
  public func withJSON<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withUnsafeBytes(body)
  }
}

extension ArraySlice: JSONText where Element == UInt8 {
  public func withJSON<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withUnsafeBytes(body)
  }
}

extension String: JSONText {
  public func withJSON<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    var text = self
    return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
  }
}

extension Substring: JSONText {
  public func withJSON<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    var text = self
    return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
  }
}
