import FastMapSystem
import TestSupport
import Testing

/// Reports that cannot be written, and signals: what is stored stays stored, and the status says so.
@Suite struct LostReportTests {
  private static let call = "--store people.db --mappings mappings.json --as Person"

  private func workspace() throws -> Workspace {
    let workspace = try Workspace(holding: #"[{"id": 1}, {"id": 2}, {"id": 3}]"#)
    try workspace.write(#"[{"id": 4}]"#, to: "people.json")
    try workspace.write("{\"id\": 5}\n{\"id\": \"x\"}\n", to: "bad.ndjson")
    #expect(try workspace.shell("fastmap dump --store people.db > people.dump").status == 0)
    return workspace
  }

  /// Calls, their statuses, the beginning of the last message, and the objects that are then stored.
  static let calls: [(call: String, status: Int32, message: String, stored: Int)] = [
    ("import \(call) --quiet people.json", 0, "; the import is stored, and its report is lost", 4),
    (
      "import \(call) --quiet --json people.json", 0, "; the import is stored, and its report is lost",
      4
    ),
    (
      "import \(call) --quiet --on-error skip bad.ndjson", 1,
      "; the import is stored, and its report is lost", 4
    ),
    (
      "import \(call) --quiet --json --commit-every 1 bad.ndjson", 1,
      #"bad.ndjson: $[1].id: expected an integer, found the string "x" (line 2, column 8)"#, 4
    ),
    ("delete \(call) 1", 0, "; the objects are deleted, and its report is lost", 2),
    ("delete \(call) --where '@.id > 1'", 0, "; the objects are deleted, and its report is lost", 1),
    // Nothing is stored, and the report is the result.
    ("import \(call) --quiet --dry-run people.json", 1, "standard output: Bad file descriptor", 3),
    ("delete \(call) --dry-run 1", 1, "standard output: Bad file descriptor", 3),
    ("export \(call)", 1, "standard output: Bad file descriptor", 3),
    ("load --store copy.db people.dump", 0, "; the dump is loaded, and its report is lost", 3),
  ]

  @Test(arguments: calls.indices)
  func aReportThatIsLostLeavesTheStatusOfTheWork(_ index: Int) throws {
    let (call, status, message, stored) = Self.calls[index]
    let workspace = try workspace()
    let run = try workspace.shell("fastmap \(call) >&-")
    #expect(run.status == status)
    #expect(run.complaints.last?.hasSuffix(message) ?? false, "\(run.errors)")
    #expect(try workspace.exporting().lines.count == stored)
    #expect(try workspace.fastmap("check", "--store", "people.db").status == 0)
  }

  /// As behind `head`, which has read enough.
  @Test func aReaderThatHasGoneIsNoReasonForSuccess() throws {
    let workspace = try workspace()
    let gone =
      "{ sleep 0.2; fastmap import \(Self.call) --quiet --json INPUT; echo $? > status; } | true; cat status"
    // The shell waits for the whole pipeline.
    let good = try workspace.shell(gone.replacing("INPUT", with: "people.json"))
    #expect(good.output == "0\n")
    #expect(good.errors.contains("the import is stored"))
    let bad = try workspace.shell(gone.replacing("INPUT", with: "bad.ndjson"))
    #expect(bad.output == "1\n")
    #expect(bad.errors.contains("bad.ndjson: $[1].id: expected an integer"))
  }

  @Test func aMessageIsNotWrittenIntoAStoreInPlaceOfAClosedFile() throws {
    let workspace = try workspace()
    let faults = (0..<500).map { #"{"id": "x\#($0)"}"# }.joined(separator: "\n")
    try workspace.write(faults, to: "faults.ndjson")
    for closed in ["2>&-", ">&- 2>&-", "<&- >&- 2>&-"] {
      let run = try workspace.shell("fastmap import \(Self.call) --on-error skip faults.ndjson \(closed)")
      #expect(run.status == 1)
      #expect(try workspace.fastmap("check", "--store", "people.db").status == 0)
      for name in workspace.names(in: "people.db") {
        let text = String(decoding: try workspace.bytes(of: "people.db/" + name), as: UTF8.self)
        #expect(!text.contains("expected an integer"))
      }
    }
  }

  /// Starts a process that a signal ends. A shell starts its jobs with some signals ignored, and the threads of the tests
  /// block all of them.
  private static func takingSignal<R>(_ signal: Int32, _ start: () throws -> R) rethrows -> R {
    let handler = FastMapSystem.signal(signal, SIG_DFL)
    var none = sigset_t()
    var blocked = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &blocked)
    defer {
      pthread_sigmask(SIG_SETMASK, &blocked, nil)
      _ = FastMapSystem.signal(signal, handler)
    }
    return try start()
  }

  /// The runtime of Swift takes the last two for crashes, and goes on behind its backtrace.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT])
  func aSignalEndsAnImportThatWaitsForItsPipe(_ signal: Int32) throws {
    let workspace = try workspace()
    let pipe = workspace.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    let errors = workspace.path + "/errors"
    let call = [FastMapTool.path, "import"] + Self.call.split(separator: " ").map(String.init) + [pipe]
    let process = try Self.takingSignal(signal) {
      try Program.start(call, in: workspace.path, errors: errors)
    }
    // Once the writer's side opens, the tool reads.
    let writer = open(pipe, O_WRONLY)
    #expect(kill(process, signal) == 0)
    close(writer)
    #expect(Program.ending(of: process, waits: true) == .killed(signal: signal))
    #expect(try (workspace.bytes(of: "errors"), workspace.exporting().lines.count) == ([], 3))
  }
}
