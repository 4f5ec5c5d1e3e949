import CFastMap
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

/// 2014-08-31T00:29:15Z, the first date of twitter.json.
private let tweet: Int64 = 1_409_444_955

@Suite struct ISO8601Tests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0, 0),
    ("2014-08-31T00:29:15Z", tweet, 0),
    ("2014-08-31t00:29:15z", tweet, 0),
    ("2014-08-31 00:29:15Z", tweet, 0),
    ("2014-08-31T00:29:15", tweet, 0),
    ("2014-08-31T02:29:15+02:00", tweet, 0),
    ("2014-08-31T02:29:15+0200", tweet, 0),
    ("2014-08-31T02:29:15+02", tweet, 0),
    ("2014-08-30T18:59:15-05:30", tweet, 0),
    ("2014-08-31T00:29:15-00:00", tweet, 0),
    ("2014-08-31", 1_409_443_200, 0),
    ("2014-08-31T00:29", tweet - 15, 0),
    ("2014-08-31T00:29Z", tweet - 15, 0),
    ("2014-08-31 00:29z", tweet - 15, 0),
    ("2014-08-31T02:29+02:00", tweet - 15, 0),
    ("2014-08-31T02:29+0200", tweet - 15, 0),
    ("2014-08-30T22:29-02", tweet - 15, 0),
    ("2020-07-29T05:00", 1_595_998_800, 0),
    ("2014-08-31T00:29:15.5Z", tweet, 500_000_000),
    ("2014-08-31T00:29:15.000001+00:00", tweet, 1_000),
    ("2014-08-31T00:29:15.123456789", tweet, 123_456_789),
    ("2014-08-31T00:29:15.1234567899999Z", tweet, 123_456_789),
    ("1969-12-31T23:59:59.25Z", -1, 250_000_000),
    ("2000-02-29T00:00:00Z", 951_782_400, 0),
    ("2016-12-31T23:59:60Z", 1_483_228_800, 0),
    ("0000-01-01T00:00:00Z", -62_167_219_200, 0),
    ("0000-02-29", -62_162_121_600, 0),
    ("9999-12-31T23:59:59.999999999Z", 253_402_300_799, 999_999_999),
    ("2014-08-31T00:29:15,5Z", tweet, 500_000_000),
    ("2014-08-31T00:29:15,1234567899999+00:00", tweet, 123_456_789),
    ("2014-08-31T24:00:00Z", 1_409_529_600, 0),
    ("2014-08-31T24:00:00.000Z", 1_409_529_600, 0),
    ("2014-08-31T24:00", 1_409_529_600, 0),
    ("2014-08-31T24:00:00+02:00", 1_409_522_400, 0),
    ("2014-12-31T24:00:00", 1_420_070_400, 0),
    ("1969-12-31T24:00:00Z", 0, 0),
    ("9999-12-31T24:00:00Z", 253_402_300_800, 0),
    ("2014-W35-7", 1_409_443_200, 0),
    ("2014-W35-7T00:29:15Z", tweet, 0),
    ("2014-w35-7 02:29:15+0200", tweet, 0),
    ("2014-W35-7T24:00:00", 1_409_529_600, 0),
    ("2020-W30-3", 1_595_376_000, 0),
    ("2020-W53-5", 1_609_459_200, 0),
    ("2019-W01-1", 1_546_214_400, 0),
    ("1970-W01-4", 0, 0),
    ("1969-W52-7", -345_600, 0),
    ("0000-W01-1", -62_167_046_400, 0),
    ("2014-243", 1_409_443_200, 0),
    ("2014-243T00:29:15.5Z", tweet, 500_000_000),
    ("2014-243T02:29+02", tweet - 15, 0),
    ("2020-211", 1_595_980_800, 0),
    ("2020-366", 1_609_372_800, 0),
    ("2021-365", 1_640_908_800, 0),
    ("2020-001", 1_577_836_800, 0),
  ])
  func datesAreRead(_ text: String, seconds: Int64, nanoseconds: UInt32) {
    #expect(readISO8601(text) == Timestamp(seconds, nanoseconds))
  }

  @Test(arguments: [
    "", "2014", "2014-08", "2014-8-31", "20140831", "2014-08-31T", "2014-08-31Z", "2014-08-31T00",
    "2014-08-31T00Z", "2014-08-31T00:2", "2014-08-31T00:2Z", "2014-08-31T00:29:", "2014-08-31T00:29:1",
    "2014-08-31T00:29:Z", "2014-08-31T00:29:1Z", "2014-08-31T00:29.5Z", "2014-08-31T00:29.5+00",
    "2014-08-31T00:29Zx",
    "2014-08-31T00:29+2", "2014-08-31T00:60", "2014-08-31T24:01", "2014-08-31T00:29:15.",
    "2014-08-31T00:29:15.Z", "2014-08-31T00:29:15,Z", "2014-08-31T00:29:15.5,5Z", "2014-08-31T00:29,5Z",
    "2014-08-31T00:29:15Zx", "2014-08-31T00:29:15 Z", " 2014-08-31T00:29:15Z", "2014-08-31T00:29:15Z ",
    "2014-08-31T00:29:15+", "2014-08-31T00:29:15+2", "2014-08-31T00:29:15+020", "2014-08-31T00:29:15+02:",
    "2014-08-31T00:29:15+02:0", "2014-08-31T00:29:15+24:00", "2014-08-31T00:29:15+02:60",
    "2014-08-31T00:29:15+02:000", "2014-08-31T24:00:01Z", "2014-08-31T24:00:00.1Z", "2014-08-31T25:00:00Z",
    "2014-02-29T24:00:00Z",
    "2014-08-31T24:00:60Z", "2014-08-31T00:60:00Z", "2014-08-31T00:00:61Z",
    "2014-00-01", "2014-13-01", "2014-01-00", "2014-01-32", "2014-04-31", "2014-02-29", "1900-02-29",
    "2014/08/31", "2014-08-31X00:29:15Z", "2014-08-31T00-29-15Z", "-014-08-31", "+2014-08-31", "201a-08-31",
    "2014-08-31T00:29:1:", "2014-08-31T00:29:15\0", "２014-08-31",
    "2020-W30", "2020-W30-0", "2020-W30-8", "2020-W00-1", "2020-W54-1", "2021-W53-1", "2020W303", "2020-W3-3",
    "2020-W303", "2020-W30-3T", "2020-W30-3T24:00:01", "2020-W30-33", "20a0-W30-3", "2020-Wa0-3",
    "2020W-30-3",
    "2020-000", "2020-367", "2021-366", "2020-21", "2020-2111", "2020211", "2020-21a", "2020-211T",
    "2020-211T1",
    "2020-211Z", "202a-211", "2020-W30-3 ", "2020/211", "-020-211", "(000-W01-1", "(000-001",
  ])
  func otherTextsAreRefused(_ text: String) { #expect(readISO8601(text) == nil) }

  @Test(arguments: [
    (0, 0, "1970-01-01T00:00:00Z"),
    (tweet, 500_000_000, "2014-08-31T00:29:15.5Z"),
    (tweet, 120, "2014-08-31T00:29:15.00000012Z"),
    (-1, 999_999_999, "1969-12-31T23:59:59.999999999Z"),
    (-62_167_219_200, 0, "0000-01-01T00:00:00Z"),
    (253_402_300_799, 0, "9999-12-31T23:59:59Z"),
    (-62_167_219_201, 0, ""),
    (253_402_300_800, 0, ""),
    (Int64.min, 0, ""),
    (Int64.max, 0, ""),
  ])
  func datesAreWritten(_ seconds: Int64, nanoseconds: UInt32, expected: String) {
    #expect(writeISO8601(Timestamp(seconds, nanoseconds)) == expected)
  }

  @Test func randomDatesAgreeWithTheCLibrary() {
    var random = Random(seed: 1)
    for _ in 0..<TestSize.rounds(small: 4000, whole: 100_000) {
      let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &random)
      let nanoseconds = UInt32.random(in: 0..<1_000_000_000, using: &random)
      var time = time_t(seconds)
      var parts = tm()
      gmtime_r(&time, &parts)
      let text = isoText(parts, nanoseconds)
      let instant = readISO8601(text)
      #expect(instant == Timestamp(Int64(timegm(&parts)), nanoseconds))
      #expect(instant.map(writeISO8601).flatMap(readISO8601) == Timestamp(seconds, nanoseconds))
      #expect(writeISO8601(Timestamp(seconds, 0)) == text.prefix(19) + "Z")
    }
  }
}

