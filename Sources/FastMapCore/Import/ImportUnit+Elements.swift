internal import CFastMap

/// Elements of lists without a key. They are values: an element is the stored object with the same value, or a new one.
extension ImportUnit {
  /// An object that an occurrence can have, with what it owns.
  enum ElementSource {
    /// A stored one.
    case node(Int)
    /// The object of another occurrence of this batch.
    case occurrence(Int)
  }

  /// The objects that the list of one owner has had, by their values: stored ones in the order of the list, those that earlier
  /// batches removed, and new ones.
  struct ElementPool {
    fileprivate var objects: [ElementHash: [Int]] = [:]
    /// New objects whose values nobody has asked for, with their occurrences.
    fileprivate var unhashed: [(object: Int, occurrence: Int)] = []
    /// The elements of the list, as far as the batch has come.
    fileprivate var count = 0
  }

  /// Reads the stored elements of some owners.
  func readElements<W: StoreWriter>(
    of owners: [Int], _ field: Int, _ entity: Int, _ writer: inout W
  ) throws {
    let holders = owners.map { Holder(owner: $0, field: field) }
    let members = holders.map { held[$0] ?? [] }
    let all = members.joined()
    let nodes = try elements.stored.read(all.map { objects[$0].id }, of: entity, in: &writer)
    for (node, object) in zip(nodes, all) {
      elements.objects[node] = object
      elements.sources[object] = .node(node)
    }
    for (holder, members) in zip(holders, members) {
      var pool = ElementPool()
      pool.count = members.count - (wanted[holder]?.count ?? 0)
      for object in members {
        guard case .node(let node)? = elements.sources[object], let hash = elements.stored.nodes[node].hash
        else { continue }
        pool.objects[hash, default: []].append(object)
      }
      elements.pools[holder] = pool
    }
  }

  /// Gives the elements of one list their objects.
  ///
  /// - Complexity: O(*n*) in the objects of the elements.
  func findElements(of owner: Int, _ relationship: Int) throws {
    let planned = mappings[Int(occurrences[owner].mapping)].relationships[relationship]
    guard let row = occurrences[owner].row else { return }
    let link = row + Int(planned.field)
    let targets = UnsafeBufferPointer(
      start: link.pointee.link.occurrences, count: Int(link.pointee.link.length))
    let new = targets.map { Int($0) }.filter {
      isElement($0) && flags($0) & (FASTMAP_SKIPPED | FASTMAP_UNLINKED) == 0
    }
    let holder = Holder(owner: Int(occurrences[owner].object), field: Int(planned.field))
    if planned.is_custom {
      for index in new { makeElement(index) }
      return
    }
    var pool = elements.pools.removeValue(forKey: holder) ?? ElementPool()
    defer { elements.pools[holder] = pool }
    var isMerge = planned.policy == FASTMAP_MERGE
    if !isMerge, let fault = fault(in: targets) {
      // What stays of the list is unknown, so nothing is removed from it.
      if fault == .ofElement, pool.count > 0, !isEmptied(holder, before: owner) {
        return leaveOut(new, of: &link.pointee.link)
      }
      isMerge = fault == .ofKey
    }
    guard isMerge || !pool.objects.isEmpty || !pool.unhashed.isEmpty else {
      for index in new { pool.unhashed.append((makeElement(index, for: holder), index)) }
      pool.count = new.count
      return
    }
    for (object, index) in pool.unhashed { pool.objects[hash(of: index), default: []].append(object) }
    pool.unhashed = []
    var used: [ElementHash: Int] = [:]
    if !isMerge { pool.count = 0 }
    for index in new {
      let hash = hash(of: index)
      let place = isMerge ? 0 : used[hash, default: 0]
      used[hash] = place + 1
      if let known = pool.objects[hash], place < known.count, let source = elements.sources[known[place]] {
        share(index, source)
      } else {
        pool.objects[hash, default: []].append(makeElement(index, for: holder))
        pool.count += isMerge ? 1 : 0
      }
      if !isMerge { pool.count += 1 }
    }
  }

