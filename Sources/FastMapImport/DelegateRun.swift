internal import CFastMap

/// Shows the objects of a batch that was imported to a delegate, in payload order.
struct DelegateRun {
  private let plan: Plan
  private let unit: ImportUnit
  private let delegate: any ImportDelegate
  /// The number of an occurrence's object.
  private let number: (_ occurrence: Int) -> ObjectID
  private let lend: ((LentSnapshot) throws -> Void) throws -> Void
  private var stack: [Frame] = []

  /// An object whose relationships are being shown.
  private struct Frame {
    let occurrence: Int
    var relationship = 0
    /// The next occurrence inside of it.
    var next: Int
    var hasBegun = false
  }

  init(
    _ unit: ImportUnit, _ delegate: any ImportDelegate, number: @escaping (_ occurrence: Int) -> ObjectID,
    lend: @escaping ((LentSnapshot) throws -> Void) throws -> Void
  ) {
    (plan, self.unit, self.delegate, self.number, self.lend) = (unit.plan, unit, delegate, number, lend)
  }

  mutating func run() throws {
    var index = 0
    while index < unit.occurrenceCount {  // the roots, each with its inner occurrences
      try begin(index)
      while let last = stack.indices.last { try step(last) }
      index = Int(unit.occurrence(index).end)
    }
  }

  /// An occurrence that is left out is not shown. Of a stale one, the objects inside are.
  private mutating func begin(_ index: Int) throws {
    if unit.isOut(index) { return }
    if !unit.isStale(index) { try show(index, delegate.willMapObject) }
    stack.append(Frame(occurrence: index, next: index + 1))
  }

  /// Continues the object at the top of the stack with its next target or relationship.
  private mutating func step(_ top: Int) throws {
    let frame = stack[top]
    let (owner, isStale) = (unit.occurrence(frame.occurrence), unit.isStale(frame.occurrence))
    let relationships = plan.mappings[Int(owner.mapping)].mapping.relationships
    guard frame.relationship < relationships.count else {
      stack.removeLast()
      if !isStale { try show(frame.occurrence, delegate.didMapObject) }
      return
    }
    if !frame.hasBegun {
      stack[top].hasBegun = true
      if !isStale { try showCollection(frame, isDone: false) }
    } else if frame.next < Int(owner.end),
      Int(unit.occurrence(frame.next).relationship) == frame.relationship
    {
      stack[top].next = Int(unit.occurrence(frame.next).end)
      try begin(frame.next)
    } else {
      if !isStale { try showCollection(frame, isDone: true) }
      stack[top].relationship += 1
      stack[top].hasBegun = false
    }
  }

  // MARK: The delegate

  private func show(_ index: Int, _ call: (MappedObject, JSONValue) throws -> Void) throws {
    let occurrence = unit.occurrence(index)
    guard let node = JSONNode(unsafe: occurrence.node) else { return }
    let mapping = plan.mappings[Int(occurrence.mapping)].mapping
    let number = number(index)
    try lend { try call(MappedObject(id: number, mapping: mapping, lent: $0), unit.value(of: node)) }
  }

  /// Shows the targets of a to-many relationship that are an array in the payload.
  private func showCollection(_ frame: Frame, isDone: Bool) throws {
    let owner = unit.occurrence(frame.occurrence)
    let planned = plan.mappings[Int(owner.mapping)]
    let relationship = planned.mapping.relationships[frame.relationship]
    guard owner.row != nil, relationship.isToMany, !unit.isUnread(frame.relationship, of: frame.occurrence),
      let array = JSONNode(unsafe: owner.node)?.value(at: relationship.keyPath), array.elements != nil
    else { return }
    let destination = plan.mappings[planned.destinations[frame.relationship]].mapping
    if !isDone { return try delegate.willMapCollection(of: destination, from: unit.value(of: array)) }
    var targets: [ObjectID] = []
    var index = frame.occurrence + 1
    while index < frame.next {
      let isTarget = Int(unit.occurrence(index).relationship) == frame.relationship
      if isTarget, !unit.isOut(index), unit.isLinked(index) { targets.append(number(index)) }
      index = Int(unit.occurrence(index).end)
    }
    try lend { lent in
      let objects = targets.map { MappedObject(id: $0, mapping: destination, lent: lent) }
      try delegate.didMapCollection(objects, of: destination, from: unit.value(of: array))
    }
  }
}
