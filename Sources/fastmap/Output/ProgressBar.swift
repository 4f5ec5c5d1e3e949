import FastMapCore
import Synchronization

/// The progress of an import or of `infer`, in one line of the terminal that is redrawn.
///
///     [############············]  51 %  16.4 of 32.0 MB  5120 objects
///     16.4 MB  5120 objects       if the size of the input is unknown
///     [############············]  51 %  5120 of 10000 objects indexed       at the end, for a new index
final class ProgressBar: Sendable {
  private struct State {
    var lastDrawn: ContinuousClock.Instant?
    var isDrawn = false
  }

  private let state = Mutex(State())
  private static let width = 24
  /// Terminals are slow to draw, and eyes to read.
  private static let interval = Duration.milliseconds(100)
  private static let clearLine = "\r\u{1B}[K"

  /// Nil with `--quiet`, or if standard error is not a terminal.
  init?(isQuiet: Bool) {
    guard !isQuiet, System.isTerminal(System.standardError) else { return nil }
  }

  func show(_ progress: ImportOptions.Progress) { show { Self.line(for: progress) } }

  /// - Parameter total: The size of all inputs; 0 if it is unknown.
  func show(bytes: Int, of total: Int) { show { Self.line(bytes: bytes, of: total) } }

  private func show(_ text: () -> String) {
    let line: String? = state.withLock { state in
      let now = ContinuousClock.now
      if let last = state.lastDrawn, now - last < Self.interval { return nil }
      state = State(lastDrawn: now, isDrawn: true)
      return text()
    }
    if let line { Self.draw(Self.clearLine + line) }
  }

  /// Erases the bar.
  func finish() {
    let wasDrawn = state.withLock { state in
      defer { state.isDrawn = false }
      return state.isDrawn
    }
    if wasDrawn { Self.draw(Self.clearLine) }
  }

  static func line(for progress: ImportOptions.Progress) -> String {
    if progress.objectsToIndex > 0 {
      let total = progress.objectsToIndex
      let part = Double(progress.indexedObjects) / Double(total)
      return "\(bar(part))  \(progress.indexedObjects) of \(total) objects indexed"
    }
    return "\(line(bytes: progress.bytes, of: progress.totalBytes))  \(progress.rootObjects) objects"
  }

  private static func line(bytes: Int, of total: Int) -> String {
    guard total > 0 else { return "\(megabytes(bytes)) MB" }
    return "\(bar(Double(bytes) / Double(total)))  \(megabytes(bytes)) of \(megabytes(total)) MB"
  }

  /// `[############············]  51 %`
  private static func bar(_ part: Double) -> String {
    let part = min(1, part)
    let filled = Int(part * Double(width))
    let bar = String(repeating: "#", count: filled) + String(repeating: "·", count: width - filled)
    return "[\(bar)] \(pad("\(Int(part * 100))", to: 3)) %"
  }

  private static func draw(_ text: String) {
    _ = System.send(Array(text.utf8), to: System.standardError)
  }
}
