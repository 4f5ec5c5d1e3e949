internal import CFastMap

/// Sorts changes by eight bytes of their entries at a time.
///
/// Comparing entries one by one took three times as long.
struct IndexSorter {
  typealias Changes = UnsafeMutablePointer<IndexChanges.Change>

  /// The entry of the change with the offset 0.
  let bytes: UnsafeRawPointer
  let spare: Changes
  /// Room for the counts of the values of eight bytes.
  let digits: UnsafeMutablePointer<UInt32>

  func sort(_ changes: Changes, _ count: Int) {
    // Values often ascend with the keys.
    if (1..<count).allSatisfy({ !precedes(changes[$0], changes[$0 - 1], 0) }) { return }
    sort(changes, count, at: 0)
  }

  /// Sorts changes whose entries agree in the bytes before `depth`, and whose prefixes are the bytes there.
  private func sort(_ changes: Changes, _ count: Int, at depth: Int) {
    guard count > 256 else { return compare(changes, count, at: depth) }
    distribute(changes, count)
    var start = 0
    while start < count {
      let prefix = changes[start].prefix
      var end = start + 1
      while end < count, changes[end].prefix == prefix { end += 1 }
      if end - start > 1 { sortAlike(changes + start, end - start, at: depth) }
      start = end
    }
  }

  /// Sorts changes whose entries agree in their prefixes too.
  private func sortAlike(_ changes: Changes, _ count: Int, at depth: Int) {
    let next = depth + 8
    guard count > 256, (0..<count).allSatisfy({ Int(changes[$0].length) > next }) else {
      return compare(changes, count, at: depth)
    }
    let prefix = changes[0].prefix
    for place in 0..<count {
      changes[place].prefix = IndexChanges.chunk(
        bytes + Int(changes[place].offset) + next, Int(changes[place].length) - next)
    }
    sort(changes, count, at: next)
    for place in 0..<count { changes[place].prefix = prefix }
  }

  /// Sorts by the bytes of the prefix, the last one first.
  private func distribute(_ changes: Changes, _ count: Int) {
    digits.update(repeating: 0, count: 8 * 256)
    for place in 0..<count {
      var rest = changes[place].prefix
      for digit in 0..<8 {
        digits[digit &* 256 &+ Int(truncatingIfNeeded: rest & 255)] &+= 1
        rest >>= 8
      }
    }
    var (from, to) = (changes, spare)
    for digit in 0..<8 {
      let shift = UInt64(8 * digit)
      let starts = digits + digit * 256
      if starts[Int(from[0].prefix >> shift & 255)] == count { continue }  // all have the same
      var sum: UInt32 = 0
      for value in 0..<256 { (starts[value], sum) = (sum, sum &+ starts[value]) }
      for place in 0..<count {
        let value = Int(truncatingIfNeeded: from[place].prefix &>> shift & 255)
        to[Int(starts[value])] = from[place]
        starts[value] &+= 1
      }
      swap(&from, &to)
    }
    if from != changes { changes.update(from: from, count: count) }
  }

  private func compare(_ changes: Changes, _ count: Int, at depth: Int) {
    if count > 16 {
      var all = UnsafeMutableBufferPointer(start: changes, count: count)
      return all.sort { precedes($0, $1, depth) }
    }
    for place in 1..<max(1, count) {
      let change = changes[place]
      var free = place
      while free > 0, precedes(change, changes[free - 1], depth) {
        changes[free] = changes[free - 1]
        free -= 1
      }
      changes[free] = change
    }
  }

  /// Whether a change comes first. The entries agree before `depth`.
  @inline(__always)
  private func precedes(_ a: IndexChanges.Change, _ b: IndexChanges.Change, _ depth: Int) -> Bool {
    if a.prefix != b.prefix { return a.prefix < b.prefix }
    let shared = Int(min(a.length, b.length))
    if shared > depth + 8 {
      let (first, second) = (bytes + Int(a.offset), bytes + Int(b.offset))
      let order = memcmp(first + depth + 8, second + depth + 8, shared - depth - 8)
      if order != 0 { return order < 0 }
    }
    return a.length == b.length ? a.offset < b.offset : a.length < b.length
  }
}
