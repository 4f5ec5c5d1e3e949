internal import CFastMap

/// The instances that a ``Draft`` has met, and the objects that they are.
struct DraftItems {
  struct Item {
    let instance: AnyObject
    let entity: Int
    var key: PrimaryKey?
    /// The relationship that it was met in; nil for the instance that is filled.
    var holder: (entity: Int, field: Int)?
    /// Unset as long as the store does not have it.
    var id = ObjectID.unset
    var isNew = false
    /// The row to write; nil for an instance that is only linked.
    var row: UnsafeMutablePointer<fastmap_slot>?
  }

  private struct Key: Hashable {
    let entity: Int
    let key: PrimaryKey
  }

  private let plan: Plan
  private let unit: ImportUnit
  private var blanks: BlankInstances
  private var all: [Item] = []
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var keys: [Key: Int] = [:]
  /// The items that the store was not asked for, and the first one of them.
  private var unfound: [Int: [Int]] = [:]
  private var firstUnfound = 0
  /// Instances with the key of another one that the store was not asked for, with the places of both.
  private var repeats: [(same: Int, holder: (entity: Int, field: Int))] = []

  init(plan: Plan, unit: ImportUnit) {
    self.plan = plan
    self.unit = unit
    blanks = BlankInstances(plan.schema)
  }

  var count: Int { all.count }

  subscript(number: Int) -> Item {
    get { all[number] }
    set { all[number] = newValue }
  }

  var entities: [Int] { Set(all.map(\.entity)).sorted() }

  /// The items of an entity that are new, in the order of their keys, and then those without a key.
  func new(of entity: Int) -> [Int] {
    let new = all.indices.filter { all[$0].isNew && all[$0].entity == entity }
    let keyed = new.compactMap { index in all[index].key.map { (key: $0, index: index) } }
    return keyed.sorted { $0.key < $1.key }.map(\.index) + new.filter { all[$0].key == nil }
  }

  /// Gives numbers to the new ones.
  mutating func reserve<W: StoreWriter>(in writer: inout W) throws {
    for entity in entities {
      let new = new(of: entity)
      guard !new.isEmpty else { continue }
      let numbers = try KeyBatch.lend(new.compactMap { all[$0].key }) { keys in
        try writer.checkedReserve([NumberRequest(entity: entity, keys: keys, count: new.count)])
      }
      for (offset, index) in new.enumerated() { all[index].id = numbers[0][offset] }
    }
  }

  // MARK: Adding

  /// Adds the instance that is filled.
  mutating func addRoot<W: StoreWriter>(_ instance: AnyObject, _ writer: inout W) throws {
    let planned = plan.mappings[0]
    let entity = planned.entity
    guard let keyField = planned.keyField else {
      throw Draft.Refusal(
        isOfKey: false,
        reason: "expected a mapping with a primary key, \(planned.mapping.entity) has none: "
          + "a store of values cannot tell which object the instance is")
    }
    let slot = try ownKey(instance, entity, keyField)
    let own = PrimaryKey(slot: slot)
    let given = PrimaryKey(slot: unit.occurrence(0).key)
    if given == nil, slot.tag == FASTMAP_UNSIGNED {
      throw Draft.Refusal(
        isOfKey: true,
        reason: "expected \(Self.keyRange), found \(UInt64(bitPattern: slot.integer))")
    }
    guard let key = given ?? own else {
      throw Draft.Refusal(
        isOfKey: true, reason: "expected a key, neither the payload nor the instance has one")
    }
    if let own, own != key, try find(own, entity, &writer) != nil {
      throw Draft.Refusal(
        isOfKey: true, reason: "expected \(own), the key that the instance has in the store, found \(key)")
    }
    add(Item(instance: instance, entity: entity, key: key))
    try find(in: &writer)
  }

  /// Adds an instance that another one refers to. ``find(in:)`` then asks the store for it.
  ///
  /// - Returns: The number of its item.
  mutating func add(
    _ target: AnyObject, _ entity: Int, in holder: (entity: Int, field: Int)
  ) throws -> Int {
    if let known = numbers[ObjectIdentifier(target)] { return known }
    let layout = plan.schema.entities[entity]
    guard layout.keyKind != nil else {
      return add(Item(instance: target, entity: entity, holder: holder))
    }
    let slot = try layout.keyField.map { try ownKey(target, entity, $0) } ?? fastmap_slot()
    if slot.tag == FASTMAP_UNSIGNED {
      throw Draft.Refusal(
        isOfKey: false,
        reason: "expected \(Self.keyRange) as the key of an instance in \(name(of: holder)), "
          + "found \(UInt64(bitPattern: slot.integer))")
    }
    guard let key = PrimaryKey(slot: slot) else {
      throw Draft.Refusal(
        isOfKey: false,
        reason: "expected keys of the instances in \(name(of: holder)), found one without")
    }
    if let same = keys[Key(entity: entity, key: key)] {
      if same < firstUnfound {
        try refuseRepeat(of: same, holder)
      } else {
        repeats.append((same, holder))
      }
      numbers[ObjectIdentifier(target)] = same
      return same
    }
    return add(Item(instance: target, entity: entity, key: key, holder: holder))
  }

