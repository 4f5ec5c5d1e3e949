internal import CFastMap

/// Reads the next batches on a thread of its own, while the last one is mapped on the caller's. Whoever has time
/// walks what was read, so that neither waits for the other while there is something to do:
///
///     its own        read 2   read 3   walk 3   read 4   read 5   …
///     the caller's   map 1    walk 2   map 2    map 3    walk 4   …
///
/// Few units go to and fro, so memory is that of their batches, and the thread is never further ahead. What it
/// meets, an error or the end, is told when the batches before it have been mapped. A unit, with the arena of
/// its trees, belongs to whoever has it in hand; the lock around each handover makes one thread see what the other
/// has written.
// @unchecked: the monitor guards all that changes; the reader's source is the thread's, and a unit whoever's has it.
final class ReadAhead: @unchecked Sendable {
  private enum State { case read, inHand, walked }

  private let monitor = Monitor()
  private let reader: BatchReader
  /// False where all is walked on the thread, in the order of the text.
  private let sharesWalks: Bool
  private var thread: OwnThread?
  /// Handed back by the caller, to be read into in this order.
  private var spares: [ImportUnit]
  /// What was read and is not yet the caller's, in the order of the text.
  private var ahead: [(unit: ImportUnit, state: State)] = []
  /// What comes in the place of a batch behind them.
  private var failure: (any Error)?
  /// Whether there is nothing more to read.
  private var hasEnded = false
  private var isStopped = false

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - reader: Its own until `stop`.
  ///   - spares: Read into first: as many batches as it may be ahead.
  ///   - sharesWalks: Whether batches may be walked on both threads at once.
  /// - Throws: ``ThreadError``; nothing has been read then.
  init(_ reader: BatchReader, spares: [ImportUnit], sharesWalks: Bool) throws(ThreadError) {
    self.reader = reader
    self.spares = spares
    self.sharesWalks = sharesWalks
    thread = try OwnThread { self.run() }
  }

  /// The bytes that must be left to be read for a thread to be worth it, which costs as much as to import some
  /// 10 KiB.
  static let leastBytes = 1 << 20

  /// Whether there is a core for the thread.
  static var hasCores: Bool { fastmap_core_count() > 1 }

  /// Hands back a unit that was mapped, and gives the next one, walked, which is empty at the end of the source.
  ///
  /// Only so, in exchange, there are never more than a few on the way.
  ///
  /// - Parameter check: Called from time to time; ends the wait where it throws.
  func exchange(_ unit: ImportUnit, check: () throws -> Void) throws -> ImportUnit {
    try monitor.locked {
      spares.append(unit)
      monitor.signal()
      while true {
        if let first = ahead.first, first.state == .walked { return ahead.removeFirst().unit }
        if ahead.isEmpty, let failure { throw failure }
        if sharesWalks, let unit = takeUnwalked() {
          walk(unit)
        } else {
          try check()
          monitor.waitBriefly()
        }
      }
    }
  }

  /// Waits until the thread has ended, which it does behind the batch at hand, or where it waits for more of a stream.
  /// The reader is the caller's then.
  func stop() {
    monitor.locked {
      isStopped = true
      monitor.signal()
    }
    reader.interrupt(true)
    thread?.join()
    reader.interrupt(false)
    thread = nil
  }

  // MARK: On the thread

  private func run() {
    monitor.locked {
      while !isStopped {
        if !sharesWalks, let unit = takeUnwalked() {
          walk(unit)
        } else if !hasEnded, !spares.isEmpty {
          read(spares.removeFirst())
        } else if let unit = takeUnwalked() {
          walk(unit)
        } else if hasEnded {
          return
        } else {
          monitor.wait()
        }
      }
    }
  }

  private func read(_ unit: ImportUnit) {
    monitor.unlock()
    let read = Result { try reader.read(into: unit) }
    monitor.lock()
    switch read {
    case .success:
      ahead.append((unit, .read))
      hasEnded = unit.input.roots.isEmpty || reader.isDone
    case .failure(let error):
      failure = error
      hasEnded = true
    }
    monitor.signal()
  }

  // MARK: On either

  /// Walks a unit in hand, without the lock.
  private func walk(_ unit: ImportUnit) {
    monitor.unlock()
    reader.walk(unit)
    monitor.lock()
    if let index = ahead.firstIndex(where: { $0.unit === unit }) { ahead[index].state = .walked }
    monitor.signal()
  }

  /// Takes the first batch that nobody has walked.
  private func takeUnwalked() -> ImportUnit? {
    guard let index = ahead.firstIndex(where: { $0.state == .read }) else { return nil }
    ahead[index].state = .inHand
    return ahead[index].unit
  }
}
