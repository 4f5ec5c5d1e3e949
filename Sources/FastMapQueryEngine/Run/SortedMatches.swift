internal import CFastMap

/// The results of a query, sorted by values that are copied. With a limit, at most twice as many are kept.
final class SortedMatches {
  struct Match {
    let id: ObjectID
    let key: PrimaryKey?
    /// The index of its first value in `slots`.
    var place: Int
    let sequence: Int
  }

  private let isDescending: [Bool]
  private let limit: Int
  /// Whether equal ones are sorted by their keys. Otherwise they stay in the order in which they came.
  private let comparesKeys: Bool
  private var slots: [fastmap_slot] = []
  private var memory = FilterMemory()
  private var sequence = 0
  private(set) var matches: [Match] = []
  /// Whether the first `limit` are sorted and all others came later.
  private var isTrimmed = false

  init(isDescending: [Bool], limit: Int, comparesKeys: Bool = false) {
    self.comparesKeys = comparesKeys
    self.isDescending = isDescending
    self.limit = limit
  }

  /// - Parameter values: As many as there are terms, copied.
  func add(_ id: ObjectID, _ key: PrimaryKey?, _ values: UnsafeBufferPointer<fastmap_slot>) throws {
    if limit == 0 { return }
    if isTrimmed {
      let order = order(of: values, to: matches[limit - 1].place)
      if order > 0 || order == 0 && !comparesKeys { return }
    }
    let place = slots.count
    for value in values { slots.append(try memory.copy(value)) }
    matches.append(Match(id: id, key: key, place: place, sequence: sequence))
    sequence += 1
    if matches.count - limit >= max(limit, 256) { try trim() }
  }

  func values(_ match: Match) -> ArraySlice<fastmap_slot> {
    slots[match.place..<match.place + isDescending.count]
  }

  /// Sorts, and drops matches beyond the limit.
  func finish() {
    matches.sort { a, b in
      let order = order(of: a.place, to: b.place)
      if order != 0 { return order < 0 }
      if comparesKeys, a.key != b.key {
        guard let second = b.key else { return true }
        return a.key.map { $0 < second } ?? false
      }
      // Without a key, in the order of creation, which stores that are searched so number upwards.
      if comparesKeys { return a.id < b.id }
      return a.sequence < b.sequence
    }
    if matches.count > limit { matches.removeLast(matches.count - limit) }
  }

  private func trim() throws {
    finish()
    let old = (slots, memory)
    (slots, memory) = ([], FilterMemory())
    for index in matches.indices {
      let place = slots.count
      for slot in old.0[matches[index].place..<matches[index].place + isDescending.count] {
        slots.append(try memory.copy(slot))
      }
      matches[index].place = place
    }
    isTrimmed = true
  }

  private func order(of a: Int, to b: Int) -> Int {
    for term in isDescending.indices {
      let order = slots[a + term].sortOrder(to: slots[b + term])
      if order != 0 { return isDescending[term] ? -order : order }
    }
    return 0
  }

  private func order(of values: UnsafeBufferPointer<fastmap_slot>, to place: Int) -> Int {
    for term in isDescending.indices {
      let order = values[term].sortOrder(to: slots[place + term])
      if order != 0 { return isDescending[term] ? -order : order }
    }
    return 0
  }
}
