import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import Foundation
import TestSupport
import Testing

@Suite struct SerializerFileTests {
  private final class Person {
    var id = 0
    var born: Timestamp?
    static let mapping = Mapping(Person.self, "Person", primaryKey: "id", make: { Person() }) {
      Attribute("id", \.id)
      Attribute("born", \.born)
    }
  }

  private static func people(_ count: Int) -> [Person] {
    (0..<count).map {
      let person = Person()
      person.id = $0
      return person
    }
  }

  @Test(arguments: [
    ("a.json", #"[{"id":0},{"id":1}]"#), ("a.ndjson", "{\"id\":0}\n{\"id\":1}\n"),
    ("a.jsonl", "{\"id\":0}\n{\"id\":1}\n"),
  ])
  func theNameOfTheFileSaysItsFormat(_ name: String, _ expected: String) throws {
    let directory = Scratch()
    let serializer = try Serializer(Person.mapping)
    let report = try serializer.exportFile(directory.path(name), of: Self.people(2))
    #expect(try directory.text(of: name) == expected)
    #expect((report.bytes, report.objects) == (expected.utf8.count, 2))
    try serializer.exportFile(directory.path(name), of: Self.people(2), options: ExportOptions())
    #expect(try directory.text(of: name) == #"[{"id":0},{"id":1}]"#)
    #expect(directory.names() == [name])
  }

  @Test(arguments: StoreKind.allCases)
  func anExportedFileIsImportedAgain(_ kind: StoreKind) throws {
    let store = try kind.make()
    let directory = Scratch()
    let file = directory.path("people.json")
    let serializer = try Serializer(Person.mapping)
    let json = #"[{"id":1,"born":"1815-12-10T00:00:00Z"},{"id":2},{"id":3}]"#
    _ = try Mapper(store).importJSON(Array(json.utf8), as: Person.mapping)
    try serializer.exportFile(file, from: store)
    #expect(try directory.text(of: "people.json") == json)
    let copy = MemoryStore()
    _ = try Mapper(copy).importJSON(.file(file), as: Person.mapping)
    try serializer.exportFile(
      directory.path("some.ndjson"), of: Person.mapping.keys(2...9).limit(1), from: copy)
    #expect(try directory.text(of: "some.ndjson") == "{\"id\":2}\n")
  }

  /// WAM-103: from async code, and cancelled with its task
  @Test(arguments: StoreKind.allCases)
  func exportsRunOnThreadsOfTheirOwnAndCanBeCancelled(_ kind: StoreKind) async throws {
    let store = try kind.make()
    let directory = Scratch()
    let json = "[" + (0..<5000).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"
    _ = try await Mapper(store).importJSON(Array(json.utf8), as: Person.mapping)
    let serializer = try Serializer(Person.mapping)
    let report = try await serializer.exportFile(directory.path("a.json"), from: store)
    #expect(report.objects == 5000)
    try #expect(directory.text(of: "a.json") == json)
    let path = directory.path("b.json")
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await serializer.exportFile(path, from: store)
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(directory.names() == ["a.json"])
  }

  @Test func aFailedExportLeavesTheFileAsItWas() throws {
    let directory = Scratch()
    let file = directory.path("people.json")
    let serializer = try Serializer(Person.mapping)
    try serializer.exportFile(file, of: Self.people(1))
    let count = TestSize.count(small: 6000, whole: 20_000)
    let people = Self.people(count)
    people[count - 1].born = Timestamp(seconds: .max)
    #expect(throws: ExportError.self) { try serializer.exportFile(file, of: people) }
    #expect(try directory.text(of: "people.json") == #"[{"id":0}]"#)
    #expect(throws: ExportError.self) { try serializer.exportFile(directory.path("new.json"), of: people) }
    #expect(directory.names() == ["people.json"])
  }

  @Test func linksAreFollowedAndPermissionsKept() throws {
    let directory = Scratch()
    let serializer = try Serializer(Person.mapping)
    try serializer.exportFile(directory.path("target.json"), of: Self.people(1))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: directory.path("target.json"))
    try FileManager.default.createSymbolicLink(
      atPath: directory.path("link.json"), withDestinationPath: "target.json")
    try serializer.exportFile(directory.path("link.json"), of: Self.people(2))
    #expect(try directory.text(of: "target.json") == #"[{"id":0},{"id":1}]"#)
    let attributes = try FileManager.default.attributesOfItem(atPath: directory.path("target.json"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(directory.names() == ["link.json", "target.json"])
  }

  @Test func aFileThatCannotBeReplacedIsAnError() throws {
    let directory = Scratch()
    let serializer = try Serializer(Person.mapping)
    for (name, reason) in [
      (directory.path, "is not a regular file; only regular files can be replaced"),
      ("/dev/null", "is not a regular file; only regular files can be replaced"),
      (directory.path("none/people.json"), "No such file or directory"),
    ] {
      let error = #expect(throws: SystemError.self) { try serializer.exportFile(name, of: Self.people(1)) }
      #expect(error?.description == "\(name): \(reason)")
    }
    #expect(directory.names() == [])
  }
}
