internal import CFastMap

/// The kinds of a payload's objects, before the first instance is made: its class decides its kind.
///
///     [{"id": 7}, {"id": 7, "type": "PushEvent"}]      one PushEvent
extension InstanceImport {
  /// Decides about the kinds of a batch. The last kind of an object in the payload counts.
  ///
  /// - Returns: The faults of objects without a kind, and of objects for an instance of another kind. They are left out.
  func decideKinds(of unit: ImportUnit, filling filled: AnyObject?) throws -> [FaultReader.Fault] {
    pass.markStale(unit, isEarly: true)
    var faults: [FaultReader.Fault] = []
    try unit.decideKinds { index in
      let (occurrence, table) = place(index, unit)
      if occurrence.key.tag != FASTMAP_MISSING, let kind = table.kind(of: occurrence.key) { return kind }
      return existing(occurrence, table, filled).flatMap { instance in
        table.kinds?.kind(of: instance).flatMap { pass.plan.kindNumbers(of: table.entity)[ByteName($0)] }
      }
    } isStored: { index in
      let (occurrence, table) = place(index, unit)
      return existing(occurrence, table, filled) != nil
    } record: { index, kind in
      let (occurrence, table) = place(index, unit)
      let name = pass.plan.mappings[kind].kind
      if let instance = existing(occurrence, table, filled), let kinds = table.kinds,
        kinds.kind(of: instance) != name
      {
        let reason = "expected \(kinds.expectation(of: instance)), found \(quoted(name ?? ""))"
        faults.append(.init(occurrence: index, what: .refused(reason, isOfKey: false)))
        unit.skip(index)
      } else if occurrence.key.tag != FASTMAP_MISSING {
        try table.setKind(kind, of: occurrence.key)
      }
    } onFault: { index in
      faults.append(.init(occurrence: index, what: .walked(unit.kindFault(of: index))))
    }
    return faults
  }

  private func place(_ index: Int, _ unit: ImportUnit) -> (fastmap_occurrence, InstanceTable) {
    let occurrence = unit.occurrence(index)
    return (occurrence, pass.tables[Int(unit.mappings[Int(occurrence.mapping)].entity)])
  }

  /// The caller's instance for an occurrence; nil for an instance that the payload makes.
  private func existing(
    _ occurrence: fastmap_occurrence, _ table: InstanceTable, _ filled: AnyObject?
  ) -> AnyObject? {
    guard filled != nil else { return nil }
    if occurrence.owner == FASTMAP_NONE { return filled }
    if occurrence.key.tag == FASTMAP_MISSING { return nil }
    return table.keys[occurrence.key].map { table.instances[$0] }
  }
}
