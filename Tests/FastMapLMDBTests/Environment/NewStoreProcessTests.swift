import FastMapCore
import FastMapLMDB
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

/// Many processes import into a store that does not exist yet, and some of them fail: reported imports stay stored.
@Suite(.serialized, .enabled(if: FastMapTool.isBuilt, "no fastmap beside the tests"))
struct NewStoreProcessTests {
  private let scratch = Scratch()

  /// Mappings that cannot share a store: one of them is refused where another one was first.
  private static let mappings = ["integer", "string"].map {
    #"{"fastmap": 1, "mappings": {"A": {"primaryKey": "id", "attributes": {"id": "integer", "x": "\#($0)"}}}}"#
  }

  private func importing(_ mapping: Int, _ input: String, output: String) throws -> pid_t {
    let words = [
      "import", "--store", scratch.store, "--mappings", "\(scratch.path)/mappings\(mapping).json", "--as",
      "A",
      "--quiet", input,
    ]
    return try FastMapTool.start(words, output: output, errors: output + "-errors")
  }

  private func keys() throws -> Set<Int> {
    for mapping in 0..<Self.mappings.count {
      let run = try FastMapTool.run(
        [
          "export", "--store", scratch.store, "--mappings", "\(scratch.path)/mappings\(mapping).json", "--as",
          "A",
        ], in: scratch)
      guard run.ending == .exited(0) else { continue }
      return Set(run.lines.compactMap { Int($0.filter(\.isNumber).prefix(while: { $0 != "x" })) })
    }
    return []
  }

  private func makeMappings() {
    for (number, text) in Self.mappings.enumerated() {
      write(Array(text.utf8), to: "\(scratch.path)/mappings\(number).json")
    }
  }

  #if os(Linux)
    /// One makes the store, another one opens it, the first one fails, the second one commits.
    @Test func aFailedImportKeepsStoresOfOthers() throws {
      makeMappings()
      let first = try waitingImport("first")
      let second = try waitingImport("second")
      try send("[{]", to: first.input)
      waitUntilClosed(first.process)
      try send(#"[{"id": 7}]"#, to: second.input)
      #expect(Program.ending(of: second.process, waits: true) == .exited(0))
      #expect(Program.ending(of: first.process, waits: true) == .exited(1))
      #expect(try keys() == [7])
    }

    /// One makes the store, another one opens it, and both fail.
    @Test func importsThatFailTogetherLeaveNoStore() throws {
      makeMappings()
      let first = try waitingImport("first")
      let second = try waitingImport("second")
      try send("[{]", to: first.input)
      waitUntilClosed(first.process)
      try send("[{]", to: second.input)
      for process in [first.process, second.process] {
        #expect(Program.ending(of: process, waits: true) == .exited(1))
      }
      #expect(!scratch.names().contains("people.db"))
    }

    /// Starts an import that has opened the store and waits for its input.
    private func waitingImport(_ name: String) throws -> (process: pid_t, input: CInt) {
      let pipe = "\(scratch.path)/\(name).json"
      mkfifo(pipe, 0o600)
      let process = try importing(0, pipe, output: "\(scratch.path)/\(name)")
      let input = open(pipe, O_WRONLY | O_CLOEXEC)  // returns when the other end is open
      while Program.ending(of: process, waits: false) == nil {
        if Self.hasMapped(scratch.dataFile, process) { break }
        usleep(500)
      }
      return (process, input)
    }

    /// Waits until a process has closed the store. One that fails then tries to remove it, as long as another one has it open.
    private func waitUntilClosed(_ process: pid_t) {
      while Self.hasMapped(scratch.dataFile, process) { usleep(500) }
    }

    private func send(_ text: String, to descriptor: CInt) throws {
      let file = try #require(fdopen(descriptor, "w"))
      defer { fclose(file) }
      #expect(fputs(text, file) >= 0)
    }

    private static func hasMapped(_ path: String, _ process: pid_t) -> Bool {
      guard let maps = try? Files.bytes(of: "/proc/\(process)/maps") else { return false }
      return String(decoding: maps, as: UTF8.self).contains(path)
    }
  #endif

  @Test func acknowledgedImportsAreStored() throws {
    makeMappings()
    for round in 0..<TestSize.rounds(small: 2, whole: 12) {
      let directory = "\(scratch.path)/round\(round)"
      mkdir(directory, 0o700)
      if round % 2 == 0 { mkdir(scratch.store, 0o700) }
      let importers = try (0..<6).map { number in
        let input = "\(directory)/\(number).json"
        // Every third fails at its end, every second has the other mapping.
        let objects = (0..<20).map { #"{"id": \#(number * 100 + $0)}"# }.joined(separator: ",")
        write(Array("[\(objects)]\(number % 3 == 2 ? "x" : "")".utf8), to: input)
        return try importing(number % 2, input, output: "\(directory)/\(number)")
      }
      let endings = importers.map { Program.ending(of: $0, waits: true) }
      var acknowledged = Set<Int>()
      for (number, ending) in endings.enumerated() {
        #expect(ending == .exited(0) || ending == .exited(1), "round \(round), \(number)")
        if ending == .exited(0) { acknowledged.formUnion(number * 100..<number * 100 + 20) }
      }
      #expect(!acknowledged.isEmpty)
      let found = try keys()
      #expect(found == acknowledged, "round \(round)")
      for name in ["data.mdb", "lock.mdb", "data.schema.json"] { unlink("\(scratch.store)/\(name)") }
      #expect(rmdir(scratch.store) == 0, "round \(round): litter")
    }
  }
}
