import FastMapCore

/// Imports into the context.
extension ContextRun {
  mutating func importIntoContext() throws {
    let stored = model.stored.keys.sorted()
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
    let payload = keys.sorted().map { key in
      ContextPayload(
        key: key, has: Set(ContextPayload.Field.allCases.filter { _ in random.next(2) == 0 }),
        fields: fields(of: stored), notes: noteTexts())
    }
    let choice = [ContextModel.Choice.fail, .mine, .theirs][random.next(3)]
    let rule = choice == .fail ? ConflictRule.fail : choice == .mine ? .mine : .theirs
    let json = "[\(payload.map(\.json).joined(separator: ","))]"
    steps.append("import \(json), \(choice)")
    var after = model
    let expected = after.take(payload, choice, insertsNotes: hasRecords)
    do {
      let report = try context.importJSON(json, as: plan, onConflict: rule)
      guard let expected else { throw failure("the import should fail") }
      if report.conflicts.count != expected {
        throw failure("the import has the conflicts \(report.conflicts), expected \(expected)")
      }
    } catch let error as SaveConflictError {
      if expected != nil { throw failure("the import should succeed: \(error)") }
    }
    if expected != nil { model = after }
  }
}
