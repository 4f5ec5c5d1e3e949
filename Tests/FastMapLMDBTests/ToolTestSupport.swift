#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
  import Foundation
#endif

/// The tool that was built with the tests, as a process.
enum FastMapTool {
  enum Ending: Equatable {
    case exited(Int32)
    case killed(signal: Int32)
    /// It had not ended in time, and was killed.
    case hung
  }

  struct Run {
    let ending: Ending
    let output: [UInt8]
    let errors: String

    var lines: [String] {
      String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  struct StartError: Error { let code: Int32 }

  /// It lies beside the tests.
  static let path: String = {
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

  static var isBuilt: Bool { access(path, X_OK) == 0 }

  /// Starts the tool with its standard output and standard error in files.
  static func start(_ arguments: [String], output: String, errors: String) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    let code = posix_spawn(&process, path, &actions, nil, &words, environ)
    guard code == 0 else { throw StartError(code: code) }
    return process
  }

  /// How a process has ended; nil while it runs.
  static func ending(of process: pid_t, waits: Bool) -> Ending? {
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

  private static func waiting(for process: pid_t, seconds: Int) -> Ending {
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
