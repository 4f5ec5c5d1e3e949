/// Reads and walks the root objects of one transaction, batch by batch.
///
/// How many a batch has depends on nothing but the text and the options, so that an import does the same and says
/// the same wherever it is read.
///
/// - Note: Thread rule: one thread at a time, with its source, but for `interrupt`.
final class BatchReader {
  private let source: RootSource
  /// Root objects that the transaction still takes; nil for all.
  private var rootLimit: Int?
  /// Objects that a batch should have.
  private let batchSize: Int
  /// Root objects that the next batch should have.
  private var limit: Int
  private let fills: Bool

  /// - Parameter fills: Whether the only root is read into an object that is known.
  init(_ source: RootSource, rootLimit: Int?, batchSize: Int, fills: Bool) {
    self.source = source
    self.rootLimit = rootLimit
    self.batchSize = batchSize
    self.fills = fills
    limit = min(64, batchSize)
  }

  /// Whether the transaction takes no more.
  var isDone: Bool { rootLimit == 0 }

  /// Reads the next batch into a unit; it is empty at the end of the source.
  func read(into unit: ImportUnit) throws {
    unit.reset()
    try source.read(min(limit, rootLimit ?? limit), into: unit.input)
    unit.walk(fills: fills)
    limit = max(1, min(batchSize, limit * batchSize / max(1, unit.occurrenceCount)))
    if let left = rootLimit { rootLimit = left - unit.input.roots.count }
  }

  /// Ends a wait for text in another thread's `read`, and all to come, or no longer does.
  func interrupt(_ isInterrupted: Bool) { source.window.interrupt(isInterrupted) }

  /// About how many bytes of text the transaction will read behind a batch.
  func bytesAhead(of unit: ImportUnit) -> Int { source.bytesAhead(of: unit.input, rootLimit: rootLimit) }
}
