import FastMapCore
import FastMapFoundation
import FastMapQueries
import Foundation
import TestSupport
import Testing

/// Codable types with types of Foundation.
@Suite struct CodableTests {
  struct Device: Codable, Identifiable, Equatable {
    var id: UUID
    var made: Date
    var page: URL
    var price: Decimal
    var photo: Data?
    var repairs: [Date]

    static let mapping = Mapping(Device.self, named: "Device")
  }

  private let device = Device(
    id: UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? UUID(),
    made: Date(timeIntervalSince1970: 1_372_701_600.25), page: URL(filePath: "/a b"),
    price: Decimal(1234) / 100,
    photo: Data([0, 255]), repairs: [Date(timeIntervalSince1970: 0)])

  @Test(arguments: StoreKind.allCases)
  func typesOfFoundationAreValuesOfTheirKinds(_ kind: StoreKind) throws {
    let store = try kind.make()
    try store.upsert([device], as: Device.mapping)
    try #expect(store.read { try $0.values(Device.mapping.where { $0.made > Date.distantPast }) } == [device])
    try #expect(store.read { try $0.value(Device.mapping, key: device.id) } == device)
    try #expect(
      FastMapEncoder().encode(device).withJSON { String(decoding: $0, as: UTF8.self) }
        == #"{"id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","made":"2013-07-01T18:00:00.25Z","page":"file:///a%20b","#
        + #""price":12.34,"photo":"AP8=","repairs":["1970-01-01T00:00:00Z"]}"#)
    let fields = try Device.mapping.plan().schema.entities[0].fields
    #expect(fields.map { "\($0.name) \($0.kind)" }.count == 6)
  }

  /// The same values as `JSONDecoder` and `JSONEncoder`, for types of the standard library.
  @Test(arguments: [
    "[]", #"[{"a": 1, "b": null, "c": ["x"], "d": {"k": 0.5}}]"#,
    #"[{"a": -7, "b": {"a": 0, "c": [], "d": {}}, "c": [], "d": {"ü": 1e300}}]"#,
  ])
  func aJSONDecoderReadsTheSameValues(_ json: String) throws {
    final class Part: Codable, Equatable {
      var a: Int, b: Part?, c: [String], d: [String: Double]
      static func == (x: Part, y: Part) -> Bool { x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d }
    }
    let expected = try JSONDecoder().decode([Part].self, from: Data(json.utf8))
    try #expect(FastMapDecoder().decode([Part].self, from: json) == expected)
    let text = try FastMapEncoder().encode(expected).withJSON { Data($0) }
    try #expect(JSONDecoder().decode([Part].self, from: text) == expected)
  }
}
