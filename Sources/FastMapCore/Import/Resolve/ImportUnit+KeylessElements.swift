internal import CFastMap

/// Elements of lists without a key. They are values: an element is the stored object with the same value, or a new one.
extension ImportUnit {
  /// An object that an occurrence can have, with its owned objects.
  enum ElementSource {
    /// A stored one.
    case node(Int)
    /// The object of another occurrence of this batch.
    case occurrence(Int)
  }

  /// The objects of one list by their values: stored ones in the order of the list, then objects that earlier batches
  /// removed, then new ones.
  struct ElementPool {
    fileprivate var sources: [ElementHash: [ElementSource]] = [:]
    /// New elements without a hash. A list that comes once needs none.
    fileprivate var unhashed: [Int] = []
    /// The length of the list, as far as the batch has come.
    fileprivate var count = 0
    /// The last occurrence of the owner that had elements.
    fileprivate var last = -1
  }

  /// Reads the stored elements of some owners.
  func readElements<W: StoreWriter>(
    of owners: [Int], _ field: Int, _ entity: Int, _ writer: inout W
  ) throws {
    let holders = owners.map { Holder(owner: $0, field: field) }
    let members = holders.map { held[$0] ?? [] }
    var nodes = try elements.stored.read(members.joined().map { objects[$0].id }, of: entity, in: &writer)
    for (holder, members) in zip(holders, members) {
      var pool = ElementPool()
      pool.count = members.count - (wanted[holder]?.count ?? 0)
      for (node, object) in zip(nodes, members) {
        elements.objects[node] = object
        guard let hash = elements.stored.nodes[node].hash else { continue }
        pool.sources[hash, default: []].append(.node(node))
      }
      nodes.removeFirst(members.count)
      elements.pools[holder] = pool
    }
  }

  /// Gives the elements of one list their objects.
  ///
  /// - Complexity: O(*n*) in the objects of the elements.
  func findElements(of owner: Int, _ relationship: Int) {
    let planned = mappings[Int(occurrences[owner].mapping)].relationships[relationship]
    guard let row = occurrences[owner].row else { return }
    let link = row + Int(planned.field)
    let new = targets(link.pointee.link).filter { isElement($0) && !isSkipped($0) }
    if planned.is_custom {
      for index in new { makeElement(index) }
      return
    }
    let holder = Holder(owner: Int(occurrences[owner].object), field: Int(planned.field))
    var pool = elements.pools.removeValue(forKey: holder) ?? ElementPool()
    defer { elements.pools[holder] = pool }
    var isMerge = planned.policy == FASTMAP_MERGE
    if !isMerge, let fault = fault(of: link.pointee.link) {
      // Nobody knows which elements are to go, so all stay.
      if fault == .ofElement, pool.count > 0, !isEmptied(holder, since: pool.last, before: owner) {
        return leaveOut(new, of: &link.pointee.link)
      }
      isMerge = fault == .ofKey
    }
    pool.last = owner
    guard isMerge || !pool.sources.isEmpty || !pool.unhashed.isEmpty else {
      for index in new { held[holder, default: []].append(makeElement(index)) }
      (pool.unhashed, pool.count) = (new, new.count)
      return
    }
    for index in pool.unhashed { pool.sources[hash(of: index), default: []].append(.occurrence(index)) }
    pool.unhashed = []
    if !isMerge { pool.count = new.count }
    var used: [ElementHash: Int] = [:]
    for index in new {
      let hash = hash(of: index)
      let place = isMerge ? 0 : used[hash, default: 0]
      used[hash] = place + 1
      if let known = pool.sources[hash], place < known.count {
        share(index, known[place])
      } else {
        held[holder, default: []].append(makeElement(index))
        pool.sources[hash, default: []].append(.occurrence(index))
        if isMerge { pool.count += 1 }
      }
    }
  }

  /// Whether an occurrence between two others has emptied a list.
  private func isEmptied(_ holder: Holder, since last: Int, before owner: Int) -> Bool {
    if elements.emptied == nil { elements.emptied = findEmptied() }
    return elements.emptied?[holder]?.contains { last < $0 && $0 < owner } ?? false
  }

  /// The occurrences that empty a list, by the list.
  private func findEmptied() -> [Holder: [Int]] {
    var emptied: [Holder: [Int]] = [:]
    var next = 0
    while next < occurrenceCount {
      let index = next
      let occurrence = occurrences[index]
      let isOut = occurrence.flags & UInt32(FASTMAP_SKIPPED | FASTMAP_UNLINKED) != 0
      next = isOut ? Int(occurrence.end) : index + 1
      guard let row = occurrence.row, occurrence.object != FASTMAP_NONE, !isOut, !isStale(index) else {
        continue
      }
      let mapping = mappings + Int(occurrence.mapping)
      for number in 0..<Int(mapping.pointee.relationship_count) {
        let relationship = mapping.pointee.relationships[number]
        let link = row[Int(relationship.field)].link
        guard relationship.to_many, relationship.policy != FASTMAP_MERGE, link.tag != FASTMAP_MISSING else {
          continue
        }
        // A faulty element counts: a list of it alone empties nothing.
        let length = link.tag == FASTMAP_OCCURRENCES ? Int(link.length) : 0
        if UnsafeBufferPointer(start: link.occurrences, count: length).contains(where: { isElement(Int($0)) })
        {
          continue
        }
        let holder = Holder(owner: Int(occurrence.object), field: Int(relationship.field))
        emptied[holder, default: []].append(index)
      }
    }
    return emptied
  }

  // MARK: Objects

  /// Makes new objects of an element and of its owned objects.
  ///
  /// - Returns: The object of the element.
  @discardableResult
  func makeElement(_ index: Int, isMet: Bool = true) -> Int {
    let object = objects.count
    var left = [index]
    while let index = left.popLast() {
      occurrences[index].object = UInt32(objects.count)
      objects.append(Object(entity: Int(mappings[Int(occurrences[index].mapping)].entity), isMet: isMet))
      left += owned(by: index).reversed().map(\.occurrence)
    }
    return object
  }

  /// Gives an element the objects of an equal one.
  func share(_ index: Int, _ source: ElementSource) {
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
    objects.append(Object(id: node.id, entity: node.entity, isStored: true))
    return objects.count - 1
  }

  /// Takes elements out of a list that stays as it is.
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
}

/// The elements of a batch.
struct ElementTable {
  let hasher: ElementHasher
  var stored: StoredElements
  var pools: [ImportUnit.Holder: ImportUnit.ElementPool] = [:]
  /// The objects of the unit that are stored elements, by their nodes.
  var objects: [Int: Int] = [:]
  /// The occurrences that empty a list, by the list; nil until a faulty list asks.
  var emptied: [ImportUnit.Holder: [Int]]?
  /// By occurrence.
  var hashes: [Int: ElementHash] = [:]

  init(_ plan: Plan, _ hasher: ElementHasher? = nil) {
    self.hasher = hasher ?? ElementHasher(plan.schema)
    stored = StoredElements(plan, self.hasher)
  }

  var isEmpty: Bool { pools.isEmpty && hashes.isEmpty }
}
