import FastMapCore
import FastMapInference
import FastMapSystem

/// `fastmap infer`
struct InferCommand {
  private let arguments: Arguments
  private let inputs: [String]

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    if arguments["name"] == "" { throw UsageError("--name: expected a name, found \"\"") }
    inputs = try PayloadNames.files(arguments.operands)
  }

  func run(_ output: Output) throws -> ExitStatus {
    let overrides = try arguments["overrides"].map { try Self.overrides($0) }
    let kept = try arguments["store"].map { _ in try keptFile() }
    var inference = Inference(name: arguments["name"])
    Output.announceTerminal(arguments.operands.contains("-"), reading: "JSON")
    try Self.read(inputs, into: &inference)
    let result: Inference.Result
    do { result = try inference.result(keeping: kept, overrides: overrides) } catch {
      throw Failure("\(error)")
    }
    let unread = arguments.has("check") ? result.unread : []
    if !arguments.has("quiet") { Output.complain(result.notes) }
    try check(result)
    output.write(result.file.fileText)
    Output.complain(unread + (arguments.has("quiet") ? [] : result.roots.prefix(1).map { next($0, result) }))
    return unread.isEmpty ? .done : .failed
  }

  /// The mapping file that the store keeps, and the mappings that were imported at the root.
  private func keptFile() throws -> (file: JSONTree, roots: [String]) {
    let mappings = try CommandMappings(arguments)
    return (try JSONTree(parsing: mappings.file), mappings.roots)
  }

  /// The next command, with names as a shell takes them.
  private func next(_ root: String, _ result: Inference.Result) -> String {
    if let store = arguments["store"] {
      return "next, with this output in FILE: fastmap mappings \(shellWord(store)) FILE"
    }
    let input =
      (result.file.hasKey(root) ? [] : ["--replace-all"]) + arguments.operands.filter { $0 != "-" }
    let words = ["--store", root.lowercased() + ".db", "--mappings", "mappings.json", "--as", root] + input
    return "next: fastmap import " + words.map(shellWord).joined(separator: " ")
  }

  /// Reads overrides, which have the form of a mapping file.
  private static func overrides(_ path: String) throws -> JSONTree {
    let file = try InputFile(path, limit: 16_000_000)
    do { return try JSONTree(parsing: file.bytes) } catch {
      throw Failure("\(path): \(error)")
    }
  }

  /// - Parameter format: The format of all inputs, if a person says it.
  static func read(_ names: [String], as format: JSONFormat = .automatic, into inference: inout Inference)
    throws
  {
    let bar = ProgressBar(isQuiet: false)
    defer { bar?.finish() }
    let total = bar == nil ? 0 : size(of: names)
    var bytes = 0
    for name in names {
      try add(name, as: format, to: &inference) { count in
        bytes += count
        bar?.show(bytes: bytes, of: total)
      }
    }
  }

  /// The size of all files; 0 if one of them is a stream.
  private static func size(of names: [String]) -> Int {
    var total = 0
    for name in names {
      var status = stat()
      let isKnown = name == "-" ? fstat(System.standardInput, &status) == 0 : stat(name, &status) == 0
      guard isKnown, status.st_mode & S_IFMT == S_IFREG else { return 0 }
      total += Int(status.st_size)
    }
    return total
  }

  private static func add(
    _ name: String, as format: JSONFormat, to inference: inout Inference, onRead: @escaping (Int) -> Void
  ) throws {
    let input = try PayloadStream(name)
    let isLines = (format == .automatic ? JSONFormat(ofFile: name) : format) == .ndjson
    do {
      try inference.add(
        { room in
          let count = try input.read(into: room)
          onRead(count)
          return count
        }, isLines: isLines,
        file: name == "-" ? nil : name)
    } catch let error as JSONSyntaxError {
      throw Failure("\(input.name): \(error)")
    }
  }

  /// Checks the mapping file as an import does. Only overrides can make it wrong.
  private func check(_ result: Inference.Result) throws {
    let text = Array(result.file.fileText.utf8)
    do {
      let set = try text.withUnsafeBytes { try MappingSet(file: $0) }
      for name in result.roots where set[name] != nil { _ = try set.plan(for: name) }
    } catch let error as MappingDefinitionError {
      let place = arguments["overrides"].map { " (with \($0))" } ?? ""
      throw Failure(lines: messageLines(error.faults.count) { "\(error.faults[$0])\(place)" })
    }
  }
}
