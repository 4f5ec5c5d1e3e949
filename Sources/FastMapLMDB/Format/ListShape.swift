/// How the list of a to-many relationship is split into segments, and their positions.
///
///     links     owner 8 | field 2 | position 8    →  target 8 | target 8 | …
///
/// A list is its segments in the order of their positions. Like the leaves of a B+-tree, they need not be full. A
/// change in the middle of a list writes the segment that contains it, and perhaps a neighbour. Positions are far
/// apart, so that a segment fits between two others. If there is no more room, a few neighbours are moved apart.
///
/// A list has no checksum over all its segments, because each append would write another page. The checks of pages find a lost segment.
///
/// No segment is empty, and none has more than `perSegment` targets. Only the last one may have fewer than `least`.
struct ListShape: Equatable, Sendable {
  /// 240 numbers, a checksum and the key fit in a node of 2038 bytes. LMDB moves larger values to pages of their own.
  var perSegment = 240

  /// The distance between segments of a new list.
  var step: UInt64 = 1 << 32

  /// The first position of a new list. There is room before it, too.
  static let first: UInt64 = 1 << 62

  /// The minimum number of targets of a segment, except the last one.
  var least: Int { max(1, perSegment / 4) }

  /// The minimum distance of segments after a move, so that the next move is not soon.
  var leastGap: UInt64 { max(1, step >> 8) }

  /// Ascending positions for `count` segments between two others; nil if there is no room.
  ///
  /// - Parameters:
  ///   - count: The number of segments.
  ///   - lower: The position before them; nil at the start of the list.
  ///   - upper: The position after them; nil at the end of the list.
  ///   - gap: The required distance from each other and from their neighbours.
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
