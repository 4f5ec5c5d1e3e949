internal import CFastMap
internal import CFastMapJansson

/// A JSON tree that nothing changes.
///
///     let document = try JSONDocument(parsing: bytes)
///     let report = try Mapper(store).importJSON(document, as: plan)
///
/// The tree is an ordinary jansson tree, so you can pass it to any function that takes a `json_t *`. You can also
/// wrap a jansson tree of your own: see <doc:YourOwnTrees>.
///
/// Copies share the tree, which is freed with the last copy.
public struct JSONDocument: Sendable {
  private let tree: Tree

  /// Reads one JSON text.
  ///
  /// The root may be any value. If members share a name, the last one counts. A byte order mark is skipped.
  /// Integers beyond 64 bits keep their digits, except in a tree that you pass to jansson.
  ///
  /// - Parameter json: UTF-8, borrowed for the call.
  /// - Throws: ``JSONSyntaxError`` with the line and column.
  /// - Complexity: O(*n*) in the bytes. Nesting uses the heap, not the stack.
  public init(parsing json: some JSONSource & ~Escapable) throws(JSONSyntaxError) {
    self = try json.withJSON { bytes in
      Result { () throws(JSONSyntaxError) in try JSONDocument(parsing: bytes, keepsReals: false) }
    }.get()
  }

  /// Reads one JSON text with a limit on nested arrays and objects.
  ///
  /// - Parameters:
  ///   - rejectsDuplicates: Whether two members of an object with the same name are an error.
  ///   - keepsReals: Whether all numbers keep their text.
  package init(
    parsing bytes: UnsafeRawBufferPointer, maxDepth: Int = 512, rejectsDuplicates: Bool = false,
    keepsReals: Bool
  ) throws(JSONSyntaxError) {
    let reader: JSONReader
    do {
      reader = try JSONReader(
        maxDepth: maxDepth, rejectsDuplicates: rejectsDuplicates, keepsReals: keepsReals)
    } catch {
      let place = TextLocation(line: 1, column: 1)
      throw JSONSyntaxError(location: place, offset: 0, reason: error.description)
    }
    let reading: JSONReader.Reading
    do { reading = try reader.read(bytes, from: bytes.textStart) } catch {
      throw ForeignFormat(bytes)?.error ?? error
    }
    tree = Tree(
      UnsafeMutablePointer(mutating: reading.node.pointer), table: reading.bigIntegers?.pointer,
      arena: reader.release())
  }

  /// Takes ownership of a reference that the caller holds.
  ///
  ///     guard let tree = json_loads(text, 0, nil) else { return }
  ///     let document = JSONDocument(unsafeAdopting: tree)
  ///
  /// - Parameter tree: A `json_t *`. The document takes the caller's reference, so the caller must not release it.
  ///   From now on no thread may change the tree. Changing reference counts is allowed.
  public init(unsafeAdopting tree: UnsafeMutableRawPointer) {
    self.tree = Tree(tree.assumingMemoryBound(to: json_t.self))
  }

  /// Shares a tree with the caller, who keeps the reference.
  ///
  /// - Parameter tree: A `json_t *`. The document keeps it alive, and it must not change meanwhile.
  ///
  /// C: `json_incref`.
  public init(unsafeSharing tree: UnsafeMutableRawPointer) {
    self.tree = Tree(json_incref(tree.assumingMemoryBound(to: json_t.self)))
  }

  /// Takes a tree that a ``TreeBuilder`` has made.
  ///
  /// - Parameter table: The texts of its numbers, which the document frees.
  init(_ root: JSONNode, table: OpaquePointer?) {
    tree = Tree(UnsafeMutablePointer(mutating: root.pointer), table: table)
  }

  /// Lends the tree as a `json_t *` to `body`.
  ///
  /// - Parameter body: May change reference counts. To keep a part of the tree, it must copy that part with
  ///   `json_deep_copy`, because the memory is freed with the document.
  public func withUnsafeTree<R>(_ body: (UnsafeMutableRawPointer) throws -> R) rethrows -> R {
    try withExtendedLifetime(tree) { try body(tree.root) }
  }

  /// The root value, valid as long as the document.
  package var root: JSONNode { JSONNode(tree.root) }

  /// The digits of integers beyond 64 bits, valid as long as the document.
  package var bigIntegers: BigIntegers? { tree.table.map { BigIntegers($0) } }

  package func withRoot<R>(_ body: (JSONNode) throws -> R) rethrows -> R {
    try withExtendedLifetime(tree) { try body(root) }
  }
}

extension JSONDocument: JSONSource {
  public func withJSON<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    var writer = JSONWriter()
    withRoot { writer.append($0, bigIntegers) }
    return try writer.withBytes(body)
  }

  public func withParsedJSON<R>(_ body: (JSONValue) throws -> R) rethrows -> R? {
    try withRoot { try body(JSONValue($0, bigIntegers)) }
  }
}

/// The sole owner of a jansson tree.
// @unchecked: nothing writes to the tree, the table or the arena before deinit; jansson counts references atomically.
private final class Tree: @unchecked Sendable {
  let root: UnsafeMutablePointer<json_t>
  let table: OpaquePointer?
  /// The arena that holds the tree; nil for a shared or adopted reference.
  private let arena: OpaquePointer?

  init(_ root: UnsafeMutablePointer<json_t>, table: OpaquePointer? = nil, arena: OpaquePointer? = nil) {
    (self.root, self.table, self.arena) = (root, table, arena)
  }

  deinit {
    // jansson's own json_decref recurses, so deep trees would overflow the stack.
    if let arena { return fastmap_tree_arena_free(arena) }
    fastmap_tree_release(root)
    fastmap_big_integers_free(table)
  }
}
