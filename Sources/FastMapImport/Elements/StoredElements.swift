internal import CFastMap

/// Stored elements with the objects that they own, and their hashes.
///
/// Level by level, each entity is read in sets: rows, and the targets of lists.
struct StoredElements {
  /// One object.
  struct Node {
    let entity: Int
    let id: ObjectID
    /// Nil for an object that is not stored.
    fileprivate(set) var hash: ElementHash?
    /// The numbers of the nodes that it owns, in the order of its fields and lists.
    fileprivate(set) var owned: [(field: Int, node: Int)] = []
  }

  private(set) var nodes: [Node] = []
  private let plan: Plan
  private let hasher: ElementHasher
  /// The objects among the nodes: a store that links an object twice must not make the reading endless.
  private var known: Set<ObjectIdentity> = []

  init(_ plan: Plan, _ hasher: ElementHasher) {
    self.plan = plan
    self.hasher = hasher
  }

  /// Reads elements of one entity.
  ///
  /// - Returns: The numbers of their nodes.
  mutating func read<R: StoreReader>(_ ids: [ObjectID], of entity: Int, in reader: inout R) throws -> Range<
    Int
  > {
    let first = nodes.count
    nodes += ids.map { Node(entity: entity, id: $0) }
    var level = first..<nodes.count
    while !level.isEmpty {
      let next = nodes.count
      for (entity, numbers) in Dictionary(grouping: level, by: { nodes[$0].entity }).sorted(by: {
        $0.key < $1.key
      }) {
        for start in stride(from: 0, to: numbers.count, by: 4096) {
          try read(numbers[start..<min(start + 4096, numbers.count)], of: entity, &reader)
        }
      }
      level = next..<nodes.count
    }
    for number in (first..<nodes.count).reversed() where !nodes[number].owned.isEmpty {
      guard let own = nodes[number].hash else { continue }
      let targets = nodes[number].owned.compactMap { owned in
        nodes[owned.node].hash.map { (field: owned.field, hash: $0) }
      }
      nodes[number].hash = targets.count == nodes[number].owned.count ? hasher.hash(own, targets) : nil
    }
    return first..<first + ids.count
  }

  /// Reads the rows of some nodes, and appends the nodes of their owned targets.
  private mutating func read<R: StoreReader>(
    _ numbers: ArraySlice<Int>, of entity: Int, _ reader: inout R
  ) throws {
    let fields = plan.schema.entities[entity].fields
    let ids = numbers.map { nodes[$0].id }
    let links = try Links(of: ids, entity, plan, &reader)
    var hashes = [ElementHash?](repeating: nil, count: ids.count)
    var slots = [fastmap_slot](repeating: fastmap_slot(), count: fields.count)
    try links.keyed.withUnsafeBufferPointer { keyed in
      try reader.read(ids, of: entity) { index, row in
        try row.check(index, of: ids, fields: fields.count)
        for field in fields.indices {
          slots[field] = fields[field].kind.target == nil ? row[field].slot : .init()
        }
        for link in links.fields {
          let range = link.keyed[index]
          guard let start = keyed.baseAddress, !range.isEmpty else { continue }
          slots[link.field].set(start + range.lowerBound, count: range.count)
        }
        hashes[index] = hasher.hash(slots, count: fields.count)
      }
    }
    for (index, number) in numbers.enumerated() {
      nodes[number].hash = hashes[index]
      for link in links.fields where !link.owned.isEmpty {
        for id in link.owned[index] where known.insert(ObjectIdentity(entity: link.entity, id: id)).inserted {
          nodes[number].owned.append((link.field, nodes.count))
          nodes.append(Node(entity: link.entity, id: id))
        }
      }
    }
  }
}

/// The targets of some objects, with and without a key.
private struct Links {
  struct Field {
    let field: Int
    let entity: Int
    /// By object, the place of its targets with a key in the list of all.
    var keyed: [Range<Int>] = []
    /// By object, its targets without a key. Empty if all have one.
    var owned: [[ObjectID]] = []
  }

  private(set) var fields: [Field] = []
  private(set) var keyed: [ObjectID] = []

  init<R: StoreReader>(of ids: [ObjectID], _ entity: Int, _ plan: Plan, _ reader: inout R) throws {
    let kinds = plan.schema.entities[entity].fields.map(\.kind)
    let numbers = kinds.indices.filter { kinds[$0].target != nil }
    if numbers.isEmpty { return }
    let lists = try reader.checkedTargets(of: ids, entity: entity, fields: numbers)
    for (number, targets) in zip(numbers, lists) {
      guard let target = kinds[number].target else { continue }
      var field = Field(field: number, entity: target.entity)
      if target.isOwned {
        field.owned = targets
        field.keyed = Array(repeating: 0..<0, count: ids.count)
      } else {
        let keyless =
          plan.traits.ownsKeyless(number, of: entity)
          ? try reader.keyless(targets.joined(), of: target.entity, plan) : []
        if !keyless.isEmpty { field.owned = targets.map { $0.filter(keyless.contains) } }
        for list in targets {
          let first = keyed.count
          keyed += keyless.isEmpty ? list : list.filter { !keyless.contains($0) }
          field.keyed.append(first..<keyed.count)
        }
      }
      fields.append(field)
    }
  }
}
