import FastMapCore
import FastMapInference
import FastMapLMDB
import Synchronization

/// `fastmap import`
struct ImportCommand {
  private let arguments: Arguments
  private let store: String
  private let operands: [String]
  private let inputs: [String]
  private var options = ImportOptions()
  private let aborted = AbortedImport()

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    store = try arguments.required("store")
    if arguments.isStoreFirst, arguments.operand == nil {
      throw UsageError("expected INPUT; - is standard input")
    }
    operands = arguments.operands.isEmpty ? ["-"] : arguments.operands
    inputs = try PayloadNames.files(operands)
    let format = try arguments.choice("format", of: ["json", "ndjson"])
    options.format = format.map { $0 == "ndjson" ? .ndjson : .json } ?? .automatic
    options.faults = try arguments.choice("on-error", of: ["abort", "skip"]) == "skip" ? .skip : .abort
    options.commitInterval = try arguments.count("commit-every", atLeast: 1)
    options.isDryRun = arguments.has("dry-run")
    options.refusesUnread = arguments.has("strict")
    options.context = try Self.context(arguments.all("set"))
    options.retries = try Inputs.retries(arguments) ?? options.retries
    if let path = arguments["root-path"] {
      options.rootPath = path.isEmpty ? .wholeValue : JSONKeyPath(path)
      if let reason = options.rootPath?.faultAsRoot { throw UsageError("--root-path: \(reason)") }
    }
  }

  func run(_ output: Output) throws -> ExitStatus {
    // The store comes last: an import that cannot start creates none.
    let chosen = try ImportMappings(arguments, inputs)
    let plan = chosen.plan
    let report: ImportReport
    var options = try options(for: plan)
    options.mappingFile = chosen.mappings.file
    options.refusesOthers = chosen.isGuess
    let lines = arguments.has("changes") ? ChangeLines() : nil
    if let lines { options.onChange = { lines.write($0) } }
    // Standard output has the lines of the changes.
    let output = lines == nil ? output : Output(to: System.standardError)
    Output.announceTerminal(inputs.contains("-"), reading: options.format == .ndjson ? "NDJSON" : "JSON")
    do {
      let inputs = try inputs.map { try ImportInput.payload($0, options.format) }
      report = try importing(options, chosen.mappings) { try $0.importJSON(inputs, as: plan, options: $1) }
    } catch {
      _ = lines?.end("")
      if arguments.has("json"), !(error is UsageError) { writeAborted(plan, error, output) }
      throw error
    }
    Output.complain(arguments.has("quiet") ? report.notes : report.noteLines)
    Output.complain(chosen.lines)
    let widening = report.errors.lazy.map { wideningCommands(after: $0, chosen.mappings) }.first {
      !$0.isEmpty
    }
    Output.complain(widening ?? [])
    if arguments.has("json") {
      output.writeLine { report.write(to: &$0) }
    } else {
      output.write(report.table)
    }
    if !options.isDryRun { output.flushReport(of: "the import is stored") }
    if let lines {
      try? output.flush()
      if !lines.end(options.isDryRun ? "" : "the import is stored, and ") { return .failed }
    }
    return report.errorCount == 0 ? .done : .failed
  }

  /// The options of the call, and the objects that the payload replaces.
  private func options(for plan: Plan) throws -> ImportOptions {
    var options = options
    let filter = arguments["replace-where"]
    if arguments.has("replace-all") {
      if filter != nil { throw UsageError("expected --replace-all or --replace-where, found both") }
      options.replaces = .all
    } else if let filter {
      options.replaces = .matching(try QueryInputs.filter(filter, "--replace-where", of: plan))
    }
    if options.replaces != nil, plan.root.isScoped {
      try Inputs.keyType(filter == nil ? "--replace-all" : "--replace-where", of: plan)
    }
    do { _ = try plan.contextText(options.context) } catch { throw UsageError("--set: \(error)") }
    return options
  }

  /// The values of `--set NAME=VALUE`.
  private static func context(_ words: [String]) throws -> [String: Value] {
    var values: [String: Value] = [:]
    for word in words {
      guard let split = word.firstIndex(of: "="), split > word.startIndex else {
        throw UsageError("--set: expected NAME=VALUE, found \(quoted(word))")
      }
      let name = String(word[..<split])
      if values[name] != nil { throw UsageError("--set: \(quoted(name)) is given twice") }
      values[name] = .string(String(word[word.index(after: split)...]))
    }
    return values
  }

  /// Writes the report of an import that an error has ended: its errors, and the counts of its commits.
  private func writeAborted(_ plan: Plan, _ error: any Error, _ output: Output) {
    let (report, cause) =
      aborted.found.withLock { $0 } ?? (.ofNothing(plan, isDryRun: options.isDryRun), error)
    let failure = ImportFailure(error: cause, lines: (error as? Failure)?.lines ?? ["\(error)"])
    output.writeLine { report.write(to: &$0, endedBy: failure) }
    output.flushReport(of: "the import has ended with an error")
  }

  private func importing(
    _ options: ImportOptions, _ mappings: CommandMappings,
    _ run: (Mapper, ImportOptions) throws -> ImportReport
  ) throws -> ImportReport {
    var options = options
    let bar = ProgressBar(isQuiet: arguments.has("quiet"))
    if let bar { options.onProgress = { bar.show($0) } }
    options.onError = { error in
      bar?.finish()  // the next progress draws it again below the line
      Output.complain([error.description])
    }
    options.onAbort = { [aborted] report, error in aborted.found.withLock { $0 = (report, error) } }
    defer { bar?.finish() }
    do {
      switch try StoreAddress(store) {
      case .directory(let path):
        return try ImportTarget(path: path, isDryRun: options.isDryRun).withStore {
          try run(Mapper($0), options)
        }
      case .server(let url):
        let store = try ServerStore.open(url, arguments) { line in
          bar?.finish()
          Output.complain([line])
        }
        return try run(Mapper(store), options)
      }
    } catch let error as ContextValueError {
      var usage = UsageError("\(error)")
      usage.lines = ["give it with --set \(error.name)=VALUE"]
      throw usage
    } catch let error as MappingError {
      throw Failure(lines: [error.description] + wideningCommands(after: error, mappings))
    } catch let error as OtherPayloadError {
      throw Failure(lines: ["\(error)"] + nextSteps(for: error, mappings))
    } catch let error as JSONSyntaxError {
      throw Failure(error.file == nil ? "\(PayloadStream.name(of: "-")): \(error)" : "\(error)")
    } catch let error as LMDBError where error.reason == .diskFull && options.commitInterval != nil {
      // The library's message is about the last transaction.
      throw Failure(
        "\(error.path): no room left: the disk, a quota or a file size limit is full; earlier commits of this import are kept"
      )
    }
  }
}

