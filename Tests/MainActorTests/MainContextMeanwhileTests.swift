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

  /// Otherwise it would count as the value that was read.
  @Test(arguments: [StoreKind.lmdb, .remote])
  func valuesRestoredDuringASaveWaitForTheNextSave(_ kind: StoreKind) async throws {
    let (store, context) = try await MainTask.open(kind)
    let one = try #require(try await context.object(MainTask.mapping, key: 1, including: \.steps))
    let (title, steps) = (one.title, one.steps)
    (one.title, one.steps) = ("other", [])
    let edit = Task { @MainActor in (one.title, one.steps) = (title, steps) }
    try await context.save()
    await edit.value
    #expect(try reading(store) { try $0.object(MainTask.mapping, key: 1)?.title } == "other")
    #expect(try context.hasChanges())
    #expect(try await context.save()["Task"] == .init(updated: 1))
    let stored = try reading(store) { try $0.object(MainTask.mapping, key: 1, including: \.steps) }
    #expect(stored?.title == title)
    #expect(stored?.steps.map(\.id) == steps.map(\.id))
  }

  /// Another writer has set the list to objects that the context does not have.
  @Test(arguments: [StoreKind.lmdb, .remote])
  func theListOfAnotherWriterIsWholeAfterAnAwaitingSave(_ kind: StoreKind) async throws {
    for isListEdited in [false, true] {
      let store = try kind.make()
      _ = try await Mapper(store).importJSON(MainTask.payload, as: MainTask.mapping)
      let context = try ObjectContext(store, for: MainTask.mapping)
      let one = try #require(try await context.object(MainTask.mapping, key: 1, including: \.steps))
      let steps = one.steps
      _ = try await Mapper(store).importJSON(#"{"id": 1, "steps": [4, 3]}"#, as: MainTask.mapping)
      one.steps = [steps[0]]
      // It runs while the save waits.
      let edit = Task { @MainActor in
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
      #expect(try !context.hasChanges())
    }
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

  /// The caller has not seen it, so the next save would take it back unnoticed.
  @Test(arguments: [StoreKind.lmdb, .remote], [false, true])
  func aFieldSetDuringASaveConflictsWithOthersChanges(
    _ kind: StoreKind, isLoaded: Bool
  ) async throws {
    let (store, context) = try await MainTask.open(kind)
    let all = try await context.objects(MainTask.mapping, including: \.steps)
    let (one, four) = (all[0], all[3])
    if isLoaded { try await context.load(\.parent, of: all) }
    let theirs = #"[{"id": 1, "title": "theirs"}, {"id": 4, "parent": 2}]"#
    _ = try await Mapper(store).importJSON(theirs, as: MainTask.mapping)
    (one.steps, four.title) = ([], "mine")
    let edit = Task { @MainActor in (one.title, four.parent) = ("mine", one) }
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
    let (store, context) = try await MainTask.open(kind)
    let one = try #require(try await context.object(MainTask.mapping, key: 1, including: \.parent))
    _ = try await Mapper(store).importJSON(#"{"id": 1, "parent": 4}"#, as: MainTask.mapping)
    one.parent = one
    let edit = Task { @MainActor in one.parent = nil }
    try await context.save(onConflict: .theirs)
    await edit.value
    #expect(one.parent == nil)
    #expect(try await context.save()["Task"] == .init(updated: 1))
    #expect(
      try reading(store) { try $0.object(MainTask.mapping, key: 1, including: \.parent)?.parent } == nil)
  }

  /// An edit that is taken back is none.
  @Test(arguments: [StoreKind.lmdb, .remote])
  func valuesRestoredDuringAnImportShowThePayload(_ kind: StoreKind) async throws {
    let (_, context) = try await MainTask.open(kind)
    let all = try await context.objects(MainTask.mapping, including: \.steps, \.parent)
    let (one, two, four, steps) = (all[0], all[1], all[3], all[0].steps)
    (one.title, one.steps, four.parent) = ("other", [], two)
    let edit = Task { @MainActor in
      (one.title, one.steps, four.parent) = ("a", steps, all[2])
    }
    _ = try await context.importJSON(
      #"[{"id": 1, "title": "x", "steps": [2]}, {"id": 4, "parent": 1}]"#, as: MainTask.mapping)
    await edit.value
    #expect(one.title == "x")
    #expect(one.steps.map(\.id) == [2])
    #expect(four.parent === one)
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
    try await context.save()
    #expect(four.steps.isEmpty)
    #expect(try !context.hasChanges())
  }

  @Test(arguments: [StoreKind.lmdb, .remote])
  func aSaveDropsLinksThatAreSetMeanwhileToAnObjectThatIsGone(_ kind: StoreKind) async throws {
    let (store, context) = try await MainTask.open(kind)
    let all = try await context.objects(MainTask.mapping, including: \.steps, \.parent)
    let (one, two, three, four) = (all[0], all[1], all[2], all[3])
    (two.title, one.title) = ("mine", "saved")
    four.steps = [two, three]
    try store.delete(MainTask.mapping, key: 2)
    let edit = Task { @MainActor in
      (two.title, one.title) = ("late", "late")
      three.parent = two
      four.steps = [three, two]
    }
    let report = try await context.save(onConflict: .theirs)
    await edit.value
    #expect(Set(report.conflicts.map { "\($0.title).\($0.field)" }) == ["Task 2.title", "Task 4.steps"])
    #expect(report["Task"] == .init(updated: 2))
    #expect(one.steps.map(\.id) == [3] && four.steps.map(\.id) == [3])
    #expect(three.parent == nil)
    #expect(try await context.save()["Task"] == .init(updated: 1))
    #expect(try !context.hasChanges())
  }

  @Test(arguments: [StoreKind.lmdb, .remote])
  func rollBackOfOneObjectKeepsTheEditsOfOthers(_ kind: StoreKind) async throws {
    let (store, context) = try await MainTask.open(kind)
    let all = try await context.objects(MainTask.mapping, including: \.steps, \.parent)
    let (one, two, four) = (all[0], all[1], all[3])
    (one.title, one.steps, two.title) = ("mine", [two], "mine")
    four.parent = two
    try context.rollBack(one)
    #expect(one.title == "a" && one.steps.map(\.id) == [2, 3])
    #expect(two.title == "mine" && four.parent === two)
    try store.delete(MainTask.mapping, key: 2)
    try context.rollBack(two)
    #expect(one.steps.map(\.id) == [3] && four.parent == nil)
    #expect(try await context.save()["Task"] == .init(updated: 1))
    #expect(try !context.hasChanges())
  }
}
