public import FastMapCore

// The caller may set a relationship property at any time, and the store is not notified. So the first question about the
// owners of a relationship inspects the properties of all instances, once in a read or a write. Later questions inspect
// those again that differed.

/// A relationship of a table.
struct LinkPlace: Hashable, Sendable {
  let table: Int
  let place: Int
}

/// The objects of a read or a write whose properties have other targets than the store knows.
struct StaleLinks: Sendable {
  fileprivate var owners: [LinkPlace: [ObjectID]] = [:]
}

extension MemoryReader {
  public mutating func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    guard let table = binding.table(entity), let stored = binding.entities[entity].fields[field],
      case .link(let targetTable, _, _) = stored.kind
    else { return targets.map { _ in [] } }
    try lookOverOnce(table)
    let place = LinkPlace(table: table, place: stored.place)
    var owners = targets.map { state.owners(of: $0, in: targetTable, by: place) }
    let stale = staleOwners(of: stored, in: table, targetTable)
    if !stale.isEmpty {
      let ids = Set(stale)
      for index in owners.indices { owners[index].removeAll { ids.contains($0) } }
      let numbers = state.tables[targetTable].numbers()
      let places = Dictionary(grouping: targets.indices) { targets[$0] }
      for owner in stale {
        guard let object = state.tables[table].objects[owner] else { continue }
        for target in Set(state.liveTargets(of: stored, in: object, numbers)) {
          for index in places[target] ?? [] { owners[index].append(owner) }
        }
      }
    }
    for index in owners.indices { state.sort(&owners[index], of: table) }
    return owners
  }

  /// The objects whose property has other targets than the store knows.
  private mutating func staleOwners(
    of field: Table.Field, in table: Int, _ targetTable: Int
  ) -> [ObjectID] {
    guard case .relationship(let access)? = field.access else { return [] }
    func isStale(_ object: StoredObject) -> Bool {
      guard let instance = object.instance else { return false }
      return state.isStale(object.targets(at: field.place), access, instance, targetTable)
    }
    let place = LinkPlace(table: table, place: field.place)
    if let known = stale.owners[place] {
      return known.filter { state.tables[table].objects[$0].map(isStale) ?? false }
    }
    var found: [ObjectID] = []
    state.tables[table].objects.forEach { id, object in if isStale(object) { found.append(id) } }
    stale.owners[place] = found
    return found
  }
}

extension MemoryState {
  /// The objects that have a target in a relationship, in any order.
  func owners(of target: ObjectID, in targetTable: Int, by place: LinkPlace) -> [ObjectID] {
    tables[targetTable].referrers[target]?.owners(place) ?? []
  }

  /// The targets that the caller has set in a property.
  fileprivate func liveTargets(
    of field: Table.Field, in object: StoredObject, _ numbers: [ObjectIdentifier: ObjectID]
  ) -> [ObjectID] {
    guard let instance = object.instance, case .relationship(let access)? = field.access else { return [] }
    return access.get(instance.object).compactMap { numbers[ObjectIdentifier($0)] }
  }

  /// Sorts objects by their keys. Those without one follow, in the order of creation.
  func sort(_ ids: inout [ObjectID], of table: Int) {
    if ids.count < 2 { return }
    let keyed = ids.map { (key: tables[table].objects[$0]?.key, id: $0) }
    ids = keyed.sorted { a, b in
      switch (a.key, b.key) {
      case (let first?, let second?): first < second
      case (nil, nil): a.id < b.id
      case (let first, _): first != nil
      }
    }.map(\.id)
  }
}
