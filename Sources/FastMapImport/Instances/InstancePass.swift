internal import CFastMap

/// Turns the occurrences of a payload into instances, batch by batch.
///
///     meet     each occurrence gets its instance and sets its attributes, in payload order
///     link     relationships are set: first of elements, from the inside out, then of all others in payload order
///     ask      custom policies decide, in payload order
///     end      merged lists and inverses are set, once for the payload
///
/// A later occurrence of an object sets its own values over the values of earlier ones.
final class InstancePass {
  let plan: Plan
  /// By entity.
  let tables: [InstanceTable]
  /// The properties of relationships, by mapping and by their number in it.
  let properties: [[ClassRelationship]]
  /// The property of the primary key, by mapping.
  private let keyProperties: [AttributeClosure?]
  /// The root objects, in payload order.
  private(set) var roots: [AnyObject] = []
  /// The caller's instances; nil where all instances are new.
  let existing: ExistingInstances?

  var merged = MergedLists()
  /// Occurrences of elements in the batch, in payload order.
  private var elements: [Int] = []
  /// Nil if no form of the plan decides on occurrences.
  let verdicts: InstanceVerdicts?
  var questions: [InstanceQuestion] = []
  lazy var values = InstanceValues(self)
  /// The elements that the caller's lists had, by value.
  var oldElements: [OldList: [ElementHash: [AnyObject]]] = [:]
  /// Nil if an occurrence changes its instance at once.
  private let pendingRests: PendingRests?
  /// For delegates and policies.
  lazy var lender = InstanceLender(plan)

  init(_ plan: Plan, existing: ExistingInstances?) {
    self.plan = plan
    self.existing = existing
    pendingRests = plan.traits.hasRest && !plan.hasKinds ? PendingRests() : nil
    tables = plan.schema.entities.indices.map { InstanceTable(plan, entity: $0) }
    verdicts = InstanceVerdicts(plan, tables, existing)
    properties = plan.mappings.map { planned in
      let own = plan.classes[planned.entity]
      return planned.relationshipFields.map { field in
        guard let property = own.relationships.first(where: { $0.field == field }) else {
          preconditionFailure("a relationship of a class is a property")
        }
        return property
      }
    }
    keyProperties = plan.mappings.map { planned in
      planned.keyField.flatMap { plan.classes[planned.entity].attribute($0)?.access }
    }
  }

  /// Makes the instances of a batch, which was walked and has no fault that ends the import.
  func add(_ unit: ImportUnit) throws {
    try decideExistence(unit)
    try link(unit)
    try askAll()
  }

  // MARK: Meeting

  private func decideExistence(_ unit: ImportUnit) throws {
    elements.removeAll(keepingCapacity: true)
    let occurrences = unit.occurrences
    let count = unit.occurrenceCount
    var index = 0
    while index < count {
      if unit.isStale(index), unit.flags(index) & FASTMAP_OWNED != 0 {
        index += 1
      } else if try find(index, in: unit) {
        if plan.traits.hasRest { try mergeRest(index, in: unit) }
        setAttributes(index, in: unit)
        index += 1
      } else {
        index = Int(occurrences[index].end)
      }
    }
  }

  /// Gives an occurrence its instance.
  ///
  /// - Returns: Whether it has one. If not, it is left out with all inside of it.
  @inline(__always)
  func find(_ index: Int, in unit: ImportUnit) throws -> Bool {
    let occurrence = unit.occurrences + index
    let flags = Int(occurrence.pointee.flags)
    if flags & (FASTMAP_SKIPPED | FASTMAP_UNLINKED) != 0 {
      try leaveOut(occurrence, unit)
      return false
    }
    let mapping = unit.mappings + Int(occurrence.pointee.mapping)
    let table = tables[Int(mapping.pointee.entity)]
    let isRoot = occurrence.pointee.owner == FASTMAP_NONE
    let number: Int
    if isRoot, existing != nil {
      number = 0
    } else if occurrence.pointee.key.tag != FASTMAP_MISSING {
      number = try keyed(occurrence, table)
    } else if flags & FASTMAP_OWNED != 0 {
      if flags & FASTMAP_ELEMENT != 0 { elements.append(index) }
      number = owned(index, flags, table, unit)
    } else {
      number = table.make(occurrence.pointee.row)
    }
    occurrence.pointee.object = UInt32(number)
    if isRoot, unit.isLinked(index) { roots.append(table.instances[number]) }
    return true
  }

  /// Merges the members that no field reads into those of the occurrence's instance.
  func mergeRest(_ index: Int, in unit: ImportUnit) throws {
    guard let field = unit.rest(of: index)?.field, unit.flags(index) & FASTMAP_STALE == 0 else { return }
    let occurrence = unit.occurrence(index)
    guard let row = occurrence.row, row[field].tag == UInt8(FASTMAP_JSON) else { return }
    let mapping = Int(occurrence.mapping)
    let (entity, number) = (plan.mappings[mapping].entity, UInt64(occurrence.object))
    let place = PendingRests.Place(entity: entity, field: field, id: ObjectID(rawValue: number + 1))
    if let pendingRests, pendingRests.add(row[field].value.span, to: place, mapping: mapping) {
      row[field].value = fastmap_slot()
      return
    }
    try unit.mergeRest(of: index, into: tables[entity].json(of: Int(number), field))
    pendingRests?.recordMerged(place)
  }

