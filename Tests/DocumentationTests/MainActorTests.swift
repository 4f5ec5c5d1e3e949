// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapLMDB
import FastMapMemory
import Observation
import Testing

@MainActor @Observable
final class Contact {
  var id = 0
  var name: String?
  var manager: Contact?
  var reports: [Contact] = []

  static let mapping: MainActorMapping<Contact> = MainActorMapping(
    Contact.self, "Contact", primaryKey: "id", make: Contact.init
  ) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    ToOne("manager", \.manager, Contact.mapping)
    ToMany("reports", \.reports, Contact.mapping)
  }
}

@Suite("MainActorClasses.md")
struct MainActorClassesTests {
  @Test @MainActor
  func aClassOfTheMainActorIsImportedReadAndWritten() async throws {
    let store = MemoryStore()
    let mapper = Mapper(store)
    let text = #"[{"id": 314, "name": "Ada", "manager": {"id": 7}, "reports": [{"id": 9}]}]"#
    let body = AsyncStream { continuation in
      continuation.yield(Array(text.utf8))
      continuation.finish()
    }

    let contacts = try await Contact.mapping.objects(from: text)
    let report = try await mapper.importJSON(body, as: Contact.mapping)

    let ada = try await Contact.mapping.object(from: #"{"id": 314}"#)
    let draft = Contact()
    try await Contact.mapping.fill(draft, from: #"{"id": 12, "name": "Grace"}"#)
    #expect(contacts.map(\.name) == ["Ada"])
    #expect(report["Contact"]?.inserted == 3)
    #expect(ada?.id == contacts[0].id)

    let all = try await store.objects(Contact.mapping)
    let json = try Serializer(Contact.mapping).json(of: draft)
    try store.delete(Contact.mapping.keys(12...12))
    #expect(all.map(\.id) == [7, 9, 314])
    #expect(json == #"{"id":12,"name":"Grace"}"#)
  }

  @Test func aContextReadsWhileTheMainActorIsFree() async {
    await #expect(processExitsWith: .success) {
      try await inEmptyDirectory { try await MainActorClassesTests().readInAContext() }
    }
  }

  @MainActor
  func readInAContext() async throws {
    let store = try LMDBStore(at: "contacts.db")
    let text = #"[{"id": 314, "name": "Ada", "manager": {"id": 7, "reports": [314]}, "reports": [{"id": 9, "manager": 314}]}]"#
    _ = try await Mapper(store).importJSON(text, as: Contact.mapping)

    let context = try ObjectContext(store, for: Contact.mapping)
    defer { context.end() }
    let ada = try await context.object(Contact.mapping, key: 314, including: \.manager)
    let some = try await context.objects(Contact.mapping.sorted(by: "name").limit(20), including: \.reports)
    try await context.load(\.manager.reports, of: some)
    try await context.refresh(some)
    ada?.name = "Ada King"
    try await context.save()
    #expect(some.map(\.id) == [7, 9, 314])
    #expect(some[2] === ada)
    #expect(ada?.manager?.reports[0] === ada)
  }

  @Test func aPlanGoesAnywhereWithAStoreOfValues() async {
    await #expect(processExitsWith: .success) {
      try await inEmptyDirectory { try await MainActorClassesTests().count() }
    }
  }

  @MainActor
  func count() async throws {
    let archive = try LMDBStore(at: "archive.db")
    _ = try await Mapper(archive).importJSON(#"[{"id": 314}]"#, as: Contact.mapping)

    let plan = try Contact.mapping.plan()
    let count = try await Task.detached { try archive.read(plan) { try $0.count(of: "Contact") } }.value
    #expect(count == 1)
  }
}
