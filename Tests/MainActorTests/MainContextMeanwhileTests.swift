import FastMapCore
import TestSupport
import Testing

/// Edits of the caller while a save or an import of a context waits.
@Suite struct MainContextMeanwhileTests {
  @Test(arguments: [StoreKind.lmdb, .remote])
  func anAwaitingSaveWritesTheEditsFromBeforeItsStart(_ kind: StoreKind) async throws {
    let (store, context) = try await MainTask.open(kind)
    let one = try #require(try await context.object(MainTask.mapping, key: 1, including: \.steps))
    one.title = "first"
    let new = MainTask()
    new.id = 30
    one.steps.append(new)
    // They run while the save waits.
    let edit = Task { @MainActor in
      (one.title, new.title) = ("second", "later")
      #expect(throws: ContextError.isSaving) { try context.hasChanges() }
    }
    let read = Task { @MainActor in try await context.object(MainTask.mapping, key: 30) === new }
    #expect(try await context.save()["Task"] == .init(inserted: 1, updated: 1))
    await edit.value
    #expect(try await read.value)
    #expect(try reading(store) { try $0.object(MainTask.mapping, key: 1)?.title } == "first")
    #expect(one.title == "second")
    #expect(try await context.save()["Task"] == .init(updated: 2))
    #expect(try reading(store) { try $0.object(MainTask.mapping, key: 1)?.title } == "second")
    #expect(try reading(store) { try $0.object(MainTask.mapping, key: 30)?.title } == "later")
    #expect(try !context.hasChanges())
    one.title = "third"
    let ending = Task { @MainActor in context.end() }
    try await context.save()
    await ending.value
    #expect(try reading(store) { try $0.object(MainTask.mapping, key: 1)?.title } == "third")
    await #expect(throws: ContextError.hasEnded) { try await context.save() }
    #expect(one.steps.isEmpty, "what is held has no relationships")
  }

  /// A save makes new instances the context's, so its end takes them apart too. After an import they stay the caller's.
  @Test(arguments: [StoreKind.lmdb, .remote], [false, true])
  func aContextThatEndsMeanwhileIsTakenApart(_ kind: StoreKind, isImport: Bool) async throws {
    let (_, context) = try await MainTask.open(kind)
    let all = try await context.objects(MainTask.mapping, including: \.steps, \.parent)
    let new = MainTask()
    (new.id, new.parent) = (30, all[0])
    all[0].steps.append(new)
    let ending = Task { @MainActor in
      context.end()
      #expect(all[0].steps.count == 3, "the other thread is not done")
    }
    if isImport {
      _ = try await context.importJSON(#"{"id": 4, "title": "x"}"#, as: MainTask.mapping)
    } else {
      try await context.save()
    }
    await ending.value
    #expect(all.allSatisfy { $0.steps.isEmpty && $0.parent == nil })
    #expect((new.parent == nil) == !isImport)
  }

  @Test(arguments: [StoreKind.lmdb, .remote])
  func editsDuringAnImportStay(_ kind: StoreKind) async throws {
    let (_, context) = try await MainTask.open(kind)
    let all = try await context.objects(MainTask.mapping, including: \.steps, \.parent)
    let (one, two, three, four) = (all[0], all[1], all[2], all[3])
    (one.title, two.title) = ("first", "first")
    (one.steps, four.parent) = ([three], one)
    let edit = Task { @MainActor in
      one.title = "second"
      one.steps = []
      three.title = "second"
      #expect(throws: ContextError.isSaving) { try context.hasChanges() }
    }
    let json = #"""
      [{"id": 1, "title": "x", "steps": [{"id": 9, "title": "new"}, 2]}, {"id": 2, "title": "y"}, {"id": 3, "title": "z"},
       {"id": 4, "parent": 2}]
      """#
    let read = Task { @MainActor in try await context.object(MainTask.mapping, key: 9)?.title }
    _ = try await context.importJSON(json, as: MainTask.mapping)
    await edit.value
    #expect(try await read.value == "new")
    #expect(all.map(\.title) == ["second", "first", "second", "d"])
    #expect(one.steps.isEmpty)
    #expect(four.parent === one)
    let conflict = await #expect(throws: SaveConflictError.self) { try await context.save() }
    #expect(
      conflict?.conflicts.map { "\($0)" } == [
        #"Task 1.title: read "a", mine "second", theirs "x""#,
        "Task 1.steps: read 2, 3, mine none, theirs 9, 2",
        #"Task 2.title: read "b", mine "first", theirs "y""#,
        #"Task 3.title: read "c", mine "second", theirs "z""#,
        "Task 4.parent: read 3, mine 1, theirs 2",
      ])
    try context.rollBack()
    #expect(try await context.refresh(all).isEmpty)
    #expect(all.map(\.title) == ["x", "y", "z", "d"])
    #expect(one.steps.map(\.title) == ["new", "y"])
    #expect(try !context.hasChanges())
  }

  @Test(arguments: [StoreKind.lmdb, .remote])
  func editsStayWhenAnImportDeletesTheObject(_ kind: StoreKind) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(MainTask.payload, as: MainTask.mapping)
    _ = try await Mapper(store).importJSON(#"{"id": 4, "parent": null}"#, as: MainTask.mapping)
    let context = try ObjectContext(store, for: MainTask.mapping)
    let all = try await context.objects(MainTask.mapping, including: \.steps, \.parent)
    let (two, three, four) = (all[1], all[2], all[3])
    three.title = "before"
    let edit = Task { @MainActor in
      three.title = "after"
      four.parent = two
    }
    _ = try await context.importJSON(#"{"id": 1, "steps": []}"#, as: MainTask.replacing)
    await edit.value
    #expect(three.title == "after")
    #expect(four.parent === two)
    let error = await #expect(throws: SaveConflictError.self) { try await context.save() }
    #expect(error?.deleted.sorted() == ["Task 2", "Task 3"])
    try context.delete(three)
    four.parent = nil
    #expect(try await context.save().isUnchanged)
    #expect(try !context.hasChanges())
  }

  @Test(arguments: [StoreKind.lmdb, .remote])
  func editsStayWhenASaveDeletesTheObject(_ kind: StoreKind) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(MainTask.payload, as: MainTask.mapping)
    let context = try ObjectContext(store, for: MainTask.mapping, MainTask.replacing)
    let all = try await context.objects(MainTask.mapping, including: \.steps)
    let (one, two, three, four) = (all[0], all[1], all[2], all[3])
    (one.steps, three.title) = ([], "before")
    let edit = Task { @MainActor in
      two.title = "late"
      four.steps = [two]
    }
    let report = try await context.save()
    await edit.value
    #expect(report["Task"] == .init(updated: 2, deleted: 1))
    #expect(two.title == "late")
    #expect(four.steps.map(\.id) == [2])
    let error = await #expect(throws: SaveConflictError.self) { try await context.save() }
    #expect(error?.deleted == ["Task 2"])
    try context.delete(two)
    four.steps = []
    try await context.save()
    #expect(try !context.hasChanges())
  }
}
