internal import CFastMap
public import FastMapCore

/// What a write changed in instances, which are not copied with the state: the first old value of each property.
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
  /// Objects that this write has made of the caller's instances: they have old values, unlike those whose instances it
  /// has made as well.
  var adopted: Set<ObjectID> = []
}

extension MemoryWriter {
  /// Notes what a property was before it is set, unless the instance is of this write.
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

  private func isMadeHere(_ id: ObjectID) -> Bool {
    id > original.lastID && !instanceChanges.adopted.contains(id)
  }

  /// Gives instances their old values back.
  func rollBackInstances() {
    for old in instanceChanges.old.values {
      for (access, value) in old.values.values { scratch.set(value, access, old.instance.object) }
      for (access, targets) in old.targets.values {
        access.set(old.instance.object, targets.isEmpty ? nil : targets)
      }
    }
  }

  /// Whether an instance differs from what it was when the write began.
  func isInstanceChanged(_ id: ObjectID, _ table: Int) -> Bool {
    guard let old = instanceChanges.old[.init(table: table, id: id)] else { return false }
    return old.values.values.contains { access, value in
      !(scratch.read(access, old.instance.object).value ?? .null).isIdentical(to: value)
    }
  }

  /// Takes over what the caller has linked by hand.
  ///
  /// Instances that the store does not know become objects of it.
  mutating func takeOver(
    _ field: Table.Field, of object: inout StoredObject, _ id: ObjectID, in table: Int, _ targets: Int
  ) {
    guard let instance = object.instance, case .relationship(let access)? = field.access else { return }
    let known = object.targets(at: field.place)
    guard state.isStale(known, access, instance, targets) else { return }
    var numbers = state.tables[targets].numbers()
    let live = access.get(instance.object).map { target in
      if let number = numbers[ObjectIdentifier(target)] { return number }
      let number = add(target, to: targets)
      numbers[ObjectIdentifier(target)] = number
      return number
    }
    relink(known, to: live, of: id, field, in: table)
    object.set(live, at: field.place)
    state.tables[table].objects[id] = object
  }

  public mutating func adopt(_ instance: AnyObject, of entity: Int) -> ObjectID? {
    let table = table(entity)
    guard state.tables[table].objectAccess != nil else { return nil }
    return state.tables[table].numbers()[ObjectIdentifier(instance)] ?? add(instance, to: table)
  }

  /// Makes an instance an object of the store, under its key unless that is another's.
  private mutating func add(_ instance: AnyObject, to table: Int) -> ObjectID {
    state.lastID += 1
    let id = state.lastID
    instanceChanges.adopted.insert(id)
    let key = key(of: instance, in: table)
    let object = StoredObject(
      key: key, instance: Instance(object: instance), valueCount: 0,
      linkCount: state.tables[table].linkCount)
    state.tables[table].insert(object, id)
    return id
  }

  private func key(of instance: AnyObject, in table: Int) -> PrimaryKey? {
    guard let entity = binding.entities.firstIndex(where: { $0.table == table }),
      let keyField = binding.schema.entities[entity].keyField,
      case .attribute(let access)? = binding.entities[entity].fields[keyField]?.access,
      let key = PrimaryKey(slot: scratch.read(access, instance)), state.tables[table].keys[key] == nil
    else { return nil }
    return key
  }
}
