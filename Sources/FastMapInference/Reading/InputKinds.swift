import FastMapCore

/// The kinds of several inputs: a root path, and the names of the members of root objects.
///
/// Inputs are of one kind if they share a root path, and if the root objects there share at least half of their names. The beginning of an
/// input tells its kind. An input without objects has none.
struct InputKinds {
  private struct Kind {
    var name: String
    /// By the root paths.
    var members: [[String]: Set<String>]
    var inputs: [Int] = []
  }

  private let rootPath: JSONKeyPath?
  private var kinds: [Kind] = []
  private var inputCount = 0

  /// The name of a root and the numbers of the inputs of each kind.
  var all: [(root: String, inputs: [Int])] { kinds.map { ($0.name, $0.inputs) } }

  /// - Parameter rootPath: The path of the root objects; nil to find them.
  init(rootPath: JSONKeyPath?) { self.rootPath = rootPath }

  /// - Parameters:
  ///   - isLines: Whether the text has a value a line.
  ///   - name: The name of the root, if its path has none.
  mutating func add(_ beginning: TextBeginning, isLines: Bool, name: String, pieceSize: Int) {
    defer { inputCount += 1 }
    let shape = Shape()
    var folder = ShapeFolder()
    // A beginning may be cut anywhere. The import reports a fault of the text.
    _ = try? folder.fold(EventText(pieceSize: pieceSize, beginning.part), into: shape)
    let hasLines = isLines || (shape.items?.counts.all ?? 0) > 1
    let (documents, lines) = hasLines ? (Shape(), shape) : (shape, Shape())
    let roots =
      if let rootPath {
        try? Roots([documents, lines], at: rootPath, name: name, isNamed: false)
      } else {
        try? Roots(documents: documents, lines: lines, name: name, isNamed: false)
      }
    guard let roots, let first = roots.collections.first else { return }
    let members = Dictionary(
      roots.collections.map { ($0.path, Set($0.place.shape.members.map(\.label))) }
    ) { first, _ in first }
    let number =
      kinds.firstIndex { Self.isOfOneKind($0.members, members) }
      ?? {
        kinds.append(Kind(name: free(first.place.entity), members: members))
        return kinds.count - 1
      }()
    kinds[number].inputs.append(inputCount)
  }

  private func free(_ name: String) -> String { Words.free(name, among: kinds.map(\.name)) }

  private static func isOfOneKind(_ one: [[String]: Set<String>], _ other: [[String]: Set<String>]) -> Bool {
    if isPageWithoutObjects(one, of: other) || isPageWithoutObjects(other, of: one) { return true }
    return one.contains { path, names in
      guard let others = other[path] else { return false }
      return 4 * names.intersection(others).count >= names.count + others.count
    }
  }

  /// Whether a document has the first member of the other one's root path, but no objects in it.
  private static func isPageWithoutObjects(
    _ page: [[String]: Set<String>], of other: [[String]: Set<String>]
  ) -> Bool {
    guard let names = page[[]] else { return false }
    return other[[]] == nil && other.keys.contains { $0.first.map(names.contains) ?? false }
  }
}
