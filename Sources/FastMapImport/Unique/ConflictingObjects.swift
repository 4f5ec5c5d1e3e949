/// The objects that a transaction leaves out, each with its last place and its error.
///
/// Memory has some 50 bytes for each of them. The errors have any length, and stand in a file.
struct ConflictingObjects {
  struct Entry {
    let place: OccurrencePlace
    let record: Int
  }

  /// The error of an object that is read when it is needed.
  struct Reported {
    fileprivate let records: SpilledRecords
    fileprivate let record: Int
    /// Whether the caller has received it.
    let isSent: Bool

    func error() throws -> UniquenessError {
      try records.read(at: record) {
        _ = ConflictingObjects.identity(&$0)
        return $0.uniquenessError()
      }
    }
  }

  private let records = SpilledRecords()
  /// By their places, ascending once they are sorted.
  private(set) var entries: [Entry] = []
  /// The records of the objects with a key, ascending by a hash once they are sorted.
  private var byKey: [(hash: Int, record: Int)] = []
  /// The errors before it were sent.
  private var sentEnd = 0

  mutating func sort() {
    entries.sort { $0.place < $1.place }
    byKey.sort { $0 < $1 }
  }

  mutating func reserve(_ count: Int) {
    entries.reserveCapacity(entries.count + count)
    byKey.reserveCapacity(byKey.count + count)
  }

  /// - Parameter error: The object is its last one.
  mutating func add(_ error: UniquenessError, of entity: Int, part: Int, at place: OccurrencePlace) throws {
    let record = try records.append {
      $0.add(place.root)
      $0.add(place.occurrence)
      $0.add(part)
      $0.add(entity)
      $0.add(error.keys.last ?? nil)
      $0.add(error)
    }
    entries.append(Entry(place: place, record: record))
    guard let key = error.keys.last ?? nil else { return }
    byKey.append((Self.hash(of: key, entity, part), record))
  }

  /// The last place of an object that is left out; nil for any other.
  func place(of key: PrimaryKey, _ entity: Int, part: Int) throws -> OccurrencePlace? {
    let hash = Self.hash(of: key, entity, part)
    for found in byKey[byKey.partitioningIndex { $0.hash >= hash }...] {
      guard found.hash == hash else { break }
      let object = try records.read(at: found.record) { Self.identity(&$0) }
      if object.key == key, object.entity == entity, object.part == part { return object.place }
    }
    return nil
  }

  private static func identity(
    _ record: inout RecordBytes
  ) -> (place: OccurrencePlace, part: Int, entity: Int, key: PrimaryKey?) {
    let place = OccurrencePlace(root: record.integer(), occurrence: record.integer())
    return (place, record.integer(), record.integer(), record.key())
  }

  func hasLast(_ place: OccurrencePlace) -> Bool {
    entries[entries.partitioningIndex { $0.place >= place }...].first?.place == place
  }

  func reported(_ entry: Entry) -> Reported {
    Reported(records: records, record: entry.record, isSent: entry.record < sentEnd)
  }

  mutating func markSent() { sentEnd = records.end }

  private static func hash(of key: PrimaryKey, _ entity: Int, _ part: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(key)
    hasher.combine(entity)
    hasher.combine(part)
    return hasher.finalize()
  }
}
