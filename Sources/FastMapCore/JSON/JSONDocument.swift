internal import CFastMap
internal import CFastMapJansson

/// The only owner of one JSON tree.
///
///     let document = try JSONDocument(parsing: bytes)
///     let report = try Mapper(store).importDocument(document, as: plan)
///
/// The tree is a genuine jansson tree: whatever takes a `json_t *` takes it. A tree of your own becomes a document, too:
/// see <doc:YourOwnTrees>.
///
/// - Note: Not copyable; it may be sent to another thread, as nothing changes the tree.
public struct JSONDocument: ~Copyable, Sendable {
  // nonisolated(unsafe): this value alone owns the tree and never writes to it; jansson counts references atomically.
  private nonisolated(unsafe) let tree: UnsafeMutablePointer<json_t>
  // nonisolated(unsafe): the table is complete when the tree is, and nobody writes to it afterwards.
  private nonisolated(unsafe) let table: OpaquePointer?
  /// The memory that the tree goes with; nil for a reference among others.
  // nonisolated(unsafe): this value alone owns the arena, and only ends it.
  private nonisolated(unsafe) let arena: OpaquePointer?

  /// Reads one JSON text.
  ///
  /// Any value may be the root. Of members with the same name the last one counts. A byte order mark is passed over.
  /// Integers beyond 64 bits keep their digits; they are lost only where a tree is handed out.
  ///
  /// - Parameter bytes: UTF-8, borrowed for the call.
  /// - Throws: ``JSONSyntaxError`` with the place.
  /// - Complexity: O(*n*) in the bytes. Depth costs heap and not stack.
  public init(parsing bytes: UnsafeRawBufferPointer) throws(JSONSyntaxError) {
    try self.init(parsing: bytes, rejectsDuplicates: false)
  }

  /// Reads one JSON text whose arrays and objects stand so deep within each other at most.
  ///
  /// - Parameter rejectsDuplicates: Whether two members of an object must not have one name.
  init(
    parsing bytes: UnsafeRawBufferPointer, maxDepth: Int = 512, rejectsDuplicates: Bool
  ) throws(JSONSyntaxError) {
    let reader: JSONReader
    do {
      reader = try JSONReader(maxDepth: maxDepth, rejectsDuplicates: rejectsDuplicates)
    } catch {
      let place = TextLocation(line: 1, column: 1)
      throw JSONSyntaxError(location: place, offset: 0, reason: error.description)
    }
    let reading = try reader.read(bytes, from: bytes.textStart)
    tree = UnsafeMutablePointer(mutating: reading.node.pointer)
    table = reading.bigIntegers?.pointer
    arena = reader.release()
  }

  /// Takes over a reference that the caller holds.
  ///
  ///     guard let tree = json_loads(text, 0, nil) else { return }
  ///     let document = JSONDocument(unsafeAdopting: tree)
  ///
  /// - Parameter tree: A `json_t *`. The caller's reference becomes the document's: the caller does not give it back. Nobody may change the
  ///   tree from now on, also not from another thread; counting references is no change.
  public init(unsafeAdopting tree: UnsafeMutableRawPointer) {
    self.tree = tree.assumingMemoryBound(to: json_t.self)
    table = nil
    arena = nil
  }

  /// Shares a tree with the caller, who keeps the reference.
  ///
  /// - Parameter tree: A `json_t *` that nobody changes while the document lives. It lives at least as long as the document.
  ///
  /// C: `json_incref`.
  public init(unsafeSharing tree: UnsafeMutableRawPointer) {
    let tree = tree.assumingMemoryBound(to: json_t.self)
    self.tree = json_incref(tree)
    table = nil
    arena = nil
  }

  deinit {
    // jansson's own json_decref recurses over the depth.
    if let arena { fastmap_tree_arena_free(arena) } else { fastmap_tree_release(tree) }
  }

  /// Lends the tree as a `json_t *` for the length of `body`.
  ///
  /// - Parameter body: May count references up and down; what it wants to keep it copies (`json_deep_copy`), as the memory goes with
  ///   the document.
  public borrowing func withUnsafeTree<R>(_ body: (UnsafeMutableRawPointer) throws -> R) rethrows -> R {
    try body(tree)
  }

  /// The root value, valid as long as the document.
  var root: JSONNode { JSONNode(tree) }

  /// The digits of integers beyond 64 bits, valid as long as the document.
  var bigIntegers: BigIntegers? { table.map { BigIntegers($0) } }

  borrowing func withRoot<R>(_ body: (JSONNode) throws -> R) rethrows -> R { try body(root) }
}
