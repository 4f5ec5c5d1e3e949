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

  /// An import deletes the steps that it replaces.
  static let replacing: MainMapping<Task> = MainMapping(
    Task.self, "Task", primaryKey: "id", make: Task.init
  ) {
    Attribute("id", \.id)
    ToMany("steps", \.steps, Task.mapping, policy: .replace)
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

  private static let payload = #"""
    [{"id": 1, "title": "a", "steps": [{"id": 2, "title": "b", "parent": 1}, {"id": 3, "title": "c"}]},
     {"id": 4, "title": "d", "parent": 3}]
    """#

  @Test(arguments: StoreKind.allCases)
  func awaitingReadsReturnWhatTheOthersDo(_ kind: StoreKind) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(Self.payload, as: Task.mapping)
    let context = try ObjectContext(store, for: Task.mapping)
    let one = try #require(
      try await context.object(Task.mapping, key: 1, including: \.steps.parent, \.parent))
    #expect(one.steps.map(\.title) == ["b", "c"])
    #expect(one.steps[0].parent === one)
    #expect(try context.isLoaded(\.steps.parent, of: one))
    #expect(try await context.object(Task.mapping, key: 9) == nil)
    let all = try await context.objects(Task.mapping, descending: true, including: \.parent.steps)
    #expect(all.map(\.id) == [4, 3, 2, 1])
    #expect(all[3] === one)
    #expect(all[0].parent === all[1])
    #expect(try await context.objects(Task.mapping, keys: [3, 7, 2]).map(\.id) == [3, 2])
    let query = try Query(Task.mapping).where(Filter("@.id > 1"))
    #expect(try await context.objects(query, including: \.parent).map(\.id) == [2, 3, 4])
    #expect(try await context.first(query)?.id == 2)
    try await context.load(\.steps, of: all)
    #expect(try all.allSatisfy { try context.isLoaded(\.steps, of: $0) })
  }

  @Test(arguments: StoreKind.allCases)
  func anAwaitingRefreshShowsWhatIsStoredAndKeepsEdits(_ kind: StoreKind) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(Self.payload, as: Task.mapping)
    let context = try ObjectContext(store, for: Task.mapping)
    let all = try await context.objects(Task.mapping, including: \.steps)
    all[1].title = "mine"
    _ = try await Mapper(store).importJSON(#"{"id": 1, "title": "A", "steps": [3, 4]}"#, as: Task.mapping)
    _ = try store.delete(Task.mapping, key: 4)
    let gone = try await context.refresh(all)
    #expect(gone.map(\.id) == [4])
    #expect(all[0].title == "A")
    #expect(all[0].steps.map(\.id) == [3])
    #expect(all[1].title == "mine")
    #expect(try await context.refreshAll().count == 1)
  }

  /// A path goes through the objects that the context has, and another writer has taken one of them away.
  @Test(arguments: StoreKind.allCases.filter { $0 != .memory })
  func anAwaitingLoadReadsWhatTheContextHasOnItsWay(_ kind: StoreKind) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(Self.payload, as: Task.mapping)
    _ = try await Mapper(store).importJSON(#"{"id": 3, "parent": 4}"#, as: Task.mapping)
    let context = try ObjectContext(store, for: Task.mapping)
    let one = try #require(try await context.object(Task.mapping, key: 1, including: \.steps))
    _ = try await Mapper(store).importJSON(#"{"id": 1, "steps": [2]}"#, as: Task.mapping)
    try await context.load(\.steps.parent, of: [one])
    #expect(one.steps.map(\.id) == [2, 3])
    #expect(one.steps.map { $0.parent?.id } == [1, 4])
    #expect(try context.isLoaded(\.steps.parent, of: one))
  }

  @Test func aContextMayBeUsedAndEndWhileAReadWaits() async throws {
    let store = try StoreKind.lmdb.make()
    _ = try await Mapper(store).importJSON(Self.payload, as: Task.mapping)
    let context = try ObjectContext(store, for: Task.mapping)
    // It runs when this one waits.
    let other = _Concurrency.Task { @MainActor in
      let one = try #require(try Self.read(context, 1))
      one.title = "mine"
      try await context.save()
    }
    let one = try #require(try await context.object(Task.mapping, key: 1, including: \.steps))
    try await other.value
    #expect(try await context.refresh([one]).isEmpty)
    #expect(one.title == "mine")
    #expect(try !context.hasChanges)
    let ending = _Concurrency.Task { @MainActor in context.end() }
    await #expect(throws: ContextError.hasEnded) { try await context.objects(Task.mapping) }
    await ending.value
  }

  @Test(arguments: [StoreKind.lmdb, .remote])
  func anAwaitingSaveWritesWhatDifferedWhenItBegan(_ kind: StoreKind) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(Self.payload, as: Task.mapping)
    let context = try ObjectContext(store, for: Task.mapping)
    let one = try #require(try await context.object(Task.mapping, key: 1, including: \.steps))
    one.title = "first"
    let new = Task()
    new.id = 30
    one.steps.append(new)
    // They run while the save waits.
    let edit = _Concurrency.Task { @MainActor in
      (one.title, new.title) = ("second", "later")
      #expect(throws: ContextError.isSaving) { try context.hasChanges }
    }
    let read = _Concurrency.Task { @MainActor in try await context.object(Task.mapping, key: 30) === new }
    #expect(try await context.save()["Task"] == .init(inserted: 1, updated: 1))
    await edit.value
    #expect(try await read.value)
    #expect(try store.read { try $0.object(Task.mapping, key: 1)?.title } == "first")
    #expect(one.title == "second")
    #expect(try await context.save()["Task"] == .init(updated: 2))
    #expect(try store.read { try $0.object(Task.mapping, key: 1)?.title } == "second")
    #expect(try store.read { try $0.object(Task.mapping, key: 30)?.title } == "later")
    #expect(try !context.hasChanges)
    one.title = "third"
    let ending = _Concurrency.Task { @MainActor in context.end() }
    try await context.save()
    await ending.value
    #expect(try store.read { try $0.object(Task.mapping, key: 1)?.title } == "third")
    await #expect(throws: ContextError.hasEnded) { try await context.save() }
  }

  /// Otherwise it would count as what was read.
  @Test(arguments: [StoreKind.lmdb, .remote])
  func whatIsPutBackWhileASaveWaitsIsForTheNextSave(_ kind: StoreKind) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(Self.payload, as: Task.mapping)
    let context = try ObjectContext(store, for: Task.mapping)
    let one = try #require(try await context.object(Task.mapping, key: 1, including: \.steps))
    let (title, steps) = (one.title, one.steps)
    (one.title, one.steps) = ("other", [])
    let edit = _Concurrency.Task { @MainActor in (one.title, one.steps) = (title, steps) }
    try await context.save()
    await edit.value
    #expect(try store.read { try $0.object(Task.mapping, key: 1)?.title } == "other")
    #expect(try context.hasChanges)
    #expect(try await context.save()["Task"] == .init(updated: 1))
    let stored = try store.read { try $0.object(Task.mapping, key: 1, including: \.steps) }
    #expect(stored?.title == title)
    #expect(stored?.steps.map(\.id) == steps.map(\.id))
  }

  /// Another writer has set the list to objects that the context does not have.
  @Test(arguments: [StoreKind.lmdb, .remote])
  func theListOfAnotherWriterIsWholeAfterAnAwaitingSave(_ kind: StoreKind) async throws {
    for isListEdited in [false, true] {
      let store = try kind.make()
      _ = try await Mapper(store).importJSON(Self.payload, as: Task.mapping)
      let context = try ObjectContext(store, for: Task.mapping)
      let one = try #require(try await context.object(Task.mapping, key: 1, including: \.steps))
      let steps = one.steps
      _ = try await Mapper(store).importJSON(#"{"id": 1, "steps": [4, 3]}"#, as: Task.mapping)
      one.steps = [steps[0]]
      // It runs while the save waits.
      let edit = _Concurrency.Task { @MainActor in
        one.title = "later"
        if isListEdited { one.steps = [] }
      }
      try await context.save(onConflict: .theirs)
      await edit.value
      #expect(one.steps.map(\.id) == (isListEdited ? [] : [4, 3]))
      #expect(one.title == "later")
      try await context.refresh([one])
      #expect(one.steps.map(\.id) == (isListEdited ? [] : [4, 3]))
      try context.rollBack()
      #expect(one.steps.map(\.id) == [4, 3], "the list was edited meanwhile: \(isListEdited)")
      #expect(one.title == "a")
      #expect(try !context.hasChanges)
    }
  }

  /// What the caller sets while the import waits is theirs, whatever the rule said about what they had set before.
  @Test(arguments: [StoreKind.lmdb, .remote])
  func anAwaitingImportMeetsWhatWasEditedWhenItBegan(_ kind: StoreKind) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(Self.payload, as: Task.mapping)
    let context = try ObjectContext(store, for: Task.mapping)
    let all = try await context.objects(Task.mapping, including: \.steps, \.parent)
    let (one, two, three, four) = (all[0], all[1], all[2], all[3])
    (one.title, two.title) = ("first", "first")
    (one.steps, four.parent) = ([three], one)
    let edit = _Concurrency.Task { @MainActor in
      one.title = "second"
      one.steps = []
      three.title = "second"
      #expect(throws: ContextError.isSaving) { try context.hasChanges }
    }
    let json = #"""
      [{"id": 1, "title": "x", "steps": [{"id": 9, "title": "new"}, 2]}, {"id": 2, "title": "y"}, {"id": 3, "title": "z"},
       {"id": 4, "parent": 2}]
      """#
    let read = _Concurrency.Task { @MainActor in try await context.object(Task.mapping, key: 9)?.title }
    let report = try await context.importJSON(json, as: Task.mapping, onConflict: .theirs)
    #expect(report.conflicts.count == 4)
    await edit.value
    #expect(try await read.value == "new")
    #expect(all.map(\.title) == ["second", "y", "second", "d"])
    #expect(one.steps.isEmpty)
    #expect(four.parent === two)
    // It had not edited this one before, so the payload is another writer's.
    let conflict = await #expect(throws: SaveConflictError.self) { try await context.save() }
    #expect(
      conflict?.conflicts.map { "\($0)" } == [#"Task 3.title: read "c", mine "second", theirs "z""#])
    try context.rollBack()
    #expect(all.map(\.title) == ["x", "y", "c", "d"])
    #expect(one.steps.map(\.title) == ["new", "y"])
    #expect(try await context.refresh(all).isEmpty)
    #expect(all.map(\.title) == ["x", "y", "z", "d"])
    #expect(try !context.hasChanges)
  }

  /// The caller has not seen it, so the next save would take it back unnoticed.
  @Test(arguments: [StoreKind.lmdb, .remote], [false, true])
  func whatOthersHadStoredInAFieldThatIsSetWhileASaveWaitsIsAConflict(
    _ kind: StoreKind, isLoaded: Bool
  ) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(Self.payload, as: Task.mapping)
    let context = try ObjectContext(store, for: Task.mapping)
    let all = try await context.objects(Task.mapping, including: \.steps)
    let (one, four) = (all[0], all[3])
    if isLoaded { try await context.load(\.parent, of: all) }
    let theirs = #"[{"id": 1, "title": "theirs"}, {"id": 4, "parent": 2}]"#
    _ = try await Mapper(store).importJSON(theirs, as: Task.mapping)
    (one.steps, four.title) = ([], "mine")
    let edit = _Concurrency.Task { @MainActor in (one.title, four.parent) = ("mine", one) }
    try await context.save()
    await edit.value
    #expect(one.title == "mine")
    let error = await #expect(throws: SaveConflictError.self) { try await context.save() }
    #expect(
      error?.conflicts.map { "\($0)" } == [
        #"Task 1.title: read "a", mine "mine", theirs "theirs""#, "Task 4.parent: read 3, mine 1, theirs 2",
      ])
  }

  /// The context does not have the other writer's target before the save.
  @Test(arguments: [StoreKind.lmdb, .remote])
  func aTargetThatIsClearedWhileASaveWaitsStaysCleared(_ kind: StoreKind) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(Self.payload, as: Task.mapping)
    let context = try ObjectContext(store, for: Task.mapping)
    let one = try #require(try await context.object(Task.mapping, key: 1, including: \.parent))
    _ = try await Mapper(store).importJSON(#"{"id": 1, "parent": 4}"#, as: Task.mapping)
    one.parent = one
    let edit = _Concurrency.Task { @MainActor in one.parent = nil }
    try await context.save(onConflict: .theirs)
    await edit.value
    #expect(one.parent == nil)
    #expect(try await context.save()["Task"] == .init(updated: 1))
    #expect(try store.read { try $0.object(Task.mapping, key: 1, including: \.parent)?.parent } == nil)
  }

  /// Otherwise it would count as what was read, and show the payload.
  @Test(arguments: [StoreKind.lmdb, .remote], [ConflictRule.mine, .theirs])
  func whatIsPutBackWhileAnImportWaitsStays(_ kind: StoreKind, _ rule: ConflictRule) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(Self.payload, as: Task.mapping)
    let context = try ObjectContext(store, for: Task.mapping)
    let all = try await context.objects(Task.mapping, including: \.steps, \.parent)
    let (one, two, four, steps) = (all[0], all[1], all[3], all[0].steps)
    (one.title, one.steps, four.parent) = ("other", [], two)
    let edit = _Concurrency.Task { @MainActor in
      (one.title, one.steps, four.parent) = ("a", steps, all[2])
    }
    let json = #"[{"id": 1, "title": "x", "steps": [2]}, {"id": 4, "parent": 1}]"#
    _ = try await context.importJSON(json, as: Task.mapping, onConflict: rule)
    await edit.value
    #expect(one.title == "a")
    #expect(one.steps.elementsEqual(steps, by: ===))
    #expect(four.parent === all[2])
    #expect(try await context.save()["Task"] == .init(updated: 2))
    try context.rollBack()
    #expect(one.title == "a")
    #expect(four.parent === all[2])
  }

  /// It is stored before the caller's edit is known, so the rule is not asked.
  @Test(arguments: [StoreKind.lmdb, .remote])
  func whatIsSetWhileAnImportDeletesTheObjectIsInItsReport(_ kind: StoreKind) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(Self.payload, as: Task.mapping)
    _ = try await Mapper(store).importJSON(#"{"id": 4, "parent": null}"#, as: Task.mapping)
    let context = try ObjectContext(store, for: Task.mapping)
    let all = try await context.objects(Task.mapping, including: \.steps, \.parent)
    let (two, three, four) = (all[1], all[2], all[3])
    three.title = "before"
    let edit = _Concurrency.Task { @MainActor in
      two.title = "lost"
      three.title = "after"
      three.steps = [four]
      four.parent = two
      four.steps = [two, three, four]
    }
    let report = try await context.importJSON(
      #"{"id": 1, "steps": []}"#, as: Task.replacing, onConflict: .theirs)
    await edit.value
    #expect(
      report.conflicts.map { "\($0)" } == [
        #"Task 3.title: read "c", mine "before", theirs deleted"#,
        #"Task 2.title: read "b", mine "lost", theirs deleted"#,
        "Task 3.steps: read none, mine 4, theirs deleted",
        "Task 4.parent: read none, mine 2, theirs none",
        "Task 4.steps: read none, mine 2, 3, 4, theirs none",
      ])
    #expect(four.parent == nil)
    #expect(four.steps.map(\.id) == [4])
    #expect(try await context.save()["Task"] == .init(updated: 1))
  }

  @Test(arguments: StoreKind.allCases)
  func anAwaitingImportReturnsAndFillsInstances(_ kind: StoreKind) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(Self.payload, as: Task.mapping)
    let context = try ObjectContext(store, for: Task.mapping)
    let one = try #require(try await context.object(Task.mapping, key: 1, including: \.steps))
    let json = #"[{"id": 1, "title": "x"}, {"id": 8, "title": "h", "steps": [{"id": 9, "parent": 8}]}]"#
    let found = try await context.objects(from: json, as: Task.mapping, including: \.steps.parent)
    #expect(found.map(\.title) == ["x", "h"])
    #expect(found[0] === one)
    #expect(found[1].steps.first?.parent === found[1])
    let draft = Task()
    draft.steps = [one]
    try await context.fill(draft, from: #"{"id": 30, "title": "draft"}"#, as: Task.mapping)
    #expect([draft.id, draft.steps[0].id] == [30, 1])
    #expect(draft.title == "draft")
    try await context.save()
    #expect(
      try store.read { try $0.object(Task.mapping, key: 30, including: \.steps)?.steps.map(\.id) } == [1])
  }

  @Test func aContextMayEndWhileAnImportWaits() async throws {
    let store = try StoreKind.lmdb.make()
    _ = try await Mapper(store).importJSON(Self.payload, as: Task.mapping)
    let context = try ObjectContext(store, for: Task.mapping)
    let one = try #require(try await context.object(Task.mapping, key: 1, including: \.steps))
    let ending = _Concurrency.Task { @MainActor in context.end() }
    await #expect(throws: ContextError.hasEnded) {
      try await context.objects(from: #"{"id": 1, "title": "stored"}"#, as: Task.mapping)
    }
    await ending.value
    #expect(one.steps.isEmpty)
    #expect(try store.read { try $0.object(Task.mapping, key: 1)?.title } == "stored")
  }

  private static func read(_ context: ObjectContext, _ key: PrimaryKey) throws -> Task? {
    try context.object(Task.mapping, key: key)
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
