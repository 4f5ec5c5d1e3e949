internal import CFastMap

/// Reads the next batches on a thread of its own while the importing thread maps the last one. Both threads walk
/// batches, so neither waits while there is work:
///
///     its own thread         read 2   read 3   walk 3   read 4   read 5   …
///     the importing thread   map 1    walk 2   map 2    map 3    walk 4   …
///
/// The units go back and forth. So memory has only their batches, and the thread is never further ahead. One thread at
/// a time has a unit with the arena of its trees. The lock around each handover makes its writes visible to the other
/// thread. An error or the end comes to the importing thread after the batches before it.
// @unchecked: the monitor guards all that changes, and one thread at a time has a unit.
final class ReadAhead: @unchecked Sendable {
  private enum State { case read, beingWalked, walked }

  private let monitor = Monitor()
  private let read: (ImportUnit) throws -> Bool
  private let interrupt: (Bool) -> Void
  /// False where all is walked on the thread, in the order of the text.
  private let sharesWalks: Bool
  private var thread: OwnThread?
  /// Units to read into, in this order.
  private var spares: [ImportUnit]
  /// Units that were read and that the importing thread does not have, in the order of the text.
  private var ahead: [(unit: ImportUnit, state: State)] = []
  private var failure: (any Error)?
  /// Whether nothing is left to be read.
  private var hasEnded = false
  private var isStopped = false

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - spares: Empty units, as many as the thread may be ahead.
  ///   - sharesWalks: Whether batches may be walked on both threads at the same time.
  ///   - read: Reads the next batch into a unit, and returns whether more can follow. Called on the thread.
  ///   - interrupt: Ends all waits for text in `read`, or allows them again.
  /// - Throws: ``SystemError``; nothing has been read then.
  init(
    into spares: [ImportUnit], sharesWalks: Bool, read: @escaping (ImportUnit) throws -> Bool,
    interrupt: @escaping (Bool) -> Void
  ) throws(SystemError) {
    self.spares = spares
    self.sharesWalks = sharesWalks
    self.read = read
    self.interrupt = interrupt
    thread = try OwnThread { self.run() }
  }

  /// With fewer bytes left, a thread costs more than it saves: as much as the import of about 10 KiB.
  static let leastBytes = 1 << 20

  static var hasCores: Bool { fastmap_core_count() > 1 }

  /// Takes back a unit that was mapped, and returns the next one, walked; empty at the end of the source.
  ///
  /// - Parameter check: Called from time to time; ends the wait when it throws.
  func exchange(_ unit: ImportUnit, check: () throws -> Void) throws -> ImportUnit {
    try monitor.locked {
      spares.append(unit)
      monitor.signal()
      while true {
        if let first = ahead.first, first.state == .walked { return ahead.removeFirst().unit }
        if ahead.isEmpty, let failure { throw failure }
        if sharesWalks, let unit = nextUnwalked() {
          walk(unit)
        } else {
          try check()
          monitor.waitBriefly()
        }
      }
    }
  }

  /// Waits until the thread has ended, which it does after the batch at hand, or where it waits for more of a stream.
  func stop() {
    monitor.locked {
      isStopped = true
      monitor.signal()
    }
    interrupt(true)
    thread?.join()
    interrupt(false)
    thread = nil
  }

  // MARK: On the thread

  private func run() {
    monitor.locked {
      while !isStopped {
        if !sharesWalks, let unit = nextUnwalked() {
          walk(unit)
        } else if !hasEnded, !spares.isEmpty {
          readNext(into: spares.removeFirst())
        } else if let unit = nextUnwalked() {
          walk(unit)
        } else if hasEnded {
          return
        } else {
          monitor.wait()
        }
      }
    }
  }

  private func readNext(into unit: ImportUnit) {
    monitor.unlock()
    let hasMore = Result { try read(unit) }
    monitor.lock()
    switch hasMore {
    case .success(let hasMore):
      ahead.append((unit, .read))
      hasEnded = !hasMore
    case .failure(let error):
      failure = error
      hasEnded = true
    }
    monitor.signal()
  }

  // MARK: On either

  private func walk(_ unit: ImportUnit) {
    monitor.unlock()
    unit.walk()
    monitor.lock()
    if let index = ahead.firstIndex(where: { $0.unit === unit }) { ahead[index].state = .walked }
    monitor.signal()
  }

  /// Takes the first batch that neither thread walks or has walked.
  private func nextUnwalked() -> ImportUnit? {
    guard let index = ahead.firstIndex(where: { $0.state == .read }) else { return nil }
    ahead[index].state = .beingWalked
    return ahead[index].unit
  }
}
