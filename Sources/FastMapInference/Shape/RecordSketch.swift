/// Members of the objects with the smallest key hashes, to tell whether two places show the same objects.
struct RecordSketch {
  private struct Record {
    /// By the hash of the name: the hash of the value, or nil if the object is met with several.
    var values: [UInt64: UInt64?] = [:]
  }

  private static let most = 128
  private var records: [UInt64: Record] = [:]
  private var limit = UInt64.max

  /// Whether the object with this key is kept.
  func keeps(_ key: UInt64) -> Bool { key < limit }

  mutating func insert(_ key: UInt64, _ values: some Sequence<(name: UInt64, value: UInt64)>) {
    guard keeps(key) else { return }
    for (name, value) in values { add(key, name, value) }
    if records.count > Self.most * 2 { settle() }
  }

  private mutating func add(_ key: UInt64, _ name: UInt64, _ value: UInt64?) {
    if let old = records[key]?.values[name] {
      if old != value { records[key]?.values[name] = .some(nil) }
    } else {
      records[key, default: Record()].values[name] = .some(value)
    }
  }

  /// Drops all but the smallest keys.
  mutating func settle() {
    guard records.count > Self.most else { return }
    let keys = records.keys.sorted()
    limit = keys[Self.most]
    for key in keys[Self.most...] { records[key] = nil }
  }

  mutating func absorb(_ other: RecordSketch) {
    limit = min(limit, other.limit)
    for key in records.keys where key >= limit { records[key] = nil }
    for (key, record) in other.records where key < limit {
      for (name, value) in record.values { add(key, name, value) }
      if record.values.isEmpty, records[key] == nil { records[key] = Record() }
    }
    if records.count > Self.most * 2 { settle() }
  }

  /// How often members of objects with the same key agree and disagree in two places. Members that vary within a place
  /// do not count.
  func agreement(with other: RecordSketch, key: UInt64) -> (objects: Int, equal: Int, different: Int) {
    var result = (objects: 0, equal: 0, different: 0)
    for (id, record) in records {
      guard let twin = other.records[id] else { continue }
      result.objects += 1
      for (name, value) in record.values where name != key {
        guard let value, let twinValue = twin.values[name] ?? nil else { continue }
        if value == twinValue { result.equal += 1 } else { result.different += 1 }
      }
    }
    return result
  }
}
