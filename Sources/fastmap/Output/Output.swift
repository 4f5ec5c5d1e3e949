import FastMapCore
import FastMapSystem

/// Standard output, for results only, and standard error, for everything else.
final class Output {
  /// The reader of standard output has ended, as after `fastmap export … | head -1`.
  struct ReaderHasGone: Error, CustomStringConvertible {
    var description: String { "standard output: closed by its reader" }
  }

  private let descriptor: Int32
  private var buffer: [UInt8] = []
  /// Whether standard output has a part of the results.
  private(set) var hasFlushed = false
  private static let limit = 65_536

  init(to descriptor: Int32 = System.standardOutput) { self.descriptor = descriptor }

  func write(_ text: String) { buffer.append(contentsOf: text.utf8) }

  func write(_ bytes: UnsafeRawBufferPointer) { buffer.append(contentsOf: bytes) }

  func writeLine(_ body: (inout JSONWriter) -> Void) {
    var writer = JSONWriter(style: .spaced)
    body(&writer)
    writer.endLine()
    writer.withBytes(write)
  }

  /// Flushes a full buffer. Commands with long output call this between writes.
  func flushIfFull() throws {
    if buffer.count >= Self.limit { try flush() }
  }

  /// Forgets the buffered text.
  func discard() { buffer.removeAll(keepingCapacity: true) }

  func flush() throws {
    hasFlushed = hasFlushed || !buffer.isEmpty
    let code = System.send(buffer, to: descriptor)
    buffer.removeAll(keepingCapacity: true)
    guard code != 0 else { return }
    if System.isClosedPipe(code) { throw ReaderHasGone() }
    throw SystemError(path: "standard output", reason: systemMessage(code))
  }

  /// Flushes a report. The work is done, so a report that cannot be written changes no status, and is only said.
  ///
  /// - Parameter work: What was done, as a part of a sentence.
  func flushReport(of work: String) {
    do { try flush() } catch { Self.complain(["\(error); \(work), and its report is lost"]) }
  }

  /// Announces that a command waits for input, if it reads from a terminal.
  static func announceTerminal(_ isStandardInput: Bool, reading text: String) {
    guard isStandardInput, System.isTerminal(System.standardInput) else { return }
    complain(["reading \(text) from the terminal; end it with Ctrl-D on a line of its own"])
  }

  /// Writes lines to standard error, escaped for terminals. A failure is ignored, because there is nowhere to report it.
  static func complain(_ lines: [String]) {
    if lines.isEmpty { return }
    _ = System.send(Array((lines.map { printable($0) + "\n" }.joined()).utf8), to: System.standardError)
  }
}
