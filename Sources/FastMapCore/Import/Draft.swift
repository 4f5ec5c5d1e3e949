internal import CFastMap

/// An instance of the caller's that is filled, in a store that keeps values.
///
/// It goes into the store before the payload does, which then finds it there as it finds any object:
///
///     instance ──lay──▶ store ◀──import── payload        store ──show──▶ instance
///
/// Only what the store has no value for is laid down. What a new instance has as well was set by nobody, and is no
/// value. Related instances that the store has by their keys are linked; others go into the store with what they have
/// and what they refer to.
struct Draft {
  /// Why an instance cannot be filled.
  struct Refusal: Error {
    /// Whether the place of the key is where it shows.
    let isOfKey: Bool
    let reason: String
  }

  /// An instance that was met.
  private struct Item {
    let instance: AnyObject
    let entity: Int
    var key: PrimaryKey?
    /// The relationship that it was met in; nil for the one that is filled.
    var holder: (entity: Int, field: Int)?
    /// Unset as long as the store does not have it.
    var id = ObjectID.unset
    var isNew = false
    /// What is to be laid down; nil for one that is only linked.
    var row: UnsafeMutablePointer<fastmap_slot>?
  }

  /// What a relationship of an item is to have.
  private struct Link {
    let owner: Int
    let field: Int
    let targets: [Int]
    let isToMany: Bool
    let isMerge: Bool
  }

  private struct Key: Hashable {
    let entity: Int
    let key: PrimaryKey
  }

  private let plan: Plan
  private let unit: ImportUnit
  private var blanks: BlankInstances
  private var items: [Item] = []
  private var links: [Link] = []
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var keys: [Key: Int] = [:]

  /// - Parameter unit: Has walked the payload, and is yet to be resolved.
  init(plan: Plan, unit: ImportUnit) {
    self.plan = plan
    self.unit = unit
    blanks = BlankInstances(plan.schema)
  }

  /// Makes an instance an object of the store, or finds the one that it is by its key.
  ///
  /// - Returns: The changes, whose first object it need not be, and its number.
  /// - Throws: ``Refusal``, or the store's own error.
  mutating func lay<W: StoreWriter>(
    _ instance: AnyObject, on writer: inout W
  ) throws -> (id: ObjectID, changes: [ObjectChange]) {
    try addRoot(instance, &writer)
    var next = 0
    while next < items.count {
      if next == 0 || items[next].isNew { try collect(next, &writer) }
      next += 1
    }
    try reserve(in: &writer)
    for link in links { useNumbers(link) }
    var batch = changes()
    try writer.apply(&batch)
    return (items[0].id, batch.changes)
  }

