import FastMapCore
import TestSupport
import Testing

/// Stored values that a property of a main-actor class cannot hold.
@Suite struct MainUnreadableTests {
  @Test func awaitingReadsThrowOrSkip() async throws {
    let store = try StoreKind.lmdb.make()
    let wide: Mapping<Record> = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("role", .string)
    }
    _ = try await Mapper(store).importJSON(
      #"[{"id":1,"role":"pilot"},{"id":2,"role":"analyst"}]"#, as: Plan(wide))
    let failure = #"Person 1.role: expected a value of Optional<Role>, found "pilot" in the store"#
    let context = try ObjectContext(store, for: Person.mapping)
    defer { context.end() }
    let reads: [() async throws -> Void] = [
      { _ = try await store.objects(Person.mapping) },
      { _ = try await context.objects(Person.mapping) },
      { _ = try await context.object(Person.mapping, key: 1) },
    ]
    for read in reads {
      do {
        try await read()
        Issue.record("expected an error")
      } catch let error as UnreadableValueError { #expect(error.description == failure) }
    }
    let unreadable = UnreadableObjects()
    let copies = try await store.objects(Person.mapping, unreadable: .skip(unreadable))
    let instances = try await context.objects(Person.mapping, unreadable: .skip(unreadable))
    #expect(copies.map(\.id) == [2] && instances.map(\.role) == [.analyst])
    #expect(unreadable.errors.map(\.description) == [failure, failure])
    _ = try await Mapper(store).importJSON(#"{"id":2,"role":"cook"}"#, as: Plan(wide))
    await #expect(throws: UnreadableValueError.self) { _ = try await context.refreshAll() }
    #expect(instances[0].role == .analyst)
  }
}
