/// The state of a search for pages, for the error of a search that finds none.
struct PageSearch {
  /// Whether a page had objects, or an empty array of them.
  var hasFound = false
  /// Whether a page has no objects, because it lacks a member on the way or has null there.
  fileprivate(set) var lacksObjects = false
  fileprivate(set) var missing: Place?
  /// The place that is missing if the open value has no value on the way.
  fileprivate var next: Place?

  struct Place {
    var path: JSONPath
    var location: TextLocation?
  }
}

/// Root objects on several pages: a root path with `[]`.
///
///     pages[].items      {"pages": [{"items": [{"id": 1}, {"id": 2}]}, {}, {"items": {"id": 3}}]}
///
/// A page is an array of objects, or one object. A page without the member, or with null, has none. The way to the next page
/// is followed in the text as in a stream, so a second member of a name on the way is refused after objects.
extension RootSource {
  /// Goes on to the next page.
  ///
  /// - Returns: False at the end of the text, and if the batch is full.
  func nextPage(_ batch: ParsedBatch) throws -> Bool {
    var found = RootPathScan.Found.nothing
    switch try scan(&found, for: batch) {
    case .full: return false
    case .end:
      if !position.pages.hasFound, let missing = position.pages.missing { throw missing.error }
      position.hasEnded = true
      return false
    case .array:
      position.offset += 1
      position.due = .first
      beginPage(isArray: true, in: batch)
    case .object:
      beginPage(isArray: false, in: batch)
      try addElement(position.outside.open.count, to: batch)
      markObjects()
    }
    return true
  }

  private func beginPage(isArray: Bool, in batch: ParsedBatch) {
    position.pages.hasFound = true
    position.pageFirst = position.count
    recordPage(isArray: isArray, in: batch)
  }

  /// Records the page in a batch that has objects of it.
  func recordPage(isArray: Bool, in batch: ParsedBatch) {
    let path = way(position.outside.open.count)
    batch.pages.append(.init(first: position.pageFirst, path: path, isArray: isArray))
  }

  private func way(_ count: Int) -> [JSONPath.Step] {
    steps.prefix(count).enumerated().map { depth, step in
      switch step {
      case .member(let name): .member(name)
      case .index(let index): .index(index)
      case .each: .index(position.outside.open[depth].element ?? 0)
      }
    }
  }

  // MARK: Missing places

  /// Records the place that is missing if the way ends in the value that begins here.
  func recordWay(_ step: JSONKeyPath.Step) {
    guard !position.pages.hasFound, position.pages.missing == nil else { return }
    var path = way(position.outside.open.count)
    switch step {
    case .member(let name): path.append(.member(name))
    case .index(let index): path.append(.index(index))
    case .each: position.pages.next = nil
    }
    if step == .each { return }
    position.pages.next = .init(
      path: JSONPath(path), location: window.shown.location(of: position.offset))
  }

  /// Leaves an object or array on the way.
  func leave(_ container: RootPathScan.Container) {
    let step = steps[position.outside.open.count - 1]
    guard step != .each, !container.isTaken else { return }
    position.pages.lacksObjects = true
    if position.pages.hasFound { return }
    position.pages.missing = position.pages.missing ?? position.pages.next
  }

  /// A value on the way that is neither the object nor the array that the way leads through, or that is at its end.
  ///
  /// - Returns: Where the scan stops; nil after null, which is as a missing value.
  func enterPage(_ byte: UInt8?) throws -> RootPathScan.Stop? {
    let depth = position.outside.open.count
    let isInPage = steps.prefix(depth).contains(.each)
    if isInPage, byte == UInt8(ascii: "n") {
      position.pages.lacksObjects = true
      if !position.pages.hasFound, position.pages.missing == nil {
        position.pages.missing = .init(
          path: JSONPath(way(depth)), location: window.shown.location(of: position.offset))
      }
      try pass(keeps: true)
      return nil
    }
    guard depth < steps.count else { return .object }
    let start = position.offset
    let location = window.shown.location(of: start)
    var found = byte == UInt8(ascii: "[") ? "an array" : "an object"
    if byte != UInt8(ascii: "["), byte != UInt8(ascii: "{") {
      try pass(keeps: true)
      let text = TextPiece(copying: start..<position.offset, of: window.shown)
      found = try reader.read(text.bytes).value.found
    }
    throw Self.unexpected(steps[depth], at: JSONPath(way(depth)), location, found)
  }

  private static func unexpected(
    _ step: JSONKeyPath.Step, at path: JSONPath, _ location: TextLocation?, _ found: String
  ) -> MappingError {
    MappingError(
      path: path, location: location,
      reason: .unexpected(expected: step.isIntoArray ? "an array" : "an object", found: found))
  }

  // MARK: Trees

  /// The root objects of a tree.
  func pages(of root: JSONValue) throws(MappingError) -> Layout {
    var search = PageSearch()
    var nodes: [JSONNode] = []
    var pages: [ParsedBatch.Page] = []
    try collect(root.node, at: [], root.bigIntegers, &search, &nodes, &pages)
    if !search.hasFound, let missing = search.missing { throw missing.error }
    position.pages = search
    return .pages(nodes, pages, root.bigIntegers)
  }

  /// Recurses over the root path, which is short, never over the data.
  private func collect(
    _ node: JSONNode, at path: [JSONPath.Step], _ bigIntegers: BigIntegers?, _ search: inout PageSearch,
    _ nodes: inout [JSONNode], _ pages: inout [ParsedBatch.Page]
  ) throws(MappingError) {
    let isInPage = steps.prefix(path.count).contains(.each)
    if isInPage, node.isNull { return search.miss(path) }
    guard path.count < steps.count else {
      search.hasFound = true
      pages.append(.init(first: nodes.count, path: path, isArray: node.elements != nil))
      if let elements = node.elements { nodes += elements } else { nodes.append(node) }
      return
    }
    let step = steps[path.count]
    guard step.isIntoArray ? node.elements != nil : node.isObject else {
      throw Self.unexpected(step, at: JSONPath(path), nil, JSONValue(node, bigIntegers).found)
    }
    let inner: JSONPath.Step
    switch step {
    case .each:
      for (index, element) in (node.elements ?? .init(array: node)).enumerated() {
        try collect(element, at: path + [.index(index)], bigIntegers, &search, &nodes, &pages)
      }
      return
    case .member(let name): inner = .member(name)
    case .index(let index): inner = .index(index)
    }
    guard let value = node[step] else { return search.miss(path + [inner]) }
    try collect(value, at: path + [inner], bigIntegers, &search, &nodes, &pages)
  }
}

extension PageSearch {
  fileprivate mutating func miss(_ path: [JSONPath.Step]) {
    lacksObjects = true
    if !hasFound, missing == nil { missing = Place(path: JSONPath(path)) }
  }
}

extension PageSearch.Place {
  fileprivate var error: MappingError {
    MappingError(path: path, location: location, reason: .missingRoot(path))
  }
}
