internal import CFastMap

/// Hands out the root objects of a payload a batch at a time.
///
///     an array of a text, at its root or at a root path     element by element, each batch in the memory of the last
///     one value a line                                      the same
///     one value of a text, or a tree of the caller's        as a whole
///
/// A text is in memory or arrives as a stream, of which a window shows the batch at hand: see `TextWindow`.
///
/// It may be read on one thread while another asks where the objects of a batch stand, which goes by the batch, with
/// its piece of the text, and by what never changes.
final class RootSource {
  typealias Root = RootBatch.Root

  /// How far the source has been read.
  struct Position {
    /// Root objects handed out.
    var count = 0
    /// Where the next one is looked for.
    var offset = 0
    var lines = 0
    var hasEnded = false
    /// In an array: what is to come.
    var due = Due.first
    /// Of a stream: what is open around the array.
    var outside = RootPathScan.Position()
    /// Where the window began.
    var mark = TextPiece.Mark()
  }

  /// What is to come in an array.
  enum Due {
    /// An element or the end, an element, a comma or the end, or what follows the end.
    case first, element, comma, nothing
  }

  enum Layout {
    /// Elements of an array that stands inside of so many others, for the limit of depth.
    case elements(outerDepth: Int)
    case lines
    /// The value, and where it stands: at the end of the root path, or where the window begins.
    case whole(Root, isAtRootPath: Bool)
    /// A tree's array.
    case array(JSONNode, BigIntegers?)
  }

  /// The bytes of text that a batch has, unless it is a single larger object: enough to be worth a batch, and
  /// little enough to stay in memory.
  static let batchBytes = 2 << 20
  /// The bytes of its trees. Most texts take less with so many objects as a batch has; `[[],[],…]` takes 40 bytes a byte.
  static let batchTreeBytes = 8 << 20

  var window: TextWindow
  let hasText: Bool
  /// For what is read as a whole; batches have their own.
  let reader: JSONReader
  /// Nil for the whole payload, or a whole line.
  let rootPath: JSONKeyPath?
  var layout = Layout.lines
  var position = Position()
  /// Of a stream whose window has given way to its only value.
  var streamLength: Int?
  /// What is wanted of a root object; nil for everything.
  let shape: UnsafePointer<fastmap_shape>?
  private let onPlaceSearch: (@Sendable (Int) -> Void)?
  /// Made when a value is cut for the first time.
  var skipper: ValueSkipper?

  /// Reads a text that outlives the source.
  convenience init(_ bytes: UnsafeRawBufferPointer, plan: Plan, options: ImportOptions) throws {
    try self.init(TextWindow(TextPiece(bytes)), plan: plan, options: options)
  }

  /// Reads the text of a window: of a stream so much that the root objects can follow.
  init(_ window: TextWindow, plan: Plan, options: ImportOptions) throws {
    self.window = window
    hasText = true
    reader = try JSONReader(
      maxDepth: options.maxDepth, textName: options.format == .ndjson ? "line" : "input")
    rootPath = try Self.rootPath(options, plan)
    // A delegate is shown whole representations.
    shape = options.delegate == nil ? plan.compiled.shape : nil
    onPlaceSearch = options.onPlaceSearch
    while window.bytes.count < 3, !window.isComplete { try window.more() }
    position.offset = window.bytes.textStart
    if options.format == .json { layout = window.isStream ? try findStreamLayout() : try findLayout() }
    position.mark = self.window.shown.mark
  }

  /// Goes over a tree that outlives the source, once it is known to be one.
  init(_ root: JSONNode, _ bigIntegers: BigIntegers?, plan: Plan, options: ImportOptions) throws {
    try root.checkTree(maxDepth: options.maxDepth)
    window = TextWindow(TextPiece(UnsafeRawBufferPointer(start: nil, count: 0)))
    hasText = false
    reader = try JSONReader()
    rootPath = try Self.rootPath(options, plan, isTree: true)
    shape = nil
    onPlaceSearch = nil
    let node = try follow(rootPath, from: JSONValue(root, bigIntegers), base: JSONPath(), at: 0)
    layout =
      node.elements == nil
      ? .whole(Root(node: node, bigIntegers: bigIntegers), isAtRootPath: true) : .array(node, bigIntegers)
  }

