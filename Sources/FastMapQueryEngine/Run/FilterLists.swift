internal import CFastMap

/// The counts and values at the end of a path through a to-many relationship, for the objects of a chunk.
final class FilterLists {
  private let list: FilterProgram.List
  private let schema: Schema
  private let filters: [FilterRunner?]
  private let rest: FilterRunner?
  private let limit: Int
  private let memory = FilterMemory()
  /// The values of one piece's targets, before it is known which are asked for.
  private let early = FilterMemory()
  /// For each owner that was asked for.
  private(set) var counts: [Int] = []
  /// For each owner, the value if there is exactly one.
  private(set) var values: [fastmap_slot] = []
  /// The average length of an owner's lists so far. The average sets the size of the next question.
  private var averageLength = 0

  /// The owners of the first question, which finds out how long the lists are.
  private static let first = 256
  /// The bytes of values that are copied before it is known whether they are asked for.
  private static let mostEarly = 16 << 20

  init(_ list: FilterProgram.List, _ schema: Schema, limit: Int) {
    self.list = list
    self.schema = schema
    self.limit = limit
    filters = list.selectors.map {
      if case .filtered(let program) = $0 { FilterRunner(program, limit: limit) } else { nil }
    }
    rest = list.rest.map { FilterRunner($0, limit: limit) }
  }

  /// - Parameter owners: Nil for an owner that there is not, which has no targets.
  func read<R: StoreReader>(_ owners: [ObjectID?], entity: Int, _ reader: inout R) throws {
    memory.removeAll()
    counts = [Int](repeating: 0, count: owners.count)
    values = [fastmap_slot](repeating: fastmap_slot(), count: owners.count)
    var places: [ObjectID: [Int]] = [:]
    for (place, owner) in owners.enumerated() {
      if let owner { places[owner, default: []].append(place) }
    }
    var left = places.keys.sorted()[...]
    var most = averageLength == 0 ? Self.first : Int.max
    while !left.isEmpty {
      let room = limit / MemoryLayout<ObjectID>.stride / 4 / max(1, averageLength)
      let piece = Array(left.prefix(max(1, min(most, room))))
      left = left.dropFirst(piece.count)
      let targets = try targets(of: piece, entity, &reader)
      let length = targets.reduce(0) { $0 + $1.count } / piece.count
      averageLength = max(1, averageLength == 0 ? length : (averageLength + length) / 2)
      most = piece.count * 4
      let selected = try select(targets, &reader)
      let (found, only) = try follow(selected, &reader)
      for (index, owner) in piece.enumerated() {
        for place in places[owner] ?? [] {
          counts[place] = found[index]
          values[place] = only[index]
        }
      }
    }
  }

  /// The lists of some owners. A list has one object if the filter looks at the first one of an inverse alone.
  private func targets<R: StoreReader>(
    of owners: [ObjectID], _ entity: Int, _ reader: inout R
  ) throws -> [[ObjectID]] {
    let isFirst = list.selectors.allSatisfy { if case .index(0) = $0 { true } else { false } }
    if isFirst, let inverse = schema.entities[entity].inverse(list.field) {
      return try reader.owners(of: owners, by: inverse, firstOnly: true)
    }
    return try reader.links(of: owners, entity: entity, [list.field], in: schema)[0]
  }

  private func select<R: StoreReader>(_ lists: [[ObjectID]], _ reader: inout R) throws -> [[ObjectID]] {
    if list.selectors.count == 1, case .all = list.selectors[0] { return lists }
    var selected = lists.map { _ in [ObjectID]() }
    for (number, selector) in list.selectors.enumerated() {
      switch selector {
      case .all: for index in lists.indices { selected[index] += lists[index] }
      case .index(let position):
        for index in lists.indices {
          let count = Int64(lists[index].count)
          let place = position < 0 ? position + count : position
          if place >= 0, place < count { selected[index].append(lists[index][Int(place)]) }
        }
      case .slice(let start, let end, let step):
        for index in lists.indices {
          for place in SliceIndices(start: start, end: end, step: step, count: lists[index].count) {
            selected[index].append(lists[index][place])
          }
        }
      case .filtered:
        guard let runner = filters[number] else { continue }
        let ids = lists.flatMap(\.self).sortedUnique()
        var matching = ObjectTable<Bool>()
        try runner.run(ids, &reader) { index, _ in matching.set(true, for: ids[index]) }
        for index in lists.indices { selected[index] += lists[index].filter { matching[$0] == true } }
      }
    }
    return selected
  }

  /// Follows the rest of the path from the selected targets of each owner.
  ///
  /// - Returns: For each owner, the number of values, and the value if there is exactly one.
  private func follow<R: StoreReader>(
    _ selected: [[ObjectID]], _ reader: inout R
  ) throws -> (counts: [Int], values: [fastmap_slot]) {
    var counts = selected.map(\.count)
    var values = selected.map { _ in fastmap_slot() }
    guard let rest else {
      if case .target = list.value {
        for index in selected.indices where counts[index] == 1 { values[index].set(selected[index][0]) }
      }
      return (counts, values)
    }
    let ids = selected.flatMap(\.self).sortedUnique()
    var found = ObjectTable<Int>()
    var valueOf: [ObjectID: fastmap_slot] = [:]
    // Lists inside are not read twice, unless the values take too much memory. Without lists, only the values that are
    // asked for are copied.
    var isRunOnce = !rest.program.lists.isEmpty
    early.removeAll()
    try rest.run(ids, &reader) { [list, early] index, outputs in
      let count = Int(outputs[0].integer)
      found.set(count, for: ids[index])
      if case .output = list.value, isRunOnce, count == 1 {
        isRunOnce = early.byteCount < Self.mostEarly
        if isRunOnce { valueOf[ids[index]] = try early.copy(outputs[1]) }
      }
    }
    var last: [ObjectID?] = []
    for index in selected.indices {
      // One object may be reached in more ways than an integer counts.
      counts[index] = selected[index].reduce(0) { $0.addingSaturated(found[$1] ?? 0) }
      last.append(counts[index] == 1 ? selected[index].first { (found[$0] ?? 0) > 0 } : nil)
    }
    guard case .output = list.value else { return (counts, values) }
    let wanted = last.compactMap(\.self).sortedUnique()
    if isRunOnce {
      for id in wanted { valueOf[id] = try valueOf[id].map { try memory.copy($0) } }
    } else {
      try rest.run(wanted, &reader) { [memory] index, outputs in
        valueOf[wanted[index]] = try memory.copy(outputs[1])
      }
    }
    early.removeAll()
    for index in last.indices {
      if let target = last[index], let slot = valueOf[target] { values[index] = slot }
    }
    return (counts, values)
  }
}
