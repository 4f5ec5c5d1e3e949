#if Postgres
  import FastMapCore
  import FastMapSystem
  import Synchronization

  /// Does something once, as soon as the first root object is written.
  final class Meddler: ImportDelegate {
    private let isDone = Mutex(false)
    private let meddle: @Sendable () throws -> Void

    init(_ meddle: @escaping @Sendable () throws -> Void) { self.meddle = meddle }

    func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {
      guard try object.entity == "Shelf" && object.record()?.key == 1 else { return }
      let isFirst = isDone.withLock { isDone in
        defer { isDone = true }
        return !isDone
      }
      if isFirst { try meddle() }
    }
  }

  /// A flag that one thread waits for and another one sets.
  // @unchecked: `isSet` is used under the monitor's lock only.
  final class Flag: @unchecked Sendable {
    private let monitor = Monitor()
    private var isSet = false

    func set() {
      monitor.lock()
      isSet = true
      monitor.wakeAll()
      monitor.unlock()
    }

    func wait() {
      monitor.lock()
      while !isSet { monitor.wait() }
      monitor.unlock()
    }
  }
#endif