  /// - Throws: ``MappingDefinitionError`` for a path that a mapping could not have either.
  private static func rootPath(
    _ options: ImportOptions, _ plan: Plan, isTree: Bool = false
  ) throws(MappingDefinitionError) -> JSONKeyPath? {
    if let path = options.rootPath, let reason = path.faultAsRoot {
      throw MappingDefinitionError([.init(place: JSONPath([.member("rootPath")]), reason: reason)])
    }
    // A line is one object, as an export writes it.
    if options.rootPath == nil, options.format == .ndjson, !isTree { return nil }
    let path = options.rootPath ?? plan.root.rootPath
    return path.isWhole ? nil : path
  }

  /// Whether the root objects are the elements of an array, or stand in lines.
  var isCollection: Bool {
    if case .whole = layout { false } else { true }
  }

  /// - Throws: ``MappingError`` where there is more than one object to be read.
  func refuseCollection() throws(MappingError) {
    guard isCollection else { return }
    var found = "an array"
    if case .lines = layout { found = "a value a line" }
    let path = JSONPath(rootSteps)
    throw MappingError(
      path: path,
      location: hasText ? location(of: rootSteps, from: window.bytes.textStart, in: window.shown) : nil,
      reason: .unexpected(expected: "one object", found: found))
  }

  /// Makes sure that `seek` can go back to where a batch ended, from wherever the source will be.
  ///
  /// - Parameter isHeld: False where it will not be asked to.
  func hold(_ position: Position, isHeld: Bool) { window.hold(position.mark, isHeld: isHeld) }

  /// Goes back to where a batch ended.
  func seek(to position: Position) throws {
    try window.goBack(to: position.mark)
    while window.end < position.offset, !window.isComplete { try window.more() }
    self.position = position
  }

  /// How much of the text has been handed out.
  var bytesDone: Int { position.hasEnded ? streamLength ?? window.end : position.offset }

  /// Makes an empty batch, to be read into.
  ///
  /// - Throws: ``OutOfMemoryError``.
  func makeBatch() throws(OutOfMemoryError) -> RootBatch {
    RootBatch(try JSONReader(maxDepth: reader.maxDepth, textName: reader.textName), end: position)
  }

  /// Reads the next root objects, at most `limit`, in place of those that a batch has; none at the end.
  func read(_ limit: Int, into batch: RootBatch) throws {
    batch.empty(first: position.count)
    switch layout {
    case .elements(let outerDepth):
      try window.drop(before: position.offset)
      try readElements(limit, outerDepth, into: batch)
      // Behind an empty array of a stream there may be one object.
      if case .whole = layout { return try read(limit, into: batch) }
    case .lines:
      try window.drop(before: position.offset)
      try readLines(limit, into: batch)
    case .whole(let root, _):
      if !position.hasEnded { batch.roots = [root] }
      position.hasEnded = true
    case .array(let array, let bigIntegers):
      let elements = array.elements
      position.count = min(elements?.count ?? 0, batch.first + limit)
      for index in batch.first..<position.count {
        guard let node = elements?[index] else { break }
        batch.roots.append(Root(node: node, bigIntegers: bigIntegers, index: index))
      }
    }
    position.mark = window.shown.mark
    if hasText { batch.text = window.shown }
    batch.end = position
    batch.bytesDone = bytesDone
  }

  /// Whether a batch has enough text, or makes enough of it.
  func isFull(_ batch: RootBatch) -> Bool {
    guard let first = batch.offsets.first else { return false }
    return position.offset - first >= Self.batchBytes || batch.reader.treeBytes >= Self.batchTreeBytes
  }

  /// About how many bytes of text follow a batch, or so many root objects behind it have; 0 where there is no text
  /// that is read batch by batch. A stream that has not ended is taken to have as much again as has come.
  func bytesAhead(of batch: RootBatch, rootLimit: Int?) -> Int {
    guard let first = batch.offsets.first else { return 0 }
    let left = window.isComplete ? window.end - position.offset : position.offset
    let each = max(1, (position.offset - first) / batch.offsets.count)
    guard let rootLimit, rootLimit <= left / each else { return left }
    return rootLimit * each
  }

