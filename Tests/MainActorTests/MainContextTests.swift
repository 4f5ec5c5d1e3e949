import FastMapCore
import TestSupport
import Testing

/// A context of classes that belong to the main actor.
@Suite struct MainContextTests {
  @Test(arguments: StoreKind.allCases)
  func aContextReadsAndSavesOnTheMainActor(_ kind: StoreKind) throws {
    let store = try kind.make()
    let json = #"[{"id": 1, "title": "a", "steps": [{"id": 2, "title": "b", "parent": 1}]}]"#
    _ = try Mapper(store).importJSON(json, as: MainTask.mapping)
    weak var released: MainTask?
    do {
      let context = try ObjectContext(store, for: MainTask.mapping)
      let task = try #require(
        try context.object(MainTask.mapping, key: 1, including: \.steps, \.steps.parent))
      #expect(task.steps.first?.parent === task)
      #expect(try context.isLoaded(\.steps.parent, of: task))
      task.steps[0].title = "c"
      task.title = "d"
      #expect(try context.save()["Task"] == .init(updated: 2))
      released = task
    }
    #expect(released == nil)
    let found = try store.withContext(for: MainTask.mapping) { context in
      try context.objects(MainTask.mapping).map(\.title)
    }
    #expect(found == ["d", "c"])
  }

  @Test(arguments: StoreKind.allCases)
  func awaitingReadsMatchSynchronousOnes(_ kind: StoreKind) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(MainTask.payload, as: MainTask.mapping)
    let context = try ObjectContext(store, for: MainTask.mapping)
    let one = try #require(
      try await context.object(MainTask.mapping, key: 1, including: \.steps.parent, \.parent))
    #expect(one.steps.map(\.title) == ["b", "c"])
    #expect(one.steps[0].parent === one)
    #expect(try context.isLoaded(\.steps.parent, of: one))
    #expect(try await context.object(MainTask.mapping, key: 9) == nil)
    let all = try await context.objects(
      MainTask.mapping.sorted(by: \.id, descending: true), including: \.parent.steps)
    #expect(all.map(\.id) == [4, 3, 2, 1])
    #expect(all[3] === one)
    #expect(all[0].parent === all[1])
    #expect(try await context.objects(MainTask.mapping.keys([3, 7, 2])).map(\.id) == [2, 3])
    let query = try MainTask.mapping.where(Filter("@.id > 1"))
    #expect(try await context.objects(query, including: \.parent).map(\.id) == [2, 3, 4])
    #expect(try await context.first(query)?.id == 2)
    try await context.load(\.steps, of: all)
    #expect(try all.allSatisfy { try context.isLoaded(\.steps, of: $0) })
  }

  @Test(arguments: StoreKind.allCases)
  func anAwaitingRefreshShowsStoredValuesAndKeepsEdits(_ kind: StoreKind) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(MainTask.payload, as: MainTask.mapping)
    let context = try ObjectContext(store, for: MainTask.mapping)
    let all = try await context.objects(MainTask.mapping, including: \.steps)
    all[1].title = "mine"
    _ = try await Mapper(store).importJSON(#"{"id": 1, "title": "A", "steps": [3, 4]}"#, as: MainTask.mapping)
    _ = try store.delete(MainTask.mapping, key: 4)
    let gone = try await context.refresh(all)
    #expect(gone.map(\.id) == [4])
    #expect((all[0].title, all[0].steps.map(\.id), all[1].title) == ("A", [3], "mine"))
    #expect(try await context.refreshAll().count == 1)
  }

  /// A path goes through the objects that the context has, and another writer has taken one of them away.
  @Test(arguments: StoreKind.allCases)
  func anAwaitingLoadFollowsEditedRelationships(_ kind: StoreKind) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(MainTask.payload, as: MainTask.mapping)
    _ = try await Mapper(store).importJSON(#"{"id": 3, "parent": 4}"#, as: MainTask.mapping)
    let context = try ObjectContext(store, for: MainTask.mapping)
    let one = try #require(try await context.object(MainTask.mapping, key: 1, including: \.steps))
    _ = try await Mapper(store).importJSON(#"{"id": 1, "steps": [2]}"#, as: MainTask.mapping)
    try await context.load(\.steps.parent, of: [one])
    #expect(one.steps.map(\.id) == [2, 3])
    #expect(one.steps.map { $0.parent?.id } == [1, 4])
    #expect(try context.isLoaded(\.steps.parent, of: one))
  }

  @Test func aContextMayBeUsedAndEndWhileAReadWaits() async throws {
    let store = try StoreKind.lmdb.make()
    _ = try await Mapper(store).importJSON(MainTask.payload, as: MainTask.mapping)
    let context = try ObjectContext(store, for: MainTask.mapping)
    // It runs when this one waits.
    let other = Task { @MainActor in
      let one = try #require(try Self.read(context, 1))
      one.title = "mine"
      try await context.save()
    }
    let one = try #require(try await context.object(MainTask.mapping, key: 1, including: \.steps))
    try await other.value
    #expect(try await context.refresh([one]).isEmpty)
    #expect(one.title == "mine")
    #expect(try !context.hasChanges())
    let ending = Task { @MainActor in context.end() }
    await #expect(throws: ContextError.hasEnded) { try await context.objects(MainTask.mapping) }
    await ending.value
  }

  @Test(arguments: StoreKind.allCases)
  func anAwaitingImportReturnsAndFillsInstances(_ kind: StoreKind) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(MainTask.payload, as: MainTask.mapping)
    let context = try ObjectContext(store, for: MainTask.mapping)
    let one = try #require(try await context.object(MainTask.mapping, key: 1, including: \.steps))
    let json = #"[{"id": 1, "title": "x"}, {"id": 8, "title": "h", "steps": [{"id": 9, "parent": 8}]}]"#
    let found = try await context.objects(from: json, as: MainTask.mapping, including: \.steps.parent)
    #expect(found.map(\.title) == ["x", "h"])
    #expect(found[0] === one)
    #expect(found[1].steps.first?.parent === found[1])
    let draft = MainTask()
    draft.steps = [one]
    try await context.fill(draft, from: #"{"id": 30, "title": "draft"}"#, as: MainTask.mapping)
    #expect([draft.id, draft.steps[0].id] == [30, 1])
    #expect(draft.title == "draft")
    try await context.save()
    #expect(
      try reading(store) { try $0.object(MainTask.mapping, key: 30, including: \.steps)?.steps.map(\.id) }
        == [1])
  }

  @Test func aContextMayEndWhileAnImportWaits() async throws {
    let store = try StoreKind.lmdb.make()
    _ = try await Mapper(store).importJSON(MainTask.payload, as: MainTask.mapping)
    let context = try ObjectContext(store, for: MainTask.mapping)
    let one = try #require(try await context.object(MainTask.mapping, key: 1, including: \.steps))
    let ending = Task { @MainActor in context.end() }
    await #expect(throws: ContextError.hasEnded) {
      try await context.objects(from: #"{"id": 1, "title": "stored"}"#, as: MainTask.mapping)
    }
    await ending.value
    #expect(one.steps.isEmpty)
    #expect(try reading(store) { try $0.object(MainTask.mapping, key: 1)?.title } == "stored")
  }

  private static func read(_ context: ObjectContext, _ key: PrimaryKey) throws -> MainTask? {
    try context.object(MainTask.mapping, key: key)
  }

  @Test func aContextIsRefusedElsewhere() async throws {
    let store = try StoreKind.lmdb.make()
    let plan = try MainTask.mapping.plan()
    await detached {
      #expect(throws: MainActorError.self) { try ObjectContext(store, for: plan) }
    }
  }

  private nonisolated func detached(_ body: @Sendable @escaping () -> Void) async {
    await Task.detached { body() }.value
  }
}
