internal import CFastMap

/// Runs a query in one read.
struct QueryRun {
  let query: BoundQuery
  private let runner: FilterRunner?
  /// The objects that were candidates.
  private(set) var lookedAt = 0
  /// Where the results begin; ``BoundQuery/after`` says it otherwise.
  private var start: QueryPosition?
  /// The position of the last result.
  private(set) var last: QueryPosition?

  /// - Parameter start: The position that the first result follows, in place of ``BoundQuery/after``.
  init(_ query: BoundQuery, after start: QueryPosition? = nil) {
    self.query = query
    self.start = start
    runner = query.program.map { FilterRunner($0) }
  }

  private var entityName: String { query.plan.schema.entities[query.entity].name }

  /// Calls `body` with pages of the results, in order, until it returns false.
  mutating func forEachPage<R: StoreReader>(
    _ reader: inout R, _ body: (inout R, ObjectPage) throws -> Bool
  ) throws {
    if start == nil, let after = query.after { start = try position(of: after, &reader) }
    guard query.limit > 0, query.access != .nothing else { return }
    if case .values(let isDescending) = query.order {
      return try forEachSortedPage(isDescending, &reader, body)
    }
    var left = query.limit
    try forEachCandidatePage(query.order, after: start, &reader) { run, reader, page in
      var found = ObjectPage()
      if let runner = run.runner {
        run.lookedAt += page.count
        try runner.run(page.ids, &reader) { index, _ in
          if found.count < left { found.append(page.ids[index], page.keys[index]) }
        }
      } else {
        found = left < page.count ? page.prefix(left) : page
        run.lookedAt += found.count
      }
      left -= found.count
      if let key = found.keys.last { run.last = QueryPosition(key: key, values: []) }
      if found.count > 0, try !body(&reader, found) { return false }
      return left > 0
    }
  }

  /// The number of results, without reading them where the store knows it.
  mutating func count<R: StoreReader>(_ reader: inout R) throws -> Int {
    if query.isUnfiltered, query.after == nil {
      switch query.access {
      case .scan: return min(query.limit, try reader.count(of: query.entity))
      case .keys(let range):
        let count = try reader.count(of: query.entity, keys: range)
        lookedAt = count
        return min(query.limit, count)
      case .lookUp, .nothing: break
      }
    }
    var count = 0
    var run = query.after == nil ? QueryRun(query.unsorted) : self
    try run.forEachPage(&reader) { _, page in
      count += page.count
      return true
    }
    lookedAt = run.lookedAt
    return count
  }

  // MARK: Sorting

  private mutating func forEachSortedPage<R: StoreReader>(
    _ isDescending: [Bool], _ reader: inout R, _ body: (inout R, ObjectPage) throws -> Bool
  ) throws {
    let sorted = SortedMatches(isDescending: isDescending, limit: query.limit)
    try forEachCandidatePage(.stored, after: nil, &reader) { run, reader, page in
      run.lookedAt += page.count
      try run.runner?.run(page.ids, &reader) { [start = run.start] index, values in
        if let start, !start.precedes(values, page.keys[index], isDescending) { return }
        try sorted.add(page.ids[index], page.keys[index], values)
      }
      return true
    }
    sorted.finish()
    if let match = sorted.matches.last {
      last = QueryPosition(key: match.key, values: sorted.values(match).map { $0.value ?? .null })
    }
    var place = 0
    while place < sorted.matches.count {
      let chunk = sorted.matches[place..<min(place + PageSize.ofNumbers, sorted.matches.count)]
      place += chunk.count
      guard try body(&reader, ObjectPage(ids: chunk.map(\.id), keys: chunk.map(\.key))) else { return }
    }
  }

  /// The position of the object with a key, which need not fulfil the filter.
  private func position<R: StoreReader>(of key: PrimaryKey, _ reader: inout R) throws -> QueryPosition {
    guard let id = try reader.find(key, of: query.entity) else {
      throw NoSuchObjectError(entity: entityName, key: key)
    }
    guard let program = query.position else { return QueryPosition(key: key, values: []) }
    var values: [Value] = []
    try FilterRunner(program).run([id], &reader) { _, outputs in values = outputs.map { $0.value ?? .null } }
    return QueryPosition(key: key, values: values)
  }

  // MARK: Candidates

  private typealias Body<R> = (inout QueryRun, inout R, ObjectPage) throws -> Bool

  /// Calls `body` with pages of the candidates until it returns false.
  ///
  /// - Parameter start: Candidates at and before this position are left out.
  private mutating func forEachCandidatePage<R: StoreReader>(
    _ order: BoundQuery.Order, after start: QueryPosition?, _ reader: inout R, _ body: Body<R>
  ) throws {
    if case .lookUp(let keys) = query.access { return try forEachPage(of: keys, order, start, &reader, body) }
    var range: KeyRange?
    if case .keys(let keys) = query.access { range = keys }
    switch order {
    case .stored, .values:
      guard let key = start?.key else {
        return _ = try forEachStored(range, isDescending: false, nil, &reader, body)
      }
      let rest = (range ?? KeyRange()).from(key)
      guard try forEachStored(rest, isDescending: false, key, &reader, body), range == nil else { return }
      try forEachKeyless(&reader, body)
    case .key(isDescending: false):
      if range == nil, start == nil, try !forEachKeyless(&reader, body) { return }
      let rest = start?.key.map { (range ?? KeyRange()).from($0) } ?? range ?? KeyRange()
      _ = try forEachStored(rest, isDescending: false, start?.key, &reader, body)
    case .key(isDescending: true):
      let rest = start?.key.map { (range ?? KeyRange()).before($0) } ?? range ?? KeyRange()
      guard try forEachStored(rest, isDescending: true, nil, &reader, body), range == nil else { return }
      try forEachKeyless(&reader, body)
    }
  }

