package import FastMapSystem

#if canImport(Darwin)
  import Foundation
#endif

/// A program that a test runs.
package enum Program {
  package enum Ending: Equatable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
    /// It had not ended in time, and was killed.
    case hung
  }

  /// The ending of a program, and its output.
  package struct Run: Sendable {
    package let ending: Ending
    /// Its standard output.
    package let bytes: [UInt8]
    package let errors: String

    package var output: String { String(decoding: bytes, as: UTF8.self) }
    package var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Standard error, line by line.
    package var complaints: [String] {
      errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// As a shell has it: the status, or 128 and the signal.
    package var status: Int32 {
      switch ending {
      case .exited(let status): status
      case .killed(let signal): 128 + signal
      case .hung: 128 + SIGKILL
      }
    }
  }

  /// Starts a program with its three standard files redirected.
  ///
  /// - Parameters:
  ///   - words: The path of the program, and its arguments.
  ///   - directory: Where it runs; nil where the tests do.
  /// - Returns: A process that the caller waits for.
  package static func start(
    _ words: [String], in directory: String? = nil, input: String = "/dev/null",
    output: String = "/dev/null", errors: String = "/dev/null"
  ) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY, 0o600)
    // Glibc shows Swift no way to spawn in another directory.
    let call = directory.map { ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", $0] + words } ?? words
    var arguments: [UnsafeMutablePointer<CChar>?] = call.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let code = posix_spawn(&process, call[0], &actions, nil, &arguments, environ)
    guard code == 0 else { throw CallError(call: "posix_spawn \(call[0])", code: code) }
    return process
  }

  /// How a process has ended; nil while it runs.
  package static func ending(of process: pid_t, waits: Bool) -> Ending? {
    var status: Int32 = 0
    while true {
      let found = waitpid(process, &status, waits ? 0 : WNOHANG)
      if found == 0 { return nil }
      if found < 0, errno == EINTR { continue }
      let signal = status & 0x7F
      return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: signal)
    }
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - streams: A directory for its standard output and standard error.
  ///   - seconds: After which it is killed.
  package static func run(
    _ words: [String], in directory: String? = nil, input: String = "/dev/null", streams: String,
    seconds: Int = 120
  ) throws -> Run {
    let (output, errors) = (streams + "/output", streams + "/errors")
    let process = try start(words, in: directory, input: input, output: output, errors: errors)
    let ending = waiting(for: process, seconds: seconds)
    return Run(
      ending: ending, bytes: try Files.bytes(of: output),
      errors: String(decoding: try Files.bytes(of: errors), as: UTF8.self))
  }

  private static func waiting(for process: pid_t, seconds: Int) -> Ending {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < deadline {
      if let ending = ending(of: process, waits: false) { return ending }
      usleep(500)
    }
    kill(process, SIGKILL)
    _ = ending(of: process, waits: true)
    return .hung
  }
}

/// The tool that was built with the tests: it lies beside them.
package enum FastMapTool {
  package static let path: String = {
    #if canImport(Darwin)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      let beside = bundle?.bundleURL.deletingLastPathComponent().path ?? "."
    #else
      var buffer = [CChar](repeating: 0, count: 4096)
      let length = max(0, readlink("/proc/self/exe", &buffer, buffer.count - 1))
      let tests = String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let beside = String(tests.reversed().drop { $0 != "/" }.dropFirst().reversed())
    #endif
    return beside + "/fastmap"
  }()

  package static var isBuilt: Bool { access(path, X_OK) == 0 }

  /// Starts the tool with its standard output and standard error in files.
  package static func start(_ arguments: [String], output: String, errors: String) throws -> pid_t {
    try Program.start([path] + arguments, output: output, errors: errors)
  }

  /// Runs the tool to its end.
  ///
  /// - Parameter scratch: A directory for its output.
  package static func run(
    _ arguments: [String], in scratch: Scratch, seconds: Int = 120
  ) throws -> Program.Run {
    try Program.run([path] + arguments, streams: scratch.path, seconds: seconds)
  }
}
