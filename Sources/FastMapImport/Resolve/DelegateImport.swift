internal import CFastMap

/// Writes the objects of a batch one by one in payload order, and calls a delegate in between.
///
/// The keys of the batch are looked up together, as without a delegate. Each object is then written by itself:
///
///     made or found · willMapObject · attributes · for each relationship: its targets, then itself · didMapObject
struct DelegateImport {
  let plan: Plan
  let unit: ImportUnit
  let delegate: any ImportDelegate

  private(set) var removed: [ChangeBatch.Removed] = []
  private var tally: ChangeCounts
  private var made: Set<Int> = []
  private var stack: [Frame] = []

  /// An object whose relationships are being mapped.
  private struct Frame {
    var occurrence: Int
    var relationship = 0
    /// The next of the targets of the relationship.
    var next = 0
    var hasBegun = false
  }

  init(plan: Plan, unit: ImportUnit, delegate: any ImportDelegate, tally: ChangeCounts) {
    self.plan = plan
    self.unit = unit
    self.delegate = delegate
    self.tally = tally
  }

  /// - Returns: The counts, including the batch.
  mutating func run<W: StoreWriter>(on writer: inout W) throws -> ChangeCounts {
    for entity in unit.skippedEntities { tally.countSkipped(entity: entity) }
    for object in unit.objects where object.isSpared && object.isStored {
      tally.spare(object.id, of: object.entity)
    }
    var index = 0
    while index < unit.occurrenceCount {  // the roots, each with its inner occurrences
      try begin(index, &writer)
      while let last = stack.indices.last { try step(last, &writer) }
      index = Int(unit.occurrence(index).end)
    }
    // The final rows say which owned objects their owners no longer have.
    unit.late = nil  // they are noted
    var ignored = tally
    _ = try unit.changes(&ignored)
    unit.policyCalls.removeAll()
    return tally
  }

  // MARK: Objects

  private mutating func begin<W: StoreWriter>(_ index: Int, _ writer: inout W) throws {
    let occurrence = unit.occurrence(index)
    if unit.isOut(index) { return }
    if unit.isStale(index) { return try beginStale(index) }
    let planned = plan.mappings[Int(occurrence.mapping)]
    let number = Int(occurrence.object)
    let object = unit.objects[number]
    let isNew = !object.isStored && made.insert(number).inserted
    if isNew {
      try write(number, isNew: true, &writer) { _ in }
    } else {
      tally.count(object.id, of: object.entity, isNew: false, isChanged: false)
    }
    if unit.isReviving(index) {
      let revived = try unit.makeRevivedRow(object.entity)
      unit.forgetLate(clearedBy: revived, owner: number, among: unit.objects)
      let fields = plan.schema.entities[object.entity].fields
      try write(number, isNew: false, &writer) { [unit] row in
        for (field, layout) in fields.enumerated() {
          row[field] =
            layout.kind.target == nil
            ? revived[field].value : unit.stored(revived[field].link, among: unit.objects)
        }
      }
    }
    try show(planned, occurrence, object.id, &writer) { try delegate.willMapObject($0, from: $1) }
    if let values = occurrence.row {
      if planned.kinds != nil { unit.forgetLate(clearedBy: values, owner: number, among: unit.objects) }
      try write(number, isNew: false, &writer) { [unit] row in
        for field in planned.attributeFields { row[field] = values[field].value }
        if planned.kinds != nil { unit.addOtherKinds(index, to: row) }
      }
    }
    stack.append(Frame(occurrence: index))
  }

  /// A stale occurrence is not shown. The objects inside of it are.
  private mutating func beginStale(_ index: Int) throws {
    let occurrence = unit.occurrence(index)
    if occurrence.object != FASTMAP_NONE {
      let object = unit.objects[Int(occurrence.object)]
      if object.isStored, !object.isFresh { tally.countStale(object.id, of: object.entity) }
    }
    stack.append(Frame(occurrence: index))
  }

  private mutating func end<W: StoreWriter>(_ frame: Frame, _ writer: inout W) throws {
    if unit.isStale(frame.occurrence) { return }
    let occurrence = unit.occurrence(frame.occurrence)
    let planned = plan.mappings[Int(occurrence.mapping)]
    let id = unit.objects[Int(occurrence.object)].id
    try show(planned, occurrence, id, &writer) { try delegate.didMapObject($0, from: $1) }
  }

  /// Writes some fields of an object, and its key.
  private mutating func write<W: StoreWriter>(
    _ number: Int, isNew: Bool, _ writer: inout W, _ fill: (UnsafeMutablePointer<fastmap_slot>) throws -> Void
  ) throws {
    let object = unit.objects[number]
    let fieldCount = plan.schema.entities[object.entity].fields.count
    let row = try unit.makeSlots(fieldCount)
    try fill(row)
    var batch = ChangeBatch(schema: plan.schema)
    batch.append(
      ObjectChange(
        id: object.id, entity: object.entity, isNew: isNew, keyField: object.keyField,
        row: Row(slots: row, count: fieldCount)),
      mixed: Array(0..<fieldCount))
    if isNew {
      if plan.traits.isStub(row, of: object.entity) { tally.countStub(object.id, of: object.entity) }
    } else if tally.hasStubs(of: object.entity), !plan.traits.isStub(row, of: object.entity) {
      tally.markFilled(object.id, of: object.entity)
    }
    if let field = object.keyField { row[field] = object.key }
    try writer.apply(&batch)
    try writer.finish(&batch)
    removed += batch.removed
    for change in batch.changes {
      tally.count(change.id, of: change.entity, isNew: isNew, isChanged: change.isChanged)
    }
  }

