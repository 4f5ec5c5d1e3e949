internal import CFastMap
internal import CFastMapJansson

/// The sole owner of a JSON tree.
///
///     let document = try JSONDocument(parsing: bytes)
///     let report = try Mapper(store).importDocument(document, as: plan)
///
/// The tree is an ordinary jansson tree, so you can pass it to any function that takes a `json_t *`. You can also
/// wrap a jansson tree of your own: see <doc:YourOwnTrees>.
///
/// - Note: Not copyable. It may be sent to another thread, because nothing changes the tree.
public struct JSONDocument: ~Copyable, Sendable {
  // nonisolated(unsafe): only this value owns the tree and it never writes to it; jansson counts references
  // atomically.
  private nonisolated(unsafe) let tree: UnsafeMutablePointer<json_t>
  // nonisolated(unsafe): the table is complete when the tree is, and nobody writes to it afterwards.
  private nonisolated(unsafe) let table: OpaquePointer?
  /// The arena that holds the tree; nil for a shared or adopted reference.
  // nonisolated(unsafe): only this value owns the arena, and it only frees it.
  private nonisolated(unsafe) let arena: OpaquePointer?

  /// Reads one JSON text.
  ///
  /// The root may be any value. Of members with the same name, the last one counts. A byte order mark is skipped.
  /// Integers beyond 64 bits keep their digits, except in a tree that you pass to jansson.
  ///
  /// - Parameter bytes: UTF-8, borrowed for the call.
  /// - Throws: ``JSONSyntaxError`` with the line and column.
  /// - Complexity: O(*n*) in the bytes. Nesting uses the heap, not the stack.
  public init(parsing bytes: UnsafeRawBufferPointer) throws(JSONSyntaxError) {
    try self.init(parsing: bytes, rejectsDuplicates: false)
  }

  /// Reads one JSON text with a limit on nested arrays and objects.
  ///
  /// - Parameter rejectsDuplicates: Whether two members of an object with the same name are an error.
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

  /// Takes ownership of a reference that the caller holds.
  ///
  ///     guard let tree = json_loads(text, 0, nil) else { return }
  ///     let document = JSONDocument(unsafeAdopting: tree)
  ///
  /// - Parameter tree: A `json_t *`. The document takes the caller's reference, so the caller must not release it.
  ///   From now on nobody may change the tree, on any thread. Changing reference counts is allowed.
  public init(unsafeAdopting tree: UnsafeMutableRawPointer) {
    self.tree = tree.assumingMemoryBound(to: json_t.self)
    table = nil
    arena = nil
  }

  /// Shares a tree with the caller, who keeps the reference.
  ///
  /// - Parameter tree: A `json_t *`. Nobody may change it while the document lives. The document keeps it alive.
  ///
  /// C: `json_incref`.
  public init(unsafeSharing tree: UnsafeMutableRawPointer) {
    let tree = tree.assumingMemoryBound(to: json_t.self)
    self.tree = json_incref(tree)
    table = nil
    arena = nil
  }

  deinit {
    // jansson's own json_decref recurses, so deep trees would overflow the stack.
    if let arena { fastmap_tree_arena_free(arena) } else { fastmap_tree_release(tree) }
  }

  /// Lends the tree as a `json_t *` to `body`.
  ///
  /// - Parameter body: May change reference counts. To keep a part of the tree, it must copy that part with
  ///   `json_deep_copy`, because the memory is freed with the document.
  public borrowing func withUnsafeTree<R>(_ body: (UnsafeMutableRawPointer) throws -> R) rethrows -> R {
    try body(tree)
  }

  /// The root value, valid as long as the document.
  var root: JSONNode { JSONNode(tree) }

  /// The digits of integers beyond 64 bits, valid as long as the document.
  var bigIntegers: BigIntegers? { table.map { BigIntegers($0) } }

  borrowing func withRoot<R>(_ body: (JSONNode) throws -> R) rethrows -> R { try body(root) }
}
