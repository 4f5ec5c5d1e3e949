import Foundation

/// Messages and progress on standard error.
enum Console {
  private static let isTerminal = isatty(STDERR_FILENO) == 1
  /// One of several processes leaves the line to its parent.
  private static let showsProgress = isTerminal && !CommandLine.arguments.contains("--quiet")

  static func note(_ text: String) { write(text + "\n") }

  /// Replaces the progress line; does nothing without a terminal.
  static func progress(_ text: String) {
    if showsProgress { write("\r\u{1B}[K" + text) }
  }

  static func endProgress() {
    if isTerminal { write("\r\u{1B}[K") }
  }

  /// Writes to standard output at once, because children must not inherit a buffer.
  static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  private static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
