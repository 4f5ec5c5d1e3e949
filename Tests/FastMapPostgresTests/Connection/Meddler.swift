#if Postgres
  import FastMapCore
  import FastMapSystem
  import Synchronization

  /// Does something at some of the calls for the first root object.
  final class Meddler: ImportDelegate {
    private let left: Mutex<(done: Int, most: Int)>
    private let isBehind: Bool
    private let meddle: @Sendable (_ call: Int) throws -> Void

    /// - Parameters:
    ///   - count: How many calls do something.
    ///   - behind: Whether it is done once the object is written, and not before.
    init(count: Int, behind: Bool = false, _ meddle: @escaping @Sendable (_ call: Int) throws -> Void) {
      left = Mutex((0, count))
      isBehind = behind
      self.meddle = meddle
    }

    private func run(_ object: MappedObject) throws {
      guard try object.entity == "Shelf" && object.record()?.key == 1 else { return }
      let call = left.withLock { left -> Int? in
        guard left.done < left.most else { return nil }
        left.done += 1
        return left.done - 1
      }
      if let call { try meddle(call) }
    }

    func willMapObject(_ object: MappedObject, from representation: JSONValue) throws {
      if !isBehind { try run(object) }
    }

    func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {
      if isBehind { try run(object) }
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
