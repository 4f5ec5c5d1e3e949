internal import CFastMap

/// Hands out the root objects of a payload a batch at a time.
///
///     an array of a text, at its root or at a root path     element by element, each batch in the memory of the last
///     arrays and objects at a root path with []             the same, page by page
///     one value a line                                      the same
///     one value of a text, or a tree of the caller's        as a whole
///
/// A `TextWindow` shows the part of a text that a batch needs: all of a text in memory, a moving piece of a stream.
///
/// One thread may read it while another asks for the places of objects of a batch. The answer uses only the batch, with
/// its piece of the text, and constants of the source.
package final class RootSource {
  package typealias Root = ParsedBatch.Root

  /// How far the source has been read.
  package struct Position {
    /// Root objects handed out.
    package var count = 0
    /// Where the next one is looked for. Batches have had the bytes of text before.
    var offset = 0
    var lines = 0
    var hasEnded = false
    /// The next part of an array.
    var due = Due.first
    /// The open values around the array.
    var way = RootWay.Position()
    /// The number of root objects before this page, for a root path with `[]`.
    var pageFirst = 0
    var pages = PageSearch()
    /// The values on lines.
    var values = 0
    /// Where the window began.
    var mark = TextPiece.Mark()
    /// The inputs before.
    var passed = PassedInputs()

    /// The bytes of this input and of the ones before.
    var bytes: Int { passed.bytes + offset }
    /// Whether a place so far has no objects, where the payload should have some.
    var lacksObjects: Bool { passed.lacksObjects || pages.lacksObjects }
  }

  /// The next part of an array.
  package enum Due {
    /// An element or the end, an element, a comma or the end, or the text after the end.
    case first, element, comma, nothing
  }

  enum Layout {
    /// The elements or members of a value that stands inside of so many others, for the limit of depth.
    case elements(outerDepth: Int)
    case lines
    case whole(OnlyRoot)
    case tree(TreeRoots)
  }

  /// The only root object, where it begins, and its fault if it could not be read.
  struct OnlyRoot {
    var root: Root
    var start = 0
    var fault: ParsedBatch.RootFault?
  }

  /// The bytes of text in a batch, unless it is a single larger object.
  static let batchBytes = 2 << 20
  /// The bytes of its trees. Most batches take less, but `[[],[],…]` takes 40 bytes a byte of text.
  static let batchTreeBytes = 8 << 20

  var window: TextWindow
  let form: RootForm
  /// For values that are read as a whole. Batches have their own.
  let reader: JSONReader
  let skipper: ValueSkipper
  var layout = Layout.lines
  package var position = Position()
  /// The end of the first line, if that looks like a row of CSV.
  var endOfCSVLine: Int?
  /// The values that the plan reads from the document and from the caller.
  var outside: OutsideValues
  /// The places of its root objects.
  let places = RootPlaces()
  /// The file, if errors begin with its name.
  let file: String?
  /// The owner of a text in memory.
  private let owner: MappedFile?
  /// The members that no field reads, in all inputs.
  let unread: UnreadCounter

  /// Reads an input that outlives the source.
  ///
  /// - Parameter isOne: Whether more than one root object is an error. An array is one, if an object is an array.
  /// - Throws: ``MappingError``; ``JSONSyntaxError``.
  package convenience init(
    _ input: LentJSON, plan: Plan, options: ImportOptions, isOne: Bool = false
  ) throws {
    switch input {
    case .text(let bytes):
      try self.init(TextWindow(TextPiece(bytes)), plan: plan, options: options, isOne: isOne)
    case .tree(let root): try self.init(root, plan: plan, options: options, isOne: isOne)
    }
    if isOne { try refuseCollection() }
  }

  /// Reads the text of a window; of a stream, as much as comes before the root objects.
  package init(
    _ window: TextWindow, plan: Plan, options: ImportOptions, isOne: Bool = false, file: String? = nil,
    owner: MappedFile? = nil, after passed: PassedInputs = PassedInputs(),
    unread: UnreadCounter = UnreadCounter()
  ) throws {
    (self.window, self.file, self.owner, self.unread) = (window, file, owner, unread)
    while window.bytes.count < 3, !window.isComplete { try window.more() }
    position.offset = window.bytes.textStart
    var options = options
    if options.format == .automatic {
      options.format = try window.beginsWithLines(options.maxDepth) ? .ndjson : .json
    }
    form = try RootForm(plan, options, isTree: false, isOne: isOne)
    reader = try JSONReader(
      maxDepth: options.maxDepth, textName: options.format == .ndjson ? "line" : "input",
      keepsReals: plan.compiled.keepsReals)
    skipper = try ValueSkipper()
    outside = try OutsideValues(plan, options)
    position.passed = passed
    _ = beginCount(1)
    try lookAtBeginning()
    if options.format == .json {
      if !window.isStream { try readDocument(window.bytes, from: position.offset) }
      try findLayout()
    }
    position.mark = self.window.shown.mark
  }

  /// Takes a tree that outlives the source, and checks it.
  private init(_ root: JSONValue, plan: Plan, options: ImportOptions, isOne: Bool) throws {
    try root.node.checkTree(maxDepth: options.maxDepth)
    window = TextWindow(TextPiece(UnsafeRawBufferPointer(start: nil, count: 0)))
    (file, owner, unread) = (nil, nil, UnreadCounter())
    form = try RootForm(plan, options, isTree: true, isOne: isOne)
    reader = try JSONReader()
    skipper = try ValueSkipper()
    outside = try OutsideValues(plan, options)
    outside.document = root.node
    let way = try TreeWay(form.steps, in: root)
    position.pages = way.search
    if form.fansOut {
      layout = .tree(TreeRoots(pages: way.ends, root.bigIntegers))
      return
    }
    let value = JSONValue(way.ends[0].node, root.bigIntegers)
    if form.readsMembers, let members = value.node.members {
      layout = .tree(TreeRoots(members, root.bigIntegers))
    } else if !form.readsMembers, !form.readsOneRow, let elements = value.node.elements {
      layout = .tree(TreeRoots(nodes: Array(elements), bigIntegers: root.bigIntegers))
    } else {
      try checkOnly(value, at: form.rootSteps) { nil }
      layout = .whole(OnlyRoot(root: Root(node: value.node, bigIntegers: value.bigIntegers)))
    }
  }

  /// Whether the root objects are elements of an array, or lines.
  var isCollection: Bool {
    if case .whole = layout { false } else { true }
  }

  /// Whether it is a text of lines without values.
  var isEmpty: Bool { if case .lines = layout { position.values == 0 } else { false } }

  /// - Throws: ``MappingError`` if there can be more than one root object.
  private func refuseCollection() throws(MappingError) {
    guard isCollection else { return }
    var found = form.readsMembers ? "an object with a member for each" : "an array"
    if case .lines = layout { found = "a value a line" }
    throw MappingError(
      path: JSONPath(form.rootSteps),
      location: form.isTree
        ? nil : location(of: form.rootSteps, from: window.bytes.textStart),
      reason: .unexpected(expected: "one object", found: found))
  }

  /// Checks the value at the end of the root path, which is the only root object.
  func checkOnly(
    _ value: JSONValue, at path: [JSONPath.Step], _ location: () -> TextLocation?
  ) throws(MappingError) {
    guard form.readsMembers || value.node.isNull else { return }
    let expected =
      form.readsMembers
      ? "an object with a member for each root object"
      : form.readsRows ? "an array of arrays" : "an object or an array of objects"
    throw MappingError(
      path: JSONPath(path), location: location(), reason: .unexpected(expected: expected, found: value.found))
  }

  /// Makes sure that `seek` can go back to the end of a batch later.
  ///
  /// - Parameter isHeld: False if it will not have to.
  func hold(_ position: Position, isHeld: Bool) { window.hold(position.mark, isHeld: isHeld) }

  func seek(to position: Position) throws {
    try window.goBack(to: position.mark)
    while window.end < position.offset, !window.isComplete { try window.more() }
    self.position = position
  }

  /// Makes an empty batch.
  ///
  /// - Throws: ``SystemError``.
  func makeBatch() throws(SystemError) -> ParsedBatch {
    let batch = ParsedBatch(
      try JSONReader(maxDepth: reader.maxDepth, textName: reader.textName, keepsReals: reader.keepsReals),
      of: self)
    try outside.addContext(to: batch)
    return batch
  }

  /// Replaces the root objects of a batch with the next ones, at most `limit`. There are none at the end.
  func read(_ limit: Int, into batch: ParsedBatch) throws {
    batch.empty(first: position.count)
    (batch.source, batch.firstPlace) = (self, position.passed.roots + position.count)
    let limit = beginCount(limit)
    try outside.addContext(to: batch)
    if case .elements(let outerDepth) = layout {
      try window.drop(before: position.offset)
      try readElements(limit, outerDepth, into: batch)
    }
    switch layout {
    case .elements: break
    case .lines:
      try window.drop(before: position.offset)
      try readLines(limit, into: batch)
    case .whole(let only):
      if !position.hasEnded {
        batch.roots = [only.root]
        batch.rootFaults[batch.first] = only.fault
      }
      position.hasEnded = true
    case .tree(let tree):
      position.count = min(tree.nodes.count, batch.first + limit)
      batch.roots += (batch.first..<position.count).lazy.map { tree.root(at: $0) }
      batch.pages = tree.pages
    }
    try outside.addDocument(to: batch)
    position.mark = window.shown.mark
    if !form.isTree { batch.text = window.shown }
    batch.end = position
    try countUnread(in: batch)
  }

  /// Whether a batch has enough text or trees.
  func isFull(_ batch: ParsedBatch) -> Bool {
    guard let first = batch.offsets.first else { return false }
    return position.offset - first >= Self.batchBytes || batch.reader.treeBytes >= Self.batchTreeBytes
  }

  /// About how many bytes of text follow a batch, in at most so many root objects. 0 if no text is read batch by
  /// batch. A stream that has not ended is expected to have as many more bytes as have come.
  func bytesAhead(of batch: ParsedBatch, rootLimit: Int?) -> Int {
    guard let first = batch.offsets.first else { return 0 }
    let left = window.isComplete ? window.end - position.offset : position.offset
    let each = max(1, (position.offset - first) / batch.offsets.count)
    guard let rootLimit, rootLimit <= left / each else { return left }
    return rootLimit * each
  }

  func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  func error(_ code: fastmap_read_error, at offset: Int) -> JSONSyntaxError {
    // A message shows a character, and a stream may have brought only a part of it.
    while window.end > offset, window.end - offset < 4, window[offset] >= 0x80, !window.isComplete {
      do { try window.more() } catch { break }
    }
    return advise(reader.error(code, at: offset, in: window), code)
  }
}
