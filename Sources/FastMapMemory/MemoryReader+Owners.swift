public import FastMapStoreKit

/// A relationship of a table.
struct LinkPlace: Hashable, Sendable {
  let table: Int
  let place: Int
}

extension MemoryReader {
  public func owners(of targets: [ObjectID], entity: Int, field: Int) -> [[ObjectID]] {
    guard let table = binding.table(entity), let stored = binding.entities[entity].fields[field],
      case .link(let targetTable, _, _) = stored.kind
    else { return targets.map { _ in [] } }
    let place = LinkPlace(table: table, place: stored.place)
    return targets.map { target in
      var owners = state.owners(of: target, in: targetTable, by: place)
      state.sort(&owners, of: table)
      return owners
    }
  }
}

extension MemoryState {
  /// The objects that have a target in a relationship, in any order.
  func owners(of target: ObjectID, in targetTable: Int, by place: LinkPlace) -> [ObjectID] {
    tables[targetTable].referrers[target]?.owners(place) ?? []
  }

  /// Sorts objects by their keys. Objects without a key follow, in the order of creation.
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
