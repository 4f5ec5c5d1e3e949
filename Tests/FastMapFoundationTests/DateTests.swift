import FastMapCore
import FastMapFoundation
import Foundation
import TestSupport
import Testing

/// Dates.
@Suite struct DateTests {
  struct Form: Sendable {
    var type: AttributeType?
    var json: String
    var seconds: Int64
    var fraction = 0.0
    /// The written text, if it differs from the text that was read.
    var written: String?
  }

  // FEM-37 FEM-43 FEM-61, Q-34
  @Test(
    arguments: StoreKind.allCases,
    [
      Form(json: #""2013-07-01T18:00:00Z""#, seconds: 1_372_701_600),
      Form(
        json: #""2013-07-01T20:00:00.25+02:00""#, seconds: 1_372_701_600, fraction: 0.25,
        written: #""2013-07-01T18:00:00.25Z""#),
      Form(json: #""1815-12-10T00:00:00Z""#, seconds: -4_861_728_000),
      Form(json: #""1969-12-31T23:59:59.9Z""#, seconds: 0, fraction: -0.1),
      Form(json: #""2001-01-01T00:00:00.000001Z""#, seconds: 978_307_200, fraction: 0.000001),
      Form(json: #""2272-10-01T00:00:00.000001Z""#, seconds: 9_553_852_800, fraction: 0.000001),
      Form(type: .date(.epoch), json: "1372701600", seconds: 1_372_701_600),
      Form(type: .date(.epoch), json: "-0.5", seconds: 0, fraction: -0.5),
      Form(type: .date(.epochMilliseconds), json: "1372701600250", seconds: 1_372_701_600, fraction: 0.25),
      Form(type: .date(.pattern("%Y-%m-%d")), json: #""2012-07-01""#, seconds: 1_341_100_800),
      Form(type: .date(.pattern("%Y")), json: #""2017""#, seconds: 1_483_228_800),
      Form(type: .date(.pattern("%d %b %Y")), json: #""10 Dec 1815""#, seconds: -4_861_728_000),
    ])
  func aDateIsReadAndWrittenInTheFormOfItsAttributeInUTC(_ kind: StoreKind, _ form: Form) throws {
    let shelf = try Shelf(kind, Date.distantPast, as: form.type)
    let box = try shelf.load(#""value":\#(form.json),"maybe":\#(form.json)"#)
    let seconds = Double(form.seconds - 978_307_200) + form.fraction
    #expect((box.value, box.maybe) == (Date(timeIntervalSinceReferenceDate: seconds), box.value))
    let written = form.written ?? form.json
    #expect(try shelf.text() == #""value":\#(written),"maybe":\#(written)"#)
    #expect(try shelf.report(#""value":\#(written)"#) == .init(unchanged: 1))
  }

  @Test func nanosecondsStayInAStoreAndAreRoundedInTheProperty() throws {
    let shelf = try Shelf(.lmdb, Date.distantPast)
    let box = try shelf.load(#""value":"2013-07-01T18:00:00.123456789Z""#)
    #expect(try shelf.text() == #""value":"2013-07-01T18:00:00.123456789Z""#)
    #expect(box.value == Date(timeIntervalSinceReferenceDate: 394_394_400.123456789))
  }

  // FEM-38 FEM-39, BUG-22, Q-03
  @Test(arguments: [
    (#""value":10"#, "$.value: expected a date (ISO 8601), found the number 10"),
    (#""maybe":"soon""#, #"$.maybe: expected a date (ISO 8601), found the string "soon""#),
    (#""maybe":"2013-02-30""#, #"$.maybe: expected a date (ISO 8601), found the string "2013-02-30""#),
  ])
  func anInvalidDateIsAnError(_ json: String, _ expected: String) throws {
    #expect(try Shelf(.memory, Date.distantPast).failure(of: json) == expected)
  }

  @Test(arguments: StoreKind.allCases)
  func arraysSetsAndOptionalsOfDatesAreInISO8601(_ kind: StoreKind) throws {
    let shelf = try Shelf(kind, Date.distantPast)
    let json = #""list":["2013-07-01T18:00:00Z","1815-12-10T00:00:00Z"]"#
    let box = try shelf.load(json + #","set":["2013-07-01","2013-07-01"],"gaps":[null,"2013-07-01"]"#)
    #expect(
      box.list == [Date(timeIntervalSince1970: 1_372_701_600), Date(timeIntervalSince1970: -4_861_728_000)])
    #expect(box.set == [Date(timeIntervalSince1970: 1_372_636_800)])
    #expect(box.gaps == [nil, Date(timeIntervalSince1970: 1_372_636_800)])
    #expect(try shelf.text().contains(json))
  }

  @Test func aDateThatNoInstantCanBeIsNullAndOneThatItsFormCannotShowIsAnError() throws {
    let shelf = try Shelf(.memory, Date.distantPast)
    let box = try shelf.load(#""value":"2013-07-01""#)
    for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 0x1p63, -0x1p63 - 4096] {
      box.value = Date(timeIntervalSinceReferenceDate: seconds)
      #expect(try shelf.text(of: box) == "")
    }
    box.value = Date(timeIntervalSince1970: 253_402_300_800)
    let error = #expect(throws: MappingError.self) { try shelf.text(of: box) }
    #expect(
      error?.message
        == "the date 253402300800 seconds from 1970 cannot be written as ISO 8601, which has the years 0 to 9999"
    )
    box.value = .distantFuture
    #expect(try shelf.text(of: box) == #""value":"4001-01-01T00:00:00Z""#)
  }

  @Test(
    arguments: [
      (0, 0), (0, 1000), (-1, 900_000_000), (-1, 999_999_000), (978_307_200, 1), (978_307_199, 999_999_999),
      (1_372_701_600, 123_456_000), (982_501_504, 123_456_000), (982_501_503, 999_999_000),
      (-4_861_728_000, 1000), (9_000_000_000, 999_999_000), (253_402_300_799, 0), (-62_167_219_200, 0),
      (100_000_000_000_000, 0),
    ] as [(Int64, UInt32)])
  func anInstantBecomesTheNearestDateAndMicrosecondsComeBack(_ seconds: Int64, _ nanoseconds: UInt32) {
    let instant = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    let date = Date(instant)
    #expect(Timestamp(date) == instant)
    #expect(abs(date.timeIntervalSince1970 - Double(seconds) - Double(nanoseconds) / 1e9) < 1e-5)
  }

  @Test func everyDateComesBackFromItsInstantAndTheExtremesDoNotTrap() {
    var random = SystemRandomNumberGenerator()
    for exponent in 0..<64 {
      for _ in 0..<200 {
        let magnitude = Double.random(in: 0...1, using: &random) * pow(2, Double(exponent))
        let date = Date(timeIntervalSinceReferenceDate: Bool.random(using: &random) ? magnitude : -magnitude)
        guard let instant = Timestamp(date) else {
          #expect(magnitude > 0x1p62)
          continue
        }
        let back = Date(instant)
        #expect(abs(back.timeIntervalSinceReferenceDate - date.timeIntervalSinceReferenceDate) <= 1e-9)
        #expect(Timestamp(back).map { Date($0) } == back)
      }
    }
    #expect(Timestamp(Date(timeIntervalSinceReferenceDate: .nan)) == nil)
    #expect(Timestamp(Date(timeIntervalSinceReferenceDate: -1e-20)) == Timestamp(seconds: 978_307_200))
    _ = Date(Timestamp(seconds: .min))
    _ = Date(Timestamp(seconds: .max, nanoseconds: 999_999_999))
  }

  @Test func aRecordsInstantMakesADate() throws {
    let mapping = Mapping("Event", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("at", .date(.iso8601))
    }
    let world = try World(.lmdb, mapping, holding: #"{"id":1,"at":"2013-07-01T18:00:00Z"}"#)
    let value = try world.store.read(world.plan()) { try $0.record("Event", key: 1)?["at"] }
    guard case .date(let instant)? = value else {
      Issue.record("no date")
      return
    }
    #expect(Date(instant) == Date(timeIntervalSince1970: 1_372_701_600))
  }
}
