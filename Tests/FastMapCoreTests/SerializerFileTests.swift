import FastMapCore
import FastMapMemory
import Foundation
import Testing

@Suite struct SerializerFileTests {
  /// A directory that goes with it.
  private final class Directory {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("fastmap-\(UUID().uuidString)")
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
    func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }
  }

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
    let directory = try Directory()
    let serializer = try Serializer(Person.mapping)
    let report = try serializer.exportFile(directory.path(name), of: Self.people(2))
    #expect(try directory.text(name) == expected)
    #expect(report.bytes == expected.utf8.count)
    #expect(report.objects == 2)
    try serializer.exportFile(directory.path(name), of: Self.people(2), options: ExportOptions())
    #expect(try directory.text(name) == #"[{"id":0},{"id":1}]"#)
    #expect(directory.names == [name])
  }

  @Test(arguments: StoreKind.allCases)
  func anExportedFileIsImportedAgain(_ kind: StoreKind) throws {
    func run(_ store: some Store) throws {
      let directory = try Directory()
      let file = directory.path("people.json")
      let serializer = try Serializer(Person.mapping)
      let json = #"[{"id":1,"born":"1815-12-10T00:00:00Z"},{"id":2},{"id":3}]"#
      _ = try Mapper(store).importJSON(Array(json.utf8), as: Person.mapping)
      try serializer.exportFile(file, from: store)
      #expect(try directory.text("people.json") == json)
      let copy = MemoryStore()
      _ = try Mapper(copy).importFile(file, as: Person.mapping)
      try serializer.exportFile(
        directory.path("some.ndjson"), from: copy, keys: KeyRange(from: 2, to: 9), limit: 1)
      #expect(try directory.text("some.ndjson") == "{\"id\":2}\n")
    }
    try run(try kind.make())
  }

  /// WAM-103: from async code, and cancelled with its task
  @Test(arguments: StoreKind.allCases)
  func exportsRunOnThreadsOfTheirOwnAndCanBeCancelled(_ kind: StoreKind) async throws {
    func run(_ store: some Store) async throws {
      let directory = try Directory()
      let json = "[" + (0..<5000).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"
      _ = try await Mapper(store).importJSON(Array(json.utf8), as: Person.mapping)
      let serializer = try Serializer(Person.mapping)
      let report = try await serializer.exportFile(directory.path("a.json"), from: store)
      #expect(report.objects == 5000)
      try #expect(directory.text("a.json") == json)
      let path = directory.path("b.json")
      let cancelled = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await serializer.exportFile(path, from: store)
      }
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      #expect(directory.names == ["a.json"])
    }
    try await run(try kind.make())
  }

  @Test func aFailedExportLeavesTheFileAsItWas() throws {
    let directory = try Directory()
    let file = directory.path("people.json")
    let serializer = try Serializer(Person.mapping)
    try serializer.exportFile(file, of: Self.people(1))
    let people = Self.people(20_000)
    people[19_999].born = Timestamp(seconds: .max)
    #expect(throws: ExportError.self) { try serializer.exportFile(file, of: people) }
    #expect(try directory.text("people.json") == #"[{"id":0}]"#)
    #expect(throws: ExportError.self) { try serializer.exportFile(directory.path("new.json"), of: people) }
    #expect(directory.names == ["people.json"])
  }

  @Test func linksAreFollowedAndPermissionsKept() throws {
    let directory = try Directory()
    let serializer = try Serializer(Person.mapping)
    try serializer.exportFile(directory.path("target.json"), of: Self.people(1))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: directory.path("target.json"))
    try FileManager.default.createSymbolicLink(
      atPath: directory.path("link.json"), withDestinationPath: "target.json")
    try serializer.exportFile(directory.path("link.json"), of: Self.people(2))
    #expect(try directory.text("target.json") == #"[{"id":0},{"id":1}]"#)
    let attributes = try FileManager.default.attributesOfItem(atPath: directory.path("target.json"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(directory.names == ["link.json", "target.json"])
  }

  @Test func whatCannotBeReplacedIsAnError() throws {
    let directory = try Directory()
    let serializer = try Serializer(Person.mapping)
    for (name, reason) in [
      (directory.url.path, "is not a regular file; only regular files can be replaced"),
      ("/dev/null", "is not a regular file; only regular files can be replaced"),
      (directory.path("none/people.json"), "No such file or directory"),
    ] {
      let error = #expect(throws: FileError.self) {
        try serializer.exportFile(name, of: Self.people(1))
      }
      #expect(error?.description == "\(name): \(reason)")
    }
    #expect(directory.names == [])
  }
}
