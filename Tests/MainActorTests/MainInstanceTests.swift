import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// JSON as instances of main-actor classes, without a store.
@Suite struct MainInstanceTests {
  @Test func instancesAreMadeOnTheMainActor() async throws {
    expect(try await Person.mapping.objects(from: people))
    expect(try read())
  }

  /// Without `await`.
  private func read() throws -> MappedObjects<Person> { try Person.mapping.objects(from: people) }

  private func expect(_ found: MappedObjects<Person>) {
    #expect(found.map(\.id) == [1, 3])
    let (ada, grace) = (found[0], found[1])
    #expect(ada.name == "Ada" && ada.age == 36 && ada.role == .analyst && ada.shoutedName == "AL")
    #expect(ada.phones.map(\.number) == ["12", "13"] && ada.address?.street == "St James's Square")
    #expect(ada.manager?.name == "Charles" && ada.rival == nil)
    #expect(grace.manager === ada && grace.rival === ada)
    #expect(grace.friends.count == 2)
  }

  @Test func anInstanceIsFilledOnTheMainActor() async throws {
    let found = try await Person.mapping.object(from: #"{"id": 7, "full_name": "Ada", "manager": {"id": 8}}"#)
    let ada = try #require(found)
    let charles = try #require(ada.manager)
    try await Person.mapping.fill(ada, from: #"{"id": 7, "is_active": true, "manager": {"id": 8, "age": 4}}"#)
    #expect(ada.name == "Ada" && ada.isActive && ada.manager === charles && charles.age == 4)
    let isRefused: Bool
    do {
      try await Person.mapping.fill(ada, from: #"{"id": 9, "full_name": "x"}"#)
      isRefused = false
    } catch is MappingError {
      isRefused = true
    }
    #expect(isRefused && ada.name == "Ada")
    let result = try await Person.mapping.fill(
      ada, from: #"{"age": "x"}"#, options: ImportOptions(faults: .skip))
    #expect(result.isEmpty && result.errors.count == 1)
  }

  @Test func aCancelledTaskMakesNothing() async throws {
    let task = Task { try await Person.mapping.objects(from: people).count }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
