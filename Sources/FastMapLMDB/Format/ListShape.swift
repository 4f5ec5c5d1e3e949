/// How the list of a to-many relationship is cut into segments, and where they stand.
///
///     links     owner 8 | field 2 | position 8    →  target 8 | target 8 | …
///
/// A list is its segments in the order of their positions. Like the leaves of a B+-tree they may be shorter
/// than full: a change in the middle of a list writes the segment it is in, and perhaps a neighbour, and leaves
/// the others alone. Positions lie far apart, so that there is room for a segment between two others; where
/// there is none any more, a few neighbours are moved apart.
///
/// No segment is empty, none has more than `perSegment` targets, and none but the last has fewer than `least`.
struct ListShape: Equatable, Sendable {
  /// 240 numbers, a checksum and the key fit in a node of 2038 bytes: above that, LMDB moves a value to pages
  /// of its own.
  var perSegment = 240

  /// How far apart the segments of a new list stand.
  var step: UInt64 = 1 << 32

  /// Where a new list begins: there is room before it, too.
  static let first: UInt64 = 1 << 62

  /// The fewest targets of a segment that is not the last one.
  var least: Int { max(1, perSegment / 4) }

  /// How far apart segments stand at least after they were moved, so that it is a while to the next time.
  var leastGap: UInt64 { max(1, step >> 8) }

  /// Where `count` segments can stand between two others, ascending; nil where there is no room.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - lower: The position before them; nil at the begin of the list.
  ///   - upper: The position after them; nil at the end of the list.
  ///   - gap: How far apart they are to be, from each other and from those beside them.
  func positions(
    _ count: Int, between lower: UInt64?, and upper: UInt64?, gap least: UInt64 = 1
  ) -> [UInt64]? {
    let (length, isTooLong) = step.multipliedReportingOverflow(by: UInt64(count))
    let steps = (1...UInt64(max(count, 1))).prefix(count)
    if !isTooLong {
      switch (lower, upper) {
      case (nil, nil) where length <= UInt64.max - Self.first:
        return steps.map { Self.first + ($0 - 1) * step }
      case (let lower?, nil) where length <= UInt64.max - lower: return steps.map { lower + $0 * step }
      case (nil, let upper?) where length < upper: return steps.map { upper - length + ($0 - 1) * step }
      default: break
      }
    }
    let (start, end) = (lower ?? 0, upper ?? .max)
    let gap = (end - start) / UInt64(count + 1)
    return gap >= least ? steps.map { start + $0 * gap } : nil
  }
}
