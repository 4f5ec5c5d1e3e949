package import FastMapCore

/// Finds the mapping for payloads: entities, keys, references and types.
///
/// All values are read, and none is kept. The result does not depend on the order of payloads and objects.
package struct Inference {
  /// Fills a part of `room` with the next bytes of a text and returns their number, 0 at the end.
  package typealias Input = (_ room: UnsafeMutableRawBufferPointer) throws -> Int

  private let name: String?
  private let rootPath: JSONKeyPath?
  private var files: [String] = []
  private let documents = Shape()
  private let lines = Shape()
  private var folder = ShapeFolder()
  private var inputKinds: InputKinds?
  /// The kinds of the inputs, if they are compared: the name of a root, and the numbers of the inputs.
  package var kinds: [(root: String, inputs: [Int])] { inputKinds?.all ?? [] }

  /// - Parameters:
  ///   - name: The name of the root entity.
  ///   - rootPath: The path of the root objects, in each document and line; nil to find them.
  ///   - comparesInputs: Whether to find the inputs whose root objects are of different kinds.
  package init(name: String? = nil, rootPath: JSONKeyPath? = nil, comparesInputs: Bool = false) {
    (self.name, self.rootPath) = (name, rootPath)
    if comparesInputs { inputKinds = InputKinds(rootPath: rootPath) }
  }

  /// Reads a payload. A text of several values is read as lines.
  ///
  /// - Parameter file: The path of its file, for the name of the root.
  /// - Throws: ``JSONSyntaxError``; errors of the input.
  package mutating func add(
    _ input: @escaping Input, isLines: Bool, file: String? = nil, pieceSize: Int = 1 << 18
  )
    throws
  {
    if let file { files.append(file) }
    folder.input += 1
    var input = input
    if inputKinds != nil {
      let beginning = try TextBeginning(of: input, size: pieceSize)
      inputKinds?.add(beginning, isLines: isLines, name: Self.root(of: file), pieceSize: pieceSize)
      input = beginning.input
    }
    if isLines {
      _ = try folder.fold(EventText(pieceSize: pieceSize, input), into: lines)
      return
    }
    let beginning = try TextBeginning(of: input, size: pieceSize)
    if beginning.isWhole {
      // To make a shape for each of many small files and to merge it takes longer than to read them twice.
      let isDocument = try beginning.holdsOneValue(pieceSize: pieceSize)
      _ = try folder.fold(
        EventText(pieceSize: pieceSize, beginning.input), into: isDocument ? documents : lines)
    } else {
      let root = Shape()
      let count = try folder.fold(EventText(pieceSize: pieceSize, beginning.input), into: root)
      if count > 1 { lines.absorb(root) } else { documents.absorb(root) }
    }
  }

  /// The mapping for all payloads.
  ///
  /// - Parameters:
  ///   - kept: A mapping file whose decisions stay, and its mappings that imports began with; see ``KeptDecisions``.
  ///   - overrides: A person's changes to the mapping file; see ``Overrides``.
  package func result(
    keeping kept: (file: JSONTree, roots: [String])? = nil, overrides: JSONTree? = nil
  ) throws(InferenceError) -> Result {
    let isNamed = name != nil
    let roots =
      if let rootPath {
        try Roots([documents, lines], at: rootPath, name: rootName, isNamed: isNamed)
      } else {
        try Roots(documents: documents, lines: lines, name: rootName, isNamed: isNamed)
      }
    let overrides = try overrides.map(Overrides.init)
    let schema = Schema(roots, wishes: overrides?.kindWishes ?? [:])
    let draft = Draft(schema)
    var result = Result(file: draft.file, notes: draft.notes, roots: draft.roots, payload: roots)
    if let kept {
      var decisions = KeptDecisions(kept.file, roots: kept.roots, isNamed: isNamed, over: result, schema)
      decisions.apply(to: &result)
    }
    overrides?.apply(to: &result, schema)
    return result
  }

  private var rootName: String {
    let members = rootPath?.steps.compactMap { if case .member(let name) = $0 { name } else { nil } }
    return name ?? members?.last ?? Self.root(of: files.min())
  }

  /// The entity of the root objects in a file, by its name.
  package static func root(ofFile path: String?) -> String { Words.entity(of: root(of: path)) }

  /// The entity of the root objects in a file, under a name that no kept mapping has or is near.
  package static func root(ofFile path: String?, besides kept: [String]) -> String {
    Words.free(root(ofFile: path), among: kept)
  }

  /// The name of the root for a file: `orders-2026-01.json` and `orders/01.json` have orders.
  private static func root(of path: String?) -> String {
    for name in (path ?? "").split(separator: "/").suffix(2).reversed() {
      let parts = (name.split(separator: ".").first ?? "").split { !$0.isLetter && !$0.isNumber }
      let stem = parts.filter { !$0.allSatisfy(\.isNumber) }.joined(separator: "_")
      if !Words.entity(of: stem).isEmpty { return stem }
    }
    return "Item"
  }

  /// A mapping file, and why it is as it is.
  package struct Result {
    package var file: JSONTree
    /// A sentence for each decision that could have gone the other way.
    package var notes: [String]
    /// The names of the mappings that an import can begin with.
    package internal(set) var roots: [String]
    let payload: Roots
  }
}
