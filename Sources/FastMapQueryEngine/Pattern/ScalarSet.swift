/// A class of a pattern: `[a-z_]`, `[^\p{L}]`, `.`.
struct ScalarSet: Sendable {
  /// In order, without overlaps.
  let ranges: [ClosedRange<UInt32>]
  private let categories: ScalarCategories
  private let isNegated: Bool
  /// A bit for each ASCII character.
  private let ascii: (low: UInt64, high: UInt64)

  /// All but line feed and carriage return.
  static let dot = ScalarSet([0xA...0xA, 0xD...0xD], isNegated: true)

  init(
    _ ranges: [ClosedRange<UInt32>], _ categories: ScalarCategories = [], isNegated: Bool = false
  ) {
    var merged = Self.merged(ranges)
    if isNegated, categories.isEmpty { merged = Self.complement(of: merged) }
    self.ranges = merged
    self.categories = categories
    self.isNegated = isNegated && !categories.isEmpty
    var bits: (low: UInt64, high: UInt64) = (0, 0)
    for value in UInt32(0)..<128 {
      guard Self.contains(value, merged, categories) != self.isNegated else { continue }
      if value < 64 { bits.low |= 1 << UInt64(value) } else { bits.high |= 1 << UInt64(value - 64) }
    }
    ascii = bits
  }

  var isRanges: Bool { categories.isEmpty }

  var isEverything: Bool { ranges == [0...0x10FFFF] }

  func contains(_ value: UInt32) -> Bool {
    if value < 64 { return ascii.low >> UInt64(value) & 1 == 1 }
    if value < 128 { return ascii.high >> UInt64(value - 64) & 1 == 1 }
    return Self.contains(value, ranges, categories) != isNegated
  }

  private static func contains(
    _ value: UInt32, _ ranges: [ClosedRange<UInt32>], _ categories: ScalarCategories
  ) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if value < ranges[middle].lowerBound {
        high = middle
      } else if value > ranges[middle].upperBound {
        low = middle + 1
      } else {
        return true
      }
    }
    guard !categories.isEmpty, let scalar = Unicode.Scalar(value) else { return false }
    return categories.contains(ScalarCategories(of: scalar))
  }

  private static func merged(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    var merged: [ClosedRange<UInt32>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged
  }

  private static func complement(of ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    var gaps: [ClosedRange<UInt32>] = []
    var start: UInt32 = 0
    for range in ranges {
      if range.lowerBound > start { gaps.append(start...(range.lowerBound - 1)) }
      start = range.upperBound + 1
    }
    if start <= 0x10FFFF { gaps.append(start...0x10FFFF) }
    return gaps
  }
}
