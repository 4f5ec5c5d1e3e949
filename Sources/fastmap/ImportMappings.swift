import FastMapCore
import FastMapInference

/// The mapping of an import: of a given file, of the file that the store keeps, or inferred from the inputs.
struct ImportMappings {
  let mappings: CommandMappings
  let plan: Plan
  /// The decisions of inference and the first question, for standard error after the import.
  private(set) var lines: [String] = []
  /// Whether nothing but the store named the mapping, so that the payload may be another one.
  private(set) var isGuess = false

  private static let mostDecisions = 10

  /// - Parameter inputs: The paths of the inputs; `-` is standard input.
  init(_ arguments: Arguments, _ inputs: [String]) throws {
    let (path, name) = (arguments["mappings"], arguments["as"])
    let given = try path.map { try CommandMappings(at: $0) }
    if let given, let name {
      try self.init(given, root: name)
      return
    }
    let store = try StoredMappings(arguments)
    guard let mappings = try given ?? store.kept.map({ try CommandMappings($0, of: store.name) }) else {
      guard !store.hasObjects else { throw CommandMappings.missing(in: store.name) }
      self = try Self.inferred(arguments, inputs)
      return
    }
    if let name, mappings.isNew(name), let kept = store.kept {
      self = try Self.inferred(arguments, inputs, beside: kept)
      return
    }
    let root = try name ?? Self.onlyRoot(store.kept?.roots ?? [], of: mappings, in: store.name)
    try self.init(mappings, root: root)
    isGuess = name == nil
  }

  private init(_ mappings: CommandMappings, root: String) throws {
    self.mappings = mappings
    plan = try mappings.plan(for: root)
  }

  private static func onlyRoot(
    _ roots: [String], of mappings: CommandMappings, in store: String
  ) throws -> String {
    if roots.count == 1 { return roots[0] }
    var error = UsageError("expected --as MAPPING")
    error.lines = [
      roots.isEmpty
        ? mappings.names : "\(escaped(store)) was imported with the mappings \(list(roots.map(quoted)))"
    ]
    throw error
  }

  /// Infers the mapping from all inputs.
  ///
  /// - Parameter kept: The mappings that stay, with new fields, beside new mappings.
  private static func inferred(
    _ arguments: Arguments, _ inputs: [String], beside kept: KeptMappings? = nil
  ) throws -> ImportMappings {
    Output.announceTerminal(inputs.contains("-"), reading: "JSON")
    if let pipe = inputs.first(where: { $0 != "-" && InputStreamFile.isStream($0) }) {
      throw UsageError(
        "\(escaped(pipe)): expected a file, which is read once for its mapping and once for its objects; give a pipe as -, or --mappings FILE"
      )
    }
    if inputs.contains("-") { try System.spoolStandardInput() }
    var inference = Inference(
      name: arguments["as"], rootPath: arguments["root-path"].flatMap { $0.isEmpty ? nil : JSONKeyPath($0) },
      comparesInputs: inputs.count > 1)
    let format: JSONFormat = arguments["format"] == "ndjson" ? .ndjson : .automatic
    try InferCommand.read(inputs, as: format, into: &inference)
    if inference.kinds.count > 1 { throw differing(inference.kinds, inputs, in: arguments["store"] ?? "") }
    System.rewindStandardInput()
    let result: Inference.Result
    do {
      result = try inference.result(
        keeping: try kept.map { (try JSONTree(parsing: $0.file), $0.roots) })
    } catch { throw Failure("\(error)") }
    guard let root = result.roots.first else { throw Failure("no objects to infer a mapping from") }
    let mappings = try CommandMappings(inferred: Array(result.file.fileText.utf8))
    var chosen = try ImportMappings(mappings, root: root)
    if arguments.has("quiet") { return chosen }
    chosen.lines = Array(result.notes.prefix(mostDecisions))
    let others = result.notes.count - mostDecisions
    if others > 0 { chosen.lines.append("and \(counted(others, "other decision")); fastmap infer shows all") }
    if arguments.has("dry-run") { return chosen }
    let store = shellWord(arguments["store"] ?? "")
    for other in result.roots.dropFirst() {
      let words = inputs.map(shellWord).joined(separator: " ")
      chosen.lines.append("not imported yet: fastmap import \(store) \(words) --as \(shellWord(other))")
    }
    chosen.lines.append(
      (kept == nil ? "the mapping is kept" : "\(root) is added to the kept mappings")
        + ": fastmap mappings \(store)")
    chosen.lines.append("ask: fastmap query \(store) \(shellWord(root))")
    return chosen
  }

  private static let mostInputs = 5

  /// The error of inputs whose root objects are of different kinds, with a command for each kind.
  private static func differing(
    _ kinds: [(root: String, inputs: [Int])], _ inputs: [String], in store: String
  ) -> UsageError {
    var error = UsageError("expected inputs of one kind, found \(kinds.count) kinds; import each by itself")
    error.lines = kinds.map { kind in
      let some = kind.inputs.prefix(mostInputs).map { shellWord(inputs[$0]) }.joined(separator: " ")
      let others = kind.inputs.count - mostInputs
      return "fastmap import \(shellWord(store)) \(some) --as \(shellWord(kind.root))"
        + (others > 0 ? "  # and \(counted(others, "other file"))" : "")
    }
    return error
  }
}

/// The kept mappings of an existing store.
private struct StoredMappings {
  let name: String
  private(set) var kept: KeptMappings?
  private(set) var hasObjects = false

  /// Finds nothing where there is no store.
  init(_ arguments: Arguments) throws {
    name = try StoreAddress(arguments).name
    guard let store = try Inputs.storeIfAny(arguments) else { return }
    kept = try store.keptMappings()
    if kept == nil { hasObjects = try store.hasObjects() }
  }
}

extension Store {
  fileprivate func hasObjects() throws -> Bool {
    try read(Schema(entities: [])) { reader in
      guard let schema = try reader.storedSchema() else { return false }
      try reader.use(schema)
      return try schema.entities.indices.contains { try reader.count(of: $0) > 0 }
    }
  }
}

/// A word as a shell takes it.
func shellWord(_ word: String) -> String {
  let isPlain = !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || "-_./:".contains($0) }
  return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
}
