import FastMapSystem
import ToolTesting

/// The tool that was built with the tests, as a process.
enum FastMapTool {
  enum TransactionCompletion: Equatable {
    case exited(Int32)
    case killed(signal: Int32)
    /// It had not ended in time, and was killed.
    case hung
  }

  struct Run {
    let ending: TransactionCompletion
    let output: [UInt8]
    let errors: String

    var lines: [String] {
      String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  static var isBuilt: Bool { access(toolPath, X_OK) == 0 }

  /// Starts the tool with its standard output and standard error in files.
  static func start(_ arguments: [String], output: String, errors: String) throws -> pid_t {
    try startProcess([toolPath] + arguments, input: "/dev/null", output: output, errors: errors)
  }

  /// How a process has ended; nil while it runs.
  static func ending(of process: pid_t, waits: Bool) -> TransactionCompletion? {
    var status: Int32 = 0
    while true {
      let found = waitpid(process, &status, waits ? 0 : WNOHANG)
      if found == 0 { return nil }
      if found < 0, errno == EINTR { continue }
      let signal = status & 0x7F
      return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: signal)
    }
  }

  /// Runs the tool to its end.
  ///
  /// - Parameter scratch: A directory for its output.
  static func run(_ arguments: [String], in scratch: Scratch, seconds: Int = 120) throws -> Run {
    let output = scratch.path + "/output"
    let errors = scratch.path + "/errors"
    let process = try start(arguments, output: output, errors: errors)
    let ending = waiting(for: process, seconds: seconds)
    return Run(
      ending: ending, output: try Files.bytes(of: output),
      errors: String(decoding: try Files.bytes(of: errors), as: UTF8.self))
  }

  private static func waiting(for process: pid_t, seconds: Int) -> TransactionCompletion {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(seconds)
    while clock.now < deadline {
      if let ending = ending(of: process, waits: false) { return ending }
      usleep(500)
    }
    kill(process, SIGKILL)
    _ = ending(of: process, waits: true)
    return .hung
  }
}
