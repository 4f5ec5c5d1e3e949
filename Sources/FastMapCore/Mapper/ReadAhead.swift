internal import CFastMap

/// Reads and walks the next batch on a thread of its own, while the last one is mapped on the caller's.
///
///     its own        read + walk 2   read + walk 3   …
///     the caller's   map 1           map 2           map 3   …
///
/// Two units go to and fro, so memory is that of two batches, and the thread is never more than one ahead. What it
/// meets, an error or the end, is told when the batches before it have been mapped. A unit, with the arena of
/// its trees, belongs to whoever has it; the lock around each handover makes one thread see what the other has
/// written.
// @unchecked: the monitor guards all that changes; the reader, its source and the unit in hand are the thread's.
final class ReadAhead: @unchecked Sendable {
  private let monitor = Monitor()
  private let reader: BatchReader
  private var thread: OwnThread?
  /// Handed back by the caller, to be read into.
  private var spare: ImportUnit?
  /// The next batch, or why there is none.
  private var next: Result<ImportUnit, any Error>?
  private var isStopped = false

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - reader: Its own until `stop`.
  ///   - spare: Read into first.
  /// - Throws: ``ThreadError``; nothing has been read then.
  init(_ reader: BatchReader, spare: ImportUnit) throws(ThreadError) {
    self.reader = reader
    self.spare = spare
    thread = try OwnThread { self.run() }
  }

  /// The bytes that must be left to be read for a thread to be worth it, which costs as much as to import some
  /// 10 KiB.
  static let leastBytes = 1 << 20

  /// Whether there is a core for the thread.
  static var hasCores: Bool { fastmap_core_count() > 1 }

  /// Waits for the next unit, which is empty at the end of the source, and hands back one that was mapped.
  ///
  /// Only so, in exchange, there is never more than one on either way.
  ///
  /// - Parameter check: Called from time to time; ends the wait where it throws.
  func exchange(_ unit: ImportUnit, check: () throws -> Void) throws -> ImportUnit {
    let read = try monitor.locked {
      while true {
        if let read = next {
          next = nil
          spare = unit
          monitor.signal()
          return read
        }
        try check()
        monitor.waitBriefly()
      }
    }
    return try read.get()
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

  private func run() {
    while !reader.isDone, let unit = takeSpare() {
      let read = Result { () throws -> ImportUnit in
        try reader.read(into: unit)
        return unit
      }
      monitor.locked {
        next = read
        monitor.signal()
      }
      guard case .success(let unit) = read, !unit.input.roots.isEmpty else { return }
    }
  }

  /// A unit to read into; nil when nobody will want it.
  private func takeSpare() -> ImportUnit? {
    monitor.locked {
      while spare == nil, !isStopped { monitor.wait() }
      defer { spare = nil }
      return isStopped ? nil : spare
    }
  }
}
