internal import CFastMap
public import FastMapCore

/// The changes of a write to instances, which are not copied with the state: the first old value of each property.
struct InstanceChanges {
  struct Place: Hashable {
    var table: Int
    var id: ObjectID
  }

  struct Old {
    var instance: Instance
    var values: [Int: (access: AttributeAccess, value: Value)] = [:]
    var targets: [Int: (access: RelationshipAccess, targets: [AnyObject])] = [:]
  }

  var old: [Place: Old] = [:]
  /// The caller's instances that this write has added. They have old values, unlike instances that the write created.
  var adopted: Set<ObjectID> = []
}

extension MemoryWriter {
  /// Records the value of a property before it is set, unless this write created the instance.
  mutating func note(
    _ value: Value, _ property: Binding.Property, of instance: Instance, _ id: ObjectID, _ table: Int
  ) {
    if isMadeHere(id) { return }
    let place = InstanceChanges.Place(table: table, id: id)
    if instanceChanges.old[place]?.values[property.number] != nil { return }
    instanceChanges.old[place, default: .init(instance: instance)].values[property.number] = (
      property.access, value
    )
  }

  mutating func noteTargets(_ field: Table.Field, of object: StoredObject, _ id: ObjectID, _ table: Int) {
    guard !isMadeHere(id), let instance = object.instance,
      case .relationship(let access)? = field.access
    else { return }
    let place = InstanceChanges.Place(table: table, id: id)
    if instanceChanges.old[place]?.targets[field.place] != nil { return }
    instanceChanges.old[place, default: .init(instance: instance)].targets[field.place] = (
      access, access.get(instance.object)
    )
  }

  /// Sets the inverses of instances whose referrers have changed.
  func showInverses() { inverses.show(state, isNew: isMadeHere) }

  func isMadeHere(_ id: ObjectID) -> Bool {
    id > original.lastID && !instanceChanges.adopted.contains(id)
  }

  /// Restores the old values of instances, and the keys of lent ones.
  func rollBackInstances() {
    inverses.rollBack()
    lent.giveBackKeys()
    for old in instanceChanges.old.values {
      for (access, value) in old.values.values { scratch.set(value, access, old.instance.object) }
      for (access, targets) in old.targets.values {
        access.set(old.instance.object, targets.isEmpty ? nil : targets)
      }
    }
  }

  /// Whether an instance differs from its state when the write began.
  func isInstanceChanged(_ id: ObjectID, _ table: Int) -> Bool {
    guard let old = instanceChanges.old[.init(table: table, id: id)] else { return false }
    return old.values.values.contains { access, value in
      !(scratch.read(access, old.instance.object).value ?? .null).isIdentical(to: value)
    }
  }

  /// Adopts links that the caller has set.
  ///
  /// Instances that the store does not know become objects.
  mutating func takeOver(
    _ field: Table.Field, of object: inout StoredObject, _ id: ObjectID, in table: Int, _ targets: Int
  ) throws {
    guard let instance = object.instance, case .relationship(let access)? = field.access else { return }
    let known = object.targets(at: field.place)
    guard state.isStale(known, access, instance, targets) else { return }
    var live: [ObjectID] = []
    for target in access.get(instance.object) { live.append(try number(of: target, in: targets)) }
    relink(known, to: live, of: id, field, in: table)
    object.set(live, at: field.place)
    state.tables[table].objects[id] = object
  }

  public mutating func adopt(_ instance: AnyObject, of entity: Int) throws -> ObjectID? {
    let table = table(entity)
    guard state.tables[table].objectAccess != nil else { return nil }
    let id = try number(of: instance, in: table)
    added.append((id, table))
    try takeOverAdded()
    return id
  }

  /// Adopts links that the caller has set in new objects, and in the instances that they refer to.
  mutating func takeOverAdded() throws {
    while let (id, table) = added.popLast() {
      for field in state.tables[table].fields {
        guard case .link(let targets, _, _) = field.kind, var object = state.tables[table].objects[id] else {
          continue
        }
        try takeOver(field, of: &object, id, in: table, targets)
      }
    }
  }

