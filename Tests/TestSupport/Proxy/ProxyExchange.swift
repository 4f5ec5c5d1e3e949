import FastMapCore
import FastMapSystem

/// The state that a proxy and its connections share.
// @unchecked: `state` is used under the monitor's lock only.
final class ProxyExchange: @unchecked Sendable {
  struct Armed {
    let fault: Proxy.Fault
    let moment: Proxy.Moment
    var skipped: Int
  }

  struct State {
    var trips = 0
    var rows = 0
    var connections = 0
    var faults = 0
    var latency = Duration.zero
    var acceptsConnections = true
    var holdsConnections = false
    var armed: Armed?
    var version: String?
    var cuts = 0
    var resumptions = 0
    var isOver = false
  }

  private let monitor = Monitor()
  private var state = State()

  func locked<R>(_ body: (inout State) throws -> R) rethrows -> R {
    monitor.lock()
    defer { monitor.unlock() }
    return try body(&state)
  }

  var isOver: Bool { locked { $0.isOver } }
  var acceptsConnections: Bool { locked { $0.acceptsConnections } }

  func end() { locked { $0.isOver = true } }

  /// The fault that a message of a client meets, which is then no longer armed.
  func fault(at message: ArraySlice<UInt8>) -> Proxy.Fault? {
    locked { state in
      guard let armed = state.armed, armed.moment.matches(message) else { return nil }
      guard armed.skipped == 0 else {
        state.armed?.skipped -= 1
        return nil
      }
      state.armed = nil
      state.faults += 1
      return armed.fault
    }
  }
}

extension Proxy.Moment {
  fileprivate func matches(_ message: ArraySlice<UInt8>) -> Bool {
    let isCopyData = message.first == UInt8(ascii: "d")
    switch self {
    case .copyData: return isCopyData
    case .text(let text):
      let wanted = Array(text.utf8)
      guard !isCopyData, let first = wanted.first, message.count >= wanted.count else { return false }
      return message.indices.dropLast(wanted.count - 1).contains {
        message[$0] == first && message[$0...].starts(with: wanted)
      }
    }
  }
}
