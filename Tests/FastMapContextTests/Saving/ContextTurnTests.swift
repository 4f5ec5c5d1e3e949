import FastMapCore
import TestSupport
import Testing

private final class Item {
  var id = 0
  var name: String?

  static let mapping = Mapping(Item.self, "Item", primaryKey: "id", make: Item.init) {
    Attribute(\.id)
    Attribute(\.name)
  }
}

/// The design that Swift suggests: an actor that owns a context. It is re-entrant at each `await`.
private actor Repository {
  let store: any Store
  let context: ObjectContext

  init(_ store: any Store) throws {
    self.store = store
    context = try ObjectContext(store, for: Item.mapping)
  }

  func rename(_ id: Int, _ name: String) async throws {
    guard let item = try context.object(Item.mapping, key: id) else { return }
    item.name = name
    try await context.save()
  }

  func load(_ id: Int) async throws -> String? {
    try await context.objects(from: #"{"id": \#(id), "name": "loaded"}"#, as: Item.mapping).first?.name
  }

  func importMore(_ id: Int) async throws {
    _ = try await context.importJSON(#"{"id": \#(id), "name": "new"}"#, as: Item.mapping)
  }

  func fill(_ id: Int) async throws {
    let item = Item()
    try context.insert(item, as: Item.mapping)
    _ = try await context.fill(item, from: #"{"id": \#(id), "name": "filled"}"#, as: Item.mapping)
  }

  func save() async throws { try await context.save() }
  func end() { context.end() }
}

@Suite struct ContextTurnTests {
  private static let count = 50
  private static let json =
    "[" + (1...count).map { #"{"id": \#($0)}"# }.joined(separator: ",") + "]"

  private func errors(of calls: [@Sendable () async throws -> Void]) async -> [String] {
    await withTaskGroup(of: String?.self) { group in
      for call in calls {
        group.addTask {
          do { try await call() } catch { return "\(error)" }; return nil
        }
      }
      var errors: [String] = []
      for await error in group { if let error { errors.append(error) } }
      return errors
    }
  }

  @Test(arguments: StoreKind.allCases)
  func savesOfAnActorQueue(_ kind: StoreKind) async throws {
    let store = try kind.make(Self.json, as: Item.mapping)
    let repository = try Repository(store)
    let failed = await errors(
      of: (1...Self.count).map { id in { try await repository.rename(id, "n\(id)") } })
    #expect(failed == [])
    let names = try await store.read { try $0.objects(Item.mapping).map(\.name) }
    #expect(names == (1...Self.count).map { "n\($0)" })
  }

  @Test(arguments: StoreKind.allCases)
  func importsAndSavesQueue(_ kind: StoreKind) async throws {
    let store = try kind.make(Self.json, as: Item.mapping)
    let repository = try Repository(store)
    let failed = await errors(
      of: (100..<120).flatMap { id -> [@Sendable () async throws -> Void] in
        [
          { try await repository.importMore(id) }, { try await repository.save() },
          { _ = try await repository.load(id + 100) },
        ]
      })
    #expect(failed == [])
    #expect(try await store.read { try $0.count(Item.mapping) } == Self.count + 40)
  }

  @Test(arguments: StoreKind.allCases)
  func aCancelledSaveLeavesTheQueue(_ kind: StoreKind) async throws {
    let store = try kind.make(Self.json, as: Item.mapping)
    let repository = try Repository(store)
    let cancelled = Task { try await repository.rename(1, "a") }
    cancelled.cancel()
    _ = try? await cancelled.value
    try await repository.rename(2, "b")
    #expect(try await store.read { try $0.object(Item.mapping, key: 2)?.name } == "b")
  }

  @Test(arguments: StoreKind.allCases)
  func savesThatWaitForAnEndedContextThrow(_ kind: StoreKind) async throws {
    let store = try kind.make(Self.json, as: Item.mapping)
    let repository = try Repository(store)
    let saves = (1...5).map { id in Task { try await repository.rename(id, "x") } }
    await repository.end()
    for save in saves {
      do { try await save.value } catch { #expect(error as? ContextError == .hasEnded) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aFailedSaveThrowsItsErrorAndTheNextOneGoesOn(_ kind: StoreKind) async throws {
    let store = try kind.make(Self.json, as: Item.mapping)
    let context = try ObjectContext(store, for: Item.mapping)
    defer { context.end() }
    let one = try #require(try context.object(Item.mapping, key: 1))
    one.name = "mine"
    _ = try await Mapper(store).importJSON(#"{"id": 1, "name": "theirs"}"#, as: Item.mapping)
    await #expect(throws: SaveConflictError.self) { try await context.save() }
    try await context.save(onConflict: .mine)
    #expect(try await store.read { try $0.object(Item.mapping, key: 1)?.name } == "mine")
  }
}
