internal import FastMapStoreKit

/// The stored list of a to-many relationship.
struct StoredList {
  struct Segment {
    let position: UInt64
    /// Its range among all targets.
    let range: Range<Int>
  }

  private(set) var targets: [ObjectID] = []
  private(set) var segments: [Segment] = []

  mutating func append(_ bytes: UnsafeRawBufferPointer, at position: UInt64) {
    let start = targets.count
    // For each segment, this would copy the list each time.
    if targets.isEmpty { targets.reserveCapacity(bytes.count / 8) }
    for index in 0..<bytes.count / 8 { targets.append(bytes.id(inValueAt: index * 8)) }
    segments.append(Segment(position: position, range: start..<targets.count))
  }

  subscript(segment: Int) -> ArraySlice<ObjectID> { targets[segments[segment].range] }
}

/// Finds objects in long lists. One bit rules out most of the others.
struct TargetFilter {
  private static let mostBits = 1 << 16
  /// A power of two: 64 for each target, up to the limit.
  private let bits: [UInt64]
  private let mask: UInt64
  private(set) var targets: Set<ObjectID>

  init(_ targets: some Sequence<ObjectID>) {
    self.targets = Set(targets)
    var size = 64
    while size < Self.mostBits, size / 64 < self.targets.count { size *= 2 }
    let mask = UInt64(size - 1)
    var bits = [UInt64](repeating: 0, count: size / 64)
    for target in self.targets { bits[Int(target.rawValue & mask) / 64] |= 1 << (target.rawValue % 64) }
    (self.bits, self.mask) = (bits, mask)
  }

  @inline(__always)
  func contains(_ target: ObjectID) -> Bool {
    bits[Int(target.rawValue & mask) / 64] & 1 << (target.rawValue % 64) != 0 && targets.contains(target)
  }
}

// MARK: - Segments that two lists share

extension StoredList {
  /// A segment that is unchanged in a new list.
  struct Kept: Equatable {
    let segment: Int
    /// Its start in the new list.
    let start: Int
  }

  /// The segments that are unchanged in `new`, ascending in both lists.
  ///
  /// Segments at the start and at the end need one comparison. Others are found through a target that occurs once in
  /// the new list. If segments have changed places, the largest set that is still in order is kept.
  func kept(in new: UnsafeBufferPointer<ObjectID>) -> [Kept] {
    var front: [Kept] = []
    while front.count < segments.count, isSame(front.count, new, at: segments[front.count].range.lowerBound) {
      front.append(Kept(segment: front.count, start: segments[front.count].range.lowerBound))
    }
    let start = front.last.map { segments[$0.segment].range.upperBound } ?? 0
    let shift = new.count - targets.count
    var back: [Kept] = []
    var end = segments.count
    while end > front.count, case let place = segments[end - 1].range.lowerBound + shift, place >= start,
      isSame(end - 1, new, at: place)
    {
      end -= 1
      back.append(Kept(segment: end, start: place))
    }
    let newEnd = back.last?.start ?? new.count
    let middle = end - front.count > 1 ? moved(front.count..<end, in: new, start..<newEnd) : []
    return front + middle + back.reversed()
  }

  private func isSame(_ segment: Int, _ new: UnsafeBufferPointer<ObjectID>, at start: Int) -> Bool {
    let range = segments[segment].range
    guard start >= 0, start + range.count <= new.count else { return false }
    return targets.withUnsafeBufferPointer { targets in
      for offset in 0..<range.count where targets[range.lowerBound + offset] != new[start + offset] {
        return false
      }
      return true
    }
  }

  private func moved(
    _ searched: Range<Int>, in new: UnsafeBufferPointer<ObjectID>, _ range: Range<Int>
  ) -> [Kept] {
    var places: [ObjectID: Int] = [:]
    places.reserveCapacity(range.count)
    for place in range where places.updateValue(place, forKey: new[place]) != nil { places[new[place]] = -1 }
    var found: [Kept] = []
    for segment in searched {
      let length = segments[segment].range.count
      var start = found.last.map { $0.start + segments[$0.segment].range.count } ?? range.lowerBound
      for (offset, target) in self[segment].enumerated() {
        guard let place = places[target] else {
          start = -1
          break
        }
        if place >= 0 {
          start = place - offset
          break
        }
      }
      if start >= range.lowerBound, start + length <= range.upperBound, isSame(segment, new, at: start) {
        found.append(Kept(segment: segment, start: start))
      }
    }
    return ascending(found)
  }

  /// The largest part of `found` that ascends in the new list, without overlaps.
  private func ascending(_ found: [Kept]) -> [Kept] {
    var ends: [Int] = []  // by length: the last of the chain of that length that ends first
    var before = [Int](repeating: -1, count: found.count)
    for (index, kept) in found.enumerated() {
      let length = ends.partitioningIndex { found[$0].start >= kept.start }
      before[index] = length > 0 ? ends[length - 1] : -1
      if length == ends.count { ends.append(index) } else { ends[length] = index }
    }
    var chain: [Kept] = []
    var index = ends.last ?? -1
    while index >= 0 {
      let end = found[index].start + segments[found[index].segment].range.count
      if chain.last.map({ end <= $0.start }) ?? true { chain.append(found[index]) }
      index = before[index]
    }
    return chain.reversed()
  }
}
