#if Postgres
  import Foundation

  /// A connected `psql`, waiting for commands. Its start is not timed.
  final class Psql {
    private static let mark = "fastmap-benchmarks: done"

    private let process = Process()
    private let commands = Pipe()
    private let words = Pipe()
    private var heard = ""

    init(_ address: String) throws {
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-", address]
      process.standardInput = commands
      process.standardOutput = FileHandle.nullDevice
      process.standardError = words
      try process.run()
      try run("SET client_min_messages = warning;")
    }

    deinit {
      try? commands.fileHandleForWriting.close()
      process.waitUntilExit()
    }

    /// Runs commands, and waits until they are done.
    func run(_ commands: String) throws {
      heard = ""
      // Unlike \echo, \warn is not buffered.
      try self.commands.fileHandleForWriting.write(
        contentsOf: Data("\(commands)\n\\warn \(Self.mark)\n".utf8))
      while !heard.contains(Self.mark) {
        let data = words.fileHandleForReading.availableData
        try WrongOutcome.check(!data.isEmpty, "success of psql, found: \(heard)")
        heard += String(decoding: data, as: UTF8.self)
      }
    }
  }
#endif
