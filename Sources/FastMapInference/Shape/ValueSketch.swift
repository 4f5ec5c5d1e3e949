/// The distinct values of one place, by their hashes: all of them up to a limit, then those with the smallest hashes.
///
/// The result depends on neither the order of the values nor on how they came into parts that were merged.
final class ValueSketch {
  private struct Entry {
    var hash: UInt64
    var count: UInt32
  }

  /// The number of values, repeats included.
  private(set) var total = 0
  private(set) var kept = 0
  /// Kept are all values with a hash below it.
  private(set) var limit = UInt64.max

  private let most: Int
  private var table: UnsafeMutableBufferPointer<Entry>

  /// - Parameter most: The number of values that are kept at least, if there are as many.
  init(most: Int) {
    self.most = most
    table = Self.makeTable(8)
  }

  deinit { table.deallocate() }

  private static func makeTable(_ size: Int) -> UnsafeMutableBufferPointer<Entry> {
    let table = UnsafeMutableBufferPointer<Entry>.allocate(capacity: size)
    table.initialize(repeating: Entry(hash: 0, count: 0))
    return table
  }

  /// Adds a value that is met so many times.
  func insert(_ hash: UInt64, count: UInt32 = 1) {
    guard count > 0 else { return }
    total += Int(count)
    guard hash < limit else { return }
    add(Entry(hash: hash, count: count))
    if kept * 4 > table.count * 3 { grow() }
  }

  private func add(_ entry: Entry) {
    let mask = table.count - 1
    var slot = Int(truncatingIfNeeded: entry.hash) & mask
    while table[slot].count != 0 {
      if table[slot].hash == entry.hash {
        table[slot].count = UInt32(clamping: Int(table[slot].count) + Int(entry.count))
        return
      }
      slot = (slot + 1) & mask
    }
    table[slot] = entry
    kept += 1
  }

  private func grow() {
    let old = table
    defer { old.deallocate() }
    var entries = old.filter { $0.count != 0 }
    if kept > most * 3 / 2 {
      entries.sort { $0.hash < $1.hash }
      limit = entries[most].hash
      entries.removeSubrange(most...)
      table = Self.makeTable(old.count)
    } else {
      table = Self.makeTable(old.count * 2)
    }
    kept = 0
    for entry in entries { add(entry) }
  }

  /// Drops all but the smallest hashes, so that the kept values depend on the values alone.
  private func prune() {
    guard !isExact, kept > most else { return }
    let entries = table.filter { $0.count != 0 }.sorted { $0.hash < $1.hash }
    limit = entries[most].hash
    let old = table
    table = Self.makeTable(old.count)
    old.deallocate()
    kept = 0
    for entry in entries.prefix(most) { add(entry) }
  }

  /// Adds the values of another sketch with the same limit.
  func absorb(_ other: ValueSketch) {
    let sum = total + other.total
    if other.limit < limit { lower(to: other.limit) }
    for entry in other.table where entry.count != 0 {
      insert(entry.hash, count: entry.count)
    }
    total = sum
  }

  private func lower(to newLimit: UInt64) {
    limit = newLimit
    let entries = table.filter { $0.count != 0 && $0.hash < newLimit }
    let size = table.count
    table.deallocate()
    table = Self.makeTable(size)
    kept = 0
    for entry in entries { add(entry) }
  }
}

extension ValueSketch {
  /// Whether all distinct values are kept.
  var isExact: Bool { limit == .max }

  /// The number of distinct values, estimated if not all are kept.
  var distinct: Int {
    prune()
    return isExact ? kept : Int(Double(kept) / (Double(limit) / Double(UInt64.max)))
  }

  /// Whether no kept value is met twice.
  var isUnique: Bool {
    prune()
    return table.allSatisfy { $0.count < 2 }
  }

  func contains(_ hash: UInt64) -> Bool {
    let mask = table.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while table[slot].count != 0 {
      if table[slot].hash == hash { return true }
      slot = (slot + 1) & mask
    }
    return false
  }

  /// The number of kept values that another sketch has too, as far as it would have kept them.
  func shared(with other: ValueSketch) -> (found: Int, compared: Int) {
    prune()
    other.prune()
    var result = (found: 0, compared: 0)
    for entry in table where entry.count != 0 && entry.hash < other.limit {
      result.compared += 1
      if other.contains(entry.hash) { result.found += 1 }
    }
    return result
  }
}
