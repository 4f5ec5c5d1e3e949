import FastMapCore
import Observation
import TestSupport

/// A task with steps, for tests of contexts.
@Observable final class MainTask {
  var id = 0
  var title = ""
  var parent: MainTask?
  var steps: [MainTask] = []

  static let mapping: MainActorMapping<MainTask> = MainActorMapping(
    MainTask.self, "Task", primaryKey: "id", make: MainTask.init
  ) {
    Attribute("id", \.id)
    Attribute("title", \.title)
    ToOne("parent", \.parent, MainTask.mapping)
    ToMany("steps", \.steps, MainTask.mapping)
  }

  /// An import deletes the steps that it replaces.
  static let replacing: MainActorMapping<MainTask> = MainActorMapping(
    MainTask.self, "Task", primaryKey: "id", make: MainTask.init
  ) {
    Attribute("id", \.id)
    ToMany("steps", \.steps, MainTask.mapping, policy: .replace)
  }

  static let payload = #"""
    [{"id": 1, "title": "a", "steps": [{"id": 2, "title": "b", "parent": 1}, {"id": 3, "title": "c"}]},
     {"id": 4, "title": "d", "parent": 3}]
    """#

  /// A store with the tasks, and a context of it.
  static func open(_ kind: StoreKind) async throws -> (store: any Store, context: ObjectContext) {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(payload, as: mapping)
    return (store, try ObjectContext(store, for: mapping))
  }
}