  /// - Parameter excluded: A key to leave out.
  /// - Returns: False if `body` did.
  private mutating func forEachStored<R: StoreReader>(
    _ keys: KeyRange?, isDescending: Bool, _ excluded: PrimaryKey?, _ reader: inout R, _ body: Body<R>
  ) throws -> Bool {
    if keys?.isEmpty ?? false { return true }
    var isGoingOn = true
    let size = pageSize(reader)
    try reader.forEachPage(of: query.entity, keys: keys, isDescending: isDescending, pageSize: size) {
      reader, page in
      var page = page
      if let excluded, page.keys.first == .some(excluded) {
        page = ObjectPage(ids: Array(page.ids.dropFirst()), keys: Array(page.keys.dropFirst()))
      }
      if page.count > 0 { isGoingOn = try body(&self, &reader, page) }
      return isGoingOn
    }
    return isGoingOn
  }

  /// The objects without a key, in the order of creation. Only their numbers are kept.
  ///
  /// - Returns: False if `body` did.
  @discardableResult
  private mutating func forEachKeyless<R: StoreReader>(_ reader: inout R, _ body: Body<R>) throws -> Bool {
    var ids: [ObjectID] = []
    // In reverse, they are the first.
    try reader.forEachPage(of: query.entity, keys: nil, isDescending: true, pageSize: pageSize(reader)) {
      _, page in
      let keyless = page.keys.firstIndex { $0 != nil } ?? page.count
      ids += page.ids[..<keyless]
      return keyless == page.count
    }
    ids.reverse()
    var left = ids[...]
    while !left.isEmpty {
      let chunk = Array(left.prefix(pageSize(reader)))
      left = left.dropFirst(chunk.count)
      guard try body(&self, &reader, ObjectPage(ids: chunk, keys: chunk.map { _ in nil })) else {
        return false
      }
    }
    return true
  }

  private mutating func forEachPage<R: StoreReader>(
    of keys: [PrimaryKey], _ order: BoundQuery.Order, _ start: QueryPosition?, _ reader: inout R,
    _ body: Body<R>
  ) throws {
    var keys = keys
    if case .key(isDescending: true) = order {
      keys.reverse()
      if let start = start?.key { keys.removeAll { $0 >= start } }
    } else if let start = start?.key {
      keys.removeAll { $0 <= start }
    }
    var left = keys[...]
    while !left.isEmpty {
      let chunk = Array(left.prefix(PageSize.ofNumbers))
      left = left.dropFirst(chunk.count)
      var page = ObjectPage()
      for (key, id) in zip(chunk, try reader.checkedFind(chunk, of: query.entity)) {
        if let id { page.append(id, key) }
      }
      if page.count > 0, try !body(&self, &reader, page) { return }
    }
  }

  private func pageSize<R: StoreReader>(_ reader: borrowing R) -> Int {
    let size = runner?.pageSize(reader) ?? PageSize.ofNumbers
    return query.isUnfiltered && runner == nil ? max(1, min(size, query.limit)) : size
  }
}

/// A place between the results of a query.
struct QueryPosition: Sendable {
  /// Nil behind an object without a key.
  let key: PrimaryKey?
  /// Of the terms to sort by.
  let values: [Value]

  /// Whether it is before an object with these values and this key.
  func precedes(
    _ other: UnsafeBufferPointer<fastmap_slot>, _ otherKey: PrimaryKey?, _ isDescending: [Bool]
  ) -> Bool {
    for (index, value) in values.enumerated() {
      let literal = LiteralSlot(value)
      let order = withExtendedLifetime(literal) { literal.slot.sortOrder(to: other[index]) }
      if order != 0 { return isDescending[index] ? order > 0 : order < 0 }
    }
    guard let otherKey else { return key != nil }
    return key.map { $0 < otherKey } ?? false
  }
}

extension BoundQuery {
  /// The same query with a smaller limit.
  func limited(to count: Int) -> BoundQuery {
    BoundQuery(
      plan: plan, entity: entity, access: access, program: program, position: position, order: order,
      limit: min(count, limit), after: after, isUnfiltered: isUnfiltered)
  }

  /// The same results in any order.
  var unsorted: BoundQuery {
    guard case .values = order else { return self }
    return BoundQuery(
      plan: plan, entity: entity, access: access, program: program?.withoutOutputs, position: nil,
      order: .stored,
      limit: limit, after: after, isUnfiltered: isUnfiltered)
  }
}

extension KeyRange {
  /// The part from a key on.
  fileprivate func from(_ key: PrimaryKey) -> KeyRange {
    var range = self
    range.lower = lower.map { max($0, key) } ?? key
    return range
  }

  /// The part before a key.
  fileprivate func before(_ key: PrimaryKey) -> KeyRange {
    var range = self
    if let upper, upper < key { return range }
    range.upper = key
    range.includesUpper = false
    return range
  }
}

extension ObjectPage {
  fileprivate func prefix(_ count: Int) -> ObjectPage {
    ObjectPage(ids: Array(ids.prefix(count)), keys: Array(keys.prefix(count)))
  }
}
