import FastMapCore

/// A random import into the context.
struct ContextImportStep {
  enum Form { case plain, objects, fill }

  let form: Form
  let payload: [ContextPayload]
  let choice: ContextModel.Choice
  /// The instance that is filled, which may be a new one.
  let filled: ContextItem?
  /// The model after the import, and the number of its conflicts; nil if it should fail.
  let after: ContextModel
  let conflicts: Int?

  var json: String { form == .fill ? payload[0].json : "[\(payload.map(\.json).joined(separator: ","))]" }
}

/// The result of an import into the context.
enum ContextImportOutcome {
  case report(ImportReport)
  case items([ContextItem])
}

/// Imports into the context.
extension ContextRun {
  mutating func importIntoContext() throws {
    let step = makeImport()
    try take(step, Result { try perform(step) })
  }

  @MainActor
  mutating func importAwaiting() async throws {
    let edits = makeEditsMeanwhile()
    let step = makeImport(edits)
    let editing = startEdits(edits)
    let result: Result<ContextImportOutcome, any Error>
    do { result = .success(try await performAwaiting(step)) } catch { result = .failure(error) }
    try await editing.value
    try take(step, result)
    if step.conflicts == nil { model.take(edits) }
  }

  // MARK: Making one

  /// - Parameter edits: The edits made while the import waits.
  private mutating func makeImport(_ edits: [ContextMeanwhile] = []) -> ContextImportStep {
    // Records have one form only.
    let form: ContextImportStep.Form =
      hasRecords ? .plain : [.plain, .plain, .objects, .fill][random.next(4)]
    let choice = [ContextModel.Choice.fail, .mine, .theirs][random.next(3)]
    var before = model
    var filled: ContextItem?
    let keys = form == .fill ? [makeFilled(&before, &filled)] : importedKeys()
    let stored = model.stored.keys.sorted()
    let moves = model.moves
    let payload = keys.map { key in
      var has = Set(ContextPayload.Field.allCases.filter { _ in random.next(2) == 0 })
      // A moved note that the import deletes has no clear outcome.
      if moves.contains(key) { has.remove(.notes) }
      return ContextPayload(key: key, has: has, fields: fields(of: stored), notes: noteTexts())
    }
    let conflicts = before.take(payload, choice, insertsNotes: hasRecords, edits)
    if form == .objects { for key in keys { before.read(key, next: false, friends: false) } }
    let step = ContextImportStep(
      form: form, payload: payload, choice: choice, filled: filled, after: before, conflicts: conflicts)
    steps.append("import \(form) \(step.json), \(choice)")
    return step
  }

  private mutating func importedKeys() -> [Int] {
    var keys: Set<Int> = []
    for _ in 0...random.next(3) {
      switch random.next(5) {
      case 0: if let key = pick(model.shown.filter(\.value.isNew).keys) { keys.insert(key) }
      case 1:
        lastKey += 1
        keys.insert(lastKey)
      default: if let key = pick(model.shown.keys.filter { model.stored[$0] != nil }) { keys.insert(key) }
      }
    }
    return keys.sorted()
  }

  /// An instance of the context, or a draft that gets its key from the payload.
  ///
  /// - Returns: The key.
  private mutating func makeFilled(_ before: inout ContextModel, _ filled: inout ContextItem?) -> Int {
    if random.next(2) == 0,
      let key = pick(model.shown.keys.filter { model.stored[$0] != nil || model.shown[$0]?.isNew == true }),
      let item = items[key] as? ContextItem
    {
      filled = item
      return key
    }
    let draft = ContextItem()
    var mine = ContextModel.Fields()
    if random.next(2) == 0 { mine.name = "d\(random.next(9))" }
    if random.next(2) == 0 { mine.rank = random.next(9) }
    if random.next(2) == 0 { mine.next = pick(model.shown.filter { !$0.value.isDeleted }.keys) }
    (draft.name, draft.rank) = (mine.name, mine.rank)
    draft.next = mine.next.flatMap { items[$0] as? ContextItem }
    lastKey += 1
    steps.append("draft \(lastKey) of \(mine)")
    before.shown[lastKey] = .init(mine: mine, isNew: true)
    filled = draft
    return lastKey
  }

  // MARK: Doing it

  private func rule(_ choice: ContextModel.Choice) -> ConflictRule {
    choice == .fail ? .fail : choice == .mine ? .mine : .theirs
  }

  private func perform(_ step: ContextImportStep) throws -> ContextImportOutcome {
    let rule = rule(step.choice)
    switch (step.form, step.filled) {
    case (.objects, _):
      return .items(try context.objects(from: step.json, as: ContextItem.mapping, onConflict: rule))
    case (.fill, let item?):
      return .report(try context.fill(item, from: step.json, as: ContextItem.mapping, onConflict: rule))
    default: return .report(try context.importJSON(step.json, as: plan, onConflict: rule))
    }
  }

  @MainActor
  private func performAwaiting(_ step: ContextImportStep) async throws -> ContextImportOutcome {
    let rule = rule(step.choice)
    switch (step.form, step.filled) {
    case (.objects, _):
      return .items(try await context.objects(from: step.json, as: ContextItem.mapping, onConflict: rule))
    case (.fill, let item?):
      return .report(try await context.fill(item, from: step.json, as: ContextItem.mapping, onConflict: rule))
    default: return .report(try await context.importJSON(step.json, as: plan, onConflict: rule))
    }
  }

  /// Compares the result of the import with the model.
  private mutating func take(
    _ step: ContextImportStep, _ result: Result<ContextImportOutcome, any Error>
  ) throws {
    do {
      let outcome = try result.get()
      guard let expected = step.conflicts else { throw failure("the import should fail") }
      switch outcome {
      case .report(let report):
        if report.conflicts.count != expected {
          throw failure("the import has the conflicts \(report.conflicts), expected \(expected)")
        }
      case .items(let found):
        if found.map(\.id) != step.payload.map(\.key) {
          throw failure("the import returns \(found.map(\.id))")
        }
        for item in found {
          if let known = items[item.id], known !== item { throw failure("another instance of \(item.id)") }
          items[item.id] = item
        }
      }
      if let filled = step.filled { items[step.payload[0].key] = filled }
      model = step.after
    } catch let error as SaveConflictError {
      if step.conflicts != nil { throw failure("the import should succeed: \(error)") }
    }
  }
}
