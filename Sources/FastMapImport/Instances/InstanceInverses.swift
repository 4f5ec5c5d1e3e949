/// Sets the inverses of relationships, once the relationships are set.
///
/// An inverse has the owners in the order of their keys, and owners without a key after them. In a fill, the owners
/// are the instances of the payload and the instances that the filled one reaches. An inverse also keeps owners that it
/// had.
struct InstanceInverses {
  private let pass: InstancePass
  private let schema: Schema
  /// Instances that a list has lost are not owners.
  private let live: Set<ObjectIdentifier>?

  init(_ pass: InstancePass) {
    self.pass = pass
    schema = pass.plan.schema
    let owners = Set(schema.entities.flatMap(\.inverses).map(\.entity))
    live = owners.contains { pass.plan.schema.entities[$0].keepsKeyless } ? Self.reachable(pass) : nil
  }

  func set() throws {
    for (entity, layout) in schema.entities.enumerated() {
      for (inverse, property) in zip(layout.inverses, pass.plan.classes[entity].inverses) {
        guard case .relationship(let access)? = property else { continue }
        try set(inverse, access, of: pass.tables[entity])
      }
    }
  }

  /// A target, and its owners.
  private struct Target {
    let instance: AnyObject
    var owners: [AnyObject] = []
    /// Whether an owner that the payload has refers to it, or did.
    var isPresent = false
  }

  private func set(
    _ inverse: Schema.Inverse, _ access: RelationshipAccess, of table: InstanceTable
  ) throws {
    let owners = pass.tables[inverse.entity]
    guard let property = owners.relationships.first(where: { $0.field == inverse.field }) else { return }
    var targets: [Target] = []
    var places: [ObjectIdentifier: Int] = [:]
    func place(of instance: AnyObject) -> Int {
      if let known = places[ObjectIdentifier(instance)] { return known }
      places[ObjectIdentifier(instance)] = targets.count
      targets.append(Target(instance: instance))
      return targets.count - 1
    }
    for owner in try ordered(owners) {
      let isPresent = pass.existing?.isPresent(owner) ?? true
      for target in property.access.get(owner) {
        let place = place(of: target)
        if isPresent { targets[place].isPresent = true }
        // A list may have a target twice.
        if targets[place].owners.last !== owner { targets[place].owners.append(owner) }
      }
    }
    pass.existing?.forEachOldTarget(of: inverse.field, in: owners) { targets[place(of: $0)].isPresent = true }
    let known = pass.existing.map { _ in Set(owners.instances.map(ObjectIdentifier.init)) }
    for target in targets where target.isPresent {
      var new = target.owners
      if let known {
        let others = access.get(target.instance).filter { !known.contains(ObjectIdentifier($0)) }
        if !others.isEmpty { new = try sorted(others + new, owners) }
      }
      if !inverse.isToMany { new = Array(new.prefix(1)) }
      if access.get(target.instance).elementsEqual(new, by: ===) { continue }
      access.set(target.instance, new.isEmpty ? nil : new)
    }
  }

  // MARK: Owners

  /// The owners that exist, ascending by key.
  private func ordered(_ owners: InstanceTable) throws -> [AnyObject] {
    let keyed = try owners.keys.sorted()
    var hasKey = [Bool](repeating: false, count: owners.instances.count)
    for number in keyed { hasKey[number] = true }
    let numbers = keyed + hasKey.indices.filter { !hasKey[$0] }
    return numbers.map { owners.instances[$0] }.filter { live?.contains(ObjectIdentifier($0)) ?? true }
  }

  /// Sorts owners by their keys. The payload knows some of these owners only.
  private func sorted(_ instances: [AnyObject], _ table: InstanceTable) throws -> [AnyObject] {
    let keys = instances.map { instance in
      table.withSetKey(of: instance) { slot in slot.flatMap { PrimaryKey(slot: $0) } }
    }
    let order = instances.indices.sorted { a, b in
      switch (keys[a], keys[b]) {
      case (let first?, let second?): first < second || first == second && a < b
      case (_?, nil): true
      case (nil, _?): false
      case (nil, nil): a < b
      }
    }
    return order.map { instances[$0] }
  }

  /// The instances with a key, the roots, and the instances that these refer to.
  private static func reachable(_ pass: InstancePass) -> Set<ObjectIdentifier> {
    var next = pass.roots.map { ($0, pass.tables[pass.plan.mappings[0].entity]) }
    for table in pass.tables {
      table.keys.forEach { next.append((table.instances[$0], table)) }
    }
    var met = Set(next.map { ObjectIdentifier($0.0) })
    while let (instance, table) = next.popLast() {
      for property in table.relationships {
        for target in property.access.get(instance) where met.insert(ObjectIdentifier(target)).inserted {
          next.append((target, pass.tables[property.target]))
        }
      }
    }
    return met
  }
}
