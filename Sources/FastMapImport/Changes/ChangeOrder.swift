/// The objects that a transaction changes, by the name of their entity and by key: sorted runs in a file, which are merged.
struct ChangeOrder {
  struct Entry {
    let object: ObjectIdentity
    let key: PrimaryKey?
    /// Where the object's state before the transaction stands; nil for a new object.
    let state: Int?
  }

  /// By entity, the place of its name.
  private let ranks: [Int]
  private let records = SpilledRecords()
  /// The run that is not in the file.
  private var newest: [Entry] = []
  private var runs: [(next: Int, end: Int)] = []
  private var heads: [(entry: Entry, run: Int)] = []

  private static let longestRun = 1 << 16

  init(_ schema: Schema) {
    let names = schema.entities.map(\.name)
    let sorted = names.indices.sorted { names[$0].utf8.lexicographicallyPrecedes(names[$1].utf8) }
    var ranks = names.indices.map { $0 }
    for (rank, entity) in sorted.enumerated() { ranks[entity] = rank }
    self.ranks = ranks
  }

  mutating func removeAll() {
    records.removeAll()
    newest.removeAll(keepingCapacity: true)
    runs.removeAll()
    heads.removeAll()
  }

  mutating func add(_ entry: Entry) throws {
    newest.append(entry)
    if newest.count == Self.longestRun { try endRun() }
  }

  private mutating func endRun() throws {
    newest.sort(by: isBefore)
    let start = records.end
    for entry in newest {
      _ = try records.append {
        $0.add(entry.object.entity)
        $0.add(Int(bitPattern: UInt(entry.object.id.rawValue)))
        $0.add(entry.key)
        $0.add((entry.state ?? -1) + 1)
      }
    }
    runs.append((start, records.end))
    newest.removeAll(keepingCapacity: true)
  }

  /// Ends the last run. ``next(most:)`` begins with the first object.
  mutating func merge() throws {
    if !newest.isEmpty { try endRun() }
    heads = try runs.indices.map { (try read(from: $0), $0) }
  }

  /// The next objects, which are of one entity; none at the end.
  mutating func next(most: Int) throws -> [Entry] {
    var entries: [Entry] = []
    while entries.count < most,
      let first = heads.indices.min(by: { isBefore(heads[$0].entry, heads[$1].entry) })
    {
      let (entry, run) = heads[first]
      if let last = entries.last, last.object.entity != entry.object.entity { break }
      entries.append(entry)
      if runs[run].next < runs[run].end {
        heads[first].entry = try read(from: run)
      } else {
        heads.remove(at: first)
      }
    }
    return entries
  }

  private mutating func read(from run: Int) throws -> Entry {
    try records.read(next: &runs[run].next) {
      let entity = $0.integer()
      let id = ObjectID(rawValue: UInt64(UInt(bitPattern: $0.integer())))
      let (key, state) = ($0.key(), $0.integer() - 1)
      return Entry(object: .init(entity: entity, id: id), key: key, state: state < 0 ? nil : state)
    }
  }

  /// Objects without a key follow in the order of their numbers.
  private func isBefore(_ a: Entry, _ b: Entry) -> Bool {
    let (own, other) = (ranks[a.object.entity], ranks[b.object.entity])
    if own != other { return own < other }
    guard let key = a.key, let second = b.key else {
      return (a.key == nil) == (b.key == nil) ? a.object.id < b.object.id : a.key != nil
    }
    return key == second ? a.object.id < b.object.id : key < second
  }
}
