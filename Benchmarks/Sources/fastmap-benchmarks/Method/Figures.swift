import Foundation

/// Figures as words.
enum Figures {
  static func milliseconds(_ seconds: Double) -> String { "\(number(ofMilliseconds: seconds)) ms" }

  static func milliseconds(_ spread: Spread) -> String {
    "\(number(ofMilliseconds: spread.p25))–\(number(ofMilliseconds: spread.p75))"
  }

  /// `results.json` has four digits.
  private static func number(ofMilliseconds seconds: Double) -> String {
    String(format: seconds < 1 ? "%.1f" : "%.0f", seconds * 1000)
  }

  static func microseconds(_ seconds: Double) -> String { String(format: "%.2f µs", seconds * 1e6) }

  static func times(_ ratio: Double) -> String { String(format: "%.2f ×", ratio) }

  static func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }

  static func gigabytes(_ bytes: UInt64) -> String { String(format: "%.0f GB", Double(bytes) / 1e9) }

  static func load(_ load: Double) -> String { String(format: "%.1f", load) }

  /// `1 234 567`
  static func grouped(_ number: Int) -> String {
    var digits = String(number)
    var end = digits.endIndex
    while digits.distance(from: digits.startIndex, to: end) > 3 {
      end = digits.index(end, offsetBy: -3)
      digits.insert(" ", at: end)
    }
    return digits
  }
}
