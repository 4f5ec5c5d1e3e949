internal import CFastMap

/// The kind of an object at one point of the payload.
struct ObjectKind {
  /// The mapping of the kind; nil while the object has none.
  var mapping: Int?
  /// Whether the object is an instance of the caller, which keeps the kind of its class.
  var isOfClass = false
}

/// The mappings that a value chooses: all that an import does with kinds.
struct KindRules {
  /// By entity, whether a value chooses its mappings.
  private var areChosen: [Bool]
  /// By entity, the field with the name of the kind; nil for none.
  private var fields: [Int?]
  /// By entity, the mappings of its kinds.
  private var mappings: [[ByteName: Int]]

  init(_ plan: Plan) {
    areChosen = plan.schema.entities.map { _ in false }
    fields = plan.schema.entities.map { _ in nil }
    mappings = plan.schema.entities.map { _ in [:] }
    for (number, planned) in plan.mappings.enumerated() {
      if planned.kinds != nil { areChosen[planned.entity] = true }
      fields[planned.entity] = fields[planned.entity] ?? planned.kindField
      if let kind = planned.kind { mappings[planned.entity][ByteName(kind)] = number }
    }
  }

  func concern(_ entity: Int) -> Bool { areChosen[entity] }

  /// Whether rows of an entity have a kind.
  func areInRows(of entity: Int) -> Bool { fields[entity] != nil }

  /// The mapping of the kind in a row.
  func read(_ row: Row, of entity: Int) -> Int? {
    fields[entity].flatMap { row[$0].string }.flatMap { mapping(of: $0, entity) }
  }

  func mapping(of kind: String, _ entity: Int) -> Int? { mappings[entity][ByteName(kind)] }
}

/// The kinds that were decided for the occurrences of one batch.
struct UnitKinds {
  /// The kind of an occurrence that does not say it.
  struct Choice {
    /// Nil for an occurrence that changes nothing, as the kind of its object is not known.
    let mapping: Int?
    /// Whether the object has had this kind before.
    let isKept: Bool
  }

  private(set) var choices: [Int: Choice] = [:]
  /// Occurrences without a kind, where that is a fault.
  private(set) var kindless: Set<Int> = []
  /// Occurrences of another kind than their object can have, with that kind.
  private(set) var misfits: [Int: Int] = [:]

  /// Whether the kind that was chosen for an occurrence does not read a relationship of its mapping.
  func isUnread(_ relationship: Int, of index: Int, in unit: ImportUnit) -> Bool {
    guard let choice = choices[index] else { return false }
    guard let kind = choice.mapping else { return true }
    let field = unit.mappings[Int(unit.occurrences[index].mapping)].relationships[relationship].field
    return unit.mappings[kind].blank.map { $0[Int(field)].tag == FASTMAP_NULL } ?? false
  }

  /// Chooses the kind of an occurrence that does not say it.
  ///
  /// - Parameters:
  ///   - known: The kind of its object.
  ///   - isNeeded: Whether the occurrence needs a kind.
  /// - Returns: Whether the occurrence is not left out.
  mutating func choose(
    _ known: Int?, _ isNeeded: Bool = true, of index: Int, _ occurrence: fastmap_occurrence,
    _ mapping: fastmap_plan_mapping
  ) -> Bool {
    guard let kinds = mapping.kinds, !mapping.is_kind, occurrence.row != nil else { return true }
    if let known {
      choices[index] = .init(mapping: known, isKept: true)
    } else if !isNeeded {
      choices[index] = .init(mapping: nil, isKept: true)
    } else if Int(kinds.pointee.otherwise) == FASTMAP_KINDLESS_MAPPING {
      choices[index] = .init(mapping: Int(kinds.pointee.otherwise_mapping), isKept: false)
    } else {
      if Int(kinds.pointee.otherwise) == FASTMAP_KINDLESS_ERROR { kindless.insert(index) }
      return false
    }
    return true
  }

  /// Gives an object the kind of an occurrence that is used.
  ///
  /// - Returns: False if the object cannot have it.
  mutating func set(_ kind: inout ObjectKind, to mapping: Int, at index: Int, _ unit: ImportUnit) -> Bool {
    if !unit.mappings[mapping].is_kind { return true }
    if kind.isOfClass, kind.mapping != mapping {
      misfits[index] = mapping
      return false
    }
    kind.mapping = mapping
    return true
  }
}

extension ImportUnit {
  /// The fault of a new object that lacks the value that chooses its mapping.
  private func kindFault(of index: Int) -> FaultReader.Fault {
    let fault = fastmap_fault(
      code: UInt32(FASTMAP_FAULT_KIND), occurrence: UInt32(index), index: FASTMAP_NONE, steps: 0,
      position: FASTMAP_NONE, refusal: 0, is_relationship: false, is_outer: false, node: nil,
      where: occurrence(index))
    return .init(occurrence: index, what: .walked(fault))
  }

  /// Leaves out the owned objects without a kind, and each element with one inside of it.
  ///
  /// - Returns: Whether there are any.
  func leaveOutKindlessElements() -> Bool {
    let faults = decisions.verdicts?.kinds.kindless.filter { flags($0) & FASTMAP_OWNED != 0 } ?? []
    if faults.isEmpty { return false }
    hasFaults = true
    for index in faults {
      skip(index)
      decisions.faults.append(kindFault(of: index))
    }
    leaveOutFaultyElements()
    return true
  }

  /// Leaves out an occurrence without a kind.
  func leaveOutKindless(_ index: Int) {
    if decisions.verdicts?.kinds.kindless.contains(index) ?? false {
      hasFaults = true
      decisions.faults.append(kindFault(of: index))
    } else {
      occurrences[index].flags |= UInt32(FASTMAP_ABSENT)
      occurrences[index].flags &= ~UInt32(FASTMAP_OWNED | FASTMAP_ELEMENT)
    }
    skip(index)
  }

  /// Gives an occurrence the kind that was chosen for it.
  func use(_ choice: UnitKinds.Choice, _ index: Int) throws {
    guard let kind = choice.mapping else {
      occurrences[index].row = nil
      return
    }
    guard let row = occurrences[index].row else { return }
    try narrowRest(of: row, to: kind)
    guard let blank = mappings[kind].blank else { return }
    let planned = plan.mappings[Int(occurrences[index].mapping)]
    for field in 0..<Int(mappings[kind].field_count) where blank[field].tag != FASTMAP_MISSING {
      if !choice.isKept {
        row[field].value = blank[field]
      } else if blank[field].tag == FASTMAP_NULL {
        row[field] = fastmap_batch_slot()
      }
    }
    guard let value = planned.choosingAttribute.map({ planned.attributeFields[$0] }) else { return }
    if row[value].tag == FASTMAP_NULL { row[value] = fastmap_batch_slot() }
  }

  /// Takes the values of a kind out of the row of a reference, which has no kind.
  func forgetKind(of index: Int) {
    let mapping = mappings[Int(occurrences[index].mapping)]
    guard let blank = mapping.blank, let row = occurrences[index].row else { return }
    for field in 0..<Int(mapping.field_count)
    where blank[field].tag != FASTMAP_MISSING { row[field] = fastmap_batch_slot() }
  }
}
