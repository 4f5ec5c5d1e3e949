internal import CFastMap

/// The caller's instance that an import fills, in a store of values.
///
/// It goes into the store before the payload does. The payload then finds it there like any other object:
///
///     instance ──add──▶ store ◀──import── payload        store ──show──▶ instance
///
/// Only values that the store does not have are added. A property that is as in a new instance counts as no value. Related
/// instances that the store has under their keys are linked. Others are added with their values and what they refer to.
struct Draft {
  /// Why an instance cannot be filled.
  struct Refusal: Error {
    /// Whether the error names the place of the key.
    let isOfKey: Bool
    let reason: String
  }

  /// The targets that a relationship of an item gets.
  private struct Link {
    let owner: Int
    let field: Int
    let targets: [Int]
    let isToMany: Bool
    let isMerge: Bool
  }

  private let plan: Plan
  private let unit: ImportUnit
  private var items: DraftItems
  private var links: [Link] = []

  /// - Parameter unit: Has walked the payload, and has not been resolved.
  init(plan: Plan, unit: ImportUnit) {
    self.plan = plan
    self.unit = unit
    items = DraftItems(plan: plan, unit: unit)
  }

  /// Makes an instance an object of the store, or finds the one with its key.
  ///
  /// - Returns: The number of its object, and all changes.
  /// - Throws: ``Refusal``, or the store's own error.
  mutating func add<W: StoreWriter>(
    _ instance: AnyObject, to writer: inout W
  ) throws -> (id: ObjectID, changes: [ObjectChange]) {
    try items.addRoot(instance, &writer)
    // Level by level, so that the store is asked for the keys of each level at once.
    var next = 0
    while next < items.count {
      let level = next..<items.count
      for number in level where number == 0 || items[number].isNew { try collect(number, &writer) }
      try items.find(in: &writer)
      next = level.upperBound
    }
    try items.reserve(in: &writer)
    for link in links {
      let targets = link.targets.map { items[$0].id }
      items[link.owner].row?[link.field] = try unit.makeSlot(
        targets, isToMany: link.isToMany, policy: link.isMerge ? FASTMAP_MERGE : FASTMAP_ASSIGN)
    }
    var batch = changes()
    try writer.apply(&batch)
    try writer.settle(&batch)
    return (items[0].id, batch.changes)
  }

  /// The caller's instances by their objects, with the fields that the payload has. Only once the unit is resolved.
  func held() -> [ObjectAssembler.Place: ObjectAssembler.Held] {
    var held: [ObjectAssembler.Place: ObjectAssembler.Held] = [:]
    for number in 0..<items.count {
      let item = items[number]
      held[.init(entity: item.entity, id: item.id)] = .init(instance: item.instance)
    }
    for index in 0..<unit.occurrenceCount {
      let occurrence = unit.occurrence(index)
      guard occurrence.object != FASTMAP_NONE, let row = occurrence.row else { continue }
      let object = unit.objects[Int(occurrence.object)]
      let place = ObjectAssembler.Place(entity: object.entity, id: object.id)
      guard held[place] != nil else { continue }
      for field in plan.schema.entities[object.entity].fields.indices where row[field].tag != FASTMAP_MISSING
      {
        held[place]?.fieldsMet.insert(field)
      }
    }
    return held
  }

  // MARK: Collecting their values

  private mutating func collect<W: StoreWriter>(_ number: Int, _ writer: inout W) throws {
    let item = items[number]
    let fields = plan.schema.entities[item.entity].fields
    let row = try unit.makeSlots(fields.count)
    items[number].row = row
    var stored = RowBuffer()
    if item.isNew {
      stored.reset(count: fields.count)
    } else {
      _ = try writer.read(item.id, of: item.entity, into: &stored)
      try stored.checkWhole()
    }
    for (field, layout) in fields.enumerated() {
      switch layout.access {
      case .attribute(let access):
        guard stored.row[field].isMissing || stored.row[field].isNull else { continue }
        row[field] = try items.value(access, of: item.instance, item.entity)
      case .relationship(let access):
        try collect(access.get(item.instance), in: field, of: number, &writer)
      case nil:
        break
      }
    }
    // The payload's key is that of the draft, whatever it had before.
    if number == 0, let keyField = plan.mappings[0].keyField {
      let given = unit.occurrence(0).key
      if PrimaryKey(slot: given) != nil { row[keyField] = given }
    }
  }

  /// Collects the targets of a relationship that the store has none of, or that the payload merges into.
  private mutating func collect<W: StoreWriter>(
    _ targets: [AnyObject], in field: Int, of owner: Int, _ writer: inout W
  ) throws {
    let item = items[owner]
    let layout = plan.schema.entities[item.entity].fields[field]
    guard !targets.isEmpty, let target = layout.kind.target else { return }
    let isToMany = if case .toMany = layout.kind { true } else { false }
    var isMerge = false
    if !item.isNew, try !writer.targets(of: [item.id], entity: item.entity, field: field)[0].isEmpty {
      // Objects without a key would be there twice.
      guard isToMany, !target.isOwned, isMerged(field) else { return }
      isMerge = true
    }
    var numbers: [Int] = []
    for instance in targets {
      numbers.append(try items.add(instance, target.entity, in: (item.entity, field)))
    }
    links.append(Link(owner: owner, field: field, targets: numbers, isToMany: isToMany, isMerge: isMerge))
  }

  /// Whether the payload merges into a relationship of the instance that is filled.
  private func isMerged(_ field: Int) -> Bool {
    guard let link = unit.occurrence(0).row?[field].link else { return false }
    return link.tag != FASTMAP_MISSING && link.policy == FASTMAP_MERGE
  }

  // MARK: Writing

  private func changes() -> ChangeBatch {
    var batch = ChangeBatch(schema: plan.schema)
    for entity in items.entities {
      var order = items.new(of: entity)
      if entity == items[0].entity, !items[0].isNew { order.append(0) }
      for index in order {
        guard let row = items[index].row else { continue }
        let keyField = index == 0 ? plan.mappings[0].keyField : plan.schema.entities[entity].keyField
        batch.changes.append(
          ObjectChange(
            id: items[index].id, entity: entity, isNew: items[index].isNew,
            keyField: items[index].key == nil ? nil : keyField,
            row: Row(slots: row, count: plan.schema.entities[entity].fields.count)))
      }
    }
    return batch
  }
}
