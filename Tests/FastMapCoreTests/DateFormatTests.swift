import FastMapCore
import TestSupport
import Testing

/// An attribute with several date formats: tried in order, written in the first.
@Suite struct DateFormatTests {
  private static let event = Mapping("Event", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("at", .date([.iso8601, .epoch, .pattern("%d.%m.%Y")]))
  }

  @Test(arguments: StoreKind.allCases)
  func eachFormatIsReadAndTheFirstIsWritten(_ kind: StoreKind) throws {
    let payload = """
      [{"id": 1, "at": "2020-07-29T05:00"}, {"id": 2, "at": "2020-07-29T05:00:00"}, {"id": 3, "at": 1595998800},
       {"id": 4, "at": "29.07.2020"}, {"id": 5, "at": "2020-07-29T07:00+02:00"}, {"id": 6, "at": 0.5}]
      """
    let store = try kind.make()
    try load(payload, into: store)
    let first = try store.exported(Self.event, as: .ndjson)
    #expect(
      first == """
        {"id":1,"at":"2020-07-29T05:00:00Z"}
        {"id":2,"at":"2020-07-29T05:00:00Z"}
        {"id":3,"at":"2020-07-29T05:00:00Z"}
        {"id":4,"at":"2020-07-29T00:00:00Z"}
        {"id":5,"at":"2020-07-29T05:00:00Z"}
        {"id":6,"at":"1970-01-01T00:00:00.5Z"}

        """)
    // A written date is read again as the same date.
    let copy = try kind.make()
    try load(first, into: copy, format: .ndjson)
    #expect(try copy.exported(Self.event, as: .ndjson) == first)
  }

  @Test(arguments: StoreKind.allCases)
  func anUnreadableDateNamesAllFormats(_ kind: StoreKind) throws {
    let store = try kind.make()
    let error = #expect(throws: MappingError.self) { try load(#"[{"id": 1, "at": "soon"}]"#, into: store) }
    #expect(
      error.map { "\($0)" } == """
        $[0].at: expected a date (ISO 8601, seconds since 1970 or %d.%m.%Y), found the string "soon" (line 1, column 18)
        """)
  }

  /// A date that no export could show is refused.
  @Test(
    arguments: [
      (.iso8601, #""9999-12-31T23:59:59-01:00""#), (.iso8601, #""0000-01-01T00:00:00+01:00""#),
      ([.iso8601, .epoch], "253402300800"), (.pattern("%F %H %z"), #""9999-12-31 12 -2300""#),
      (.pattern("%y %s"), #""99 99999999999""#),
    ] as [(AttributeType.DateFormat, String)])
  func aDateThatItsFirstFormatCannotWriteIsAFault(_ format: AttributeType.DateFormat, _ value: String) throws
  {
    let event = Mapping("Event") { Attribute("at", .date(format)) }
    let error = #expect(throws: MappingError.self) {
      try Mapper(StoreKind.memory.make()).importJSON(#"{"at": \#(value)}"#, as: event)
    }
    #expect(error.map { "\($0)".hasPrefix("$.at: expected a date") } == true, "\(String(describing: error))")
  }

  @Test(
    arguments: [
      (.iso8601, #""9999-12-31T23:59:59Z""#), (.iso8601, #""0000-01-01T00:00:00Z""#),
      (.epoch, "253402300800"),
      ([.epoch, .iso8601], "253402300800"), (.pattern("%s"), #""99999999999""#),
    ] as [(AttributeType.DateFormat, String)])
  func theOutermostDatesOfAFormatComeBack(_ format: AttributeType.DateFormat, _ value: String) throws {
    let event = Mapping("Event") { Attribute("at", .date(format)) }
    let store = try StoreKind.memory.make()
    _ = try Mapper(store).importJSON(#"{"at": \#(value)}"#, as: event)
    #expect(try store.exported(event, as: .ndjson) == #"{"at":\#(value)}"# + "\n")
  }

  @Test func propertiesTakeThem() throws {
    final class Item {
      var at = Timestamp(seconds: 0)
      static var mapping: Mapping<Item> {
        Mapping(Item.self, "Item", make: Item.init) { Attribute("at", \.at, as: .date([.epoch, .iso8601])) }
      }
    }
    let items = try Mapper(StoreKind.memory.make()).roundTrip(
      #"[{"at": "2020-07-29T05:00"}, {"at": 1}]"#, as: Item.mapping)
    #expect(items.map(\.at.seconds) == [1_595_998_800, 1])
    #expect(try Serializer(Item.mapping).json(of: items) == #"[{"at":1595998800},{"at":1}]"#)
  }

  @Test func aListWithoutFormatsIsRefused() throws {
    let error = #expect(throws: MappingDefinitionError.self) {
      try Mapping("Event") { Attribute("at", .date([])) }.plan()
    }
    #expect(
      error?.description
        == "$.mappings.Event.attributes.at.format: expected at least one date format, found none")
  }

  private func load(_ text: String, into store: any Store, format: JSONFormat = .json) throws {
    _ = try Mapper(store).importJSON(text, as: Self.event, options: ImportOptions(format: format))
  }
}