@Suite struct RareDateTests {
  @Test func randomWeekAndOrdinalDatesAgreeWithTheCLibrary() {
    var random = Random(seed: 5)
    for _ in 0..<TestSize.rounds(small: 4000, whole: 100_000) {
      let day = Int64.random(in: -719_000..<2_932_000, using: &random) * 86_400
      var time = time_t(day)
      var parts = tm()
      gmtime_r(&time, &parts)
      for format in ["%G-W%V-%u", "%Y-%j"] {
        var text = [CChar](repeating: 0, count: 32)
        let length = strftime(&text, text.count, format, &parts)
        let date = String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard date.utf8.count == (format.hasPrefix("%G") ? 10 : 8) else { continue }  // a year before 1000
        #expect(readISO8601(date) == Timestamp(day, 0), "\(date)")
        #expect(readISO8601(date + "T24:00:00Z") == Timestamp(day + 86_400, 0), "\(date)")
      }
    }
  }
}

@Suite struct DatePatternTests {
  @Test(arguments: [
    ("%a %b %d %H:%M:%S %z %Y", "Sun Aug 31 00:29:15 +0000 2014", tweet, 0),
    ("%a %b %d %H:%M:%S %z %Y", "sunday AUGUST 31 02:29:15 +02:00 2014", tweet, 0),
    ("%A, %d. %B %Y %T%z", "Saturday, 30. Aug 2014 19:29:15-05", tweet, 0),
    ("%a, %d %b %Y %T %Z", "Mon, 31 Aug 2014 00:29:15 GMT", tweet, 0),
    ("%FT%T%z", "2014-08-31T00:29:15Z", tweet, 0),
    ("%Y-%m-%d", "2014-08-31", 1_409_443_200, 0),
    ("%Y%m%d%H%M%S", "20140831002915", tweet, 0),
    ("%D %R", "08/31/14 00:29", 1_409_444_940, 0),
    ("%d.%m.%y", "1.2.69", -28_857_600, 0),
    ("%d.%m.%y", "1.2.68", 3_095_280_000, 0),
    ("%Y-%j", "2014-243", 1_409_443_200, 0),
    ("%j %Y", "366 2012", 1_356_912_000, 0),
    ("%F (%j)", "2014-08-31 (243)", 1_409_443_200, 0),
    ("%I:%M %p", "12:05 am", 300, 0),
    ("%p %I:%M", "PM 12:05", 43_500, 0),
    ("%I %p", "11 PM", 82_800, 0),
    ("%e %h %Y", " 7 May 2015", 1_430_956_800, 0),
    ("%s", "1409444955", tweet, 0),
    ("%s.%f", "1409444955.25", tweet, 250_000_000),
    ("%s.%f", "-2.75", -2, 750_000_000),
    ("%T.%f", "00:00:01.000000001", 1, 1),
    ("%H:%M:%S", "23:59:60", 86_400, 0),
    ("%H", "7", 25_200, 0),
    ("  %Y\t%m", "2014 \n 08", 1_406_851_200, 0),
    ("%Y %m", "201408", 1_406_851_200, 0),
    ("%Y%n%m%t%d", "2014\n8\t31", 1_409_443_200, 0),
    ("100%% %Y", "100% 2014", 1_388_534_400, 0),
    ("jour %d été", "jour 2 été", 86_400, 0),
    ("", "", 0, 0),
  ])
  func datesAreRead(_ pattern: String, _ text: String, seconds: Int64, nanoseconds: UInt32) {
    #expect(read(pattern, text) == Timestamp(seconds, nanoseconds))
  }

