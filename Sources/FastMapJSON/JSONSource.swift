/// JSON to read: UTF-8 text in a `String`, in bytes, in a buffer or in a `RawSpan`, or a ``JSONDocument``. With the module
/// `FastMapFoundation`, also `Data`.
///
///     try mapper.importJSON(#"[{"id": 314}]"#, as: Person.mapping)
///     try mapper.importJSON(JSONDocument(unsafeSharing: tree), as: Person.mapping)
public protocol JSONSource: ~Escapable {
  /// Lends the text to `body`, in UTF-8.
  func withJSON<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R

  /// Lends the value to `body` if it has been read already. By default, it is text: returns nil.
  func withParsedJSON<R>(_ body: (JSONValue) throws -> R) rethrows -> R?
}

extension JSONSource where Self: ~Escapable {
  public func withParsedJSON<R>(_ body: (JSONValue) throws -> R) rethrows -> R? { nil }
}

extension RawSpan: JSONSource {
  public func withJSON<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withUnsafeBytes(body)
  }
}

extension UnsafeRawBufferPointer: JSONSource {
  public func withJSON<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { try body(self) }
}

extension Array: JSONSource where Element == UInt8 {
  public func withJSON<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withUnsafeBytes(body)
  }
}

extension ArraySlice: JSONSource where Element == UInt8 {
  public func withJSON<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withUnsafeBytes(body)
  }
}

extension String: JSONSource {
  public func withJSON<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    var text = self
    return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
  }
}

extension Substring: JSONSource {
  public func withJSON<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    var text = self
    return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
  }
}

/// The text or tree that a source lends.
package enum LentJSON {
  case text(UnsafeRawBufferPointer)
  case tree(JSONValue)

  /// The bytes of a text; 0 for a tree.
  package var byteCount: Int {
    if case .text(let bytes) = self { bytes.count } else { 0 }
  }
}

extension JSONSource where Self: ~Escapable {
  package func withInput<R>(_ body: (LentJSON) throws -> R) rethrows -> R {
    if let result = try withParsedJSON({ try body(.tree($0)) }) { return result }
    return try withJSON { try body(.text($0)) }
  }
}