  /// The number of an instance, which becomes an object of the store if it is not one.
  private mutating func number(of instance: AnyObject, in table: Int) throws -> ObjectID {
    if numbers[table] == nil { numbers[table] = state.tables[table].numbers() }
    if let known = numbers[table]?[ObjectIdentifier(instance)] { return known }
    let id = try add(instance, to: table)
    numbers[table]?[ObjectIdentifier(instance)] = id
    added.append((id, table))
    return id
  }

  /// Adds an instance to the store under its key.
  ///
  /// Two kinds of keys are ignored for now, because the payload may still assign another. One is a key that is too
  /// large. The other is a taken key that every new instance has by default.
  ///
  /// - Throws: ``MemoryStoreError/twoInstances(entity:key:formerKeys:)`` if the key is taken.
  private mutating func add(_ instance: AnyObject, to table: Int) throws -> ObjectID {
    let slot = keySlot(of: instance, in: table)
    var isSettled = slot?.tag != UInt8(FASTMAP_UNSIGNED)
    var key = slot.flatMap { PrimaryKey(slot: $0) }
    if key != nil, key == state.tables[table].blankKey?.key { key = nil }
    if let taken = key, let other = try find(taken, in: table) {
      guard let blank = state.tables[table].objectAccess?.make(),
        keySlot(of: blank, in: table)?.holds(taken) ?? false
      else { throw twoInstances(taken, other, in: table) }
      key = nil
      isSettled = false
    }
    state.lastID = state.lastID.advanced(by: 1)
    let id = state.lastID
    instanceChanges.adopted.insert(id)
    if !state.tables[table].inverses.isEmpty { inverses.note(CollectionOfOne(id), table) }
    if !isSettled { unsettle(id, in: table) }
    let object = StoredObject(
      key: key, keyField: key == nil ? nil : state.tables[table].keyField,
      instance: Instance(object: instance), valueCount: 0, linkCount: state.tables[table].linkCount)
    state.tables[table].insert(object, id)
    return id
  }

  /// The key that an instance has now; valid until the next one is read.
  private func keySlot(of instance: AnyObject, in table: Int) -> fastmap_slot? {
    state.tables[table].keyAccess.map { scratch.read($0, instance) }
  }

  /// The error for a new instance whose key is taken.
  private func twoInstances(_ key: PrimaryKey, _ other: ObjectID, in table: Int) -> MemoryStoreError {
    .twoInstances(
      entity: state.tables[table].name, key: key,
      formerKeys: [instanceChanges.adopted.contains(other) ? nil : key, nil])
  }

  // MARK: The end of a write

  /// Checks the keys that instances received during the write.
  ///
  /// - Throws: ``MemoryStoreError`` if an object has no key of its own. The write must be rolled back then.
  mutating func settleKeys() throws {
    for (id, table) in takeUnsettled() { try settleKey(of: id, in: table) }
    if lent.isEmpty { return }
    for table in state.tables.indices
    where state.tables[table].keyAccess != nil && binding.entity(ofTable: table) != nil {
      try lookOver(table)
    }
  }

  private mutating func settleKey(of id: ObjectID, in table: Int) throws {
    guard var object = state.tables[table].objects[id], object.key == nil,
      let instance = object.instance,
      let slot = keySlot(of: instance.object, in: table)
    else { return }
    if slot.tag == FASTMAP_UNSIGNED {
      throw MemoryStoreError.keyTooLarge(
        entity: state.tables[table].name, key: UInt64(bitPattern: slot.integer))
    }
    guard let key = PrimaryKey(slot: slot) else { return }
    if key == state.tables[table].blankKey?.key { return }
    if let other = try find(key, in: table) { throw twoInstances(key, other, in: table) }
    object.key = key
    object.keyField = state.tables[table].keyField
    state.tables[table].objects[id] = object
    state.tables[table].rename(id, from: nil, to: key)
  }
}
