// Objects of several kinds.
extension SerializerRun {
  /// Whether the object of the current frame has a kind, and nothing that its text would show but its key.
  ///
  /// The key alone would be read as a reference, which has no kind.
  mutating func isKindAlone<R: StoreReader>(
    of id: ObjectID, _ layout: OutputLayout, _ reader: inout R
  ) throws -> Bool {
    let planned = program.plan.mappings[frame.mapping]
    guard let kind = planned.kindField else { return false }
    if sources[(frame.base + 1)...].contains(where: { $0.extent != .absent }) { return false }
    let row = try row(of: 0, &reader)
    if row[kind].value == nil { return false }
    for number in layout.bare where row.hasValue(for: program.steps[number]) {
      guard let kept = try program.keptObject(program.steps[number], row) else { return false }
      if kept.value.node.memberCount > 0 { return false }
    }
    for step in program.steps[layout.steps] where step.source == 0 && !step.isKey {
      switch step.kind {
      case .attribute: if row.hasValue(for: step) { return false }
      case .toOne: if row[step.field].target != nil { return false }
      case .toMany:
        if try !reader.targets(of: id, entity: layout.entity, field: step.field).isEmpty { return false }
      case .leave: break
      }
    }
    return true
  }
}