  @Test(arguments: [
    ("%Y-%m-%d", "2014-08-31 "), ("%Y-%m-%d", "2014-08"), ("%Y-%m-%d", "2014-02-29"), ("%Y-%m-%d", ""),
    ("%Y", "-2014"), ("%Y", " 2014"), ("%m", "0"), ("%m", "13"), ("%d", "32"), ("%d", " 7"), ("%H", "24"),
    ("%M", "60"), ("%S", "61"), ("%I", "0"), ("%I", "13"), ("%p", "XM"), ("%j", "0"), ("%j", "367"),
    ("%Y %j", "2014 366"), ("%F %j", "2014-08-31 244"), ("%b", "Au"), ("%b", "Auguste"), ("%B", "Foo"),
    ("%a", "Mo"), ("%A", "Mondays"), ("%z", "0000"), ("%z", "+000"), ("%z", "+24"), ("%z", "+0060"),
    ("%Z", "CET"), ("%s", "-"), ("%s", "+1"), ("%s", "1e3"), ("%s", "99999999999999999999"),
    ("%s", "100000000000001"), ("%f", ""), ("%f", "1234567890"), ("%f", "-1"), ("%T", "00:00"), ("%%", "x"),
    ("T", "t"), ("%Q", "1"), ("%", "%"), ("", "x"), ("%m-%d", "02-29"),
  ])
  func otherTextsAreRefused(_ pattern: String, _ text: String) {
    #expect(read(pattern, text) == nil)
  }

