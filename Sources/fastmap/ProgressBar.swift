import FastMapCore
import Synchronization

/// The progress of an import, in one line of the terminal that is redrawn.
///
///     [############············]  51 %  16.4 of 32.0 MB  5120 objects
///     16.4 MB  5120 objects       if the size of the input is unknown
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

  func show(_ progress: ImportOptions.Progress) {
    let line: String? = state.withLock { state in
      let now = ContinuousClock.now
      if let last = state.lastDrawn, now - last < Self.interval { return nil }
      state = State(lastDrawn: now, isDrawn: true)
      return Self.line(for: progress)
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
    let objects = "\(progress.rootObjects) objects"
    guard progress.totalBytes > 0 else { return "\(megabytes(progress.bytes)) MB  \(objects)" }
    let part = min(1, Double(progress.bytes) / Double(max(1, progress.totalBytes)))
    let filled = Int(part * Double(width))
    let bar = String(repeating: "#", count: filled) + String(repeating: "·", count: width - filled)
    let percent = pad("\(Int(part * 100))", to: 3)
    let sizes = "\(megabytes(progress.bytes)) of \(megabytes(progress.totalBytes)) MB"
    return "[\(bar)] \(percent) %  \(sizes)  \(objects)"
  }

  private static func draw(_ text: String) {
    _ = System.send(Array(text.utf8), to: System.standardError)
  }
}
