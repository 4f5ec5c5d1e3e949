import Foundation

/// Things that threads find, in the order in which they did.
// @unchecked: the lock guards the elements; the thread sanitizer does not see Swift's own on Linux.
package final class Collector<Element: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var elements: [Element] = []

  package init() {}

  package var all: [Element] { lock.withLock { elements } }
  package func add(_ element: Element) { lock.withLock { elements.append(element) } }
}
