/// The root objects of a tree.
struct TreeRoots {
  var nodes: [JSONNode] = []
  /// The names of the members that have them; empty for elements.
  var names: [UnsafeBufferPointer<UInt8>] = []
  /// The pages that they are on, for a root path with `[]`.
  var pages: [ParsedBatch.Page] = []
  let bigIntegers: BigIntegers?

  func root(at index: Int) -> ParsedBatch.Root {
    ParsedBatch.Root(
      node: nodes[index], bigIntegers: bigIntegers, index: index, name: names.isEmpty ? nil : names[index])
  }
}

extension TreeRoots {
  init(_ members: JSONNode.Members, _ bigIntegers: BigIntegers?) {
    self.init(bigIntegers: bigIntegers)
    for (name, value) in members {
      names.append(name)
      nodes.append(value)
    }
  }

  /// The objects on pages, each an array of objects or one object.
  init(pages: [TreeWay.End], _ bigIntegers: BigIntegers?) {
    self.init(bigIntegers: bigIntegers)
    for page in pages {
      let elements = page.node.elements
      self.pages.append(.init(first: nodes.count, path: page.path, isArray: elements != nil))
      if let elements { nodes += elements } else { nodes.append(page.node) }
    }
  }
}

/// Follows a root path through a tree: to one value, or with `[]` to one on each page.
struct TreeWay {
  struct End {
    var node: JSONNode
    var path: [JSONPath.Step]
  }

  private let steps: [JSONKeyPath.Step]
  private let bigIntegers: BigIntegers?
  private let isPage: Bool
  private(set) var ends: [End] = []
  private(set) var search = PageSearch()

  /// - Parameters:
  ///   - path: The path of the root.
  ///   - isPage: Whether null stands for nothing, as on a page.
  /// - Throws: ``MappingError`` without a location.
  init(
    _ steps: [JSONKeyPath.Step], in root: JSONValue, at path: [JSONPath.Step] = [], isPage: Bool = false
  ) throws(MappingError) {
    (self.steps, bigIntegers, self.isPage) = (steps, root.bigIntegers, isPage)
    try follow(steps[...], from: root.node, at: path)
    if !search.hasFound, let missing = search.missing { throw missing }
  }

  /// Recurses over the root path, which is short, never over the data.
  private mutating func follow(
    _ rest: ArraySlice<JSONKeyPath.Step>, from node: JSONNode, at path: [JSONPath.Step]
  ) throws(MappingError) {
    let isOnPage = isPage || steps[..<rest.startIndex].contains(.each)
    if isOnPage, node.isNull { return search.miss(.missing(path, nil)) }
    guard let step = rest.first else {
      search.hasFound = true
      ends.append(End(node: node, path: path))
      return
    }
    guard step.isIntoArray ? node.elements != nil : node.isObject else {
      throw .unexpected(at: path, before: step, nil, JSONValue(node, bigIntegers).found)
    }
    if let inner = step.inPath {
      guard let value = node[step] else { return search.miss(.missing(path + [inner], nil)) }
      try follow(rest.dropFirst(), from: value, at: path + [inner])
    } else {
      for (index, element) in JSONNode.Elements(array: node).enumerated() {
        try follow(rest.dropFirst(), from: element, at: path + [.index(index)])
      }
    }
  }
}
