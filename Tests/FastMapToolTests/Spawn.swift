import FastMapSystem
import ToolTesting

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

/// Runs a program to its end, with its three standard files redirected.
func spawn(
  _ words: [String], in directory: String, input: String, output: String, errors: String
) throws -> Int32 {
  // Glibc shows Swift no way to spawn in another directory.
  let call = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", directory] + words
  let process = try startProcess(call, input: input, output: output, errors: errors)
  var status: Int32 = 0
  while waitpid(process, &status, 0) < 0 {
    guard errno == EINTR else { throw SpawnError(what: "waitpid", code: errno) }
  }
  // As a shell has it: the status, or 128 and the signal.
  return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
}

/// The path for a shell.
func inShell(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
