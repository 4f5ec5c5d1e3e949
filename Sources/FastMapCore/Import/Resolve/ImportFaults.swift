/// The faults of an import: their number, and the errors of the first ones.
struct ImportFaults {
  private let options: ImportOptions
  let places = RootPlaces()

  /// The number of all faults, with and without an error kept.
  private(set) var count = 0
  /// The first errors, as many as the options ask for.
  private(set) var errors: [MappingError] = []
  /// The number of faults that recur in each run of a transaction: all except faults of unique indexes.
  private var steadyCount = 0
  /// The number of recurring faults whose errors the caller has received, also from transactions that were rolled back.
  private var sentCount = 0
  /// The places of the faults of unique indexes whose errors the caller has received.
  private var sentPlaces: Set<UniqueConflicts.Place> = []
  /// Faults of unique indexes that this run has found. They become errors once it ends without a conflict.
  private var pending: [(place: UniqueConflicts.Place, error: MappingError)] = []

  /// The faults so far.
  struct Mark {
    fileprivate let count: Int
    fileprivate let steadyCount: Int
  }

  var mark: Mark { Mark(count: count, steadyCount: steadyCount) }

  init(_ options: ImportOptions) { self.options = options }

  /// Forgets the faults since a mark, for a transaction that runs again.
  mutating func goBack(to mark: Mark) {
    errors.removeLast(errors.count - min(errors.count, mark.count))
    count = mark.count
    steadyCount = mark.steadyCount
    pending.removeAll(keepingCapacity: true)
  }

  /// - Throws: The error of the first fault, where it ends the import.
  func check(_ faults: [FaultReader.Fault], _ reader: FaultReader) throws {
    if options.faults == .abort, let first = faults.first { throw reader.errors([first])[0] }
  }

  /// Counts faults and keeps the errors of the first ones. Sends the caller each error once: a transaction that runs again
  /// has the same faults again, and perhaps some of unique indexes.
  mutating func add(_ faults: [FaultReader.Fault], _ reader: FaultReader) {
    let kept = max(0, min(faults.count, options.maxErrors - count))
    count += faults.count
    guard let onError = options.onError else {
      errors += reader.errors(Array(faults[..<kept]))
      return
    }
    let areNew = faults.map { isNew($0) }
    let last = areNew.lastIndex(of: true).map { $0 + 1 } ?? 0
    let found = reader.errors(Array(faults[..<max(kept, last)]))
    errors += found.prefix(kept)
    for (index, error) in found.enumerated() where areNew[index] {
      if case .notUnique(_, let place) = faults[index].what {
        pending.append((place, error))
      } else {
        onError(error)
      }
    }
  }

  /// Sends the caller the errors of unique indexes, at the end of a transaction without a conflict.
  mutating func sendPending() {
    for (place, error) in pending where sentPlaces.insert(place).inserted { options.onError?(error) }
    pending.removeAll()
  }

  /// Counts a fault.
  ///
  /// - Returns: Whether the caller has not received its error.
  private mutating func isNew(_ fault: FaultReader.Fault) -> Bool {
    if case .notUnique(_, let place) = fault.what { return !sentPlaces.contains(place) }
    steadyCount += 1
    defer { sentCount = max(sentCount, steadyCount) }
    return steadyCount > sentCount
  }
}
