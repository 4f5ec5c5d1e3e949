internal import CFastMap

/// Runs a query in one read.
struct QueryRun {
  let query: BoundQuery
  private var runner: FilterRunner?
  /// Whether it may go through an index. An asynchronous sequence in the order of keys starts each page with a new read.
  private let usesIndexes: Bool
  /// The objects to look at.
  private(set) var access: AccessPath
  /// The index that was chosen; nil before, and for a look at all objects.
  private var path: IndexPath?
  /// Runs the filter while the store visits the objects; nil if pages of objects are tested.
  private var lent: FilterRunner?
  /// What the store tests; nil if FastMap tests everything.
  private(set) var pushed: PushedFilter?
  /// The objects that were candidates.
  private(set) var lookedAt = 0
  /// Where the results begin; ``BoundQuery/after`` says it otherwise.
  private var start: QueryPosition?

  /// - Parameter start: The position that the first result follows, in place of ``BoundQuery/after``.
  init(_ query: BoundQuery, after start: QueryPosition? = nil, usesIndexes: Bool = true) {
    self.query = query
    self.usesIndexes = usesIndexes
    access = query.access
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
    try choosePath(&reader)
    if access == .nothing { return }
    if let page = try sortedByStore(&reader) {
      lookedAt += page.count
      try forEachChunk(of: page, &reader, body)
      return
    }
    if let path, path.isInOrder { return try forEachUnsortedPage(&reader, body) }
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

  /// Chooses an index, or what the store tests, and what is left to be tested.
  private mutating func choosePath<R: StoreReader>(_ reader: inout R) throws {
    guard path == nil, pushed == nil else { return }
    let filter = try PushedFilter(query, &reader)
    // The store finds objects by its own means. In order, an index may find the first ones without the others.
    if let filter {
      var isSorting = false
      if case .values = query.order, usesIndexes { isSorting = true }
      if isSorting { try chooseIndex(&reader) }
      if access == .nothing { return }
      if let path, path.isInOrder, path.isExact { return }
      path = nil
      use(filter)
      return
    }
    if usesIndexes { try chooseIndex(&reader) }
  }

  private mutating func chooseIndex<R: StoreReader>(_ reader: inout R) throws {
    switch try IndexPlanner.choice(for: query, &reader) {
    case .scan: return
    case .nothing: access = .nothing
    case .path(let path): use(path)
    }
  }

  private mutating func use(_ path: IndexPath) {
    self.path = path
    access = .index(path.index.name, path.range)
    let sortPaths = path.isInOrder ? [] : query.sortPaths
    runner =
      path.isExact && sortPaths.isEmpty
      ? nil
      : FilterRunner(FilterProgram(path.rest, query.entity, query.plan.schema, sortedBy: sortPaths))
  }

  /// Leaves a part of the filter to the store.
  private mutating func use(_ filter: PushedFilter) {
    pushed = filter
    access = query.access
    runner =
      filter.isExact && query.sortPaths.isEmpty
      ? nil
      : FilterRunner(
        FilterProgram(filter.left, query.entity, query.plan.schema, sortedBy: query.sortPaths))
  }

  /// The results, if the store tests all of the filter and sorts by attributes; nil otherwise.
  private mutating func sortedByStore<R: StoreReader>(_ reader: inout R) throws -> ObjectPage? {
    guard path == nil, start == nil, case .values(let isDescending) = query.order else { return nil }
    let parts = zip(query.sortPaths, isDescending).compactMap { path, isDescending -> Schema.Index.Part? in
      guard path.steps.isEmpty, case .attribute(let field) = path.end else { return nil }
      return Schema.Index.Part(field: field, isDescending: isDescending)
    }
    guard parts.count == isDescending.count, let keys = sortedKeys else { return nil }
    if let pushed, !pushed.isExact { return nil }
    if pushed == nil {
      let isAny = try query.isUnfiltered && reader.canTest(.constant(true), of: query.entity)
      if !isAny { return nil }
    }
    let page = try reader.objects(
      of: query.entity, keys: keys, where: pushed?.taken ?? .constant(true), sortedBy: parts,
      limit: query.limit)
    isSortedByStore = page != nil
    return page
  }

  /// The keys of the objects to sort; nil for single ones.
  private var sortedKeys: KeyRange?? {
    switch query.access {
    case .scan: .some(nil)
    case .keys(let range): range
    case .lookUp, .index, .nothing: nil
    }
  }

  /// Whether the store has sorted the results.
  private(set) var isSortedByStore = false

  /// Whether the results are sorted after they were found.
  var isSorted: Bool {
    if isSortedByStore { return false }
    if let path { return !path.isInOrder }
    if case .values = query.order { return true }
    return false
  }

  /// Whether every object that is looked at is a result.
  private var isUnfiltered: Bool { path?.isExact ?? pushed?.isExact ?? query.isUnfiltered }

  private mutating func forEachUnsortedPage<R: StoreReader>(
    _ reader: inout R, _ body: (inout R, ObjectPage) throws -> Bool
  ) throws {
    var left = query.limit
    if let runner, runner.isLocal, !reader.prefersSets, pushed == nil {
      try runner.begin(&reader)
      lent = runner
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
    var count = 0
    defer { lookedAt += count }
    try reader.forEachPageByKey(
      in: path.index, of: query.entity, range: path.range, pageSize: PageSize.ofObjects(in: reader),
      where: { [runner] id, row in
        count += 1
        return try runner?.includes(id, row) ?? true
      }, body)
  }

  /// The number of results, without reading them where the store knows it.
  mutating func count<R: StoreReader>(_ reader: inout R) throws -> Int {
    if query.limit > 0 {
      var run = QueryRun(query.unsorted, usesIndexes: usesIndexes)
      try run.choosePath(&reader)
      if let pushed = run.pushed, pushed.isExact, query.after == nil, let keys = sortedKeys {
        access = run.access
        self.pushed = pushed
        lookedAt = try reader.count(
          of: query.entity, keys: keys, where: pushed.taken, limit: query.limit)
        return lookedAt
      }
      if run.access == .nothing {
        access = .nothing
        return 0
      }
      if let path = run.path, query.after == nil {
        access = run.access
        if path.isExact {
          lookedAt = try reader.count(in: path.index, of: query.entity, range: path.range, limit: query.limit)
          return lookedAt
        }
        // The order does not matter.
        var count = 0
        try run.forEachUnsortedPage(&reader) { _, page in
          count += page.count
          return true
        }
        lookedAt = run.lookedAt
        return count
      }
    }
    if query.isUnfiltered, query.after == nil {
      switch query.access {
      case .scan: return min(query.limit, try reader.count(of: query.entity))
      case .keys(let range):
        let count = try reader.count(of: query.entity, keys: range)
        lookedAt = count
        return min(query.limit, count)
      case .lookUp, .index, .nothing: break
      }
    }
    var count = 0
    var run = query.after == nil ? QueryRun(query.unsorted) : self
    try run.forEachPage(&reader) { _, page in
      count += page.count
      return true
    }
    lookedAt = run.lookedAt
    access = run.access
    pushed = run.pushed
    return count
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
    guard let program = query.position else { return QueryPosition(key: key, values: []) }
    var values: [LiteralSlot] = []
    try FilterRunner(program).run([id], &reader) { _, outputs in
      values = outputs.map { LiteralSlot($0.value ?? .null) }
    }
    return QueryPosition(key: key, values: values)
  }

  // MARK: Candidates

  /// The last argument says whether the filter was run for all objects of the page already.
  private typealias Body<R> = (inout QueryRun, inout R, ObjectPage, Bool) throws -> Bool

  /// Calls `body` with pages of the candidates until it returns false.
  ///
  /// - Parameter start: Candidates at and before this position are left out.
  private mutating func forEachCandidatePage<R: StoreReader>(
    _ order: BoundQuery.Order, after start: QueryPosition?, _ reader: inout R, _ body: Body<R>
  ) throws {
    if let path {
      let position = start.flatMap { path.position($0, query.plan.schema.entities[query.entity]) }
      let size = pageSize(reader)
      guard let lent else {
        return try reader.forEachPage(
          in: path.index, of: query.entity, range: path.range, isDescending: path.isDescending,
          after: position, pageSize: size
        ) { reader, page in try body(&self, &reader, page, false) }
      }
      var count = 0
      defer { lookedAt += count }
      return try reader.forEachPage(
        in: path.index, of: query.entity, range: path.range, isDescending: path.isDescending, after: position,
        pageSize: size,
        where: { id, row in
          count += 1
          return try lent.includes(id, row)
        }
      ) { reader, page in try body(&self, &reader, page, true) }
    }
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
    func take(_ reader: inout R, _ page: ObjectPage, _ isTested: Bool) throws -> Bool {
      var page = page
      if let excluded, page.keys.first == .some(excluded) {
        page = ObjectPage(ids: Array(page.ids.dropFirst()), keys: Array(page.keys.dropFirst()))
      }
      if page.count > 0 { isGoingOn = try body(&self, &reader, page, isTested) }
      return isGoingOn
    }
    guard let lent else {
      try Self.forEachPage(query.entity, pushed, keys, isDescending: isDescending, size, &reader) {
        try take(&$0, $1, false)
      }
      return isGoingOn
    }
    var count = 0
    defer { lookedAt += count }
    try reader.forEachPage(
      of: query.entity, keys: keys, isDescending: isDescending, pageSize: size,
      where: { id, row in
        count += 1
        return try lent.includes(id, row)
      }
    ) { try take(&$0, $1, true) }
    return isGoingOn
  }

  /// The objects of a range of keys, with those only that the store has tested.
  private static func forEachPage<R: StoreReader>(
    _ entity: Int, _ pushed: PushedFilter?, _ keys: KeyRange?, isDescending: Bool, _ pageSize: Int,
    _ reader: inout R, _ body: (inout R, ObjectPage) throws -> Bool
  ) throws {
    if let pushed {
      try reader.forEachPage(
        of: entity, keys: keys, where: pushed.taken, isDescending: isDescending, pageSize: pageSize, body)
    } else {
      try reader.forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize, body)
    }
  }

  /// The objects without a key, in the order of creation. Only their numbers are kept.
  ///
  /// - Returns: False if `body` did.
  @discardableResult
  private mutating func forEachKeyless<R: StoreReader>(_ reader: inout R, _ body: Body<R>) throws -> Bool {
    var ids: [ObjectID] = []
    // In reverse, they are the first.
    try Self.forEachPage(query.entity, pushed, nil, isDescending: true, pageSize(reader), &reader) {
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
      guard try body(&self, &reader, ObjectPage(ids: chunk, keys: chunk.map { _ in nil }), false) else {
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
      if page.count > 0, try !body(&self, &reader, page, false) { return }
    }
  }

  private func pageSize<R: StoreReader>(_ reader: borrowing R) -> Int {
    if lent != nil { return max(1, min(PageSize.ofNumbers, query.limit)) }
    let size = runner?.pageSize(reader) ?? PageSize.ofNumbers
    return isUnfiltered && runner == nil ? max(1, min(size, query.limit)) : size
  }
}

/// A place between the results of a query.
struct QueryPosition: Sendable {
  /// Nil behind an object without a key.
  let key: PrimaryKey?
  /// Of the terms to sort by.
  let values: [LiteralSlot]

  /// Whether it is before an object with these values and this key.
  func precedes(
    _ other: UnsafeBufferPointer<fastmap_slot>, _ otherKey: PrimaryKey?, _ isDescending: [Bool]
  ) -> Bool {
    for (index, value) in values.enumerated() {
      let order = value.slot.sortOrder(to: other[index])
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
      plan: plan, entity: entity, access: access, condition: condition, rest: rest, sortPaths: sortPaths,
      program: program, position: position, order: order,
      limit: min(count, limit), after: after, isUnfiltered: isUnfiltered)
  }

  /// The same results in any order.
  var unsorted: BoundQuery {
    guard case .values = order else { return self }
    return BoundQuery(
      plan: plan, entity: entity, access: access, condition: condition, rest: rest, sortPaths: sortPaths,
      program: program?.withoutOutputs, position: nil,
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