  /// Copies of a stored object are that object. Of two others, one would be lost.
  private func refuseRepeat(of same: Int, _ holder: (entity: Int, field: Int)) throws {
    guard all[same].isNew, let key = all[same].key else { return }
    throw Draft.Refusal(
      isOfKey: false,
      reason: "expected each instance of \(plan.schema.entities[all[same].entity].name) to have its own key, "
        + "but two have \(key): \(places(all[same].holder, holder))")
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
    return "\(escaped(entity.name)).\(escaped(entity.fields[holder.field].name))"
  }

  private static let keyRange = "an integer from 0 to \(Int64.max)"

  @discardableResult
  private mutating func add(_ item: Item) -> Int {
    var item = item
    item.isNew = item.key == nil
    if let key = item.key {
      keys[Key(entity: item.entity, key: key)] = all.count
      unfound[item.entity, default: []].append(all.count)
    }
    numbers[ObjectIdentifier(item.instance)] = all.count
    all.append(item)
    return all.count - 1
  }

  /// Asks the store for the items that were added since the last call, with one question for each entity.
  mutating func find<W: StoreWriter>(in writer: inout W) throws {
    for (entity, items) in unfound.sorted(by: { $0.key < $1.key }) {
      let sorted = items.compactMap { item in all[item].key.map { (key: $0, item: item) } }
        .sorted { $0.key < $1.key }
      let ids = try find(sorted.map(\.key), entity, &writer) { refused in
        refused.min { sorted[$0.key].item < sorted[$1.key].item }?.value
      }
      for (entry, id) in zip(sorted, ids) {
        all[entry.item].id = id ?? .unset
        all[entry.item].isNew = id == nil
      }
    }
    unfound = [:]
    firstUnfound = all.count
    defer { repeats = [] }
    for (same, holder) in repeats { try refuseRepeat(of: same, holder) }
  }

  private mutating func ownKey(
    _ instance: AnyObject, _ entity: Int, _ field: Int
  ) throws(SystemError) -> fastmap_slot {
    guard case .attribute(let access)? = plan.schema.entities[entity].fields[field].access else {
      return fastmap_slot()
    }
    return try value(access, of: instance, entity)
  }

  private func find<W: StoreWriter>(
    _ key: PrimaryKey, _ entity: Int, _ writer: inout W
  ) throws -> ObjectID? {
    try find([key], entity, &writer) { $0[0] }[0]
  }

  /// The objects with some keys.
  ///
  /// - Parameters:
  ///   - keys: Ascending, without repeats.
  ///   - choose: Returns the reason to report, from those by the indices of keys.
  private func find<W: StoreWriter>(
    _ keys: [PrimaryKey], _ entity: Int, _ writer: inout W, _ choose: ([Int: String]) -> String?
  ) throws -> [ObjectID?] {
    var ids = [ObjectID?](repeating: nil, count: keys.count)
    do {
      try KeyBatch.lend(keys) { keys in
        try ids.withUnsafeMutableBufferPointer { ids in
          try writer.resolve([KeyLookup(entity: entity, keys: keys, ids: ids)])
        }
      }
    } catch let refused as RefusedKeysError {
      let reason = refused.reasons[entity].flatMap(choose)
      throw Draft.Refusal(isOfKey: true, reason: reason ?? "expected another key")
    }
    return ids
  }

  /// The value of a property, with bytes that live as long as the batch. Missing where it is as in a new instance.
  mutating func value(
    _ access: AttributeAccess, of instance: AnyObject, _ entity: Int
  ) throws(SystemError) -> fastmap_slot {
    if blanks.isBlank(access, of: instance, entity) { return fastmap_slot() }
    var slot = fastmap_slot()
    let isWhole = withUnsafeMutablePointer(to: &unit.batch.pointee.arena) { arena in
      withUnsafeMutablePointer(to: &slot) { slot in
        var writer = FieldWriter(slot, arena)
        access.get(instance, &writer)
        return writer.isWhole
      }
    }
    if !isWhole { throw SystemError.outOfMemory }
    return slot.tag == FASTMAP_NULL ? fastmap_slot() : slot
  }
}
