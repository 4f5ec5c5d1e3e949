internal import CFastMap
internal import FastMapCore
internal import Synchronization

/// An instance of the caller's class that represents an object of a typed table.
// @unchecked: instances travel with the state, and only calls for objects of their entity use them. A store with
// instances is as thread-safe as they are; MemoryStore documents that.
struct Instance: @unchecked Sendable {
  let object: AnyObject
}

/// Memory for the value of one property.
// @unchecked: a reader that is kept takes it along, and uses it only for instances, on one thread at a time.
final class Scratch: @unchecked Sendable {
  private var buffer = RowBuffer()

  /// The value of a property; missing for null.
  func read(_ access: AttributeAccess, _ object: AnyObject) -> fastmap_slot {
    buffer.reset(count: 1)
    buffer.set(access, of: object, at: 0)
    return buffer.slots[0]
  }

  /// The value that a property would have after it is set to a field; nil if it would be left alone.
  func normalise(_ field: Field, _ access: AttributeAccess) -> fastmap_slot? {
    buffer.reset(count: 1)
    return buffer.normalise(field, access, at: 0) ? buffer.slots[0] : nil
  }

  /// Sets a property to a value.
  func set(_ value: Value, _ access: AttributeAccess, _ object: AnyObject) {
    buffer.reset(count: 1)
    buffer.set(value, at: 0)
    access.set(object, buffer.row[0])
  }
}

/// The numbers of the instances of a snapshot, by table. A read needs them for each object whose relationship the caller has edited.
final class KnownNumbers: Sendable {
  private let known = Mutex<[Int: [ObjectIdentifier: ObjectID]]>([:])

  func numbers(of table: Int, in state: MemoryState) -> [ObjectIdentifier: ObjectID] {
    known.withLock { known in
      if let numbers = known[table] { return numbers }
      let numbers = state.tables[table].numbers()
      known[table] = numbers
      return numbers
    }
  }
}

extension MemoryState {
  /// The current targets of a relationship. Targets that the caller has set in the property take precedence.
  ///
  /// - Parameter numbers: Those of the instances of this state, if it does not change.
  func targets(
    of field: Table.Field, in object: StoredObject, _ numbers: KnownNumbers? = nil
  ) -> [ObjectID] {
    let known = object.targets(at: field.place)
    guard let instance = object.instance, case .relationship(let access)? = field.access,
      case .link(let table, _, _) = field.kind
    else { return known }
    guard isStale(known, access, instance, table) else { return known }
    let live = access.get(instance.object)
    let numbers = numbers?.numbers(of: table, in: self) ?? tables[table].numbers()
    return live.compactMap { numbers[ObjectIdentifier($0)] }
  }

  /// The instances of objects, as the value of a property.
  func instances(of ids: some Sequence<ObjectID>, table: Int) -> [AnyObject] {
    var instances: [AnyObject] = []
    instances.reserveCapacity(ids.underestimatedCount)
    for id in ids {
      if let instance = tables[table].objects[id]?.instance { instances.append(instance.object) }
    }
    return instances
  }

  /// Whether a property holds other objects than these, as far as its type can hold them.
  func isStale(_ ids: [ObjectID], _ access: RelationshipAccess, _ instance: Instance, _ table: Int) -> Bool {
    let live = access.get(instance.object)
    let known = instances(of: ids, table: table)
    if live.count == known.count, zip(live, known).allSatisfy({ $0 === $1 }) { return false }
    switch access.shape {
    case .ordered: return true
    case .orderedUnique:
      var met: Set<ObjectIdentifier> = []
      let unique = known.filter { met.insert(ObjectIdentifier($0)).inserted }
      return live.count != unique.count || !zip(live, unique).allSatisfy { $0 === $1 }
    case .set: return Set(live.map(ObjectIdentifier.init)) != Set(known.map(ObjectIdentifier.init))
    }
  }
}

extension Table {
  /// Inspects a new instance, once.
  mutating func learnBlankKey() {
    guard blankKey == nil, let keyField, let access = keyAccess, let blank = objectAccess?.make() else {
      return
    }
    let key = PrimaryKey(slot: Scratch().read(access, blank))
    blankKey = BlankKey(key: key, place: fields[keyField].place)
  }

  /// The property of the primary key of most objects.
  var keyAccess: AttributeAccess? {
    guard let keyField, case .attribute(let access)? = fields[keyField].access else { return nil }
    return access
  }

  /// The number of each instance. O(*n*).
  func numbers() -> [ObjectIdentifier: ObjectID] {
    var numbers: [ObjectIdentifier: ObjectID] = [:]
    objects.forEach { id, object in
      if let instance = object.instance { numbers[ObjectIdentifier(instance.object)] = id }
    }
    return numbers
  }
}

extension Table.BlankKey {
  /// Whether a keyless object's attribute has the value of a new instance's key property.
  func isHeld(by slot: fastmap_slot, of attribute: Table.Field) -> Bool {
    guard let key, attribute.place == place else { return false }
    return slot.holds(key)
  }
}

extension MemoryState {
  /// Creates instances for entities that have become typed, and sets the properties of attributes that have one now.
  mutating func bindInstances(_ schema: Schema) {
    let scratch = Scratch()
    var relationships: [(table: Int, field: Table.Field, access: RelationshipAccess)] = []
    let names = NameIndex(tables.map(\.name))
    for entity in schema.entities {
      guard let objects = entity.objects, let table = names[entity.name] else { continue }
      let isNew = tables[table].objectAccess == nil
      tables[table].objectAccess = objects
      if objects.isOnMain { mainEntity = mainEntity ?? entity.name }
      if isNew {
        for (id, object) in tables[table].objects.all {
          tables[table].objects[id] = object.with(Instance(object: objects.make()))
        }
      }
      let fieldNames = NameIndex(tables[table].fields.map(\.name))
      for field in entity.fields {
        guard let access = field.access, let index = fieldNames[field.name],
          tables[table].fields[index].access == nil
        else { continue }
        tables[table].fields[index].access = access
        let stored = tables[table].fields[index]
        switch access {
        case .relationship(let access): relationships.append((table, stored, access))
        case .attribute(let access):
          tables[table].objects.forEach { _, object in
            guard let instance = object.instance else { return }
            scratch.set(object.value(at: stored.place), access, instance.object)
          }
        }
      }
    }
    for (table, field, access) in relationships {
      guard case .link(let target, _, _) = field.kind else { continue }
      tables[table].objects.forEach { _, object in
        let ids = object.targets(at: field.place)
        guard let instance = object.instance, !ids.isEmpty else { return }
        access.set(instance.object, instances(of: ids, table: target))
      }
    }
  }
}
