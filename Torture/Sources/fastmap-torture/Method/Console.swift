import Foundation

/// Messages and progress on standard error.
enum Console {
  private static let isTerminal = isatty(STDERR_FILENO) == 1
  /// One process of several leaves the line to the one that started them.
  private static let showsProgress = isTerminal && !CommandLine.arguments.contains("--quiet")

  static func note(_ text: String) { write(text + "\n") }

  /// Replaces the progress line; nothing where there is no terminal.
  static func progress(_ text: String) {
    if showsProgress { write("\r\u{1B}[K" + text) }
  }

  static func endProgress() {
    if isTerminal { write("\r\u{1B}[K") }
  }

  /// On standard output, at once: children must not have it in a buffer of their own.
  static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  private static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