  // MARK: Relationships

  /// Continues the object at the top of the stack with its next target or relationship.
  private mutating func step<W: StoreWriter>(_ top: Int, _ writer: inout W) throws {
    let frame = stack[top]
    let occurrence = unit.occurrence(frame.occurrence)
    let planned = plan.mappings[Int(occurrence.mapping)]
    guard let row = occurrence.row, frame.relationship < planned.mapping.relationships.count else {
      stack.removeLast()
      return try end(frame, &writer)
    }
    let link = row[planned.relationshipFields[frame.relationship]].link
    if link.tag == FASTMAP_OCCURRENCES {
      let isStale = unit.isStale(frame.occurrence)
      if !frame.hasBegun, !isStale {
        stack[top].hasBegun = true
        try showCollection(planned, frame, link, &writer, isDone: false)
        return
      }
      if frame.next < Int(link.length) {
        stack[top].next += 1
        return try begin(Int(link.occurrences[frame.next]), &writer)
      }
      if !isStale { try showCollection(planned, frame, link, &writer, isDone: true) }
    }
    if link.tag != FASTMAP_MISSING, !unit.isStale(frame.occurrence) {
      try setRelationship(frame, planned, link, &writer)
    }
    stack[top].relationship += 1
    stack[top].next = 0
    stack[top].hasBegun = false
  }

  private mutating func setRelationship<W: StoreWriter>(
    _ frame: Frame, _ planned: PlannedMapping, _ link: fastmap_link, _ writer: inout W
  ) throws {
    let mapping = Int(unit.occurrence(frame.occurrence).mapping)
    let owner = Int(unit.occurrence(frame.occurrence).object)
    var link = link
    if unit.late != nil, unit.mappings[mapping].relationships[frame.relationship].looks_again {
      unit.logLate(
        &link, mapping: mapping, relationship: frame.relationship, owner: owner, among: unit.objects)
    }
    let isKept = unit.fault(of: link) != nil
    try unit.useObjects(&link, unit.mappings[mapping].relationships[frame.relationship])
    if unit.mappings[mapping].relationships[frame.relationship].is_custom {
      if isKept { return }
      unit.askLater(planned, frame.relationship, owner: owner, &link, among: unit.objects)
      let outcome = try PolicyRun(plan: plan, unit: unit).run(unit.policyCalls, on: &writer)
      unit.policyCalls.removeAll()
      removed += outcome.removed
      tally.countLinked(outcome.changed)
      return
    }
    let unit = self.unit
    let field = planned.relationshipFields[frame.relationship]
    let slot = unit.stored(link, among: unit.objects)
    try write(owner, isNew: false, &writer) { $0[field] = slot }
  }

  // MARK: The delegate

  private func show<W: StoreWriter>(
    _ planned: PlannedMapping, _ occurrence: fastmap_occurrence, _ id: ObjectID, _ writer: inout W,
    _ call: (MappedObject, JSONValue) throws -> Void
  ) throws {
    guard let node = JSONNode(unsafe: occurrence.node) else { return }
    try writer.lend(plan.schema) { lent in
      try call(MappedObject(id: id, mapping: planned.mapping, lent: lent), unit.value(of: node))
    }
  }

  /// Calls the delegate for the targets of a to-many relationship that are an array in the payload.
  private func showCollection<W: StoreWriter>(
    _ planned: PlannedMapping, _ frame: Frame, _ link: fastmap_link, _ writer: inout W, isDone: Bool
  ) throws {
    let relationship = planned.mapping.relationships[frame.relationship]
    guard relationship.isToMany,
      let array = JSONNode(unsafe: unit.occurrence(frame.occurrence).node)?.value(at: relationship.keyPath),
      array.elements != nil
    else { return }
    let destination = plan.mappings[planned.destinations[frame.relationship]].mapping
    if !isDone { return try delegate.willMapCollection(of: destination, from: unit.value(of: array)) }
    let found = UnsafeBufferPointer(start: link.occurrences, count: Int(link.length))
    let ids = found.compactMap { index in
      let index = Int(index)
      return unit.isOut(index) || unit.isGone(index)
        ? nil : unit.objects[Int(unit.occurrence(index).object)].id
    }
    try writer.lend(plan.schema) { lent in
      let objects = ids.map { MappedObject(id: $0, mapping: destination, lent: lent) }
      try delegate.didMapCollection(objects, of: destination, from: unit.value(of: array))
    }
  }
}
