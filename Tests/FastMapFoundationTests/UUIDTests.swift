import FastMapCore
import FastMapFoundation
import Foundation
import TestSupport
import Testing

private let upper = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
private let lower = "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"
private let uuid = UUID(uuidString: upper)!

private final class Device {
  var id = UUID()
  var name: String?
  var peer: Device?

  static let mapping: Mapping<Device> = Mapping(
    Device.self, "Device", primaryKey: "id", make: { Device() }
  ) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    ToOne("peer", \.peer, Device.mapping)
  }
}

/// A type of its own for the keys of one class.
private struct Tag: RawRepresentable, AttributeValue, Hashable {
  var rawValue: UUID
}

/// UUIDs.
@Suite struct UUIDTests {
  @Test(arguments: StoreKind.allCases)
  func aUUIDIsReadInEitherCaseAndWrittenInUpperCase(_ kind: StoreKind) throws {
    let shelf = try Shelf(kind, UUID())
    let box = try shelf.load(
      #""value":"\#(lower)","maybe":"\#(upper)","list":["\#(lower)"],"set":["\#(lower)","\#(upper)"]"#)
    #expect((box.value, box.maybe, box.list, box.set) == (uuid, uuid, [uuid], [uuid]))
    #expect(
      try shelf.text().hasPrefix(#""value":"\#(upper)","maybe":"\#(upper)","list":["\#(upper)"],"set":["#))
    #expect(
      try shelf.report(#""value":"\#(upper)","maybe":"\#(lower)","list":["\#(upper)"]"#)
        == .init(unchanged: 1))
  }

  // Q-03
  @Test(arguments: [
    (#""value":10"#, "$.value: expected a string, found the number 10"),
    (#""value":"x""#, #"$.value: expected a UUID, found the string "x""#),
    (
      #""value":"{\#(upper)}""#,
      #"$.value: expected a UUID, found the string "{E621E1F8-C36C-495A-93FC-0C247A3E6E5F}""#
    ),
    (
      #""maybe":"+621E1F8-C36C-495A-93FC-0C247A3E6E5F""#,
      #"$.maybe: expected a UUID, found the string "+621E1F8-C36C-495A-93FC-0C247A3E6E5F""#
    ),
  ])
  func anInvalidUUIDIsAnError(_ json: String, _ expected: String) throws {
    #expect(try Shelf(.memory, UUID()).failure(of: json) == expected)
  }

  // FEM-85, Q-08
  @Test(arguments: StoreKind.allCases)
  func asPrimaryKeysTwoSpellingsOfAUUIDAreOneObject(_ kind: StoreKind) throws {
    let store = try kind.make()
    let json = """
      [{"id": "\(lower)", "name": "a"}, {"id": "\(upper)", "name": "b"},
       {"id": "00000000-0000-0000-0000-000000000001", "peer": "\(lower)"},
       {"id": "00000000-0000-0000-0000-000000000002", "peer": {"id": "\(lower)", "name": "c"}}]
      """
    _ = try Mapper(store).importJSON(json, as: Device.mapping)
    let devices = try store.read { try $0.objects(Device.mapping, including: \.peer) }
    #expect(devices.map(\.name) == [nil, nil, "c"])
    for device in devices.prefix(2) { #expect(device.peer?.id == uuid && device.peer?.name == "c") }
    #expect(devices[0].peer === devices[1].peer)
    let again = try Mapper(store).importJSON(Array(#"{"id":"\#(lower)"}"#.utf8), as: Device.mapping)
    #expect(again["Device"] == .init(unchanged: 1))
    let found = try store.read { try $0.object(Device.mapping, key: uuid) }
    #expect(found?.name == "c")
    let error = #expect(throws: MappingError.self) {
      try Mapper(store).importJSON(Array(#"[{"id":"x"}]"#.utf8), as: Device.mapping)
    }
    #expect(error.map { "\($0.path): \($0.message)" } == #"$[0].id: expected a UUID, found the string "x""#)
  }

  @Test(arguments: StoreKind.allCases)
  func theUUIDsOfTheElementsOfAnArrayAreAList(_ kind: StoreKind) throws {
    final class Batch {
      var id = 0
      var devices: [UUID] = []
    }
    let mapping = Mapping(Batch.self, "Batch", primaryKey: "id", make: { Batch() }) {
      Attribute("id", \.id)
      Attribute("devices", \.devices, at: "devices[].id")
    }
    let json = #"{"id": 1, "devices": [{"id": "\#(lower)"}, {"id": "\#(upper)"}]}"#
    #expect(try Mapper(kind.make()).roundTrip(json, as: mapping).map(\.devices) == [[uuid, uuid]])
  }

  @Test(arguments: StoreKind.allCases)
  func aTypeWithAUUIDForARawValueIsReadLikeOne(_ kind: StoreKind) throws {
    let shelf = try Shelf(kind, Tag(rawValue: UUID()))
    let box = try shelf.load(#""value":"\#(lower)","list":["\#(lower)"]"#)
    #expect(box.value.rawValue == uuid)
    #expect(try shelf.text() == #""value":"\#(upper)","list":["\#(upper)"]"#)
    #expect(shelf.failure(of: #""value":"x""#) == #"$.value: expected a UUID, found the string "x""#)
  }
}
