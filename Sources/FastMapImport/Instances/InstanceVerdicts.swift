internal import CFastMap

/// The verdicts on the occurrences of a payload that becomes instances. The facts are of the caller's instances, and of earlier batches.
final class InstanceVerdicts {
  private let plan: Plan
  private let rules: OccurrenceRules
  private let tables: [InstanceTable]
  private let existing: ExistingInstances?
  /// By the number of the object.
  private var facts: [ObjectFacts] = []
  /// Whether an earlier place of the payload has the object, or the caller.
  private var isThere: [Bool] = []
  /// The numbers of objects by entity and key.
  private let keys: [Keys]
  /// The number of the filled instance.
  private var filled: Int?

  private final class Keys {
    var table = KeyTable()
  }

  /// Nil if no form of the plan decides on occurrences.
  init?(_ plan: Plan, _ tables: [InstanceTable], _ existing: ExistingInstances?) {
    guard let rules = OccurrenceRules(plan) else { return nil }
    (self.plan, self.rules, self.tables, self.existing) = (plan, rules, tables, existing)
    keys = tables.map { _ in Keys() }
  }

  /// Decides about the occurrences of the next batches, and carries the verdicts out.
  ///
  /// - Returns: By batch, the faults of objects without a kind, and of objects for an instance of another kind. They are left out.
  func decide(_ units: [ImportUnit]) throws -> [[FaultReader.Fault]] {
    for unit in units { try number(unit) }
    func run() -> VerdictPass {
      let pass = VerdictPass(units, rules, facts)
      for (unit, result) in zip(units, pass.results) { unit.decisions.verdicts = result }
      return pass
    }
    var pass = run()
    let hasKindless = units.filter { $0.leaveOutKindlessElements() }
    if !hasKindless.isEmpty { pass = run() }
    facts = pass.facts
    if plan.hasDeleted { forgetRevived(units) }
    return try units.map { unit in
      (unit.decisions.facts, unit.decisions.touched) = (facts, pass.touched)
      return try use(unit)
    }
  }

  /// Gives each occurrence the number of its object.
  private func number(_ unit: ImportUnit) throws {
    for index in 0..<unit.occurrenceCount {
      let occurrence = unit.occurrences + index
      let entity = Int(unit.mappings[Int(occurrence.pointee.mapping)].entity)
      if existing != nil, occurrence.pointee.owner == FASTMAP_NONE {
        guard let instance = tables[entity].instances.first else { continue }  // its root object is left out
        let number = filled ?? add(instance, entity)
        filled = number
        occurrence.pointee.object = UInt32(number)
        continue
      }
      let key = occurrence.pointee.key
      if key.tag == FASTMAP_MISSING { continue }
      let number = try keys[entity].table.add(facts.count, for: key)
      if number == facts.count {
        let instance = tables[entity].keys[key].map { tables[entity].instances[$0] }
        _ = add(instance.flatMap { existing?.contains($0) ?? false ? $0 : nil }, entity)
      }
      occurrence.pointee.object = UInt32(number)
    }
  }

  /// Adds the facts about an object.
  ///
  /// - Parameter instance: The instance of the caller; nil for a new object.
  private func add(_ instance: AnyObject?, _ entity: Int) -> Int {
    var new = ObjectFacts()
    if let instance {
      new.exists = true
      var row = RowBuffer()
      tables[entity].read(instance, into: &row)
      rules.read(row.row, of: entity, into: &new, nil)
      let kind = tables[entity].kinds?.kind(of: instance)
      new.kind = .init(
        mapping: kind.flatMap { rules.kinds.mapping(of: $0, entity) }, isOfClass: tables[entity].kinds != nil)
    }
    facts.append(new)
    isThere.append(new.exists)
    return facts.count - 1
  }

  /// Takes the values from the occurrences of objects that later ones make again.
  private func forgetRevived(_ units: [ImportUnit]) {
    var revived: Set<UInt32> = []
    for unit in units.reversed() {
      for index in (0..<unit.occurrenceCount).reversed() where unit.occurrences[index].object != FASTMAP_NONE
      {
        let object = unit.occurrences[index].object
        if revived.contains(object) { unit.occurrences[index].row = nil }
        if unit.decisions.verdicts?.verdicts[index] == .revives { revived.insert(object) }
      }
    }
  }

  private func use(_ unit: ImportUnit) throws -> [FaultReader.Fault] {
    guard let result = unit.decisions.verdicts else { return [] }
    var index = 0
    while index < unit.occurrenceCount {
      let verdict = result.verdicts[index]
      if verdict == .leftOut, !unit.isSkipped(index) {
        if let kind = result.kinds.misfits[index] {
          unit.decisions.faults.append(misfit(of: index, kind, unit))
          unit.skip(index)
        } else {
          unit.leaveOutKindless(index)
        }
      }
      try use(verdict, of: index, result, unit)
      index = verdict.hidesContents ? Int(unit.occurrences[index].end) : index + 1
    }
    if !unit.decisions.touched.isEmpty { unit.markGone() }
    return unit.decisions.faults.sorted { $0.occurrence < $1.occurrence }
  }

  private func use(_ verdict: Verdict, of index: Int, _ result: UnitVerdicts, _ unit: ImportUnit) throws {
    let occurrence = unit.occurrences + index
    switch verdict {
    case .leftOut:
      // A later occurrence may make the object, which then keeps no place in lists before it.
      let number = occurrence.pointee.object
      let isLinked = number != FASTMAP_NONE && isThere[Int(number)] || !plan.traits.hasWeakFields
      if !isLinked { occurrence.pointee.flags |= UInt32(FASTMAP_UNLINKED) }
    default:
      try unit.use(verdict, of: index, result)
      let isUsed = verdict == .used || verdict == .revives
      guard isUsed || verdict == .reference, occurrence.pointee.object != FASTMAP_NONE else { return }
      isThere[Int(occurrence.pointee.object)] = true
      let table = tables[Int(unit.mappings[Int(occurrence.pointee.mapping)].entity)]
      if isUsed, table.kinds != nil, occurrence.pointee.key.tag != FASTMAP_MISSING,
        let kind = facts[Int(occurrence.pointee.object)].kind.mapping
      {
        try table.setKind(kind, of: occurrence.pointee.key)
      }
    }
  }

  private func misfit(of index: Int, _ kind: Int, _ unit: ImportUnit) -> FaultReader.Fault {
    let occurrence = unit.occurrence(index)
    let table = tables[Int(unit.mappings[Int(occurrence.mapping)].entity)]
    let number = occurrence.owner == FASTMAP_NONE ? 0 : table.keys[occurrence.key] ?? 0
    let expectation = table.kinds?.expectation(of: table.instances[number]) ?? ""
    let reason = "expected \(expectation), found \(quoted(plan.mappings[kind].kind ?? ""))"
    return .init(occurrence: index, what: .refused(reason, isOfKey: false))
  }
}
