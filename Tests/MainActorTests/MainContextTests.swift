import FastMapCore
import Observation
import TestSupport
import Testing

@Observable private final class Task {
  var id = 0
  var title = ""
  var parent: Task?
  var steps: [Task] = []

  static let mapping: MainMapping<Task> = MainMapping(Task.self, "Task", primaryKey: "id", make: Task.init) {
    Attribute("id", \.id)
    Attribute("title", \.title)
    ToOne("parent", \.parent, Task.mapping)
    ToMany("steps", \.steps, Task.mapping)
  }
}

/// A context of classes that belong to the main actor.
@Suite struct MainContextTests {
  @Test(arguments: StoreKind.allCases)
  func aContextReadsAndSavesOnTheMainActor(_ kind: StoreKind) throws {
    let store = try kind.make()
    let json = #"[{"id": 1, "title": "a", "steps": [{"id": 2, "title": "b", "parent": 1}]}]"#
    _ = try Mapper(store).importJSON(json, as: Task.mapping)
    weak var released: Task?
    do {
      let context = try ObjectContext(store, for: Task.mapping)
      let task = try #require(
        try context.object(Task.mapping, key: 1, including: \.steps, \.steps.parent))
      #expect(task.steps.first?.parent === task)
      #expect(try context.isLoaded(\.steps.parent, of: task))
      task.steps[0].title = "c"
      task.title = "d"
      #expect(try context.save()["Task"] == .init(updated: 2))
      released = task
    }
    if !store.capabilities.keepsInstances { #expect(released == nil) }
    let found = try store.withContext(for: Task.mapping) { context in
      try context.objects(Task.mapping).map(\.title)
    }
    #expect(found == ["d", "c"])
  }

  @Test func aContextIsRefusedElsewhere() async throws {
    let store = try StoreKind.lmdb.make()
    let plan = try Task.mapping.plan()
    await detached {
      #expect(throws: MainActorError.self) { try ObjectContext(store, for: plan) }
    }
  }

  private nonisolated func detached(_ body: @Sendable @escaping () -> Void) async {
    await _Concurrency.Task.detached { body() }.value
  }
}
