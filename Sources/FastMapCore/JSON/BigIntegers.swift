internal import CFastMap

/// The digits of the integers of one tree that an `Int64` does not hold. In the tree they are reals.
struct BigIntegers {
  let pointer: OpaquePointer

  /// - Parameter pointer: Borrowed from whoever owns the tree.
  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  /// The digits of a node as the text had them; nil for any other node.
  func digits(of node: JSONNode) -> UnsafeBufferPointer<UInt8>? {
    var length = 0
    guard let text = fastmap_big_integer_text(pointer, node.pointer, &length) else { return nil }
    return UnsafeBufferPointer(
      start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: length)
  }
}
