package import CFastMap

/// Hands out the root objects of a payload a batch at a time.
///
///     an array of a text, at its root or at a root path     element by element, each batch in the memory of the last
///     arrays and objects at a root path with []             the same, page by page
///     one value a line                                      the same
///     one value of a text, or a tree of the caller's        as a whole
///
/// A text is in memory or arrives as a stream. A `TextWindow` shows the part of it that a batch needs.
///
/// One thread may read it while another asks for the places of objects of a batch. The answer uses only the batch, with
/// its piece of the text, and constants of the source.
package final class RootSource {
  package typealias Root = ParsedBatch.Root

  /// How far the source has been read.
  package struct Position {
    /// Root objects handed out.
    package var count = 0
    /// Where the next one is looked for.
    var offset = 0
    var lines = 0
    var hasEnded = false
    /// The next part of an array.
    var due = Due.first
    /// The open values around the array, of a stream and of a root path with `[]`.
    var outside = RootPathScan.Position()
    /// The number of root objects before this page, for a root path with `[]`.
    var pageFirst = 0
    var pages = PageSearch()
    /// Where the window began.
    var mark = TextPiece.Mark()
  }

  /// The next part of an array.
  package enum Due {
    /// An element or the end, an element, a comma or the end, or the text after the end.
    case first, element, comma, nothing
  }

  package enum Layout {
    /// Elements of an array that stands inside of so many others, for the limit of depth.
    case elements(outerDepth: Int)
    case members(outerDepth: Int)
    case lines
    /// The value, and where it stands: at the end of the root path, or where the window begins.
    case whole(Root, isAtRootPath: Bool)
    /// The members of a tree's object.
    case object([(name: UnsafeBufferPointer<UInt8>, value: JSONNode)], BigIntegers?)
    case array(JSONNode, BigIntegers?)
    /// The objects on the pages of a tree.
    case pages([JSONNode], [ParsedBatch.Page], BigIntegers?)
  }

  /// The bytes of text in a batch, unless it is a single larger object.
  static let batchBytes = 2 << 20
  /// The bytes of its trees. Most batches take less, but `[[],[],…]` takes 40 bytes a byte of text.
  static let batchTreeBytes = 8 << 20

  var window: TextWindow
  let hasText: Bool
  /// For values that are read as a whole. Batches have their own.
  let reader: JSONReader
  /// Nil for the whole payload, or a whole line.
  let rootPath: JSONKeyPath?
  /// Whether the root path has `[]`, and so leads to several arrays or objects.
  let fansOut: Bool
  /// Whether an object is an array.
  let readsRows: Bool
  /// Whether the root objects are the members of an object.
  let readsMembers: Bool
  var layout = Layout.lines
  package var position = Position()
  /// The length of a stream, once its only value has replaced its window.
  var streamLength: Int?
  /// The members of a root object that mappings read; nil for all.
  let readShape: UnsafePointer<fastmap_shape>?
  /// The members of a root object that are built; nil for all. A delegate is shown whole representations.
  package let shape: UnsafePointer<fastmap_shape>?
  let onPlaceSearch: (@Sendable (Int) -> Void)?
  /// Whether a line that is not JSON is left out, with an error of its own.
  let skipsLines: Bool
  /// The end of the first line, if that looks like a row of CSV.
  var endOfCSVLine: Int?
  /// The values that the plan reads from the document and from the caller.
  var outside: OutsideValues
  /// The fault of the only root object, if it could not be read.
  var onlyFault: ParsedBatch.RootFault?
  /// Whether the text around the root objects is checked once they have been read.
  var checksOutside = false
  /// Made when a value is cut for the first time.
  var skipper: ValueSkipper?

  /// Reads a text that outlives the source.
  package convenience init(_ bytes: UnsafeRawBufferPointer, plan: Plan, options: ImportOptions) throws {
    try self.init(TextWindow(TextPiece(bytes)), plan: plan, options: options)
  }

  /// Reads an input that outlives the source.
  package convenience init(_ input: LentJSON, plan: Plan, options: ImportOptions) throws {
    switch input {
    case .text(let bytes): try self.init(bytes, plan: plan, options: options)
    case .tree(let root): try self.init(root.node, root.bigIntegers, plan: plan, options: options)
    }
  }

  /// Reads the text of a window; of a stream, as much as comes before the root objects.
  package init(_ window: TextWindow, plan: Plan, options: ImportOptions) throws {
    self.window = window
    hasText = true
    reader = try JSONReader(
      maxDepth: options.maxDepth, textName: options.format == .ndjson ? "line" : "input",
      keepsReals: plan.compiled.keepsReals)
    rootPath = try Self.rootPath(options, plan)
    fansOut = rootPath?.isEach ?? false
    readsRows = plan.root.isRow
    readsMembers = plan.keyedRoot != nil && options.format != .ndjson
    readShape = plan.compiled.shape
    shape = options.delegate == nil ? readShape : nil
    onPlaceSearch = options.onPlaceSearch
    skipsLines = options.faults == .skip
    outside = try OutsideValues(plan, options)
    while window.bytes.count < 3, !window.isComplete { try window.more() }
    position.offset = window.bytes.textStart
    checksOutside = window.isStream
    try lookAtBeginning()
    if options.format == .json, !window.isStream { try readDocument(window.bytes, from: position.offset) }
    if fansOut {
      layout = .elements(outerDepth: steps.count + 1)
      position.due = .nothing
    } else if options.format == .json {
      layout = window.isStream ? try findStreamLayout() : try findLayout()
    }
    position.mark = self.window.shown.mark
  }

  /// Takes a tree that outlives the source, and checks it.
  package init(_ root: JSONNode, _ bigIntegers: BigIntegers?, plan: Plan, options: ImportOptions) throws {
    try root.checkTree(maxDepth: options.maxDepth)
    window = TextWindow(TextPiece(UnsafeRawBufferPointer(start: nil, count: 0)))
    hasText = false
    reader = try JSONReader()
    rootPath = try Self.rootPath(options, plan, isTree: true)
    fansOut = rootPath?.isEach ?? false
    readsRows = plan.root.isRow
    readsMembers = plan.keyedRoot != nil
    readShape = nil
    shape = nil
    onPlaceSearch = nil
    skipsLines = false
    outside = try OutsideValues(plan, options)
    outside.document = root
    if fansOut {
      layout = try pages(of: JSONValue(root, bigIntegers))
      return
    }
    let node = try follow(rootPath, from: JSONValue(root, bigIntegers), base: JSONPath(), at: 0)
    if readsMembers {
      guard let members = node.members else { throw noMembers(JSONValue(node, bigIntegers), nil) }
      layout = .object(Array(members), bigIntegers)
      return
    }
    layout =
      node.elements == nil
      ? .whole(Root(node: node, bigIntegers: bigIntegers), isAtRootPath: true) : .array(node, bigIntegers)
  }

  /// - Throws: ``MappingDefinitionError`` for a path that is invalid in a mapping too.
  private static func rootPath(
    _ options: ImportOptions, _ plan: Plan, isTree: Bool = false
  ) throws(MappingDefinitionError) -> JSONKeyPath? {
    let isLine = options.format == .ndjson && !isTree
    if let path = options.rootPath, let reason = isLine ? path.faultInLine : path.faultAsRoot {
      throw MappingDefinitionError([.init(place: JSONPath([.member("rootPath")]), reason: reason)])
    }
    // A line is one object, as an export writes it.
    if options.rootPath == nil, isLine { return nil }
    let path = options.rootPath ?? plan.root.rootPath
    if plan.keyedRoot != nil, path.isEach {
      let reason =
        "expected a path to one object, as its members are the root objects, found \(quoted(path.description))"
      throw MappingDefinitionError([.init(place: JSONPath([.member("rootPath")]), reason: reason)])
    }
    return path.isWhole ? nil : path
  }

  /// Whether the root objects are elements of an array, or lines.
  var isCollection: Bool {
    if case .whole = layout { false } else { true }
  }

  /// Takes an array for the only root object, if an object is one.
  ///
  /// - Throws: ``MappingError`` if there can be more than one root object; ``JSONSyntaxError``.
  package func requireOne() throws {
    guard isCollection else { return }
    if readsRows, !fansOut, try readRow() { return }
    var found = readsMembers ? "an object with a member for each" : "an array"
    if case .lines = layout { found = "a value a line" }
    let path = JSONPath(rootSteps)
    throw MappingError(
      path: path,
      location: hasText ? location(of: rootSteps, from: window.bytes.textStart, in: window.shown) : nil,
      reason: .unexpected(expected: "one object", found: found))
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

  /// The bytes of text that batches have had.
  var bytesDone: Int { position.hasEnded ? streamLength ?? window.end : position.offset }

  /// Makes an empty batch.
  ///
  /// - Throws: ``SystemError``.
  func makeBatch() throws(SystemError) -> ParsedBatch {
    let batch = ParsedBatch(
      try JSONReader(maxDepth: reader.maxDepth, textName: reader.textName, keepsReals: reader.keepsReals),
      end: position)
    try outside.addContext(to: batch)
    return batch
  }

  /// Replaces the root objects of a batch with the next ones, at most `limit`. There are none at the end.
  func read(_ limit: Int, into batch: ParsedBatch) throws {
    batch.empty(first: position.count)
    try outside.addContext(to: batch)
    switch layout {
    case .elements(let outerDepth), .members(let outerDepth):
      try window.drop(before: position.offset)
      try readElements(limit, outerDepth, into: batch)
      // After an empty array of a stream there may be one object.
      if case .whole = layout { return try read(limit, into: batch) }
    case .lines:
      try window.drop(before: position.offset)
      try readLines(limit, into: batch)
    case .whole(let root, _):
      if !position.hasEnded {
        batch.roots = [root]
        batch.rootFaults[batch.first] = onlyFault
      }
      position.hasEnded = true
    case .pages(let nodes, let pages, let bigIntegers):
      position.count = min(nodes.count, batch.first + limit)
      batch.pages = pages
      for index in batch.first..<position.count {
        batch.roots.append(Root(node: nodes[index], bigIntegers: bigIntegers, index: index))
      }
    case .object(let members, let bigIntegers):
      position.count = min(members.count, batch.first + limit)
      for index in batch.first..<position.count {
        let (name, value) = members[index]
        batch.roots.append(Root(node: value, bigIntegers: bigIntegers, index: index, name: name))
      }
    case .array(let array, let bigIntegers):
      let elements = array.elements
      position.count = min(elements?.count ?? 0, batch.first + limit)
      for index in batch.first..<position.count {
        guard let node = elements?[index] else { break }
        batch.roots.append(Root(node: node, bigIntegers: bigIntegers, index: index))
      }
    }
    try outside.addDocument(to: batch)
    position.mark = window.shown.mark
    if hasText { batch.text = window.shown }
    batch.end = position
    batch.bytesDone = bytesDone
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

  func noMembers(_ value: JSONValue, _ location: TextLocation?) -> MappingError {
    MappingError(
      path: JSONPath(rootSteps), location: location,
      reason: .unexpected(expected: "an object with a member for each root object", found: value.found))
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

extension JSONKeyPath {
  /// The steps of a root path up to its `[]`.
  var rootSteps: [JSONPath.Step] {
    steps.prefix { $0 != .each }.compactMap { step in
      switch step {
      case .member(let name): .member(name)
      case .index(let index): .index(index)
      case .each: nil
      }
    }
  }
}
