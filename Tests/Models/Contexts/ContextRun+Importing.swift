import FastMapCore
import FastMapStoreTesting

/// A random import into the context.
struct ContextImportStep {
  enum Form { case plain, objects, fill }

  let form: Form
  let payload: [ContextPayload]
  /// The instance that is filled, which may be a new one.
  let filled: ContextItem?
  /// The model after the import.
  let after: ContextModel

  var json: String { form == .fill ? payload[0].json : "[\(payload.map(\.json).joined(separator: ","))]" }
}

/// The result of an import into the context.
enum ContextImportOutcome {
  case report
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
  }

  // MARK: Making one

  /// - Parameter edits: The edits made while the import waits.
  private mutating func makeImport(_ edits: [ContextMeanwhile] = []) -> ContextImportStep {
    // Records have one form only.
    let form: ContextImportStep.Form =
      hasRecords ? .plain : [.plain, .plain, .objects, .fill][random.next(4)]
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
    before.take(payload, edits, isFill: form == .fill)
    if form == .objects { for key in keys { before.read(key, next: false, friends: false) } }
    let step = ContextImportStep(form: form, payload: payload, filled: filled, after: before)
    steps.append("import \(form) \(step.json)")
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

  private func perform(_ step: ContextImportStep) throws -> ContextImportOutcome {
    switch (step.form, step.filled) {
    case (.objects, _):
      return .items(try context.objects(from: step.json, as: ContextItem.mapping))
    case (.fill, let item?): try context.fill(item, from: step.json, as: ContextItem.mapping)
    default: _ = try context.importJSON(step.json, as: plan)
    }
    return .report
  }

  @MainActor
  private func performAwaiting(_ step: ContextImportStep) async throws -> ContextImportOutcome {
    switch (step.form, step.filled) {
    case (.objects, _):
      return .items(try await context.objects(from: step.json, as: ContextItem.mapping))
    case (.fill, let item?): try await context.fill(item, from: step.json, as: ContextItem.mapping)
    default: _ = try await context.importJSON(step.json, as: plan)
    }
    return .report
  }

  /// Compares the result of the import with the model.
  private mutating func take(
    _ step: ContextImportStep, _ result: Result<ContextImportOutcome, any Error>
  ) throws {
    if case .items(let found) = try result.get() {
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
  }
}
