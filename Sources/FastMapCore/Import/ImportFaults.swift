/// The faults of an import: their number, and the errors of the first ones.
struct ImportFaults {
  private let options: ImportOptions
  let places = RootPlaces()

  /// The number of all faults, with and without an error kept.
  private(set) var count = 0
  /// The first errors, as many as the options ask for.
  private(set) var errors: [MappingError] = []
  /// The errors that the caller has received, also from transactions that were rolled back.
  private var sentCount = 0

  init(_ options: ImportOptions) { self.options = options }

  /// Forgets the faults behind the first ones, for a transaction that runs again.
  mutating func goBack(to count: Int) {
    errors.removeLast(errors.count - min(errors.count, count))
    self.count = count
  }

  /// - Throws: The error of the first fault, where it ends the import.
  func check(_ faults: [FaultReader.Fault], _ reader: FaultReader) throws {
    if options.faults == .abort, let first = faults.first { throw reader.errors([first])[0] }
  }

  /// Counts faults and keeps the errors of the first ones. Sends the caller each error once: a transaction that runs again
  /// has the same faults again.
  mutating func add(_ faults: [FaultReader.Fault], _ reader: FaultReader) {
    let before = count
    count += faults.count
    let kept = max(0, min(faults.count, options.maxErrors - before))
    let sent = options.onError == nil ? faults.count : max(0, min(faults.count, sentCount - before))
    let found = reader.errors(Array(sent < faults.count ? faults[...] : faults[..<kept]))
    errors += found.prefix(kept)
    guard let onError = options.onError else { return }
    for error in found.dropFirst(sent) { onError(error) }
    sentCount = max(sentCount, count)
  }
}
