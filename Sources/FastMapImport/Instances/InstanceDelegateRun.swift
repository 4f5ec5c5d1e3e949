internal import CFastMap

/// Makes the instances of a batch one by one in payload order, and calls a delegate in between.
///
///     made or found · willMapObject · attributes · for each relationship: its targets, then itself · didMapObject
struct InstanceDelegateRun {
  let pass: InstancePass
  let unit: ImportUnit
  let delegate: any ImportDelegate

  private var stack: [Frame] = []

  /// An object whose relationships are being mapped.
  private struct Frame {
    var occurrence: Int
    var relationship = 0
    /// The next of the targets of the relationship.
    var next = 0
    var hasBegun = false
  }

  init(pass: InstancePass, unit: ImportUnit, delegate: any ImportDelegate) {
    self.pass = pass
    self.unit = unit
    self.delegate = delegate
  }

  mutating func run() throws {
    var index = 0
    while index < unit.occurrenceCount {  // the roots, each with the objects inside of it
      try begin(index)
      while let last = stack.indices.last { try step(last) }
      index = Int(unit.occurrence(index).end)
    }
  }

  // MARK: Objects

  private mutating func begin(_ index: Int) throws {
    if unit.isStale(index) {
      // Only the objects inside of it are shown.
      if Int(unit.occurrence(index).flags) & FASTMAP_OWNED == 0 { _ = try pass.find(index, in: unit) }
      return stack.append(Frame(occurrence: index))
    }
    guard try pass.find(index, in: unit) else { return }
    try show(index) { try delegate.willMapObject($0, from: $1) }
    if pass.plan.traits.hasRest { try pass.mergeRest(index, in: unit) }
    pass.setAttributes(index, in: unit)
    stack.append(Frame(occurrence: index))
  }

  /// Continues the object at the top of the stack with its next target or relationship.
  private mutating func step(_ top: Int) throws {
    let frame = stack[top]
    let occurrence = unit.occurrence(frame.occurrence)
    let planned = pass.plan.mappings[Int(occurrence.mapping)]
    guard let row = occurrence.row, frame.relationship < planned.mapping.relationships.count else {
      stack.removeLast()
      if unit.isStale(frame.occurrence) { return }
      return try show(frame.occurrence) { try delegate.didMapObject($0, from: $1) }
    }
    let link = row[planned.relationshipFields[frame.relationship]].link
    if link.tag == FASTMAP_OCCURRENCES {
      let isStale = unit.isStale(frame.occurrence)
      if !frame.hasBegun, !isStale {
        stack[top].hasBegun = true
        return try showCollection(planned, frame, link, isDone: false)
      }
      if frame.next < Int(link.length) {
        stack[top].next += 1
        return try begin(Int(link.occurrences[frame.next]))
      }
      if !isStale { try showCollection(planned, frame, link, isDone: true) }
    }
    if !unit.isStale(frame.occurrence) {
      try pass.setRelationship(frame.relationship, of: frame.occurrence, in: unit)
    }
    stack[top].relationship += 1
    stack[top].next = 0
    stack[top].hasBegun = false
  }

  // MARK: The delegate

  private func show(_ index: Int, _ call: (MappedObject, JSONValue) throws -> Void) throws {
    let occurrence = unit.occurrence(index)
    guard let node = JSONNode(unsafe: occurrence.node) else { return }
    let planned = pass.plan.mappings[Int(occurrence.mapping)]
    let id = pass.lender.number(of: pass.instance(of: occurrence))
    try pass.lender.lend { lent in
      try call(MappedObject(id: id, mapping: planned.mapping, lent: lent), unit.value(of: node))
    }
  }

  /// Calls the delegate for the targets of a to-many relationship that are an array in the payload.
  private func showCollection(
    _ planned: PlannedMapping, _ frame: Frame, _ link: fastmap_link, isDone: Bool
  ) throws {
    let relationship = planned.mapping.relationships[frame.relationship]
    guard relationship.isToMany,
      let array = JSONNode(unsafe: unit.occurrence(frame.occurrence).node)?.value(at: relationship.keyPath),
      array.elements != nil
    else { return }
    let destination = pass.plan.mappings[planned.destinations[frame.relationship]].mapping
    if !isDone { return try delegate.willMapCollection(of: destination, from: unit.value(of: array)) }
    let found = UnsafeBufferPointer(start: link.occurrences, count: Int(link.length))
    let ids = found.compactMap { index in
      let occurrence = unit.occurrence(Int(index))
      let isOut = occurrence.flags & UInt32(FASTMAP_SKIPPED | FASTMAP_UNLINKED | FASTMAP_GONE) != 0
      return isOut ? nil : pass.lender.number(of: pass.instance(of: occurrence))
    }
    try pass.lender.lend { lent in
      let objects = ids.map { MappedObject(id: $0, mapping: destination, lent: lent) }
      try delegate.didMapCollection(objects, of: destination, from: unit.value(of: array))
    }
  }
}
