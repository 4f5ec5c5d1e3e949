/// Hands out the root objects of a payload a batch at a time. The seam behind which a streaming reader can stand.
final class RootSource {
  /// A root object and its index in the root array; nil for a lone object.
  struct Root {
    var node: JSONNode
    var index: Int?
  }

  private let bytes: UnsafeRawBufferPointer?
  private let format: ImportOptions.Format
  let rootPath: JSONKeyPath?

  private var document: TreeBox?
  private var lines: [TreeBox] = []
  private var roots: JSONNode?
  private(set) var position = Position()
  /// Where the lines of the batch at hand begin; the first is that of root object `firstLine`.
  private var lineOffsets: [Int] = []
  private var firstLine = 0
  private lazy var elementOffsets: [Int] = findElements()

  /// Reads a text.
  init(_ bytes: UnsafeRawBufferPointer, plan: Plan, options: ImportOptions) throws {
    self.bytes = bytes
    format = options.format
    rootPath = options.rootPath ?? plan.root.rootPath
    guard format == .json else { return }
    let box = TreeBox(try JSONDocument(parsing: bytes))
    document = box
    roots = try Self.follow(rootPath, from: box.root, base: JSONPath(), in: bytes)
  }

  /// Goes over a tree that outlives the source.
  init(_ root: JSONNode, plan: Plan, options: ImportOptions) throws {
    bytes = nil
    format = .json
    rootPath = options.rootPath ?? plan.root.rootPath
    roots = try Self.follow(rootPath, from: root, base: JSONPath(), in: nil)
  }

  /// How far the source has been read.
  struct Position {
    /// Root objects handed out.
    fileprivate var count = 0
    /// Where the next line begins.
    fileprivate var offset = 0
    fileprivate var lines = 0
  }

  /// Goes back to where a batch ended.
  func seek(to position: Position) { self.position = position }

  /// How much of the text has been handed out.
  var bytesDone: Int {
    guard let bytes else { return 0 }
    if format == .ndjson { return position.offset }
    let total = max(1, roots?.elements?.count ?? 1)
    return Int(Double(bytes.count) * Double(min(position.count, total)) / Double(total))
  }

  /// The next root objects, at most `limit`; they live until the next call. Empty at the end.
  func nextBatch(limit: Int) throws -> [Root] {
    if format == .ndjson { return try nextLines(limit: limit) }
    guard let roots else { return [] }
    guard let elements = roots.elements else {
      defer { position.count = 1 }
      return position.count == 0 ? [Root(node: roots, index: nil)] : []
    }
    let start = position.count
    position.count = min(elements.count, start + limit)
    return (start..<position.count).map { Root(node: elements[$0], index: $0) }
  }

  /// - Parameter start: Where the root's text begins in `text`.
  private static func follow(
    _ path: JSONKeyPath?, from root: JSONNode, base: JSONPath, in text: UnsafeRawBufferPointer?,
    at start: Int = 0
  ) throws(MappingError) -> JSONNode {
    var node = root
    var here = base
    func location() -> TextLocation? {
      guard let text else { return nil }
      var scanner = TextScanner(text, from: start)
      return TextScanner.location(of: scanner.find(here.steps.dropFirst(base.steps.count)), in: text)
    }
    for name in path?.components ?? [] {
      if !node.isObject {
        throw MappingError(
          path: here, location: location(), reason: .unexpected(expected: "an object", found: node.found))
      }
      here = here.appending(name)
      guard let inner = node[name] else {
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

  // MARK: One value a line

  private func nextLines(limit: Int) throws -> [Root] {
    guard let bytes else { return [] }
    lines = []
    lineOffsets = []
    firstLine = position.count
    var found: [Root] = []
    while found.count < limit, position.offset < bytes.count {
      let start = position.offset
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      let length = rest.firstIndex(of: 0x0A) ?? rest.count
      let line = UnsafeRawBufferPointer(rebasing: rest[..<length])
      position.offset += min(rest.count, length + 1)
      position.lines += 1
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      lineOffsets.append(start)
      let box = TreeBox(try Self.parse(line, number: position.lines, offset: start))
      lines.append(box)
      let root = try Self.follow(
        rootPath, from: box.root, base: JSONPath([.index(position.count)]), in: bytes, at: start)
      found.append(Root(node: root, index: position.count))
      position.count += 1
    }
    return found
  }

  private static func parse(
    _ line: UnsafeRawBufferPointer, number: Int, offset: Int
  ) throws(JSONSyntaxError) -> JSONDocument {
    do {
      return try JSONDocument(parsing: line)
    } catch {
      throw JSONSyntaxError(
        location: TextLocation(line: number, column: error.location.column),
        offset: offset + error.offset, reason: error.reason)
    }
  }

  // MARK: Where things stand

  /// The path of a root object.
  func path(ofRoot index: Int?) -> JSONPath {
    let base = JSONPath((rootPath?.components ?? []).map { .member($0) })
    guard let index else { return base }
    if format == .ndjson { return JSONPath([.index(index)] + base.steps) }
    return base.appending(.index(index))
  }

  /// The place in the text of what stands `steps` inwards of a root object; nil for a tree without a text.
  func location(root index: Int?, steps: [JSONPath.Step]) -> TextLocation? {
    guard let bytes else { return nil }
    var start = 0
    var inner = steps
    if let index {
      let offsets = format == .ndjson ? lineOffsets : elementOffsets
      let place = format == .ndjson ? index - firstLine : index
      guard offsets.indices.contains(place) else { return nil }
      start = offsets[place]
      if format == .ndjson { inner = (rootPath?.components ?? []).map { .member($0) } + steps }
    } else {
      inner = (rootPath?.components ?? []).map { .member($0) } + steps
    }
    var scanner = TextScanner(bytes, from: start)
    return TextScanner.location(of: scanner.find(inner), in: bytes)
  }

  private func findElements() -> [Int] {
    guard let bytes else { return [] }
    var scanner = TextScanner(bytes)
    let start = scanner.find((rootPath?.components ?? []).map { .member($0) })
    var inner = TextScanner(bytes, from: start)
    return inner.elementOffsets()
  }
}

/// Keeps a document in an array or a property of a class.
final class TreeBox {
  private let document: JSONDocument
  init(_ document: consuming JSONDocument) { self.document = document }
  var root: JSONNode { document.root }
}
