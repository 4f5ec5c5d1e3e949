internal import CFastMap

/// Runs a query in one read.
package struct QueryRun {
  let query: BoundQuery
  var runner: FilterRunner?
  /// Whether it may go through an index. A sort of objects that an index cannot prove to be whole may not.
  private let usesIndexes: Bool
  package private(set) var access: AccessPath
  /// The index that was chosen; nil before, and for a look at all objects.
  package var path: IndexPath?
  /// The objects to look at, ascending by key, if lists of owners have them; nil otherwise.
  var listed: ObjectPage?
  /// Runs the filter while the store visits the objects; nil if pages of objects are tested.
  var lent: RowTest?
  /// The division of the filter between the store and FastMap; nil if FastMap tests everything.
  package private(set) var pushed: PushedFilter?
  /// The objects that were candidates.
  package var lookedAt = 0
  /// Where the results begin; ``BoundQuery/start`` has it in another form.
  package private(set) var start: QueryPosition?

  /// - Parameter start: The position that the first result follows, in place of ``BoundQuery/start``.
  package init(_ query: BoundQuery, after start: QueryPosition? = nil, usesIndexes: Bool = true) {
    self.query = query
    self.usesIndexes = usesIndexes
    access = query.access
    self.start = start
  }

  private var entityName: String { query.plan.schema.entities[query.entity].name }

  /// Calls `body` with pages of the results, in order, until it returns false.
  package mutating func forEachPage<R: StoreReader>(
    _ reader: inout R, _ body: (inout R, ObjectPage) throws -> Bool
  ) throws {
    if start == nil {
      switch query.start {
      case .behind(let key)?: start = try position(of: key, &reader)
      case .position(let position)?: start = position
      case nil: break
      }
    }
    guard query.limit > 0, query.access != .nothing else { return }
    try choosePath(&reader)
    if access == .nothing { return }
    if let page = try sortedByStore(&reader) {
      lookedAt += page.count
      try forEachChunk(of: page, &reader, body)
      return
    }
    if let path, path.isInOrder { return try forEachPage(inOrderOf: path, &reader, body) }
    if let path, case .stored = query.order {
      // With a limit, only so many are kept.
      if query.limit < .max || start != nil || runner?.isLocal == false || reader.prefersSets {
        return try forEachSortedPage([], &reader, body)
      }
      return try forEachPageByKey(path, &reader, body)
    }
    if case .values(let isDescending) = query.order {
      return try forEachSortedPage(isDescending, &reader, body)
    }
    try forEachUnsortedPage(&reader, body)
  }

  /// Chooses the way to the objects, and the remaining tests.
  private mutating func choosePath<R: StoreReader>(_ reader: inout R) throws {
    guard path == nil, listed == nil, pushed == nil else { return }
    switch try AccessChoice(for: query, usesIndexes: usesIndexes, &reader) {
    case .nothing: access = .nothing
    case .index(let path): use(path)
    case .pushed(let filter): use(filter)
    case .all: runner = query.program.map { FilterRunner($0) }
    case .lists(let bound, let found):
      listed = found
      let inverse = query.plan.schema.entities[query.entity].inverses[bound.number]
      access = .targets(query.plan.schema.relationship(of: inverse), of: bound.keys)
      runner = query.program.map { FilterRunner($0) }
    }
  }

  private mutating func use(_ path: IndexPath) {
    self.path = path
    access = .index(path.index.name, path.ranges)
    let sortTerms = path.isInOrder ? [] : query.sortTerms
    runner =
      path.isExact && sortTerms.isEmpty
      ? nil
      : FilterRunner(FilterProgram(path.rest, query.entity, query.plan, sortedBy: sortTerms))
  }

  /// Leaves a part of the filter to the store.
  private mutating func use(_ filter: PushedFilter) {
    pushed = filter
    access = query.access
    runner =
      filter.isExact && query.sortTerms.isEmpty
      ? nil
      : FilterRunner(
        FilterProgram(filter.left, query.entity, query.plan, sortedBy: query.sortTerms))
  }

  /// The results, if the store tests all of the filter and sorts by attributes; nil otherwise.
  private mutating func sortedByStore<R: StoreReader>(_ reader: inout R) throws -> ObjectPage? {
    guard path == nil, listed == nil, start == nil, case .values(let isDescending) = query.order else {
      return nil
    }
    let parts = zip(query.sortTerms, isDescending).compactMap { term, isDescending in
      term.ownAttribute.map { Schema.Index.Part(field: $0, isDescending: isDescending) }
    }
    guard parts.count == isDescending.count, let keys = query.storedKeys else { return nil }
    if query.sortTerms.contains(where: { $0.readsFallback(of: query.entity, in: query.plan) }) { return nil }
    if let pushed, !pushed.isExact { return nil }
    if pushed == nil {
      let isAny = try query.isUnfiltered && reader.canTest(.constant(true), of: query.entity)
      if !isAny { return nil }
    }
    if try lacksValue(parts, keys, &reader) { return nil }
    let page = try reader.objects(
      of: query.entity, keys: keys, where: pushed?.taken ?? .constant(true), sortedBy: parts,
      limit: query.limit)
    isSortedByStore = page != nil
    return page
  }

  package private(set) var isSortedByStore = false

  /// Whether the results are sorted after they were found.
  package var isSorted: Bool {
    if isSortedByStore { return false }
    if let path { return !path.isInOrder }
    return query.isSorted
  }

  /// Whether every object that is looked at is a result.
  var isUnfiltered: Bool { path?.isExact ?? pushed?.isExact ?? query.isUnfiltered }

  mutating func forEachUnsortedPage<R: StoreReader>(
    _ reader: inout R, _ body: (inout R, ObjectPage) throws -> Bool
  ) throws {
    var left = query.limit
    if let runner, runner.isLocal, !reader.prefersSets, pushed == nil {
      try runner.begin(&reader)
      lent = RowTest(runner)
    }
    try forEachCandidatePage(query.order, after: start, &reader) { run, reader, page, isTested in
      var found = ObjectPage()
      if let runner = run.runner, !isTested {
        run.lookedAt += page.count
        try runner.run(page.ids, &reader) { index, _ in
          if found.count < left { found.append(page.ids[index], page.keys[index]) }
        }
      } else {
        found = left < page.count ? page.prefix(left) : page
        if !isTested { run.lookedAt += found.count }
      }
      left -= found.count
      if found.count > 0, try !body(&reader, found) { return false }
      return left > 0
    }
  }

  private mutating func forEachPageByKey<R: StoreReader>(
    _ path: IndexPath, _ reader: inout R, _ body: (inout R, ObjectPage) throws -> Bool
  ) throws {
    try runner?.begin(&reader)
    let test = RowTest(runner)
    defer { lookedAt += test.count }
    try reader.forEachPageByKey(
      in: path.index, of: query.entity, ranges: path.ranges, pageSize: PageSize.ofObjects(in: reader),
      where: test, body)
  }

  /// The number of results, without reading them where the store knows it.
  package mutating func count<R: StoreReader>(_ reader: inout R) throws -> Int {
    var run = query.start == nil ? QueryRun(query.unsorted, usesIndexes: usesIndexes) : self
    defer { (lookedAt, access, pushed) = (run.lookedAt, run.access, run.pushed) }
    // After an object, the results are read, and it is an error if there is no such object.
    if query.limit > 0, query.start == nil {
      try run.choosePath(&reader)
      if let known = try run.knownCount(&reader) { return known }
    }
    var count = 0
    func add(_: inout R, _ page: ObjectPage) -> Bool {
      count += page.count
      return true
    }
    if run.path == nil, run.listed == nil {
      try run.forEachPage(&reader, add)
    } else {
      // The order does not matter.
      try run.forEachUnsortedPage(&reader, add)
    }
    return count
  }

  /// The number of results if the store tells it; nil otherwise. The way to the objects is chosen.
  private mutating func knownCount<R: StoreReader>(_ reader: inout R) throws -> Int? {
    if access == .nothing { return 0 }
    if let pushed, pushed.isExact, let keys = query.storedKeys {
      lookedAt = try reader.count(of: query.entity, keys: keys, where: pushed.taken, limit: query.limit)
      return lookedAt
    }
    if let path, path.isExact {
      lookedAt = try path.count(of: query.entity, limit: query.limit, &reader)
      return lookedAt
    }
    // Below a page, fetching beats counting.
    guard listed == nil, query.isUnfiltered, query.limit > PageSize.ofNumbers else { return nil }
    switch query.access {
    case .scan: return min(query.limit, try reader.count(of: query.entity))
    case .keys(let range):
      lookedAt = try reader.count(of: query.entity, keys: range)
      return min(query.limit, lookedAt)
    case .lookUp, .index, .targets, .nothing: return nil
    }
  }

  // MARK: Sorting

  private mutating func forEachSortedPage<R: StoreReader>(
    _ isDescending: [Bool], _ reader: inout R, _ body: (inout R, ObjectPage) throws -> Bool
  ) throws {
    // The objects of an index do not come in the order of their keys.
    let sorted = SortedMatches(isDescending: isDescending, limit: query.limit, comparesKeys: path != nil)
    let none = UnsafeBufferPointer<fastmap_slot>(start: nil, count: 0)
    try forEachCandidatePage(.stored, after: nil, &reader) { run, reader, page, _ in
      run.lookedAt += page.count
      if run.runner == nil {
        for (id, key) in zip(page.ids, page.keys) {
          if let start = run.start, !start.precedes(none, key, isDescending) { continue }
          try sorted.add(id, key, none)
        }
      }
      try run.runner?.run(page.ids, &reader) { [start = run.start] index, values in
        if let start, !start.precedes(values, page.keys[index], isDescending) { return }
        try sorted.add(page.ids[index], page.keys[index], values)
      }
      return true
    }
    sorted.finish()
    try forEachChunk(
      of: ObjectPage(ids: sorted.matches.map(\.id), keys: sorted.matches.map(\.key)), &reader, body)
  }

  private func forEachChunk<R: StoreReader>(
    of page: ObjectPage, _ reader: inout R, _ body: (inout R, ObjectPage) throws -> Bool
  ) throws {
    for start in stride(from: 0, to: page.count, by: PageSize.ofNumbers) {
      let chunk = start..<min(start + PageSize.ofNumbers, page.count)
      guard try body(&reader, ObjectPage(ids: Array(page.ids[chunk]), keys: Array(page.keys[chunk]))) else {
        return
      }
    }
  }

  /// The position of the object with a key, which need not fulfil the filter.
  private func position<R: StoreReader>(of key: PrimaryKey, _ reader: inout R) throws -> QueryPosition {
    guard let id = try reader.find(key, of: query.entity) else {
      throw NoSuchObjectError(entity: entityName, key: key)
    }
    return QueryPosition(key: key, values: try reader.sortValues(of: id, query).map { LiteralSlot($0) })
  }
}

extension StoreReader {
  /// The sort values of an object, which need not fulfil the filter.
  mutating func sortValues(of id: ObjectID, _ query: BoundQuery) throws -> [Value] {
    guard let program = query.position else { return [] }
    var values = query.sortTerms.map { _ in Value.null }
    try FilterRunner(program).run([id], &self) { _, outputs in values = outputs.map { $0.value ?? .null } }
    return values
  }
}

extension ObjectPage {
  fileprivate func prefix(_ count: Int) -> ObjectPage {
    ObjectPage(ids: Array(ids.prefix(count)), keys: Array(keys.prefix(count)))
  }
}