  /// Whether an earlier occurrence of this batch has emptied a list that has no element since.
  private func isEmptied(_ holder: Holder, before owner: Int) -> Bool {
    if elements.lists.isEmpty { elements.lists = lists() }
    for index in (elements.lists[holder] ?? []).reversed() where index < owner {
      guard let relationship = relationship(at: holder.field, of: index), let row = occurrences[index].row
      else { continue }
      let link = row[holder.field].link
      if link.tag == FASTMAP_OCCURRENCES {
        let targets = UnsafeBufferPointer(start: link.occurrences, count: Int(link.length))
        if targets.contains(where: { isElement(Int($0)) }) { return false }
      }
      if relationship.policy != FASTMAP_MERGE { return true }
    }
    return false
  }

  /// The occurrences that have a list, null and empty ones included, by the list.
  private func lists() -> [Holder: [Int]] {
    var lists: [Holder: [Int]] = [:]
    for index in 0..<occurrenceCount {
      guard let row = occurrences[index].row, occurrences[index].object != FASTMAP_NONE else { continue }
      let mapping = mappings + Int(occurrences[index].mapping)
      for number in 0..<Int(mapping.pointee.relationship_count) {
        let relationship = mapping.pointee.relationships[number]
        guard relationship.to_many, row[Int(relationship.field)].tag != FASTMAP_MISSING else { continue }
        lists[Holder(owner: Int(occurrences[index].object), field: Int(relationship.field)), default: []]
          .append(index)
      }
    }
    return lists
  }

  private func relationship(at field: Int, of index: Int) -> fastmap_plan_relationship? {
    let mapping = mappings + Int(occurrences[index].mapping)
    return (0..<Int(mapping.pointee.relationship_count)).lazy.map { mapping.pointee.relationships[$0] }
      .first { Int($0.field) == field }
  }

  // MARK: Objects

  /// Makes new objects of an element and of what it owns.
  @discardableResult
  private func makeElement(_ index: Int, for holder: Holder? = nil, isMet: Bool = true) -> Int {
    let object = objects.count
    if let holder { held[holder, default: []].append(object) }
    var left = [index]
    while let index = left.popLast() {
      occurrences[index].object = UInt32(objects.count)
      elements.sources[objects.count] = .occurrence(index)
      objects.append(Object(entity: Int(mappings[Int(occurrences[index].mapping)].entity), isMet: isMet))
      left += owned(by: index).reversed().map(\.occurrence)
    }
    return object
  }

  /// Gives an element the objects of an equal one.
  private func share(_ index: Int, _ source: ElementSource) {
    var left = [(index: index, source: source)]
    while let (index, source) = left.popLast() {
      let object: Int
      let inside: [ElementSource]
      switch source {
      case .occurrence(let other):
        object = Int(occurrences[other].object)
        inside = owned(by: other).map { .occurrence($0.occurrence) }
      case .node(let node):
        object = self.object(ofNode: node)
        inside = elements.stored.nodes[node].owned.map { .node($0.node) }
      }
      occurrences[index].object = UInt32(object)
      objects[object].isMet = true
      left += zip(owned(by: index), inside).map { ($0.occurrence, $1) }
    }
  }

  private func object(ofNode number: Int) -> Int {
    if let known = elements.objects[number] { return known }
    let node = elements.stored.nodes[number]
    elements.objects[number] = objects.count
    elements.sources[objects.count] = .node(number)
    objects.append(Object(id: node.id, entity: node.entity, isStored: true))
    return objects.count - 1
  }

  /// Leaves the elements of a list out that stays as it is.
  private func leaveOut(_ new: [Int], of link: inout fastmap_link) {
    for index in new { makeElement(index, isMet: false) }
    let left = Set(new)
    let targets = UnsafeMutablePointer(mutating: link.occurrences)
    var count = 0
    for place in 0..<Int(link.length) {
      guard let target = targets?[place], !left.contains(Int(target)) else { continue }
      targets?[count] = target
      count += 1
    }
    link.length = UInt32(count)
  }

  // MARK: Values