extension ImportCommand {
  /// The commands that widen inferred types for the values of the inputs.
  private func wideningCommands(after error: MappingError, _ mappings: CommandMappings) -> [String] {
    let member = error.path.steps.reversed().lazy.compactMap {
      if case .member(let name) = $0 { name } else { nil }
    }.first
    // A key keeps its type.
    let owners = mappings.set.mappings.filter { mapping in mapping.attributes.contains { $0.name == member } }
    guard case .unexpected = error.reason, let member,
      owners.isEmpty || !owners.allSatisfy({ $0.isOfKey(member) }),
      (try? JSONTree(parsing: mappings.file)["inferred"]) == .boolean(true)
    else { return [] }
    let files = operands.map { $0 == "-" ? "FILE" : shellWord($0) }.joined(separator: " ")
    return [
      "to widen the inferred types:", "  fastmap infer --store \(shellWord(store)) \(files) > mappings.json",
      "  fastmap mappings \(shellWord(store)) mappings.json",
    ]
  }

  /// The commands for a payload of another mapping.
  private func nextSteps(for error: OtherPayloadError, _ mappings: CommandMappings) -> [String] {
    let name = Inference.root(ofFile: error.file, besides: mappings.set.mappings.map(\.name))
    let call = (["fastmap import", shellWord(store)] + operands.map(shellWord)).joined(
      separator: " ")
    return [
      "as objects of their own: \(call) --as \(shellWord(name))",
      "nevertheless: \(call) --as \(shellWord(error.mapping))",
    ]
  }
}

/// The report of an import that has ended with an error.
private final class AbortedImport: Sendable {
  let found = Mutex<(report: ImportReport, error: any Error)?>(nil)
}