  /// Merges the members that have waited into the rests of their instances.
  private func merge(
    _ rests: [(place: PendingRests.Place, changes: PendingRests.Changes)], in unit: ImportUnit
  ) throws {
    for (place, changes) in rests {
      guard let rest = plan.mappings[changes.mapping].rest else { continue }
      let (table, number) = (tables[place.entity], Int(place.id.rawValue - 1))
      let count = plan.schema.entities[place.entity].fields.count
      let row = try unit.allocate(fastmap_batch_slot.self, count)
      row.initialize(repeating: fastmap_batch_slot(), count: count)
      row[place.field].value = try unit.merged(changes.texts, into: table.json(of: number, place.field), rest)
      setAttributes(of: number, in: table, to: row)
      unit.reset()
    }
  }

  @inline(__always)
  func setAttributes(_ index: Int, in unit: ImportUnit) {
    let occurrence = unit.occurrences + index
    guard let row = occurrence.pointee.row, occurrence.pointee.flags & UInt32(FASTMAP_STALE) == 0 else {
      return
    }
    let mapping = unit.mappings + Int(occurrence.pointee.mapping)
    setAttributes(
      of: Int(occurrence.pointee.object), in: tables[Int(mapping.pointee.entity)], to: row)
  }

  @inline(__always)
  private func setAttributes(
    of number: Int, in table: InstanceTable, to row: UnsafeMutablePointer<fastmap_batch_slot>
  ) {
    if let existing, existing.contains(table.instances[number]) {
      existing.save(table.instances[number], table)
      table.setDifferentAttributes(of: number, to: row)
    } else {
      table.setAttributes(of: number, to: row)
    }
  }

  @inline(__always)
  private func keyed(
    _ occurrence: UnsafeMutablePointer<fastmap_occurrence>, _ table: InstanceTable
  ) throws(SystemError) -> Int {
    let (number, isNew) = try table.number(of: occurrence.pointee.key)
    // A bare key has no row.
    if isNew, occurrence.pointee.row == nil {
      let set = keyProperties[Int(occurrence.pointee.mapping)]
      _ = set?(table.instances[number], Field(occurrence.pointee.key), nil)
    }
    return number
  }

  /// An object that exists keeps its place in lists of the payload, although its occurrence is left out.
  private func leaveOut(
    _ occurrence: UnsafeMutablePointer<fastmap_occurrence>, _ unit: ImportUnit
  ) throws(SystemError) {
    if occurrence.pointee.flags & UInt32(FASTMAP_UNLINKED) != 0 { return }
    let table = tables[Int(unit.mappings[Int(occurrence.pointee.mapping)].entity)]
    occurrence.pointee.row = nil
    if occurrence.pointee.key.tag == FASTMAP_MISSING {
      occurrence.pointee.flags |= UInt32(FASTMAP_UNLINKED)
    } else if let number = table.keys[occurrence.pointee.key] {
      occurrence.pointee.object = UInt32(number)
    } else if plan.traits.hasWeakFields {
      // A later occurrence makes it: see VerdictPass.
      occurrence.pointee.object = UInt32(try keyed(occurrence, table))
    } else {
      occurrence.pointee.flags |= UInt32(FASTMAP_UNLINKED)
    }
  }

  /// The number of an object without a key. A to-one target is the same object in each occurrence of its owner. An element is
  /// a new object, and so is each target that a custom policy is asked about.
  private func owned(_ index: Int, _ flags: Int, _ table: InstanceTable, _ unit: ImportUnit) -> Int {
    let occurrence = unit.occurrence(index)
    if flags & FASTMAP_ELEMENT != 0 || unit.isAsked(index) { return table.make(occurrence.row) }
    let owner = unit.occurrence(Int(occurrence.owner))
    let property = properties[Int(owner.mapping)][Int(occurrence.relationship)]
    let owners = tables[Int(unit.mappings[Int(owner.mapping)].entity)]
    let known =
      owners.owned(by: Int(owner.object), property.field)
      ?? existing?.target(of: owners.instances[Int(owner.object)], property, owners, table, values)
    let number = known.map { table.number($0, as: occurrence.row) } ?? table.make(occurrence.row)
    owners.setOwned(number, by: Int(owner.object), property.field)
    return number
  }

  func instance(of occurrence: fastmap_occurrence) -> AnyObject {
    tables[plan.mappings[Int(occurrence.mapping)].entity].instances[Int(occurrence.object)]
  }

  // MARK: Linking

  private func link(_ unit: ImportUnit) throws {
    for index in elements.reversed() { try setRelationships(of: index, in: unit) }
    let count = unit.occurrenceCount
    let occurrences = unit.occurrences
    let mappings = unit.mappings
    var index = 0
    while index < count {
      let flags = Int(occurrences[index].flags)
      if flags & (FASTMAP_SKIPPED | FASTMAP_UNLINKED) != 0 {
        index = Int(occurrences[index].end)
        continue
      }
      if flags & (FASTMAP_ELEMENT | FASTMAP_STALE) == 0,
        mappings[Int(occurrences[index].mapping)].relationship_count > 0
      {
        try setRelationships(of: index, in: unit)
      }
      index += 1
    }
  }

  private func setRelationships(of index: Int, in unit: ImportUnit) throws {
    let mapping = unit.mappings + Int(unit.occurrences[index].mapping)
    for number in 0..<Int(mapping.pointee.relationship_count) {
      try setRelationship(number, of: index, in: unit)
    }
  }

  // MARK: The end of the payload

  /// Sets the properties that the whole payload decides.
  ///
  /// - Parameter unit: Empty; its memory holds rows.
  func end(in unit: @autoclosure () throws -> ImportUnit) throws {
    if let rests = pendingRests?.removeAll(), !rests.isEmpty { try merge(rests, in: unit()) }
    merged.setAll()
    if plan.schema.entities.contains(where: { !$0.inverses.isEmpty }) { try InstanceInverses(self).set() }
  }
}
