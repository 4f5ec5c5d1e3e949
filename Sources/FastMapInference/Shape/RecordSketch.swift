/// Members of the objects with the smallest key hashes, to tell whether two places show the same objects.
struct RecordSketch {
  private struct Record {
    /// How often the object is met.
    var count = 0
    /// By the hash of the name.
    var values: [UInt64: Value] = [:]
  }

  private struct Value {
    /// The hash of the value; nil if the object is met with several.
    var hash: UInt64?
    /// The newest value, and the document that has it.
    var newest: UInt64
    var document: Int
    /// Whether one document has several.
    var variesWithin = false
  }

  private static let most = 128
  private var records: [UInt64: Record] = [:]
  private var limit = UInt64.max

  /// Whether the object with this key is kept.
  func keeps(_ key: UInt64) -> Bool { key < limit }

  /// Adds an object.
  ///
  /// - Parameter document: The number of the root element around it.
  mutating func insert(_ key: UInt64, _ values: some Sequence<(name: UInt64, value: UInt64)>, document: Int) {
    guard keeps(key) else { return }
    records[key, default: Record()].count += 1
    for (name, value) in values {
      add(key, name, Value(hash: value, newest: value, document: document))
    }
    if records.count > Self.most * 2 { prune() }
  }

  private mutating func add(_ key: UInt64, _ name: UInt64, _ value: Value) {
    guard var old = records[key]?.values[name] else {
      records[key, default: Record()].values[name] = value
      return
    }
    if old.document == value.document, old.newest != value.newest { old.variesWithin = true }
    if value.variesWithin { old.variesWithin = true }
    if old.hash != value.hash { old.hash = nil }
    (old.newest, old.document) = (value.newest, value.document)
    records[key]?.values[name] = old
  }

  /// Drops all but the smallest keys.
  mutating func prune() {
    guard records.count > Self.most else { return }
    let keys = records.keys.sorted()
    limit = keys[Self.most]
    for key in keys[Self.most...] { records[key] = nil }
  }

  mutating func absorb(_ other: RecordSketch) {
    limit = min(limit, other.limit)
    for key in records.keys where key >= limit { records[key] = nil }
    for (key, record) in other.records where key < limit {
      records[key, default: Record()].count += record.count
      for (name, value) in record.values { add(key, name, value) }
    }
    if records.count > Self.most * 2 { prune() }
  }

  /// The objects that are met again, and those among them with a member that differs.
  ///
  /// - Parameter withinDocuments: Whether only differences within one root element count.
  func repeats(withinDocuments: Bool) -> (count: Int, differing: Int, names: Set<UInt64>) {
    var result: (count: Int, differing: Int, names: Set<UInt64>) = (0, 0, [])
    for record in records.values where record.count > 1 {
      result.count += 1
      let names = record.values.filter { withinDocuments ? $0.value.variesWithin : $0.value.hash == nil }.keys
      if !names.isEmpty { result.differing += 1 }
      result.names.formUnion(names)
    }
    return result
  }

  /// Whether objects that are met again are mostly the same.
  func isStable(withinDocuments: Bool) -> Bool {
    let repeats = repeats(withinDocuments: withinDocuments)
    return repeats.differing * 4 <= repeats.count
  }

  /// How often members of objects with the same key agree and disagree in two places. Members that vary within a place
  /// do not count.
  func agreement(with other: RecordSketch, key: UInt64) -> (objects: Int, equal: Int, different: Int) {
    var result = (objects: 0, equal: 0, different: 0)
    for (id, record) in records {
      guard let twin = other.records[id] else { continue }
      result.objects += 1
      for (name, value) in record.values where name != key {
        guard let value = value.hash, let twinValue = twin.values[name]?.hash else { continue }
        if value == twinValue { result.equal += 1 } else { result.different += 1 }
      }
    }
    return result
  }
}