  func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  // MARK: Where things stand

  var rootSteps: [JSONPath.Step] { rootPath?.rootSteps ?? [] }

  /// The path of a root object.
  func path(ofRoot index: Int?) -> JSONPath {
    guard let index else { return JSONPath(rootSteps) }
    if case .lines = layout { return JSONPath([.index(index)] + rootSteps) }
    return JSONPath(rootSteps + [.index(index)])
  }

  /// Something that stands some steps inwards of a root object, or of the only one.
  struct Place {
    var root: Int?
    var steps: [JSONPath.Step] = []
  }

  /// Where places stand in the text of a batch; nil for a tree without a text.
  ///
  /// - Parameter places: Those of the objects before it.
  /// - Complexity: O(*n* log *n*) in the places and their steps, and O(*n*) in the bytes of the objects that they are in
  ///   and of those between them.
  func locations(of wanted: [Place], in batch: RootBatch, from places: RootPlaces) -> [TextLocation?] {
    guard hasText else { return wanted.map { _ in nil } }
    let text = batch.text ?? window.shown
    var found: [(offset: Int, index: Int)] = []
    found.reserveCapacity(wanted.count)
    for (start, places) in byStart(wanted, in: batch, text) {
      var finder = PlaceFinder(text.bytes, from: start - text.start, maxDepth: reader.maxDepth)
      for place in places { finder.add(place.steps) }
      for (place, offset) in zip(places, finder.find()) { found.append((text.start + offset, place.index)) }
      onPlaceSearch?(finder.scannedBytes)
    }
    found.sort { $0.offset < $1.offset }
    var locations = [TextLocation?](repeating: nil, count: wanted.count)
    for place in found {
      locations[place.index] = text.location(
        of: place.offset, from: places.mark(at: place.offset, of: batch, in: text))
    }
    return locations
  }

  private struct Inner {
    var index: Int
    var steps: [JSONPath.Step]
  }

  /// By the value that the text is read from, ascending: what is wanted from inside of it.
  private func byStart(
    _ wanted: [Place], in batch: RootBatch, _ text: TextPiece
  ) -> [(start: Int, places: [Inner])] {
    var starts: [Int: [Inner]] = [:]
    for (index, place) in wanted.enumerated() {
      var start = text.start == 0 ? text.bytes.textStart : text.start
      var steps = rootSteps + place.steps
      if let root = place.root {
        guard let offset = batch.offset(ofRoot: root) else { continue }
        start = offset
        if case .elements = layout { steps = place.steps }
      } else if case .whole(_, isAtRootPath: false) = layout {
        steps = place.steps
      }
      starts[start, default: []].append(Inner(index: index, steps: steps))
    }
    return starts.sorted { $0.key < $1.key }.map { (start: $0.key, places: $0.value) }
  }

  /// The place of what stands some steps inwards of the value at an offset.
  func location(
    of steps: some Sequence<JSONPath.Step>, from start: Int, in text: TextPiece
  ) -> TextLocation {
    var finder = PlaceFinder(text.bytes, from: start - text.start, maxDepth: reader.maxDepth)
    finder.add(steps)
    return text.location(of: text.start + finder.find()[0])
  }

  func error(_ code: fastmap_read_error, at offset: Int) -> JSONSyntaxError {
    // A message shows a character, of which a stream may have brought only a part.
    while window.end > offset, window.end - offset < 4, window[offset] >= 0x80, !window.isComplete {
      do { try window.more() } catch { break }
    }
    return reader.error(code, at: offset, in: window)
  }
}

extension JSONKeyPath {
  /// The steps of a root path, which has no `[]`.
  var rootSteps: [JSONPath.Step] {
    steps.compactMap { step in
      switch step {
      case .member(let name): .member(name)
      case .index(let index): .index(index)
      case .each: nil
      }
    }
  }
}
