/// Finds the offsets of many paths in a well-formed JSON text, in one pass.
///
/// The paths are merged into a tree, and the pass enters only the values in that tree:
///
///     $.books[2].id, $.books[2].title, $.name        books ─ [2] ─┬─ id
///                                                    name         └─ title
///
/// If members share a name, the last one counts, so places inside an earlier one do not. Each node records the visit
/// of its parent that found it. The node is valid if that was the parent's last visit.
package struct PlaceFinder {
  private let bytes: UnsafeRawBufferPointer
  private let start: Int
  private let maxDepth: Int
  private var nodes = [Node()]
  /// For each request, the node at the end of its path.
  private var ends: [Int] = []
  package private(set) var scannedBytes = 0

  private struct Node {
    var parent = 0
    var members: [ByteName: Int] = [:]
    var elements: [Int: Int] = [:]
    var offset = 0
    /// The last visit, counted from 1.
    var visit = 0
    var parentVisit = 0
  }

  /// - Parameters:
  ///   - start: The offset of the value, or of white space before it.
  ///   - maxDepth: The text is known to be well-formed down to this depth.
  package init(_ bytes: UnsafeRawBufferPointer, from start: Int, maxDepth: Int) {
    self.bytes = bytes
    self.start = start
    self.maxDepth = maxDepth
  }

  /// Requests the value at the end of a path, or the deepest existing value on the way.
  package mutating func add(_ path: some Sequence<JSONPath.Step>) {
    var node = 0
    for step in path {
      let known =
        switch step {
        case .member(let name): nodes[node].members[ByteName(name)]
        case .index(let index): nodes[node].elements[index]
        }
      if let known {
        node = known
        continue
      }
      nodes.append(Node(parent: node))
      switch step {
      case .member(let name): nodes[node].members[ByteName(name)] = nodes.count - 1
      case .index(let index): nodes[node].elements[index] = nodes.count - 1
      }
      node = nodes.count - 1
    }
    ends.append(node)
  }

  /// The offsets of the values, in the order of the requests.
  ///
  /// - Complexity: O(*n*) in the bytes of the value and the steps of the paths.
  package mutating func find() -> [Int] {
    var scanner = TextScanner(bytes, from: start, maxDepth: maxDepth)
    scanner.skipSpace()
    scan(&scanner)
    scannedBytes = scanner.offset - start
    var offsets = [Int](repeating: nodes[0].offset, count: nodes.count)
    var stands = [Bool](repeating: true, count: nodes.count)
    for index in nodes.indices.dropFirst() {  // parents come before their children
      let node = nodes[index]
      stands[index] =
        stands[node.parent] && node.parentVisit > 0 && node.parentVisit == nodes[node.parent].visit
      offsets[index] = stands[index] ? node.offset : offsets[node.parent]
    }
    return ends.map { offsets[$0] }
  }

  /// An array or an object that is being scanned.
  private struct Frame {
    var node: Int
    /// The next element of an array; nil in an object.
    var index: Int?
  }

  private mutating func scan(_ scanner: inout TextScanner) {
    var stack: [Frame] = []
    begin(0, &scanner, &stack)
    while let top = stack.last {
      if let index = top.index {
        guard scanner.isInside(of: UInt8(ascii: "]")) else {
          end(&scanner, &stack)
          continue
        }
        stack[stack.count - 1].index = index + 1
        goOn(nodes[top.node].elements[index], in: top.node, &scanner, &stack)
      } else {
        guard scanner.isInside(of: UInt8(ascii: "}")) else {
          end(&scanner, &stack)
          continue
        }
        let name = scanner.name()
        goOn(nodes[top.node].members[name], in: top.node, &scanner, &stack)
      }
    }
  }

  /// Continues in an array or an object, up to the next value to enter.
  private mutating func goOn(
    _ node: Int?, in parent: Int, _ scanner: inout TextScanner, _ stack: inout [Frame]
  ) {
    guard let node else {
      scanner.skipValue()
      return scanner.skipSeparator(UInt8(ascii: ","))
    }
    nodes[node].parentVisit = nodes[parent].visit
    begin(node, &scanner, &stack)
  }

  /// Enters a value if a request needs it, and skips it otherwise.
  private mutating func begin(_ node: Int, _ scanner: inout TextScanner, _ stack: inout [Frame]) {
    nodes[node].offset = scanner.offset
    nodes[node].visit += 1
    let (byte, inner) = (scanner.peek, nodes[node])
    if byte == UInt8(ascii: "["), !inner.elements.isEmpty {
      stack.append(Frame(node: node, index: 0))
      scanner.enter()
    } else if byte == UInt8(ascii: "{"), !inner.members.isEmpty {
      stack.append(Frame(node: node, index: nil))
      scanner.enter()
    } else {
      scanner.skipValue()
      scanner.skipSeparator(UInt8(ascii: ","))
    }
  }

  private func end(_ scanner: inout TextScanner, _ stack: inout [Frame]) {
    stack.removeLast()
    scanner.enter()
    scanner.skipSeparator(UInt8(ascii: ","))
  }
}
