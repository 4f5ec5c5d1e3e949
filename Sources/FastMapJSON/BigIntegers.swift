internal import CFastMap

/// The digits of a tree's integers that do not fit in an `Int64`. In the tree itself they are reals. A reader can also keep
/// the texts of all other reals.
package struct BigIntegers {
  package let pointer: OpaquePointer

  /// - Parameter pointer: Borrowed from the owner of the tree.
  package init(_ pointer: OpaquePointer) { self.pointer = pointer }

  /// The digits of a node as in the text, or nil for any other node.
  package func digits(of node: JSONNode) -> UnsafeBufferPointer<UInt8>? {
    var length = 0
    guard let text = fastmap_big_integer_text(pointer, node.pointer, &length) else { return nil }
    return UnsafeBufferPointer(
      start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: length)
  }

  /// The text of a real, if it was kept.
  package func text(of node: JSONNode) -> UnsafeBufferPointer<UInt8>? {
    var length = 0
    guard let text = fastmap_number_text(pointer, node.pointer, &length) else { return nil }
    return UnsafeBufferPointer(
      start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: length)
  }
}
