import FastMapCore
import Synchronization

/// The lines of `--changes`, on standard output. Those after a failure are left out.
final class ChangeLines: Sendable {
  private struct State {
    let output = Output()
    var failure: (any Error)?
  }

  private let state = Mutex(State())

  func write(_ change: ImportOptions.Change) {
    state.withLock { state in
      if state.failure != nil { return }
      state.output.writeLine { change.write(to: &$0) }
      do { try state.output.flushIfFull() } catch { state.failure = error }
    }
  }

  /// Writes the last lines.
  ///
  /// - Parameter work: What was done, as a part of a sentence.
  /// - Returns: Whether all lines are written.
  func end(_ work: String) -> Bool {
    state.withLock { state in
      do {
        if let failure = state.failure { throw failure }
        try state.output.flush()
        return true
      } catch {
        Output.complain(["\(error); \(work)lines of its changes are lost"])
        return false
      }
    }
  }
}

extension ImportOptions.Change {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("change", kind.rawValue)
      writer.member("entity", entity)
      writer.name("key")
      if let key { writer.key(key) } else { writer.null() }
      guard kind == .updated else { return }
      writer.name("fields")
      writer.object { writer in
        for field in fields {
          writer.name(field.name)
          writer.beginArray()
          writer.raw(field.before)
          writer.raw(field.after)
          writer.endArray()
        }
      }
    }
  }
}
