/// The faults of an import: their number, and the errors of the first ones.
struct ImportFaults {
  private let options: ImportOptions

  /// The number of all faults, with and without an error kept.
  package private(set) var count = 0
  /// The first errors, as many as the options ask for.
  private(set) var errors: [MappingError] = []
  /// The number of faults that recur in each run of a transaction: all except faults of unique indexes.
  private var steadyCount = 0
  /// The number of recurring faults whose errors the caller has received, also from transactions that were rolled back.
  private var sentCount = 0
  /// The errors of unique indexes that this run has found. The caller receives them once it ends without a conflict.
  private let pending = SpilledRecords()

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
    pending.removeAll()
  }

  /// - Throws: The error of the first fault, where it ends the import.
  func check(_ faults: [FaultReader.Fault], _ reader: FaultReader) throws {
    if options.faults == .abort, let first = faults.first { throw try reader.errors([first])[0] }
  }

  /// Counts faults and keeps the errors of the first ones. Sends the caller each error once: a transaction that runs again
  /// has the same faults again, and perhaps some of unique indexes.
  mutating func add(_ faults: [FaultReader.Fault], _ reader: FaultReader) throws {
    let kept = max(0, min(faults.count, options.maxErrors - count))
    count += faults.count
    guard let onError = options.onError else {
      errors += try reader.errors(Array(faults[..<kept]))
      return
    }
    let areNew = faults.map { isNew($0) }
    let last = areNew.lastIndex(of: true).map { $0 + 1 } ?? 0
    let found = try reader.errors(Array(faults[..<max(kept, last)]))
    errors += found.prefix(kept)
    for (index, error) in found.enumerated() where areNew[index] {
      if case .notUnique(let fault) = error.reason {
        _ = try pending.append {
          $0.add(error.file ?? "")
          $0.add(error.path)
          $0.add(error.location?.line ?? 0)
          $0.add(error.location?.column ?? 0)
          $0.add(fault)
        }
      } else {
        onError(error)
      }
    }
  }

  /// Sends the caller the errors of unique indexes, at the end of a transaction without a conflict.
  mutating func sendPending() throws {
    var place = 0
    while place < pending.end {
      let error = try pending.read(next: &place) {
        let (file, path, line, column) = ($0.string(), $0.path(), $0.integer(), $0.integer())
        let location = line > 0 ? TextLocation(line: line, column: column) : nil
        return MappingError(
          path: path, location: location, reason: .notUnique($0.uniquenessError()),
          file: file.isEmpty ? nil : file)
      }
      options.onError?(error)
    }
    pending.removeAll()
  }

  /// Counts a fault.
  ///
  /// - Returns: Whether the caller has not received its error.
  private mutating func isNew(_ fault: FaultReader.Fault) -> Bool {
    if case .notUnique(let reported) = fault.what { return !reported.isSent }
    steadyCount += 1
    defer { sentCount = max(sentCount, steadyCount) }
    return steadyCount > sentCount
  }
}
