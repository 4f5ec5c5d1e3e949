internal import CFastMap
internal import CJansson

/// The only owner of one JSON tree.
///
///     let document = try JSONDocument(parsing: bytes)
///
/// The tree is a genuine jansson tree: whatever takes a `json_t *` takes it.
///
/// - Note: Not copyable; it may be sent to another thread, as nothing changes the tree.
public struct JSONDocument: ~Copyable, Sendable {
  // nonisolated(unsafe): this value alone owns the tree and never writes to it; jansson counts references atomically.
  private nonisolated(unsafe) let tree: UnsafeMutablePointer<json_t>

  /// Reads one JSON text.
  ///
  /// Any value may be the root. Of members with the same name the last one counts. A byte order mark is passed over.
  ///
  /// - Parameter bytes: UTF-8, borrowed for the call.
  /// - Throws: ``JSONSyntaxError`` with the place.
  /// - Complexity: O(*n*) in the bytes.
  ///
  /// C: `json_loadb`.
  public init(parsing bytes: UnsafeRawBufferPointer) throws(JSONSyntaxError) {
    tree = try JSONReader.read(bytes).tree
  }

  /// Takes over a reference that the caller holds.
  ///
  /// - Parameter tree: A `json_t *`; the caller's reference becomes the document's, and nobody may change the tree from now on.
  public init(unsafeAdopting tree: UnsafeMutableRawPointer) {
    self.tree = tree.assumingMemoryBound(to: json_t.self)
  }

  /// Shares a tree with the caller, who keeps the reference.
  ///
  /// - Parameter tree: A `json_t *` that nobody changes while the document lives.
  ///
  /// C: `json_incref`.
  public init(unsafeSharing tree: UnsafeMutableRawPointer) {
    let tree = tree.assumingMemoryBound(to: json_t.self)
    self.tree = json_incref(tree)
  }

  deinit { json_decref(tree) }

  /// Lends the tree as a `json_t *` for the length of `body`.
  public borrowing func withUnsafeTree<R>(_ body: (UnsafeMutableRawPointer) throws -> R) rethrows -> R {
    try body(tree)
  }

  /// The root value, valid as long as the document.
  var root: JSONNode { JSONNode(tree) }

  borrowing func withRoot<R>(_ body: (JSONNode) throws -> R) rethrows -> R { try body(root) }
}