  @Test(arguments: [
    ("%a %b %d %H:%M:%S %z %Y", tweet, 0, "Sun Aug 31 00:29:15 +0000 2014"),
    ("%A, %e. %B %Y", 1_430_956_800, 0, "Thursday,  7. May 2015"),
    ("%A, %e. %B %Y", tweet, 0, "Sunday, 31. August 2014"),
    ("%D %R %Z", tweet, 0, "08/31/14 00:29 UTC"),
    ("%FT%T.%fZ", tweet, 120_000_000, "2014-08-31T00:29:15.120000Z"),
    ("%FT%T.%fZ", tweet, 120_000_001, "2014-08-31T00:29:15.120000001Z"),
    ("%I:%M %p", 0, 0, "12:00 AM"),
    ("%I:%M %p", 43_200, 0, "12:00 PM"),
    ("%I %p", 82_800, 0, "11 PM"),
    ("%j", 0, 0, "001"),
    ("%j", 1_356_912_000, 0, "366"),
    ("%y %h", -1, 0, "69 Dec"),
    ("%s.%f", -1, 500_000_000, "-1.500000"),
    ("%s", Int64.min, 0, "-9223372036854775808"),
    ("%n%t%% été", 0, 0, "\n\t% été"),
    ("%Y", -62_167_219_200, 0, "0000"),
    ("%Y", 253_402_300_800, 0, ""),
    ("%y", -31_536_001, 0, ""),
    ("%y", 3_124_224_000, 0, ""),
    ("%Q", 0, 0, ""),
    ("%Y %", 0, 0, ""),
  ])
  func datesAreWritten(_ pattern: String, seconds: Int64, nanoseconds: UInt32, expected: String) {
    #expect(write(pattern, Timestamp(seconds, nanoseconds)) == expected)
  }

