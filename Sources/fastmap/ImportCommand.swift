import FastMapCore
import FastMapLMDB
import Synchronization

/// `fastmap import`
struct ImportCommand {
  private let arguments: Arguments
  private let store: String
  private let inputName: String?
  private var options = ImportOptions()
  private let aborted = AbortedImport()

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    store = try arguments.required("store")
    inputName = arguments.operand == "-" ? nil : arguments.operand
    if arguments.isStoreFirst, arguments.operand == nil {
      throw UsageError("expected INPUT; - is standard input")
    }
    let ending = (inputName ?? "").lowercased()
    let format =
      try arguments.choice("format", of: ["json", "ndjson"])
      ?? (ending.hasSuffix(".ndjson") || ending.hasSuffix(".jsonl") ? "ndjson" : "json")
    options.format = format == "ndjson" ? .ndjson : .json
    options.faults = try arguments.choice("on-error", of: ["abort", "skip"]) == "skip" ? .skip : .abort
    options.commitInterval = try arguments.count("commit-every", atLeast: 1)
    options.isDryRun = arguments.has("dry-run")
    options.refusesUnread = arguments.has("strict")
    options.context = try Self.context(arguments.all("set"))
    options.retries = try Inputs.retries(arguments) ?? options.retries
    if let path = arguments["root-path"] {
      options.rootPath = path.isEmpty ? .wholeValue : JSONKeyPath(path)
      let reason = options.format == .ndjson ? options.rootPath?.faultInLine : options.rootPath?.faultAsRoot
      if let reason { throw UsageError("--root-path: \(reason)") }
    }
  }

  func run(_ output: Output) throws -> ExitStatus {
    // The store comes last: an import that cannot start creates none.
    let plan = try Inputs.plan(arguments)
    let report: ImportReport
    let options = try options(for: plan)
    Output.announceTerminal(inputName == nil, reading: options.format == .ndjson ? "NDJSON" : "JSON")
    do { report = try isStream ? importStream(as: plan, options) : importFile(as: plan, options) } catch {
      if arguments.has("json"), !(error is UsageError) { writeAborted(plan, error, output) }
      throw error
    }
    Output.complain(arguments.has("quiet") ? report.notes : report.noteLines)
    if arguments.has("json") {
      output.writeLine { report.write(to: &$0, file: inputName) }
    } else {
      output.write(report.table)
    }
    if !options.isDryRun { output.flushReport(of: "the import is stored") }
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
    output.writeLine { report.write(to: &$0, file: inputName, endedBy: failure) }
    output.flushReport(of: "the import has ended with an error")
  }

  /// Whether the input is imported as it arrives.
  private var isStream: Bool {
    inputName.map { InputStreamFile.isStream($0) } ?? InputStreamFile.isStream(System.standardInput)
  }

  private func importStream(as plan: Plan, _ options: ImportOptions) throws -> ImportReport {
    guard let inputName else { return try importStream(System.standardInput, as: plan, options) }
    let file = try InputStreamFile(inputName)
    return try importStream(file.descriptor, as: plan, options)
  }

  private func importStream(
    _ descriptor: Int32, as plan: Plan, _ options: ImportOptions
  ) throws -> ImportReport {
    try importing(options) { mapper, options in
      try mapper.importJSON(
        .descriptor(descriptor, name: inputName ?? Self.standardInput), as: plan, options: options)
    }
  }

  private func importFile(as plan: Plan, _ options: ImportOptions) throws -> ImportReport {
    let input = try openInput()
    let bytes = input.bytes
    return try importing(options) { try $0.importJSON(bytes, as: plan, options: $1) }
  }

  private func openInput() throws -> InputFile {
    guard let inputName else {
      return try InputFile(descriptor: System.standardInput, name: Self.standardInput)
    }
    return try InputFile(inputName)
  }

  private static let standardInput = "standard input"

  private func importing(
    _ options: ImportOptions, _ run: (Mapper, ImportOptions) throws -> ImportReport
  ) throws -> ImportReport {
    var options = options
    let place = inputName.map { $0 + ": " } ?? ""
    let bar = ProgressBar(isQuiet: arguments.has("quiet"))
    if let bar { options.onProgress = { bar.show($0) } }
    options.onError = { error in
      bar?.finish()  // the next progress draws it again below the line
      Output.complain([place + error.description])
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
      throw Failure(place + error.description)
    } catch let error as JSONSyntaxError {
      throw Failure("\(inputName ?? Self.standardInput): \(error)")
    } catch let error as LMDBError where error.reason == .diskFull && options.commitInterval != nil {
      // The library's message is about the last transaction.
      throw Failure(
        "\(error.path): no room left: the disk, a quota or a file size limit is full; earlier commits of this import are kept"
      )
    }
  }
}

/// The report of an import that has ended with an error.
private final class AbortedImport: Sendable {
  let found = Mutex<(report: ImportReport, error: any Error)?>(nil)
}