  /// The caller's instances by the objects that they are, with the fields that the payload speaks of.
  ///
  /// To be asked when the unit is resolved.
  func held() -> [ObjectAssembler.Place: ObjectAssembler.Held] {
    var held: [ObjectAssembler.Place: ObjectAssembler.Held] = [:]
    for item in items { held[.init(entity: item.entity, id: item.id)] = .init(instance: item.instance) }
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

  // MARK: Finding out which objects they are

  private mutating func addRoot<W: StoreWriter>(_ instance: AnyObject, _ writer: inout W) throws {
    let planned = plan.mappings[0]
    let entity = planned.entity
    guard let keyField = planned.keyField else {
      throw Refusal(
        isOfKey: false,
        reason: "expected a mapping with a primary key, \(planned.mapping.entity) has none: "
          + "a store of values cannot tell which object the instance is")
    }
    let slot = ownKey(instance, entity, keyField)
    let own = PrimaryKey(slot: slot)
    let given = PrimaryKey(slot: unit.occurrence(0).key)
    if given == nil, slot.tag == FASTMAP_UNSIGNED {
      throw Refusal(
        isOfKey: true,
        reason: "expected \(Self.keyRange), found \(UInt64(bitPattern: slot.integer))")
    }
    guard let key = given ?? own else {
      throw Refusal(isOfKey: true, reason: "expected a key, neither the payload nor the instance has one")
    }
    if let own, own != key, try find(own, entity, &writer) != nil {
      throw Refusal(
        isOfKey: true, reason: "expected \(own), the key that the instance has in the store, found \(key)")
    }
    try add(Item(instance: instance, entity: entity, key: key), &writer)
  }

  /// - Returns: The number of its item.
  private mutating func add<W: StoreWriter>(
    _ target: AnyObject, _ entity: Int, in holder: (entity: Int, field: Int), _ writer: inout W
  ) throws -> Int {
    if let known = numbers[ObjectIdentifier(target)] { return known }
    let layout = plan.schema.entities[entity]
    guard layout.keyKind != nil else {
      return try add(Item(instance: target, entity: entity, holder: holder), &writer)
    }
    let slot = layout.keyField.map { ownKey(target, entity, $0) } ?? fastmap_slot()
    if slot.tag == FASTMAP_UNSIGNED {
      throw Refusal(
        isOfKey: false,
        reason: "expected \(Self.keyRange) as the key of an instance in \(name(of: holder)), "
          + "found \(UInt64(bitPattern: slot.integer))")
    }
    guard let key = PrimaryKey(slot: slot) else {
      throw Refusal(
        isOfKey: false,
        reason: "expected keys of the instances in \(name(of: holder)), found one without")
    }
    if let same = keys[Key(entity: entity, key: key)] {
      // Copies of a stored object are that object. Of two others, one would be lost.
      if items[same].isNew {
        throw Refusal(
          isOfKey: false,
          reason:
            "expected each instance of \(layout.name) to have its own key, but two have \(key): "
            + places(items[same].holder, holder))
      }
      numbers[ObjectIdentifier(target)] = same
      return same
    }
    return try add(Item(instance: target, entity: entity, key: key, holder: holder), &writer)
  }

  /// Where two instances with one key were met.
  private func places(_ first: (entity: Int, field: Int)?, _ second: (entity: Int, field: Int))
    -> String
  {
    guard let first else { return "the one that is filled and one in \(name(of: second))" }
    return first == second
      ? "both in \(name(of: second))" : "one in \(name(of: first)) and one in \(name(of: second))"
  }

  private func name(of holder: (entity: Int, field: Int)) -> String {
    let entity = plan.schema.entities[holder.entity]
    return "\(entity.name).\(entity.fields[holder.field].name)"
  }

  private static let keyRange = "an integer from 0 to \(Int64.max)"

  @discardableResult
  private mutating func add<W: StoreWriter>(_ item: Item, _ writer: inout W) throws -> Int {
    var item = item
    if let key = item.key {
      item.id = try find(key, item.entity, &writer) ?? .unset
      keys[Key(entity: item.entity, key: key)] = items.count
    }
    item.isNew = item.id == .unset
    numbers[ObjectIdentifier(item.instance)] = items.count
    items.append(item)
    return items.count - 1
  }

  /// The key that an instance shows; missing where that is what a new one shows.
  private mutating func ownKey(_ instance: AnyObject, _ entity: Int, _ field: Int) -> fastmap_slot {
    guard case .attribute(let access)? = plan.schema.entities[entity].fields[field].access,
      !blanks.isBlank(access, of: instance, entity)
    else { return fastmap_slot() }
    return value(access, instance)
  }

  private func find<W: StoreWriter>(
    _ key: PrimaryKey, _ entity: Int, _ writer: inout W
  ) throws -> ObjectID? {
    var id: ObjectID?
    do {
      try KeyBatch.lend([key]) { keys in
        try withUnsafeMutablePointer(to: &id) {
          try writer.find(keys, of: entity, into: UnsafeMutableBufferPointer(start: $0, count: 1))
        }
      }
    } catch let refused as RefusedKeysError {
      throw Refusal(isOfKey: true, reason: refused.keys.first?.reason ?? "expected another key")
    }
    return id
  }

  // MARK: Collecting what they have

  private mutating func collect<W: StoreWriter>(_ number: Int, _ writer: inout W) throws {
    let item = items[number]
    let fields = plan.schema.entities[item.entity].fields
    guard let row = unit.makeRow(fields.count) else { throw OutOfMemoryError() }
    items[number].row = row
    var stored = RowBuffer()
    if item.isNew {
      stored.reset(count: fields.count)
    } else {
      _ = try writer.read(item.id, of: item.entity, into: &stored)
    }
    for (field, layout) in fields.enumerated() {
      switch layout.access {
      case .attribute(let access):
        guard stored.row[field].isMissing || stored.row[field].isNull,
          !blanks.isBlank(access, of: item.instance, item.entity)
        else { continue }
        row[field] = value(access, item.instance)
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
    if !item.isNew,
      let stored = try writer.targets(of: [item.id], entity: item.entity, field: field).first, !stored.isEmpty
    {
      // Objects without a key would be there twice.
      guard isToMany, !target.isOwned, isMerged(field) else { return }
      isMerge = true
    }
    var numbers: [Int] = []
    for instance in targets {
      numbers.append(try add(instance, target.entity, in: (item.entity, field), &writer))
    }
    links.append(Link(owner: owner, field: field, targets: numbers, isToMany: isToMany, isMerge: isMerge))
  }

  /// Whether the payload merges into a relationship of the instance that is filled.
  private func isMerged(_ field: Int) -> Bool {
    guard let slot = unit.occurrence(0).row?[field] else { return false }
    return slot.tag != FASTMAP_MISSING && slot.policy == FASTMAP_MERGE
  }

  /// What a property holds, with bytes that live as long as the batch.
  private func value(_ access: AttributeAccess, _ instance: AnyObject) -> fastmap_slot {
    var slot = fastmap_slot()
    withUnsafeMutablePointer(to: &unit.batch.pointee.arena) { arena in
      withUnsafeMutablePointer(to: &slot) { slot in
        var writer = FieldWriter(slot, arena)
        access.get(instance, &writer)
      }
    }
    return slot.tag == FASTMAP_NULL ? fastmap_slot() : slot
  }

  // MARK: Writing

  /// The items of an entity that are new, in the order of their keys, and then those without a key.
  private func new(of entity: Int) -> [Int] {
    let new = items.indices.filter { items[$0].isNew && items[$0].entity == entity }
    let keyed = new.compactMap { index in items[index].key.map { (key: $0, index: index) } }
    return keyed.sorted { $0.key < $1.key }.map(\.index) + new.filter { items[$0].key == nil }
  }

  private mutating func reserve<W: StoreWriter>(in writer: inout W) throws {
    for entity in Set(items.map(\.entity)).sorted() {
      let new = new(of: entity)
      guard !new.isEmpty else { continue }
      let first = try writer.reserve(new.count, of: entity)
      for (offset, index) in new.enumerated() { items[index].id = first.advanced(by: offset) }
    }
  }

  private func useNumbers(_ link: Link) {
    guard let row = items[link.owner].row,
      let targets = unit.allocate(ObjectID.self, link.targets.count)
    else { return }
    for (index, target) in link.targets.enumerated() { targets[index] = items[target].id }
    var slot = fastmap_slot()
    slot.policy = UInt8(link.isMerge ? FASTMAP_MERGE : FASTMAP_ASSIGN)
    if link.isToMany {
      slot.set(targets, count: link.targets.count)
    } else {
      slot.set(targets[0])
    }
    row[link.field] = slot
  }

  private func changes() -> ChangeBatch {
    var batch = ChangeBatch(schema: plan.schema)
    for entity in Set(items.map(\.entity)).sorted() {
      var order = new(of: entity)
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
