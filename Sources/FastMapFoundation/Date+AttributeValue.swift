public import FastMapCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Dates, represented in JSON as ISO 8601 or in the attribute's format.
///
///     Attribute("posted", \.posted)                                  // "2013-07-01T18:00:00Z"
///     Attribute("edited", \.edited, as: .date(.epochMilliseconds))   // 1372701600000
///     Attribute("born", \.born, as: .date(.pattern("%Y-%m-%d")))     // "1815-12-10"
///
/// Reading and writing use UTC and the C locale. A date that is infinite or NaN is written as null. So is
/// one whose seconds exceed an `Int64`, 292 thousand million years. A date that its format cannot represent, such as
/// the year 10 000 in ISO 8601, is an error when it is written.
extension Date: AttributeValue {
  public static var attributeType: AttributeType { .date(.iso8601) }

  public init?(_ field: Field) {
    guard let instant = field.date else { return nil }
    self.init(instant)
  }

  public func write(to field: inout FieldWriter) {
    if let instant = Timestamp(self) { field.set(date: instant) } else { field.setNull() }
  }
}

extension Date {
  /// Makes the date nearest to a timestamp, such as one from a record.
  ///
  ///     if case .date(let timestamp)? = record["born"] { show(Date(timestamp)) }
  ///
  /// A date is a `Double` that counts seconds from 2001, precise to the microsecond until the year 2272, so
  /// nanoseconds are rounded.
  public init(_ timestamp: Timestamp) {
    let (whole, isBeyond) = timestamp.seconds.subtractingReportingOverflow(epochToReference)
    let seconds = isBeyond ? Double(timestamp.seconds) - Double(epochToReference) : nil
    self.init(timeIntervalSinceReferenceDate: seconds ?? join(whole, timestamp.nanoseconds))
  }
}

extension Timestamp {
  /// Makes the timestamp of a date: in whole microseconds if that is the same date, else in nanoseconds.
  ///
  ///     record.posted = Timestamp(Date())
  ///
  /// Nil for a date that is infinite or NaN, or whose seconds exceed an `Int64`, 292 thousand million years.
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

/// The double nearest to seconds and nanoseconds. Within 49 days, a double holds the nanoseconds as an exact integer.
/// Beyond that, the error of the quotient is negligible.
private func join(_ seconds: Int64, _ nanoseconds: UInt32) -> Double {
  if seconds.magnitude < 1 << 22 {
    return Double(seconds * billion + Int64(nanoseconds)) / Double(billion)
  }
  return Double(seconds) + Double(nanoseconds) / Double(billion)
}
