internal import CFastMap

/// Hands out the root objects of a payload a batch at a time.
///
///     an array of a text, at its root or at a root path     element by element, each batch in the memory of the last
///     one value a line                                      the same
///     one value of a text, or a tree of the caller's        as a whole
final class RootSource {
  /// A root object and its index in the root array; nil for a lone object.
  struct Root {
    var node: JSONNode
    var bigIntegers: BigIntegers?
    var index: Int?
  }

  /// How far the source has been read.
  struct Position {
    /// Root objects handed out.
    fileprivate var count = 0
    /// Where the next one is looked for.
    fileprivate var offset = 0
    fileprivate var lines = 0
    fileprivate var hasEnded = false
  }

  private enum Layout {
    /// Elements of an array whose bracket stands at `start`.
    case elements(start: Int)
    case lines
    case whole(Root)
    /// A tree's array.
    case array(JSONNode)
  }

  private let bytes: UnsafeRawBufferPointer
  private let hasText: Bool
  private let reader: JSONReader
  let rootPath: JSONKeyPath?
  private var layout = Layout.lines
  private(set) var position = Position()
  /// Where the root objects of the batch at hand begin; the first is number `firstRoot`.
  private var offsets: [Int] = []
  private var firstRoot = 0

  /// Reads a text that outlives the source.
  init(_ bytes: UnsafeRawBufferPointer, plan: Plan, options: ImportOptions) throws {
    self.bytes = bytes
    hasText = true
    reader = try JSONReader(maxDepth: options.maxDepth)
    rootPath = options.rootPath ?? plan.root.rootPath
    position.offset = bytes.textStart
    if options.format == .json { layout = try findLayout() }
    if case .elements(let start) = layout { position.offset = start }
  }

