import FastMapCore
import FastMapSystem

/// Standard output, which carries results only, and standard error, which carries all else.
final class Output {
  /// Nobody reads standard output any more, as after `fastmap export … | head -1`.
  struct ReaderHasGone: Error {}

  private var buffer: [UInt8] = []
  private static let limit = 65_536

  /// Keeps text until it is flushed.
  func write(_ text: String) { buffer.append(contentsOf: text.utf8) }

  func write(_ bytes: UnsafeRawBufferPointer) { buffer.append(contentsOf: bytes) }

  /// Keeps one line of JSON.
  func writeLine(_ body: (inout JSONWriter) -> Void) {
    var writer = JSONWriter(style: .spaced)
    body(&writer)
    writer.endLine()
    writer.withBytes(write)
  }

  /// Flushes once there is enough; to be called now and then by who writes much.
  func flushIfFull() throws {
    if buffer.count >= Self.limit { try flush() }
  }

  func flush() throws {
    let code = System.send(buffer, to: System.standardOutput)
    buffer.removeAll(keepingCapacity: true)
    guard code != 0 else { return }
    if System.isClosedPipe(code) { throw ReaderHasGone() }
    throw FileError(path: "standard output", reason: systemMessage(code))
  }

  /// Writes lines to standard error, whatever the names in them hold. There is nobody left to tell if that fails.
  static func complain(_ lines: [String]) {
    if lines.isEmpty { return }
    _ = System.send(Array((lines.map { printable($0) + "\n" }.joined()).utf8), to: System.standardError)
  }
}
