/// The median and the quartiles of some figures.
struct Spread: Codable {
  /// A quarter of the figures is below.
  var p25: Double
  var median: Double
  /// A quarter of the figures is above.
  var p75: Double

  /// - Returns: Nil if there are no figures.
  init?(_ figures: [Double]) {
    guard !figures.isEmpty else { return nil }
    let sorted = figures.sorted()
    p25 = Self.quantile(0.25, of: sorted)
    median = Self.quantile(0.5, of: sorted)
    p75 = Self.quantile(0.75, of: sorted)
  }

  private static func quantile(_ part: Double, of sorted: [Double]) -> Double {
    let place = part * Double(sorted.count - 1)
    let lower = Int(place)
    let upper = min(lower + 1, sorted.count - 1)
    return sorted[lower] + (sorted[upper] - sorted[lower]) * (place - Double(lower))
  }
}
