import FastMapSystem
import TestSupport
import Testing

@Suite struct ProgressBarTests {
  /// A new terminal: the side of the person before it, and the path of the other side.
  private func makeTerminal() throws -> (descriptor: Int32, path: String) {
    #if canImport(Darwin)
      let terminal = posix_openpt(O_RDWR | O_NOCTTY)
      guard terminal >= 0, grantpt(terminal) == 0, unlockpt(terminal) == 0, let name = ptsname(terminal)
      else { throw CallError(call: "posix_openpt", code: errno) }
      return (terminal, String(cString: name))
    #else
      // The work of `unlockpt` and `ptsname`, which Glibc hides from Swift: TIOCSPTLCK, TIOCGPTN.
      let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var lock: Int32 = 0
      var number: Int32 = 0
      guard terminal >= 0, ioctl(terminal, 0x4004_5431, &lock) == 0,
        ioctl(terminal, 0x8004_5430, &number) == 0
      else { throw CallError(call: "/dev/ptmx", code: errno) }
      return (terminal, "/dev/pts/\(number)")
    #endif
  }

  /// Runs the tool with a terminal for its standard error, and returns its output there.
  ///
  /// - Parameters:
  ///   - isPiped: Whether the payload comes from its standard input.
  ///   - isInference: Whether it infers, and does not import.
  private func onTerminal(
    _ workspace: Workspace, _ options: String..., throughAPipe isPiped: Bool = false,
    infers isInference: Bool = false
  ) throws -> (ending: Program.Ending?, text: String) {
    let (terminal, path) = try makeTerminal()
    defer { close(terminal) }
    // Held open, so that the output can be read when the tool has ended, and a mark behind it.
    let other = open(path, O_RDWR | O_NOCTTY)
    defer { close(other) }
    var call =
      isInference
      ? [FastMapTool.path, "infer"]
      : [
        FastMapTool.path, "import", "--store", "people.db", "--mappings", "mappings.json", "--as", "Person",
      ]
    if isPiped {
      call = ["/bin/sh", "-c", "cat people.json | \"$0\" \"$@\" -"] + call
    } else {
      call.append("people.json")
    }
    let process = try Program.start(call + options, in: workspace.path, errors: path)
    let ending = Program.ending(of: process, waits: true)
    var mark: UInt8 = 0
    #expect(write(other, &mark, 1) == 1)
    return (ending, String(decoding: readAll(terminal), as: UTF8.self))
  }

  /// All up to the mark. The kernel hands it over in pieces, and in its own time.
  private func readAll(_ terminal: Int32) -> some Collection<UInt8> {
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var state = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    while all.last != 0, poll(&state, 1, 60_000) > 0, state.revents & Int16(POLLIN) != 0 {
      let count = read(terminal, &bytes, bytes.count)
      guard count > 0 else { break }
      all += bytes[..<count]
    }
    #expect(all.last == 0, "the mark has not come")
    return all.dropLast()
  }

  private static let payload =
    #"[{"id": 1, "name": "a", "price": 1, "car": null, "phones": [], "boss": null}, {"id": 2}]"#

  private func workspace(_ payload: String = payload) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write(payload, to: "people.json")
    return workspace
  }

  @Test func aTerminalShowsTheBarAndIsLeftClean() throws {
    let run = try onTerminal(workspace())
    #expect(run.ending == .exited(0))
    #expect(run.text.contains("["))
    #expect(run.text.contains(" objects"))
    #expect(run.text.hasSuffix("\r\u{1B}[K"))
  }

  @Test func theBarIsGoneBeforeAnErrorIsShown() throws {
    let run = try onTerminal(workspace(#"[{"id": 1}, {"id": "x"}]"#), "--commit-every", "1")
    #expect(run.ending == .exited(1))
    let last = run.text.replacing("\r\n", with: "\n").split(separator: "\u{1B}[K").last.map(String.init)
    #expect(last == "people.json: $[1].id: expected an integer, found the string \"x\" (line 1, column 20)\n")
  }

  @Test func aStreamShowsHowMuchHasComeAndNoPart() throws {
    let run = try onTerminal(workspace(), throughAPipe: true)
    #expect(run.ending == .exited(0))
    #expect(run.text == "\r\u{1B}[K0.0 MB  2 objects\r\u{1B}[K")
  }

  /// Its `--quiet` leaves out decisions.
  @Test func inferenceHasTheBarOfAnImport() throws {
    for isPiped in [false, true] {
      let run = try onTerminal(workspace(), "--quiet", throughAPipe: isPiped, infers: true)
      #expect(run.ending == .exited(0))
      #expect(
        run.text.contains(isPiped ? "0.0 MB" : "[########################] 100 %  0.0 of 0.0 MB"),
        "\(run.text)")
      #expect(run.text.hasSuffix("\r\u{1B}[K"))
    }
  }

  /// Input from a terminal, which its person has ended.
  @Test(arguments: [
    ("import --store people.db --mappings mappings.json --as Person", "JSON"),
    ("import --store people.db --mappings mappings.json --as Person --format ndjson -", "NDJSON"),
    ("infer -", "JSON"), ("load --store copy.db -", "a dump"),
  ])
  func aCommandThatWaitsForATerminalSaysSo(_ call: String, _ text: String) throws {
    let workspace = try workspace()
    let (terminal, path) = try makeTerminal()
    defer { close(terminal) }
    let other = open(path, O_RDWR | O_NOCTTY)
    defer { close(other) }
    let process = try Program.start(
      [FastMapTool.path] + call.split(separator: " ").map(String.init), in: workspace.path, input: path,
      errors: workspace.path + "/errors")
    var ending: [UInt8] = Array("\u{4}".utf8)
    #expect(write(terminal, &ending, ending.count) == 1)
    _ = Program.ending(of: process, waits: true)
    let errors = String(decoding: try workspace.bytes(of: "errors"), as: UTF8.self)
    #expect(errors.hasPrefix("reading \(text) from the terminal; end it with Ctrl-D on a line of its own\n"))
  }

  @Test func quietShowsNoBar() throws {
    let run = try onTerminal(workspace(), "--quiet")
    #expect(run.ending == .exited(0))
    #expect(run.text == "")
  }

  @Test func withoutATerminalThereIsNoBar() throws {
    let run = try workspace().importing("[]")
    #expect(run.errors == "")
  }
}
