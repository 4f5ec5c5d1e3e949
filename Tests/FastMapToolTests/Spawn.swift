#if canImport(Darwin)
  import Darwin
  import Foundation
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How a process ended, and what it said.
struct Run {
  let status: Int32
  let output: String
  let errors: String

  /// Standard error, line by line.
  var complaints: [String] {
    errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }
}

struct SpawnError: Error {
  let what: String
  let code: Int32
}

/// Runs a program to its end, with its three standard files redirected.
func spawn(
  _ words: [String], in directory: String, input: String, output: String, errors: String
) throws -> Int32 {
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
  let call = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", directory] + words
  var arguments: [UnsafeMutablePointer<CChar>?] = call.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var process = pid_t()
  let code = posix_spawn(&process, call[0], &actions, nil, &arguments, environ)
  guard code == 0 else { throw SpawnError(what: "posix_spawn \(words[0])", code: code) }
  var status: Int32 = 0
  while waitpid(process, &status, 0) < 0 {
    guard errno == EINTR else { throw SpawnError(what: "waitpid", code: errno) }
  }
  // As a shell has it: the status, or 128 and the signal.
  return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
}

/// The tool that was built with the tests: it lies beside them.
let toolPath: String = {
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

/// The path for a shell.
func inShell(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
