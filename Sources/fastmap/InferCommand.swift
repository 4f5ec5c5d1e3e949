import FastMapCore
import FastMapInference
import FastMapSystem

/// `fastmap infer`
struct InferCommand {
  private let arguments: Arguments

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    if arguments["name"] == "" { throw UsageError("--name: expected a name, found \"\"") }
  }

  func run(_ output: Output) throws -> ExitStatus {
    let overrides = try arguments["overrides"].map { try Self.overrides($0) }
    var inference = Inference(name: arguments["name"])
    Output.announceTerminal(arguments.operands.contains("-"), reading: "JSON")
    try Self.read(arguments.operands, into: &inference)
    let result: Inference.Result
    do { result = try inference.result(overrides: overrides) } catch { throw Failure("\(error)") }
    let unread = arguments.has("check") ? result.unread : []
    if !arguments.has("quiet") { Output.complain(result.notes) }
    try check(result)
    output.write(result.file.fileText)
    Output.complain(unread + (arguments.has("quiet") ? [] : result.roots.prefix(1).map { next($0, result) }))
    return unread.isEmpty ? .done : .failed
  }

  /// The next command, with names as a shell takes them.
  private func next(_ root: String, _ result: Inference.Result) -> String {
    let input =
      (result.file.hasKey(root) ? [] : ["--replace-all"]) + arguments.operands.prefix(1).filter { $0 != "-" }
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

  static func read(_ names: [String], into inference: inout Inference) throws {
    let bar = ProgressBar(isQuiet: false)
    defer { bar?.finish() }
    let total = bar == nil ? 0 : size(of: names)
    var bytes = 0
    for name in names {
      try add(name, to: &inference) { count in
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
    _ name: String, to inference: inout Inference, onRead: @escaping (Int) -> Void
  ) throws {
    let ending = name.lowercased()
    let isLines = ending.hasSuffix(".ndjson") || ending.hasSuffix(".jsonl")
    let input = try PayloadFile(name)
    do {
      try inference.add(
        { room in
          let count = try input.read(into: room)
          onRead(count)
          return count
        }, isLines: isLines,
        fileName: name == "-" ? nil : name.split(separator: "/").last.map(String.init))
    } catch let error as JSONSyntaxError {
      throw Failure("\(name == "-" ? "standard input" : name): \(error)")
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

/// A payload that is read in pieces.
private final class PayloadFile {
  private let descriptor: Int32
  private let name: String
  private let isOwned: Bool

  /// - Parameter name: The path of a file; `-` is standard input.
  init(_ name: String) throws {
    isOwned = name != "-"
    self.name = isOwned ? name : "standard input"
    descriptor = isOwned ? open(name, O_RDONLY | O_CLOEXEC) : System.standardInput
    guard descriptor >= 0 else { throw SystemError(path: name, reason: systemMessage(errno)) }
  }

  deinit { if isOwned { close(descriptor) } }

  func read(into room: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let count = FastMapSystem.read(descriptor, room.baseAddress, room.count)
      if count >= 0 { return count }
      if errno == EISDIR { throw SystemError(path: name, reason: "is a directory, expected a file") }
      if errno != EINTR { throw SystemError(path: name, reason: systemMessage(errno)) }
    }
  }
}
