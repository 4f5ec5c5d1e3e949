// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapMemory
import TestSupport
import Testing

@Suite("WritingJSON.md")
struct WritingTests {
  final class Person {
    var id = 0
    var name: String?

    init() {}

    static let mapping = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
    }
  }

  /// A receiver of the pieces.
  final class Socket {
    var text = ""
    func send(_ piece: UnsafeRawBufferPointer) throws { text += String(decoding: piece, as: UTF8.self) }
  }

  @Test func instancesAndWholeStoresAreWritten() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let store = MemoryStore()
        let payload = #"[{"id": 314, "name": "Ada"}, {"id": 150}]"#
        _ = try Mapper(store).importJSON(payload, as: Person.mapping)
        let people = try Person.mapping.objects(from: payload)
        let ada = people[0]
        let socket = Socket()

        let serializer = try Serializer(Person.mapping)
        let one = try serializer.json(of: ada)                      // {"id":314,"name":"Ada"}
        let all = try serializer.json(of: people, isPretty: true)   // an array, at the mapping's root path

        #expect(one == #"{"id":314,"name":"Ada"}"#)
        #expect(all.hasPrefix("[\n  {\n    \"id\": 314"))
        try serializer.exportFile("people.ndjson", from: store)     // one object a line, ascending by key
        try serializer.exportFile("people.json", of: people)        // an array

        let report = try store.read(serializer.plan.schema) { reader in
          try serializer.export(Person.mapping.keys(100..<200), from: &reader) { piece in
            try socket.send(piece)
          }
        }

        #expect(report.objects == 1)
        try #expect(contents(of: "people.ndjson") == "{\"id\":150}\n{\"id\":314,\"name\":\"Ada\"}\n")
        try #expect(contents(of: "people.json") == #"[{"id":314,"name":"Ada"},{"id":150}]"#)
        #expect(socket.text == #"[{"id":150}]"#)
      }
    }
  }

  @Test func valuesOfOnesOwnFormAreWritten() throws {
    let sex = Transform<Int>(
      reading: { .value($0.string == "f" ? 1 : 0) },
      writing: { .string($0 == 1 ? "f" : "m") })

    final class Horse { var sex = 0 }
    let mapping = Mapping(Horse.self, "Horse", make: { Horse() }) {
      Attribute("sex", \.sex, transform: sex)
    }
    let mare = try mapping.object(from: #"{"sex": "f"}"#)
    #expect(mare?.sex == 1)
    if let mare { #expect(try Serializer(mapping).json(of: mare) == #"{"sex":"f"}"#) }
  }
}
