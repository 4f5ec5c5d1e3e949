internal import CFastMap

/// The caller's instances that a payload is read into: the filled one, and the instances that it refers to.
///
/// The properties are kept as they were, for lists of elements, for inverses, and for an error of a delegate or a policy.
final class ExistingInstances {
  /// An instance before the payload was read into it.
  private final class Old {
    let instance: AnyObject
    let table: InstanceTable
    let attributes: RowBuffer
    package let targets: [[AnyObject]]

    init(_ instance: AnyObject, _ table: InstanceTable) {
      self.instance = instance
      self.table = table
      var attributes = RowBuffer()
      table.read(instance, into: &attributes)
      self.attributes = attributes
      targets = table.relationships.map { $0.access.get(instance) }
    }
  }

  /// The numbers of the instances in their tables.
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var old: [ObjectIdentifier: Old] = [:]
  /// Instances on the way to others, whose properties may return new ones each time.
  private var retained: [AnyObject] = []

  func contains(_ instance: AnyObject) -> Bool { numbers[ObjectIdentifier(instance)] != nil }

  /// Whether an instance is new, or the payload is read into it.
  func isPresent(_ instance: AnyObject) -> Bool {
    !contains(instance) || old[ObjectIdentifier(instance)] != nil
  }

  /// Adds an instance to the table of its entity.
  ///
  /// - Returns: Its number.
  @discardableResult
  func add(_ instance: AnyObject, to table: InstanceTable) -> Int {
    if let known = numbers[ObjectIdentifier(instance)] { return known }
    let number = table.add(instance)
    numbers[ObjectIdentifier(instance)] = number
    return number
  }

  // MARK: Old properties

  /// Keeps the properties of an instance, if the payload is read into it for the first time.
  func save(_ instance: AnyObject, _ table: InstanceTable) {
    guard contains(instance), old[ObjectIdentifier(instance)] == nil else { return }
    old[ObjectIdentifier(instance)] = Old(instance, table)
  }

  /// The targets that a relationship of an instance had; none for a new instance.
  package func targets(of instance: AnyObject, _ property: ClassRelationship) -> [AnyObject] {
    guard let old = old[ObjectIdentifier(instance)],
      let place = old.table.relationships.firstIndex(where: { $0.field == property.field })
    else { return [] }
    return old.targets[place]
  }

  /// The targets that a relationship of instances has lost or kept.
  func forEachOldTarget(of field: Int, in table: InstanceTable, _ body: (AnyObject) -> Void) {
    for old in old.values where old.table === table {
      for (property, targets) in zip(table.relationships, old.targets) where property.field == field {
        targets.forEach(body)
      }
    }
  }

  /// Sets all properties to their old values, and leaves alone relationships that have not changed.
  func restore() {
    for old in old.values {
      old.table.restore(old.instance, from: old.attributes.unsafeRow)
      for (property, targets) in zip(old.table.relationships, old.targets)
      where !property.access.get(old.instance).elementsEqual(targets, by: ===) {
        property.access.set(old.instance, targets.isEmpty ? nil : targets)
      }
    }
  }

  // MARK: Finding

  /// The number of an owner's to-one target without a key; nil for a new owner, and without such a target.
  func target(
    of owner: AnyObject, _ property: ClassRelationship, _ owners: InstanceTable, _ targets: InstanceTable,
    _ values: InstanceValues
  ) -> Int? {
    save(owner, owners)
    guard let target = self.targets(of: owner, property).first, values.isValue(target, property) else {
      return nil
    }
    return add(target, to: targets)
  }

  /// Adds the instances that can be reached from the filled one and have keys of the payload, or are owners of inverses,
  /// level by level. The first instance with a key counts.
  ///
  /// - Complexity: O(*n*) in the instances that can be reached, as long as keys are missing or the plan has inverses.
  func reach(from root: AnyObject, _ unit: ImportUnit, _ tables: [InstanceTable]) throws {
    var wanted = try WantedKeys(unit, tables)
    var met = [ObjectIdentifier(root)] as Set
    var next = [(instance: root, table: tables[unit.plan.mappings[0].entity])]
    var index = 0
    let owners = Set(unit.plan.schema.entities.flatMap(\.inverses).map(\.entity))
    while index < next.count, wanted.count > 0 || !owners.isEmpty {
      let (instance, table) = next[index]
      index += 1
      let isOwner = owners.contains(table.entity)
      try table.withSetKey(of: instance) { key in
        let isWanted = key.map { wanted.contains($0, table) } ?? false
        guard isWanted || isOwner else { return }
        let number = add(instance, to: table)
        if let key, try table.setKey(key, of: number), isWanted { wanted.count -= 1 }
      }
      for property in table.links {
        for target in property.access.get(instance) where met.insert(ObjectIdentifier(target)).inserted {
          next.append((target, tables[property.target]))
        }
      }
    }
    retained = next.map(\.instance)
  }
}

/// The keys of a payload.
private struct WantedKeys {
  private final class Keys {
    var table = KeyTable()
  }

  /// The number of keys that were not found.
  package var count = 0
  /// By entity.
  private let keys: [Keys]

  init(_ unit: ImportUnit, _ tables: [InstanceTable]) throws(SystemError) {
    keys = tables.map { _ in Keys() }
    for (entity, keys) in keys.enumerated() {
      let list = unit.batch.pointee.keys[entity]
      for entry in UnsafeBufferPointer(start: list.entries, count: Int(list.count)) {
        _ = try keys.table.add(0, for: entry.key)
      }
      count += keys.table.count
    }
  }

  func contains(_ key: fastmap_slot, _ table: InstanceTable) -> Bool {
    keys[table.entity].table[key] != nil
  }
}
