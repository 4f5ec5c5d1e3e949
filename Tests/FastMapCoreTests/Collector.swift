import Foundation

/// Things that threads find, in the order in which they did.
// @unchecked: the lock guards the elements; the thread sanitizer does not see Swift's own on Linux.
final class Collector<Element: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var elements: [Element] = []

  var all: [Element] { lock.withLock { elements } }
  func add(_ element: Element) { lock.withLock { elements.append(element) } }
}
