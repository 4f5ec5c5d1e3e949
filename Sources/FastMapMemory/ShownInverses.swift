internal import FastMapCore

/// The inverses of instances that a write has to set, and those that it has set.
///
/// They are set when the write ends, and those of one instance before it is lent to a delegate or a policy. So an object with
/// very many referrers is set once, and not with each of them.
final class ShownInverses {
  private struct Old {
    let instance: Instance
    let access: RelationshipAccess
    let targets: [AnyObject]
  }

  private struct Property: Hashable {
    let place: InstanceChanges.Place
    let inverse: Int
  }

  /// The objects whose referrers have changed.
  private var changed: Set<InstanceChanges.Place> = []
  /// What properties had before the write, unless the write created the instance.
  private var old: [Property: Old] = [:]

  /// Records that the referrers of objects have changed.
  func note(_ ids: some Sequence<ObjectID>, _ table: Int) {
    for id in ids { changed.insert(.init(table: table, id: id)) }
  }

  /// Sets the inverses of all objects.
  ///
  /// - Parameter isNew: Whether the write has created an object.
  func show(_ state: MemoryState, isNew: (ObjectID) -> Bool) {
    for place in changed { show(place, state, isNew) }
    changed.removeAll(keepingCapacity: true)
  }

  /// Sets the inverses of one object.
  ///
  /// - Parameter isNew: Whether the write has created an object.
  func show(_ id: ObjectID, _ table: Int, _ state: MemoryState, isNew: (ObjectID) -> Bool) {
    if changed.isEmpty { return }
    let place = InstanceChanges.Place(table: table, id: id)
    if changed.remove(place) != nil { show(place, state, isNew) }
  }

  private func show(_ place: InstanceChanges.Place, _ state: MemoryState, _ isNew: (ObjectID) -> Bool) {
    guard let instance = state.tables[place.table].objects[place.id]?.instance else { return }
    for (number, inverse) in state.tables[place.table].inverses.enumerated() {
      let owners = state.instances(of: place.id, in: place.table, by: inverse)
      let shown = inverse.access.get(instance.object)
      if shown.elementsEqual(owners, by: ===) { continue }
      if inverse.access.shape == .set,
        Set(shown.map(ObjectIdentifier.init)) == Set(owners.map(ObjectIdentifier.init))
      {
        continue
      }
      let property = Property(place: place, inverse: number)
      if !isNew(place.id), old[property] == nil {
        old[property] = Old(instance: instance, access: inverse.access, targets: shown)
      }
      inverse.access.set(instance.object, owners.isEmpty ? nil : owners)
    }
  }

  /// Restores what properties had before the write.
  func rollBack() {
    for old in old.values { old.access.set(old.instance.object, old.targets.isEmpty ? nil : old.targets) }
  }
}

extension MemoryState {
  /// The instances of an inverse, ascending by key.
  func instances(of target: ObjectID, in table: Int, by inverse: Table.Inverse) -> [AnyObject] {
    var owners = owners(of: target, in: table, by: inverse.link)
    sort(&owners, of: inverse.link.table)
    return instances(of: inverse.isToMany ? owners[...] : owners.prefix(1), table: inverse.link.table)
  }

  /// Registers the inverses of a schema that are properties, and sets those that are new in all instances.
  mutating func bindInverses(_ schema: Schema) {
    if schema.entities.allSatisfy({ $0.inverses.isEmpty }) { return }
    let names = NameIndex(tables.map(\.name))
    for entity in schema.entities {
      guard let table = names[entity.name] else { continue }
      for inverse in entity.inverses {
        let owner = schema.entities[inverse.entity]
        guard let access = inverse.access, let ownerTable = names[owner.name],
          let index = tables[ownerTable].fields.firstIndex(where: {
            $0.name == owner.fields[inverse.field].name
          }),
          !tables[table].inverses.contains(where: { NameIndex.isSame($0.name, inverse.name) })
        else { continue }
        tables[ownerTable].fields[index].hasInverse = true
        let link = LinkPlace(table: ownerTable, place: tables[ownerTable].fields[index].place)
        let new = Table.Inverse(name: inverse.name, link: link, isToMany: inverse.isToMany, access: access)
        tables[table].inverses.append(new)
        for (id, object) in tables[table].objects.all {
          guard let instance = object.instance else { continue }
          let owners = instances(of: id, in: table, by: new)
          if !access.get(instance.object).elementsEqual(owners, by: ===) {
            access.set(instance.object, owners.isEmpty ? nil : owners)
          }
        }
      }
    }
  }
}
