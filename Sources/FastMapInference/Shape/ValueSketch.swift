/// The different values of a place, by their hashes: all of them up to a limit, then those with small hashes.
///
/// The result depends on neither the order of the values nor on how they came into parts that were merged.
struct ValueSketch {
  private static let most = 16_384
  /// How often each value is met.
  private var counts: [UInt64: Int] = [:]
  /// No value with a greater hash is kept.
  private var limit = UInt64.max

  mutating func insert(_ hash: UInt64, count: Int = 1) {
    guard hash <= limit, count > 0 else { return }
    counts[RowTable.short(hash), default: 0] += count
    while counts.count > Self.most { lower(to: limit / 2) }
  }

  mutating func absorb(_ other: ValueSketch) {
    lower(to: other.limit)
    for (hash, count) in other.counts { insert(hash, count: count) }
  }

  private mutating func lower(to newLimit: UInt64) {
    guard newLimit < limit else { return }
    limit = newLimit
    counts = counts.filter { $0.key <= limit }
  }

  /// Whether all different values are kept.
  var isExact: Bool { limit == .max }

  /// The number of different values, estimated if not all are kept.
  var distinct: Int { Int(Double(counts.count) / (Double(limit) / Double(UInt64.max))) }

  /// The number of kept values that another sketch has too, as far as it would have kept them.
  func shared(with other: ValueSketch) -> (found: Int, compared: Int) {
    let compared = counts.keys.filter { $0 <= other.limit }
    return (compared.count { other.counts[$0] != nil }, compared.count)
  }
}

extension RowTable {
  /// The values of a member.
  func sketch(of member: Shape) -> ValueSketch {
    var sketch = ValueSketch()
    for case let value? in values(of: [member.number]) { sketch.insert(value) }
    return sketch
  }
}
