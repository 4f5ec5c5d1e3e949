import Foundation
import Testing

// @unchecked: written by the thread before it signals, read afterwards.
private final class Box<R>: @unchecked Sendable {
  var result: Result<R, any Error>?
}

/// Runs on a thread with the stack of a secondary thread of macOS. It has no room for a call inside of a call for each of
/// many things.
package func onSmallStack<R: Sendable>(_ body: @escaping @Sendable () throws -> R) throws -> R {
  let (box, done) = (Box<R>(), DispatchSemaphore(value: 0))
  let thread = Thread {
    box.result = Result { try body() }
    done.signal()
  }
  thread.stackSize = 1 << 19
  thread.start()
  done.wait()
  return try #require(box.result).get()
}
