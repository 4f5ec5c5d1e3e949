public import FastMapCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Dates: ISO 8601 in JSON, or what the attribute says.
///
///     Attribute("posted", \.posted)                                  // "2013-07-01T18:00:00Z"
///     Attribute("edited", \.edited, as: .date(.epochMilliseconds))   // 1372701600000
///     Attribute("born", \.born, as: .date(.pattern("%Y-%m-%d")))     // "1815-12-10"
///
/// In UTC and the C locale, both ways. A date that is not a number or infinite is written as null. One
/// that its form cannot show, as ISO 8601 cannot the year 10 000, is an error when JSON is made of it.
extension Date: AttributeValue {
  public static var attributeType: AttributeType { .date(.iso8601) }

  public init?(_ field: FieldValue) {
    guard let instant = field.date else { return nil }
    self.init(instant)
  }

  public func write(to field: inout FieldWriter) {
    if let instant = Timestamp(self) { field.set(date: instant) } else { field.setNull() }
  }
}

extension Date {
  /// Makes the date nearest to an instant, for what a record has.
  ///
  ///     if case .date(let instant)? = record["born"] { show(Date(instant)) }
  ///
  /// A date counts seconds from 2001 in a `Double`: microseconds are kept until the year 2272, nanoseconds
  /// are rounded.
  public init(_ instant: Timestamp) {
    let (whole, isBeyond) = instant.seconds.subtractingReportingOverflow(epochToReference)
    let seconds = isBeyond ? Double(instant.seconds) - Double(epochToReference) : nil
    self.init(timeIntervalSinceReferenceDate: seconds ?? join(whole, instant.nanoseconds))
  }
}

extension Timestamp {
  /// Makes the instant of a date: in whole microseconds where they are the same date, else in nanoseconds.
  ///
  ///     record.posted = Timestamp(Date())
  ///
  /// Nil for what is not a number or infinite, and beyond the seconds that an `Int64` counts, 292 thousand
  /// million years.
  public init?(_ date: Date) {
    let seconds = date.timeIntervalSinceReferenceDate
    guard let whole = Int64(exactly: seconds.rounded(.down)) else { return nil }
    let fraction = seconds - seconds.rounded(.down)
    var nanoseconds = Int64((fraction * 1e6).rounded()) * 1000
    if join(whole, UInt32(nanoseconds)) != seconds { nanoseconds = Int64((fraction * 1e9).rounded()) }
    let carry = nanoseconds / billion
    let (sinceEpoch, isBeyond) = whole.addingReportingOverflow(epochToReference + carry)
    if isBeyond { return nil }
    self.init(seconds: sinceEpoch, nanoseconds: UInt32(nanoseconds % billion))
  }
}

/// From 1970 to 2001, in seconds.
private let epochToReference: Int64 = 978_307_200

private let billion: Int64 = 1_000_000_000

/// The double nearest to seconds and nanoseconds. Within 49 days the nanoseconds are an integer that a double
/// holds; beyond, the error of the quotient is too small to count.
private func join(_ seconds: Int64, _ nanoseconds: UInt32) -> Double {
  if seconds.magnitude < 1 << 22 {
    return Double(seconds * billion + Int64(nanoseconds)) / Double(billion)
  }
  return Double(seconds) + Double(nanoseconds) / Double(billion)
}
