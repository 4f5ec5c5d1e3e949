package import FastMapSystem

#if canImport(Darwin)
  internal import Foundation
#endif

/// The tool that was built with the tests: it lies beside them.
package let toolPath: String = {
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

/// Something that the system would not do.
package struct SpawnError: Error {
  package let what: String
  package let code: Int32

  package init(what: String, code: Int32) {
    self.what = what
    self.code = code
  }
}

/// Starts a program with its three standard files redirected.
///
/// - Parameter words: The path of the program, and its arguments.
/// - Returns: A process that the caller waits for.
package func startProcess(_ words: [String], input: String, output: String, errors: String) throws -> pid_t {
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
  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var process = pid_t()
  let code = posix_spawn(&process, words[0], &actions, nil, &arguments, environ)
  guard code == 0 else { throw SpawnError(what: "posix_spawn \(words[0])", code: code) }
  return process
}
