import Foundation
import Synchronization

/// Ctrl-C: the run ends between two subjects, and its files are removed.
enum Interruption {
  private static let isAskedFor = Atomic<Bool>(false)

  struct Interrupted: Error, CustomStringConvertible {
    let description = "interrupted; nothing was written"
  }

  static func watch() {
    _ = isAskedFor.load(ordering: .relaxed)  // initialises the static, which a handler must not do
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in Interruption.isAskedFor.store(true, ordering: .relaxed) }
    }
  }

  static func check() throws(Interrupted) {
    if isAskedFor.load(ordering: .relaxed) { throw Interrupted() }
  }
}
