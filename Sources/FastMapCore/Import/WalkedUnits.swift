/// The batches of a transaction that was read and walked before it began: all of them are held.
struct WalkedUnits {
  /// In the order of the text; the last one is empty, unless the transaction takes no more or `failure` came.
  private var units: [ImportUnit] = []
  /// What comes in the place of a batch behind them.
  private var failure: (any Error)?
  private var done = 0

  /// Reads and walks until the source ends, or the transaction takes no more.
  ///
  /// - Parameters:
  ///   - makeUnit: An empty unit with a number.
  ///   - check: Called with the number of each before it is read; ends the reading where it throws.
  init(_ batches: BatchReader, makeUnit: (Int) throws -> ImportUnit, check: (Int) throws -> Void) {
    do {
      try check(0)
      var last = try makeUnit(0)
      try batches.begin(last)
      units.append(last)
      while !last.input.roots.isEmpty, !batches.isDone {
        try check(units.count)
        let next = try makeUnit(units.count)
        try batches.read(into: next, after: last)
        batches.walk(next)
        units.append(next)
        last = next
      }
    } catch {
      failure = error
    }
  }

  /// The next one.
  ///
  /// - Throws: What ended the reading, behind the last one.
  mutating func next() throws -> ImportUnit {
    if done == units.count, let failure { throw failure }
    defer { done += 1 }
    return units[done]
  }
}
