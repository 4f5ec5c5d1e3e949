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

  /// The objects that elements of one list can have.
  struct ElementPool {
    /// Stored elements as nodes, by their values: those of the list in its order, then others that it has had.
    fileprivate var stored: [ElementHash: [Int]] = [:]
    /// The occurrences of new elements, as far as the batch has come.
    fileprivate var new: [Int] = []
    /// The first of them with each value. Only a merge compares new elements.
    fileprivate var newByValue: [ElementHash: Int] = [:]
    /// How many of `new` are in `newByValue`, or equal to one there.
    fileprivate var comparedCount = 0
    /// The length of the list, as far as the batch has come.
    fileprivate var count = 0
    /// The last occurrence of the owner that had elements.
    fileprivate var last = -1
  }

  /// Reads the elements of some stored lists.
  ///
  /// - Parameter places: The lists in the store.
  func readElements<R: StoreReader>(
    of holders: [Holder], _ places: [Holder: ChangeBatch.Holder], _ entity: Int, _ reader: inout R
  ) throws {
    let lists = holders.map { owned.before[$0] ?? [] }
    var nodes = try elements.stored.read(lists.joined().map { objects[$0].id }, of: entity, in: &reader)
    for (holder, members) in zip(holders, lists) {
      var pool = ElementPool()
      pool.count = members.count
      let kept = places[holder].flatMap { shared.known.keeps($0.field, of: $0.entity) ? $0 : nil }
      for (node, object) in zip(nodes, members) {
        elements.objects[node] = object
        guard let hash = elements.stored.nodes[node].hash else { continue }
        pool.stored[hash, default: []].append(node)
        if let kept { shared.known.add(objects[object].id, shared.known.value(hash, in: kept)) }
      }
      if let kept { shared.known.addList(kept) }
      nodes.removeFirst(members.count)
      elements.pools[holder] = pool
    }
  }

  /// Finds the known elements that the occurrences of a level can have: of lists that are known, and of those that others have
  /// lost. Reads only elements with equal values.
  func findKnown<R: StoreReader>(
    _ level: [Int], _ places: [Holder: ChangeBatch.Holder], _ entity: Int, _ reader: inout R
  ) throws {
    let places = places.filter { shared.known.hasList($1) || owned.detached.byHolder[$1] != nil }
    if places.isEmpty { return }
    try readLost(Array(places.values), entity, &reader)
    var listed: [Holder: Set<ObjectID>] = [:]
    for holder in places.keys { listed[holder] = Set((owned.before[holder] ?? []).map { objects[$0].id }) }
    var next: [ElementHash: Int] = [:]
    var found: [(holder: Holder, hash: ElementHash, id: ObjectID)] = []
    for index in level where isElement(index) && !isAsked(index) {
      let (holder, _) = holder(of: index)
      guard let place = places[holder] else { continue }
      let hash = hash(of: index)
      let value = shared.known.value(hash, in: place)
      while let id = shared.known.object(value, at: next[value, default: 0]) {
        next[value, default: 0] += 1
        if listed[holder]?.contains(id) ?? false { continue }
        found.append((holder, hash, id))
        break
      }
    }
    let nodes = try elements.stored.read(found.map(\.id), of: entity, in: &reader)
    for (node, element) in zip(nodes, found) where elements.stored.nodes[node].hash == element.hash {
      elements.pools[element.holder, default: ElementPool()].stored[element.hash, default: []].append(node)
    }
  }

  /// Reads the elements that lists have lost since they were known.
  private func readLost<R: StoreReader>(
    _ places: [ChangeBatch.Holder], _ entity: Int, _ reader: inout R
  ) throws {
    var lost: [(place: ChangeBatch.Holder, id: ObjectID)] = []
    for place in places {
      guard let ids = owned.detached.byHolder[place], ids.count > shared.known.lostCount(place) else {
        continue
      }
      lost += ids.dropFirst(shared.known.lostCount(place)).map { (place, $0) }
      shared.known.recordLost(place, count: ids.count)
    }
    var stored = StoredElements(plan, shared.known.hasher)
    for (node, element) in zip(try stored.read(lost.map(\.id), of: entity, in: &reader), lost) {
      if let hash = stored.nodes[node].hash {
        shared.known.add(element.id, shared.known.value(hash, in: element.place))
      }
    }
  }

  /// Adds the new elements of the lists that are known. Their new targets have numbers now, by which the next batch compares.
  func addKnownElements() {
    elements.hashes.removeAll()
    for (holder, pool) in elements.pools where !pool.newByValue.isEmpty {
      let owner = objects[holder.owner]
      let place = ChangeBatch.Holder(owner: owner.id, entity: owner.entity, field: holder.field)
      guard shared.known.hasList(place) else { continue }
      shared.known.addList(place)
      for index in pool.newByValue.values {
        shared.known.add(
          objects[Int(occurrences[index].object)].id, shared.known.value(hash(of: index), in: place))
      }
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
      // A faulty element matches none, so all stay.
      if fault == .ofElement, pool.count > 0, !isEmptied(holder, since: pool.last, before: owner) {
        return leaveOut(new, of: &link.pointee.link)
      }
      isMerge = fault == .ofKey
    }
    pool.last = owner
    if isMerge { merge(new, into: holder, &pool) } else { assign(new, to: holder, &pool) }
  }

  private func assign(_ new: [Int], to holder: Holder, _ pool: inout ElementPool) {
    for index in pool.new { unmakeElement(index) }
    (pool.new, pool.newByValue, pool.comparedCount) = ([], [:], 0)
    pool.count = new.count
    var used: [ElementHash: Int] = [:]
    for index in new {
      if !pool.stored.isEmpty {
        let hash = hash(of: index)
        let place = used[hash, default: 0]
        used[hash] = place + 1
        if let equal = pool.stored[hash], place < equal.count {
          share(index, .node(equal[place]))
          continue
        }
      }
      owned.before[holder, default: []].append(makeElement(index))
      pool.new.append(index)
    }
  }

  private func merge(_ new: [Int], into holder: Holder, _ pool: inout ElementPool) {
    for index in pool.new[pool.comparedCount...] where pool.newByValue[hash(of: index)] == nil {
      pool.newByValue[hash(of: index)] = index
    }
    for index in new {
      let hash = hash(of: index)
      if let equal = pool.stored[hash]?.first {
        share(index, .node(equal))
      } else if let equal = pool.newByValue[hash] {
        share(index, .occurrence(equal))
      } else {
        owned.before[holder, default: []].append(makeElement(index))
        pool.new.append(index)
        pool.newByValue[hash] = index
        pool.count += 1
      }
    }
    pool.comparedCount = pool.new.count
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
        let all = UnsafeBufferPointer(start: link.occurrences, count: length)
        if all.contains(where: { isElement(Int($0)) }) { continue }
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
  func makeElement(_ index: Int, isPresent: Bool = true) -> Int {
    let object = objects.count
    var left = [index]
    while let index = left.popLast() {
      occurrences[index].object = UInt32(objects.count)
      objects.append(
        Object(entity: Int(mappings[Int(occurrences[index].mapping)].entity), isPresent: isPresent))
      left += owned(by: index).reversed().map(\.occurrence)
    }
    return object
  }

  /// Takes back the new objects of an element, because a later list of the batch takes the place of its list.
  private func unmakeElement(_ index: Int) {
    var left = [index]
    while let index = left.popLast() {
      objects[Int(occurrences[index].object)].isPresent = false
      left += owned(by: index).map(\.occurrence)
    }
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
      objects[object].isPresent = true
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
    for index in new { makeElement(index, isPresent: false) }
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

  init(_ plan: Plan, _ hasher: ElementHasher) {
    self.hasher = hasher
    stored = StoredElements(plan, hasher)
  }

  var isEmpty: Bool { pools.isEmpty && hashes.isEmpty && stored.nodes.isEmpty }
}