  /// The hash of an element, with what it owns.
  private func hash(of element: Int) -> ElementHash {
    if let known = elements.hashes[element] { return known }
    var all = [element]
    var owned: [[(field: Int, occurrence: Int)]] = []
    while owned.count < all.count {
      owned.append(self.owned(by: all[owned.count]))
      all += owned[owned.count - 1].map(\.occurrence)
    }
    for (index, owned) in zip(all, owned).reversed() {
      let targets = owned.compactMap { target in
        elements.hashes[target.occurrence].map { (field: target.field, hash: $0) }
      }
      elements.hashes[index] = elements.hasher.hash(ownHash(of: index), targets)
    }
    return elements.hashes[element] ?? ownHash(of: element)
  }

  /// The hash of the attributes of an occurrence, and of its targets with a key.
  private func ownHash(of index: Int) -> ElementHash {
    let mapping = mappings + Int(occurrences[index].mapping)
    let count = Int(mapping.pointee.field_count)
    var slots = [fastmap_slot](repeating: fastmap_slot(), count: count)
    guard let row = occurrences[index].row else { return elements.hasher.hash(slots, count: count) }
    for field in 0..<count { slots[field] = row[field].value }
    var keyed: [(field: Int, ids: Range<Int>)] = []
    var ids: [ObjectID] = []
    for number in 0..<Int(mapping.pointee.relationship_count) {
      let field = Int(mapping.pointee.relationships[number].field)
      slots[field] = fastmap_slot()
      let first = ids.count
      for target in targets(row[field].link) where !isElement(target) {
        let object = occurrences[target].object
        if object == FASTMAP_NONE { continue }
        // A new object is none that a stored element has.
        ids.append(
          objects[Int(object)].isStored ? objects[Int(object)].id : ObjectID(rawValue: .max - UInt64(object)))
      }
      if ids.count > first { keyed.append((field, first..<ids.count)) }
    }
    return ids.withUnsafeBufferPointer { ids in
      for (field, range) in keyed {
        if let start = ids.baseAddress { slots[field].set(start + range.lowerBound, count: range.count) }
      }
      return elements.hasher.hash(slots, count: count)
    }
  }

  /// The occurrences without a key that an element owns, in the order of its fields.
  private func owned(by index: Int) -> [(field: Int, occurrence: Int)] {
    let mapping = mappings + Int(occurrences[index].mapping)
    guard mapping.pointee.relationship_count > 0, let row = occurrences[index].row else { return [] }
    var found: [(field: Int, occurrence: Int)] = []
    for number in 0..<Int(mapping.pointee.relationship_count) {
      let field = Int(mapping.pointee.relationships[number].field)
      for target in targets(row[field].link) where isElement(target) { found.append((field, target)) }
    }
    if mapping.pointee.relationship_count > 1 {
      found.sort { ($0.field, $0.occurrence) < ($1.field, $1.occurrence) }
    }
    return found
  }

  /// The occurrences of a relationship that are not left out.
  private func targets(_ link: fastmap_link) -> [Int] {
    guard link.tag == FASTMAP_OCCURRENCES else { return [] }
    return UnsafeBufferPointer(start: link.occurrences, count: Int(link.length)).lazy.map { Int($0) }
      .filter { self.flags($0) & FASTMAP_UNLINKED == 0 }
  }

  /// - Parameter index: The number of an occurrence, or that of no owner.
  func isElement(_ index: Int) -> Bool { index != Int(FASTMAP_NONE) && flags(index) & FASTMAP_ELEMENT != 0 }

  /// Whether the owner of an occurrence is an element.
  func isInsideElement(_ index: Int) -> Bool { isElement(Int(occurrences[index].owner)) }

  func flags(_ index: Int) -> Int { Int(occurrences[index].flags) }
}

/// The elements of a batch.
struct ElementTable {
  let hasher: ElementHasher
  var stored: StoredElements
  var pools: [ImportUnit.Holder: ImportUnit.ElementPool] = [:]
  /// The objects of the unit that are stored elements, by their nodes.
  var objects: [Int: Int] = [:]
  /// By object of the unit.
  var sources: [Int: ImportUnit.ElementSource] = [:]
  /// The occurrences that have a list, by the list. Only where a list has a fault.
  var lists: [ImportUnit.Holder: [Int]] = [:]
  /// By occurrence.
  var hashes: [Int: ElementHash] = [:]

  init(_ plan: Plan) {
    hasher = ElementHasher(plan.schema)
    stored = StoredElements(plan, hasher)
  }
}
