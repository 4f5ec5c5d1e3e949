#if Postgres
  internal import FastMapStoreKit

  // `timestamptz` counts microseconds, from 4713 BC to 294276 AD. A `Timestamp` counts nanoseconds and has 64 bits of
  // seconds. So a date that `timestamptz` cannot hold has a second column with its exact value, as text:
  //
  //     born                             fastmap_exact_born
  //     2013-07-01 18:00:00.123456+00    1372701600 123456789      seconds since 1970, nanoseconds
  //     infinity                         99999999999999 0          after the last timestamp
  //     2013-07-01 18:00:00+00           (null)                    exact as it is

  /// Dates as they stand in a column of the type `timestamptz`.
  enum StoredDate {
    /// 2000-01-01T00:00:00Z in seconds since 1970, the zero of PostgreSQL.
    private static let epoch: Int64 = 946_684_800
    /// The microseconds that PostgreSQL accepts.
    private static let range = Int64(-211_813_488_000_000_000)..<Int64(9_223_371_331_200_000_000)
    static let infinity = Int64.max
    static let minusInfinity = Int64.min

    /// The microseconds since 2000, rounded towards the past; infinite if PostgreSQL has no such timestamp.
    static func microseconds(of date: Timestamp) -> Int64 {
      let outside = date.seconds < 0 ? minusInfinity : infinity
      let (seconds, wraps) = date.seconds.subtractingReportingOverflow(epoch)
      let (scaled, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
      guard !wraps, !overflows else { return outside }
      let (sum, carries) = scaled.addingReportingOverflow(Int64(date.nanoseconds / 1000))
      return !carries && range.contains(sum) ? sum : outside
    }

    static func isExact(_ date: Timestamp, _ microseconds: Int64) -> Bool {
      date.nanoseconds % 1000 == 0 && microseconds != infinity && microseconds != minusInfinity
    }

    /// The date of a `timestamptz` without an exact text; nil for an infinite one.
    static func date(microseconds: Int64) -> Timestamp? {
      guard microseconds != infinity, microseconds != minusInfinity else { return nil }
      // Rounded down, as the parts of a Timestamp are.
      var (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
      if rest < 0 {
        seconds -= 1
        rest += 1_000_000
      }
      return Timestamp(seconds: seconds + epoch, nanoseconds: UInt32(rest) * 1000)
    }

    static func exactText(_ date: Timestamp) -> String { "\(date.seconds) \(date.nanoseconds)" }

    /// The date of the second column; nil if no store wrote it.
    static func date(exactText bytes: UnsafeRawBufferPointer) -> Timestamp? {
      let parts = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      guard parts.count == 2, let seconds = Int64(String(decoding: parts[0], as: UTF8.self)),
        let nanoseconds = UInt32(String(decoding: parts[1], as: UTF8.self)), nanoseconds < 1_000_000_000
      else { return nil }
      return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }
  }
#endif
