internal import FastMapStoreKit

/// The places of keys in ascending order.
struct KeyOrder {
  /// Nil if the keys ascend themselves.
  private let places: [UInt32]?

  init(_ keys: [PrimaryKey]) {
    if zip(keys, keys.dropFirst()).allSatisfy({ !($1 < $0) }) || keys.count > UInt32.max {
      places = nil
    } else if let integers = Self.integers(keys) {
      places = Self.sorted(integers)
    } else {
      places = keys.indices.sorted { keys[$0] < keys[$1] }.map { UInt32($0) }
    }
  }

  @inline(__always)
  subscript(step: Int) -> Int { places.map { Int($0[step]) } ?? step }

  // MARK: Integers

  private struct Entry {
    /// In the order of the keys.
    var key: UInt64
    var place: UInt32
  }

  /// The keys, less the lowest; nil if one is a string.
  private static func integers(_ keys: [PrimaryKey]) -> [Entry]? {
    var entries: [Entry] = []
    entries.reserveCapacity(keys.count)
    var lowest = UInt64.max
    for (place, key) in keys.enumerated() {
      guard case .integer(let value) = key else { return nil }
      let sortable = UInt64(bitPattern: value) ^ (1 << 63)
      lowest = min(lowest, sortable)
      entries.append(Entry(key: sortable, place: UInt32(place)))
    }
    for index in entries.indices { entries[index].key -= lowest }
    return entries
  }

  /// Sorts by digits, beginning with the lowest one. Keys are mostly within a range not much larger than their number,
  /// which takes two passes, where comparisons take fifteen.
  private static func sorted(_ entries: [Entry]) -> [UInt32] {
    let highest = entries.reduce(0) { max($0, $1.key) }
    let passes = (64 - highest.leadingZeroBitCount + digitBits - 1) / digitBits
    if entries.count < 1 << digitBits || passes > 3 {
      return entries.sorted { $0.key < $1.key }.map(\.place)
    }
    var (from, to) = (entries, entries)
    for pass in 0..<passes {
      let shift = UInt64(pass * digitBits)
      var starts = [Int](repeating: 0, count: 1 << digitBits)
      for entry in from { starts[Int(entry.key >> shift & digitMask)] += 1 }
      var sum = 0
      for digit in starts.indices { (starts[digit], sum) = (sum, sum + starts[digit]) }
      for entry in from {
        let digit = Int(entry.key >> shift & digitMask)
        to[starts[digit]] = entry
        starts[digit] += 1
      }
      swap(&from, &to)
    }
    return from.map(\.place)
  }

  private static let digitBits = 11
  private static let digitMask: UInt64 = 1 << 11 - 1
}