  @Test func writingNeedsRoomForTheWholeDate() {
    let pattern = "%a %F %s%f"
    let whole = write(pattern, Timestamp(tweet, 0))
    for capacity in 0..<whole.utf8.count {
      #expect(write(pattern, Timestamp(tweet, 0), capacity: capacity) == "")
    }
    #expect(write(pattern, Timestamp(tweet, 0), capacity: whole.utf8.count) == whole)
  }

  @Test func everyDirectiveIsChecked() {
    let known = Set("YmdeHMSyIpjbBhaATDFRzZsfnt%".utf8)
    for byte in UInt8(0)..<128 {
      let pattern = "ab%%" + "%" + String(UnicodeScalar(byte))
      #expect(badOffset(pattern) == (known.contains(byte) ? nil : 4))
    }
    #expect(badOffset("") == nil)
    #expect(badOffset("%Y-%m-%d%") == 8)
    #expect(badOffset("%%%") == 2)
  }

  @Test func randomDatesAgreeWithTheCLibrary() {
    let pattern = "%a %A %b %B %h %d %e %j %m %H %I %p %M %S %y %D %R %T %F %Y %s"
    var random = Random(seed: 2)
    var room = [CChar](repeating: 0, count: 256)
    for _ in 0..<TestSize.rounds(small: 1500, whole: 10_000) {
      // The years that %y can say.
      let seconds = Int64.random(in: -31_536_000..<3_124_224_000, using: &random)
      var time = time_t(seconds)
      var parts = tm()
      gmtime_r(&time, &parts)
      // %s of strftime reads the time as local, so it is written by hand.
      let count = strftime(&room, room.count, String(pattern.dropLast(2)), &parts)
      let expected = String(decoding: room[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
      let text = write(pattern, Timestamp(seconds, 0))
      #expect(text == expected + "\(seconds)")
      #expect(read(pattern, text) == Timestamp(seconds, 0))
      #expect(read(String(pattern.dropLast(3)), String(expected.dropLast())) == Timestamp(seconds, 0))
    }
  }
}

@Suite struct EpochTests {
  @Test(arguments: [
    (0, 0, 0), (1.5, 1, 500_000_000), (-0.1, -1, 900_000_000), (-1e-20, 0, 0), (-1, -1, 0),
    (1_409_444_955.123, tweet, 123_000_000), (1_409_444_955.123456, tweet, 123_456_000),
    (0.123456789, 0, 123_456_789), (1.9999999999, 2, 0), (-1.9999999999, -2, 0),
    (1e14, 100_000_000_000_000, 0),
  ])
  func secondsAreRead(_ value: Double, seconds: Int64, nanoseconds: UInt32) {
    #expect(instant { fastmap_date_from_epoch(value, $0) } == Timestamp(seconds, nanoseconds))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1.01e14, -1.01e14, .greatestFiniteMagnitude])
  func otherNumbersAreRefused(_ value: Double) {
    #expect(instant { fastmap_date_from_epoch(value, $0) } == nil)
    #expect(instant { fastmap_date_from_epoch_ms(value * 1000, $0) } == nil)
  }

  @Test(arguments: [
    (tweet, 1, tweet, 0), (-1, 1, -1, 0), (1_409_444_955_123, 1000, tweet, 123_000_000),
    (-1, 1000, -1, 999_000_000), (-1000, 1000, -1, 0), (-1001, 1000, -2, 999_000_000),
  ])
  func integersAreRoundedDown(_ value: Int64, units: Int64, seconds: Int64, nanoseconds: UInt32) {
    #expect(instant { fastmap_date_from_epoch_integer(value, units, $0) } == Timestamp(seconds, nanoseconds))
  }

  @Test(arguments: [(Int64.max, 1), (.min, 1), (.max, 1000), (.min, 1000), (1, 0), (1, -1), (1, 60)])
  func otherIntegersAreRefused(_ value: Int64, units: Int) {
    #expect(instant { fastmap_date_from_epoch_integer(value, Int64(units), $0) } == nil)
  }

  @Test func randomNumbersComeBackExactly() {
    var random = Random(seed: 3)
    for _ in 0..<TestSize.rounds(small: 4000, whole: 100_000) {
      let seconds = Double.random(in: 8.64e6...4e9, using: &random) * (Bool.random(using: &random) ? 1 : -1)
      #expect(throughSeconds(seconds) == seconds)
      #expect(throughMilliseconds(seconds * 1000) == seconds * 1000)
    }
  }

  @Test func decimalsComeBackExactlyEvenNear1970() {
    var random = Random(seed: 4)
    for _ in 0..<TestSize.rounds(small: 4000, whole: 100_000) {
      let microseconds = Int64.random(in: -4_000_000_000_000_000...4_000_000_000_000_000, using: &random)
      // The quotient of two exact doubles is the double nearest to the decimal.
      let value = Double(microseconds >> Int64.random(in: 0..<48, using: &random)) / 1e6
      #expect(throughSeconds(value) == value)
      #expect(instant { fastmap_date_from_epoch(value, $0) }.map { $0.nanoseconds % 1000 } == 0)
      #expect(throughMilliseconds(value) == value)
    }
  }
}

private struct Timestamp: Equatable {
  let seconds: Int64
  let nanoseconds: UInt32

  init(_ seconds: Int64, _ nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  var imported: fastmap_instant { fastmap_instant(seconds: seconds, nanoseconds: nanoseconds) }
}

private func instant(_ body: (UnsafeMutablePointer<fastmap_instant>) -> Bool) -> Timestamp? {
  var out = fastmap_instant(seconds: 42, nanoseconds: 42)
  guard body(&out) else {
    #expect(out.seconds == 42 && out.nanoseconds == 42, "a failure must not write")
    return nil
  }
  return Timestamp(out.seconds, out.nanoseconds)
}

private func readISO8601(_ text: String) -> Timestamp? {
  instant { fastmap_date_parse_iso8601(text, text.utf8.count, $0) }
}

private func writeISO8601(_ instant: Timestamp) -> String {
  String(unsafeUninitializedCapacity: 40) { room in
    room.withMemoryRebound(to: CChar.self) { fastmap_date_format_iso8601(instant.imported, $0.baseAddress) }
  }
}

private func read(_ pattern: String, _ text: String) -> Timestamp? {
  instant { fastmap_date_parse_pattern(pattern, pattern.utf8.count, text, text.utf8.count, $0) }
}

private func write(_ pattern: String, _ instant: Timestamp, capacity: Int = 256) -> String {
  var room = [CChar](repeating: 0, count: capacity)
  let count = fastmap_date_format_pattern(pattern, pattern.utf8.count, instant.imported, &room, capacity)
  return String(decoding: room[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}

private func badOffset(_ pattern: String) -> Int? {
  var offset = 0
  return fastmap_date_pattern_check(pattern, pattern.utf8.count, &offset) ? nil : offset
}

private func throughSeconds(_ value: Double) -> Double? {
  instant { fastmap_date_from_epoch(value, $0) }.map { fastmap_date_to_epoch($0.imported) }
}

private func throughMilliseconds(_ value: Double) -> Double? {
  instant { fastmap_date_from_epoch_ms(value, $0) }.map { fastmap_date_to_epoch_ms($0.imported) }
}

/// `YYYY-MM-DDThh:mm:ss.nnnnnnnnnZ`
private func isoText(_ parts: tm, _ nanoseconds: UInt32) -> String {
  func digits(_ value: Int, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: width - text.count) + text
  }
  let date = [
    digits(Int(parts.tm_year) + 1900, 4), digits(Int(parts.tm_mon) + 1, 2), digits(Int(parts.tm_mday), 2),
  ]
  let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits(Int($0), 2) }
  return date.joined(separator: "-") + "T" + time.joined(separator: ":") + "." + digits(Int(nanoseconds), 9)
    + "Z"
}
