import FastMapCore
import FastMapStoreTesting
import Testing

@testable import FastMapImport
@testable import FastMapQueryEngine

/// Records of bytes that stand in memory or in a file.
@Suite struct SpilledRecordsTests {
  private static let values: [Value] = [
    .null, .boolean(false), .boolean(true), .integer(.min), .integer(.max), .unsigned(.max), .number(-0.0),
    .number(.infinity), .number(0.1), .decimal("12.50"), .string(""), .string("e\u{301}\0"),
    .json("[1,null]"),
    .date(Timestamp(seconds: -62_135_596_801, nanoseconds: 999_999_999)), .data([]), .data([0, 255]),
  ]

  private static let error = UniquenessError(
    entity: "Person", index: "team,-number", values: values, keys: [nil, 7, "a", -1])

  @Test func eachValueIsReadAsItWasWritten() throws {
    let records = SpilledRecords()
    let path = JSONPath([.member("a"), .index(3), .member("")])
    let contents: [IndexRange.Content] = [.none, .object(ObjectID(rawValue: .max)), .value(.string("x"))]
    let place = try records.append {
      $0.add(Self.error)
      $0.add(path)
      $0.add(contents)
    }
    try records.read(at: place) {
      #expect($0.uniquenessError() == Self.error)
      #expect($0.path() == path)
      #expect($0.contents() == contents)
    }
  }

  /// Lengths around the size of one read, and around the room in memory.
  @Test(arguments: [[1], [500, 511, 512, 513], [65_535, 65_536, 65_537], [1 << 20, 3]])
  func recordsOfAnyLengthAreReadInAnyOrder(_ lengths: [Int]) throws {
    let records = SpilledRecords()
    let texts = (0..<60).map { String(repeating: "\($0 % 10)", count: lengths[$0 % lengths.count]) }
    let places = try texts.map { text in try records.append { $0.add(text) } }
    for (place, text) in zip(places, texts).reversed() {
      #expect(try records.read(at: place) { $0.string() } == text)
    }
    var next = 0
    for text in texts { #expect(try records.read(next: &next) { $0.string() } == text) }
    #expect(next == records.end)
    records.removeAll()
    #expect(records.end == 0)
    let place = try records.append { $0.add("again") }
    #expect(try records.read(at: place) { $0.string() } == "again")
  }
}
