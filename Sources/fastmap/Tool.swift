import FastMapCore
import FastMapLMDB

/// The version that `fastmap --version` prints.
let fastMapVersion = "0.1.0"

/// The exit status of the process.
enum ExitStatus: Int32 {
  case done = 0
  /// The data, the mapping file or the store is at fault.
  case failed = 1
  /// The call is at fault.
  case misused = 2
  /// Other writes were in the way, or the outcome of the commit is unknown. Another call may succeed.
  case unsettled = 3
}

/// The data, the mapping file or the store is at fault. One line per error, path first.
struct Failure: Error {
  let lines: [String]
  init(_ lines: String...) { self.lines = lines }
  init(lines: [String]) { self.lines = lines }
}

/// The call is at fault.
struct UsageError: Error {
  let message: String
  /// The lines after the message.
  var lines: [String] = []
  var command: Command?
  init(_ message: String, command: Command? = nil) {
    self.message = message
    self.command = command
  }
}

/// Runs a command, from the arguments to the exit status.
enum Tool {
  /// - Parameter arguments: The name of the tool, and its words.
  static func run(_ arguments: UnsafeBufferPointer<UnsafePointer<CChar>?>) -> ExitStatus {
    System.holdStandardFiles()
    System.prepareSignals()
    do {
      let output = Output()
      let status = try run(System.words(arguments), output)
      do { try output.flush() } catch is Output.ReaderHasGone {}
      return status
    } catch let error as UsageError {
      Output.complain(["fastmap: \(error.message)"] + error.lines + Help.afterMistake(in: error.command))
      return .misused
    } catch is Output.ReaderHasGone {
      return .done
    } catch {
      Output.complain((error as? Failure)?.lines ?? ["\(error)"])
      return error is ConflictError || error is UnknownOutcomeError ? .unsettled : .failed
    }
  }

  /// Whether the path of a store leads to a file, or to a folder without a store.
  private static func namesNoStore(_ error: LMDBError) -> Bool {
    guard case .notAStore = error.reason else { return false }
    return !System.exists(error.path + "/data.mdb")
  }

  private static func run(_ words: [String], _ output: Output) throws -> ExitStatus {
    guard let first = words.first else {
      var error = UsageError("expected a command")
      error.lines = Help.firstSteps
      throw error
    }
    let rest = words.dropFirst()
    switch first {
    case "--version", "-v", "version":
      try expectNothing(rest)
      output.write("fastmap \(fastMapVersion)\n")
    case "help", "--help", "-h":
      try expectNothing(rest.dropFirst())
      if let name = rest.first, !["help", "version"].contains(name) {
        output.write(Help.page(for: try command(named: name)))
      } else {
        output.write(Help.overview)
      }
    case Command.completion.rawValue where rest.first == "names":
      for name in NameCompletion.names(for: Array(rest.dropFirst())) { output.write(printable(name) + "\n") }
    default:
      return try run(try command(named: first), rest, output)
    }
    return .done
  }

  private static func run(
    _ command: Command, _ words: ArraySlice<String>, _ output: Output
  ) throws -> ExitStatus {
    do {
      guard let arguments = try Arguments(words, for: command) else {
        output.write(Help.page(for: command))
        return .done
      }
      return try repeatingReads(command, output) { try run(arguments, output) }
    } catch var error as UsageError {
      error.command = command
      throw error
    }
  }

  /// Runs a command that only reads again if its server has ended the read, and nothing is written yet.
  private static func repeatingReads(
    _ command: Command, _ output: Output, _ run: () throws -> ExitStatus
  ) throws -> ExitStatus {
    let end = ContinuousClock.now + .seconds(30)
    while true {
      do { return try run() } catch {
        guard command.onlyReads, ServerStore.isTransient(error), !output.hasFlushed,
          ContinuousClock.now < end
        else { throw error }
        output.discard()
        System.pause(milliseconds: 100)
      }
    }
  }

  private static func run(_ arguments: Arguments, _ output: Output) throws -> ExitStatus {
    do {
      switch arguments.command {
      case .infer: return try InferCommand(arguments).run(output)
      case .import: return try ImportCommand(arguments).run(output)
      case .get: return try GetCommand(arguments).run(output)
      case .export: return try ExportCommand(arguments).run(output)
      case .query: return try QueryCommand(arguments).run(output)
      case .set: return try SetCommand(arguments).run(output)
      case .delete: return try DeleteCommand(arguments).run(output)
      case .mappings: return try MappingsCommand(arguments).run(output)
      case .stats: return try stats(arguments, output)
      case .check: return try check(arguments, output)
      case .dump: return try dump(arguments, output)
      case .load: return try load(arguments, output)
      case .backup: return try backup(arguments, output)
      case .repair: return try repair(arguments, output)
      case .compact: return try compact(arguments, output)
      case .prepare: return try prepare(arguments, output)
      case .dropIndex: return try dropIndex(arguments, output)
      case .completion: return try completion(arguments, output)
      case .man: return man(output)
      case .describe: return try DescribeCommand(arguments).run(output)
      case .swift: return try swift(arguments, output)
      }
    } catch let error where error is SchemaMismatchError || error is StoreLimitError {
      // These errors do not name the store.
      let address = try StoreAddress(arguments["store"] ?? "")
      throw Failure("\(address.name): \(error)")
    } catch let error as LMDBError where arguments.isStoreFirst && namesNoStore(error) {
      throw UsageError("\(error)")
    } catch let error as LMDBError where error.reason == .readersFull {
      // The library's message proposes a setting that the tool does not have.
      throw Failure(
        "\(error.path): too many programs read it at once; try again when some have ended")
    }
  }

  private static func command(named name: String) throws -> Command {
    if let command = Command(rawValue: name) { return command }
    let options = ["--version", "--help"]
    let names = Command.allCases.map(\.rawValue) + ["help", "version"]
    let isOption = name.hasPrefix("-")
    let near = suggestion(for: name, among: isOption ? options : names)
    let hint =
      near.map { "did you mean \(quoted($0))?" }
      ?? "there are \(list(isOption ? options : names, most: .max))"
    throw UsageError("no \(isOption ? "option" : "command") named \(quoted(name)); \(hint)")
  }

  private static func expectNothing(_ words: ArraySlice<String>) throws {
    if let word = words.first { throw UsageError("unexpected argument \(quoted(word))") }
  }
}