  /// Goes over a tree that outlives the source.
  init(_ root: JSONNode, _ bigIntegers: BigIntegers?, plan: Plan, options: ImportOptions) throws {
    bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    hasText = false
    reader = try JSONReader()
    rootPath = options.rootPath ?? plan.root.rootPath
    let node = try follow(rootPath, from: root, base: JSONPath(), at: 0)
    layout = node.elements == nil ? .whole(Root(node: node, bigIntegers: bigIntegers)) : .array(node)
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
      path: path, location: location(root: nil, steps: []),
      reason: .unexpected(expected: "one object", found: found))
  }

  /// Goes back to where a batch ended.
  func seek(to position: Position) { self.position = position }

  /// How much of the text has been handed out.
  var bytesDone: Int { position.hasEnded ? bytes.count : position.offset }

  /// The next root objects, at most `limit`; they live until the next call. Empty at the end.
  func nextBatch(limit: Int) throws -> [Root] {
    offsets.removeAll(keepingCapacity: true)
    firstRoot = position.count
    switch layout {
    case .elements(let start):
      reader.reset()
      return try nextElements(limit, isFirst: position.offset == start)
    case .lines:
      reader.reset()
      return try nextLines(limit)
    case .whole(let root):
      defer { position.hasEnded = true }
      return position.hasEnded ? [] : [root]
    case .array(let array):
      guard let elements = array.elements else { return [] }
      position.count = min(elements.count, firstRoot + limit)
      return (firstRoot..<position.count).map { Root(node: elements[$0], index: $0) }
    }
  }

  // MARK: The layout of a text

  private func findLayout() throws -> Layout {
    let first = skipSpace(position.offset)
    if rootPath == nil, first < bytes.count, bytes[first] == UInt8(ascii: "[") {
      return .elements(start: first)
    }
    guard let rootPath else {
      let reading = try reader.read(bytes, from: position.offset)
      try refuseNull(reading.node, at: JSONPath(), 0)
      return .whole(Root(node: reading.node, bigIntegers: reading.bigIntegers))
    }
    // The whole text must be right, also behind the objects.
    try reader.check(bytes, from: position.offset)
    var scanner = TextScanner(bytes, from: position.offset)
    if let start = scanner.offset(of: rootSteps),
      bytes[start] == UInt8(ascii: "[")
    {
      return .elements(start: start)
    }
    let reading = try reader.read(bytes, from: position.offset)
    let node = try follow(rootPath, from: reading.node, base: JSONPath(), at: 0)
    return .whole(Root(node: node, bigIntegers: reading.bigIntegers))
  }

  /// - Parameter start: Where the root's text begins.
  private func follow(
    _ path: JSONKeyPath?, from root: JSONNode, base: JSONPath, at start: Int
  ) throws(MappingError) -> JSONNode {
    var node = root
    var here = base
    func location() -> TextLocation? {
      guard hasText else { return nil }
      var scanner = TextScanner(bytes, from: start)
      return TextScanner.location(of: scanner.find(here.steps.dropFirst(base.steps.count)), in: bytes)
    }
    for (step, next) in zip(path?.steps ?? [], path?.rootSteps ?? []) {
      let isArray = if case .index = step { true } else { false }
      if isArray ? node.elements == nil : !node.isObject {
        throw MappingError(
          path: here, location: location(),
          reason: .unexpected(expected: isArray ? "an array" : "an object", found: node.found))
      }
      here = here.appending(next)
      guard let inner = node[step] else {
        throw MappingError(path: here, location: location(), reason: .missingRoot(here))
      }
      node = inner
    }
    if node.isNull {
      throw MappingError(
        path: here, location: location(),
        reason: .unexpected(expected: "an object or an array of objects", found: "null"))
    }
    return node
  }

  private func refuseNull(_ node: JSONNode, at path: JSONPath, _ start: Int) throws(MappingError) {
    _ = try follow(nil, from: node, base: path, at: start)
  }

  // MARK: Elements of an array

  private func nextElements(_ limit: Int, isFirst: Bool) throws -> [Root] {
    var found: [Root] = []
    var isFirst = isFirst
    if isFirst { position.offset += 1 }
    while found.count < limit, !position.hasEnded {
      var next = skipSpace(position.offset)
      let isEnd = next < bytes.count && bytes[next] == UInt8(ascii: "]")
      if isEnd {
        try end(at: next + 1)
        break
      }
      if !isFirst {
        guard next < bytes.count, bytes[next] == UInt8(ascii: ",") else {
          throw reader.error(FASTMAP_READ_COMMA_OR_BRACKET_EXPECTED, at: next, in: bytes)
        }
        next = skipSpace(next + 1)
      }
      isFirst = false
      let reading = try reader.read(bytes, from: next, isWhole: false)
      found.append(Root(node: reading.node, bigIntegers: reading.bigIntegers, index: position.count))
      offsets.append(next)
      position.count += 1
      position.offset = reading.end
    }
    return found
  }

  /// Nothing may follow the array at the root; behind one at a root path the text has been checked.
  private func end(at offset: Int) throws(JSONSyntaxError) {
    position.offset = offset
    position.hasEnded = true
    guard rootPath == nil else { return }
    let rest = skipSpace(offset)
    if rest < bytes.count { throw reader.error(FASTMAP_READ_END_EXPECTED, at: rest, in: bytes) }
  }

  private func skipSpace(_ start: Int) -> Int {
    var offset = start
    while offset < bytes.count, isSpace(bytes[offset]) { offset += 1 }
    return offset
  }

  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  // MARK: One value a line

  private func nextLines(_ limit: Int) throws -> [Root] {
    var found: [Root] = []
    while found.count < limit, position.offset < bytes.count {
      let start = position.offset
      let length = lineLength(from: start)
      let line = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + length)])
      position.offset = min(bytes.count, start + length + 1)
      position.lines += 1
      if line.allSatisfy(isSpace) { continue }
      offsets.append(start)
      let reading = try read(line, number: position.lines, offset: start)
      let root = try follow(rootPath, from: reading.node, base: JSONPath([.index(position.count)]), at: start)
      found.append(Root(node: root, bigIntegers: reading.bigIntegers, index: position.count))
      position.count += 1
    }
    return found
  }

  private func lineLength(from start: Int) -> Int {
    guard let base = bytes.baseAddress, let end = memchr(base + start, 0x0A, bytes.count - start) else {
      return bytes.count - start
    }
    return UnsafeRawPointer(end) - (base + start)
  }

  private func read(
    _ line: UnsafeRawBufferPointer, number: Int, offset: Int
  ) throws(JSONSyntaxError) -> JSONReader.Reading {
    do {
      return try reader.read(line)
    } catch {
      throw JSONSyntaxError(
        location: TextLocation(line: number, column: error.location.column),
        offset: offset + error.offset, reason: error.reason)
    }
  }

  // MARK: Where things stand

  private var rootSteps: [JSONPath.Step] { rootPath?.rootSteps ?? [] }

  /// The path of a root object.
  func path(ofRoot index: Int?) -> JSONPath {
    guard let index else { return JSONPath(rootSteps) }
    if case .lines = layout { return JSONPath([.index(index)] + rootSteps) }
    return JSONPath(rootSteps + [.index(index)])
  }

  /// The place in the text of what stands `steps` inwards of a root object of the batch at hand; nil for a tree without
  /// a text.
  func location(root index: Int?, steps: [JSONPath.Step]) -> TextLocation? {
    guard hasText else { return nil }
    var start = bytes.textStart
    var inner = rootSteps + steps
    if let index {
      guard offsets.indices.contains(index - firstRoot) else { return nil }
      start = offsets[index - firstRoot]
      if case .elements = layout { inner = steps }
    }
    var scanner = TextScanner(bytes, from: start)
    return TextScanner.location(of: scanner.find(inner), in: bytes)
  }
}

extension JSONKeyPath {
  /// The steps of a root path, which has no `[]`.
  fileprivate var rootSteps: [JSONPath.Step] {
    steps.compactMap { step in
      switch step {
      case .member(let name): .member(name)
      case .index(let index): .index(index)
      case .each: nil
      }
    }
  }
}
