import Foundation

/// Messages and progress on standard error.
enum Console {
  private static let isTerminal = isatty(STDERR_FILENO) == 1

  static func note(_ text: String) { write(text + "\n") }

  /// Replaces the progress line, or prints a line if there is no terminal.
  static func progress(_ text: String) { write(isTerminal ? "\r\u{1B}[K" + text : text + "\n") }

  static func endProgress() {
    if isTerminal { write("\r\u{1B}[K") }
  }

  private static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
