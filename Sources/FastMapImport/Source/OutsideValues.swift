internal import CFastMap

/// The values that objects get from outside: from the root of the document, and from the caller.
///
/// Each batch has its own trees of them, because the values of rows live as long as their batch.
struct OutsideValues {
  /// The parts of a document that the plan reads; nil for none.
  package let documentShape: UnsafePointer<fastmap_shape>?
  private let paths: [[JSONKeyPath.Step]]
  /// The document, if it is a tree of the caller's.
  var document: JSONNode?
  private var documentText: [UInt8]?
  /// The members of a stream that came before its objects, each with its path.
  private var members: [(path: [String], text: [UInt8])] = []
  private let contextText: [UInt8]?

  /// - Throws: ``ContextValueError``.
  init(_ plan: Plan, _ options: ImportOptions) throws(ContextValueError) {
    documentShape = plan.compiled.documentShape
    paths =
      documentShape == nil
      ? []
      : plan.mappings.flatMap { $0.mapping.outerPaths.filter { $0.origin == .root }.map(\.steps) }
    contextText = try plan.contextText(options.context)
  }

  // MARK: The document

  /// Reads the parts of a document that was read with `documentShape`.
  mutating func read(_ reading: JSONReader.Reading) {
    var writer = JSONWriter()
    writer.append(reading.node, reading.bigIntegers, keepsReals: true)
    documentText = writer.bytes
  }

  /// Whether the value at a path is one of the parts, or has some inside.
  func wants(_ path: [JSONKeyPath.Step]) -> Bool { paths.contains { $0.starts(with: path) } }

  /// Whether a path leads to an element of the root itself.
  var wantsElements: Bool { paths.contains { if case .member? = $0.first { false } else { true } } }

  /// Adds a member of a stream. The last one of a name counts.
  mutating func add(_ text: [UInt8], at path: [String]) {
    members.removeAll { $0.path == path }
    members.append((path, text))
    documentText = nil
  }

  /// The taken members as one object.
  private static func text(of members: [(path: ArraySlice<String>, text: [UInt8])]) -> [UInt8] {
    var names: [String] = []
    var inner: [String: [(path: ArraySlice<String>, text: [UInt8])]] = [:]
    for member in members {
      guard let name = member.path.first else { return member.text }
      if inner[name] == nil { names.append(name) }
      inner[name, default: []].append((member.path.dropFirst(), member.text))
    }
    var writer = JSONWriter()
    writer.beginObject()
    for name in names {
      writer.name(name)
      text(of: inner[name] ?? []).withUnsafeBufferPointer { writer.raw($0) }
    }
    writer.endObject()
    return writer.bytes
  }

  /// Gives the root objects of a batch their document, unless they have one of their own.
  mutating func addDocument(to batch: ParsedBatch) throws {
    if documentShape == nil || batch.roots.isEmpty { return }
    if documentText == nil, !members.isEmpty {
      documentText = Self.text(of: members.map { ($0.path[...], $0.text) })
    }
    let reading = try documentText.map { try $0.withUnsafeBytes { try batch.reader.read($0) } }
    for index in batch.roots.indices where batch.roots[index].document == nil {
      batch.roots[index].document = reading?.node ?? document
      // The texts of a reader's numbers are in one table, which its first such number makes.
      if let bigIntegers = reading?.bigIntegers { batch.roots[index].bigIntegers = bigIntegers }
    }
  }

  // MARK: The caller's values

  /// - Throws: ``SystemError``.
  func addContext(to batch: ParsedBatch) throws(SystemError) {
    guard let contextText else { return }
    do { batch.context = try contextText.withUnsafeBytes { try batch.reader.read($0).node } } catch {
      throw SystemError.outOfMemory  // the text is ours, and right
    }
  }
}
