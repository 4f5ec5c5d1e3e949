/// Reads the root objects of one transaction, batch by batch.
///
/// How many a batch has depends on nothing but the text and the options, so that an import does the same and says
/// the same wherever it is read.
///
/// - Note: Thread rule: one thread at a time, with its source, but for `walk` and `interrupt`.
final class BatchReader {
  private let source: RootSource
  /// Root objects that the transaction still takes; nil for all.
  private var rootLimit: Int?
  /// Objects that a batch should have.
  private let batchSize: Int
  /// Root objects that the next batches should have. Each goes by a batch `distance` before it, or by the first: those
  /// between may not have been walked when it is read.
  private var limits: [Int] = []
  private let fills: Bool

  /// As many batches as can be under way.
  static let distance = 3

  /// Fields that all rows of a batch have together, 16 bytes each: of objects with up to 128 fields they take no more.
  private static let fieldCount = 1 << 19

  /// - Parameter fills: Whether the only root is read into an object that is known.
  init(_ source: RootSource, _ plan: Plan, rootLimit: Int?, batchSize: Int, fills: Bool) {
    self.source = source
    self.rootLimit = rootLimit
    let widest = plan.schema.entities.map(\.fields.count).max() ?? 0
    self.batchSize = min(batchSize, Self.fieldCount / max(widest, 1))
    self.fills = fills
  }

  /// Whether the transaction takes no more.
  var isDone: Bool { rootLimit == 0 }

  /// Reads and walks the first batch, into an empty unit.
  func begin(_ unit: ImportUnit) throws {
    limits = [min(64, batchSize)]
    try read(into: unit)
    walk(unit)
    limits = Array(repeating: limit(after: unit), count: Self.distance - 1)
  }

  /// Reads the next batch into a unit, to be walked; it is empty at the end of the source.
  ///
  /// - Parameters:
  ///   - unit: Empty, or with the batch of this transaction that was mapped longest ago.
  ///   - last: With that batch, where the unit has it no more.
  func read(into unit: ImportUnit, after last: ImportUnit? = nil) throws {
    if case let last = last ?? unit, !last.input.roots.isEmpty { limits.append(limit(after: last)) }
    let limit = limits.removeFirst()
    unit.reset()
    try source.read(min(limit, rootLimit ?? limit), into: unit.input)
    if let left = rootLimit { rootLimit = left - unit.input.roots.count }
  }

  /// Root objects that have as many objects in them as a batch should, if they are like those of a unit.
  private func limit(after unit: ImportUnit) -> Int {
    max(1, min(batchSize, unit.input.roots.count * batchSize / max(1, unit.occurrenceCount)))
  }

  /// Walks a unit that was read: on any thread, also while another unit is read or walked.
  func walk(_ unit: ImportUnit) { unit.walk(fills: fills) }

  /// Ends a wait for text in another thread's `read`, and all to come, or no longer does.
  func interrupt(_ isInterrupted: Bool) { source.window.interrupt(isInterrupted) }

  /// About how many bytes of text the transaction will read behind a batch.
  func bytesAhead(of unit: ImportUnit) -> Int { source.bytesAhead(of: unit.input, rootLimit: rootLimit) }
}
