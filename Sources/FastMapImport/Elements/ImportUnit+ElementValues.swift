package import CFastMap

/// The values of the elements in a batch.
extension ImportUnit {
  func hash(of element: Int) -> ElementHash {
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
    for value in plan.compiled.defaults[Int(mapping.pointee.entity)]
    where slots[value.field].tag == FASTMAP_MISSING {
      slots[value.field] = value.slot
    }
    var keyed: [(field: Int, ids: Range<Int>)] = []
    var ids: [ObjectID] = []
    for number in 0..<Int(mapping.pointee.relationship_count) {
      let field = Int(mapping.pointee.relationships[number].field)
      slots[field] = fastmap_slot()
      let (first, link) = (ids.count, row[field].link)
      var met: Set<UInt32> = []
      for target in targets(link) where !isElement(target) {
        let object = occurrences[target].object
        if object == FASTMAP_NONE { continue }
        // A merge adds an object once.
        if link.policy == FASTMAP_MERGE, !met.insert(object).inserted { continue }
        // A new object without a number is none that a stored element has.
        let id = objects[Int(object)].id
        ids.append(id == .unset ? ObjectID(rawValue: .max - UInt64(object)) : id)
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
  func owned(by index: Int) -> [(field: Int, occurrence: Int)] {
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
  package func targets(_ link: fastmap_link) -> [Int] {
    guard link.tag == FASTMAP_OCCURRENCES else { return [] }
    return UnsafeBufferPointer(start: link.occurrences, count: Int(link.length)).lazy.map { Int($0) }
      .filter { self.isLinked($0) }
  }

  /// - Parameter index: The number of an occurrence, or `FASTMAP_NONE`.
  func isElement(_ index: Int) -> Bool { index != Int(FASTMAP_NONE) && flags(index) & FASTMAP_ELEMENT != 0 }

  func isInsideElement(_ index: Int) -> Bool { isElement(Int(occurrences[index].owner)) }

  func flags(_ index: Int) -> Int { Int(occurrences[index].flags) }
}
