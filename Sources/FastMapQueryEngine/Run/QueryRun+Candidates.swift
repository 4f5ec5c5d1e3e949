/// The objects that a query looks at, a page at a time.
extension QueryRun {
  /// The last argument is true if the filter was run for all objects of the page already.
  typealias Body<R> = (inout QueryRun, inout R, ObjectPage, Bool) throws -> Bool

  /// Calls `body` with pages of the candidates until it returns false.
  ///
  /// - Parameter start: Candidates at and before this position are left out.
  mutating func forEachCandidatePage<R: StoreReader>(
    _ order: BoundQuery.Order, after start: QueryPosition?, _ reader: inout R, _ body: Body<R>
  ) throws {
    if let path {
      let position = start.flatMap { path.position($0) }
      if position == nil, let found = path.found {
        if found.count > 0 { _ = try body(&self, &reader, found, false) }
        return
      }
      for range in path.ranges {
        guard try forEachPage(of: range, in: path, after: position, &reader, body) else { return }
      }
      return
    }
    if let listed { return try forEachPage(of: listed, order, start, &reader, body) }
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

  /// - Returns: False if `body` did.
  private mutating func forEachPage<R: StoreReader>(
    of range: IndexRange, in path: IndexPath, after position: IndexRange.Position?, _ reader: inout R,
    _ body: Body<R>
  ) throws -> Bool {
    var isGoingOn = true
    let size = pageSize(reader)
    guard let lent else {
      try reader.forEachPage(
        in: path.index, of: query.entity, range: range, isDescending: path.isDescending, after: position,
        pageSize: size
      ) { reader, page in
        isGoingOn = try body(&self, &reader, page, false)
        return isGoingOn
      }
      return isGoingOn
    }
    let tested = lent.count
    defer { lookedAt += lent.count - tested }
    try reader.forEachPage(
      in: path.index, of: query.entity, range: range, isDescending: path.isDescending, after: position,
      pageSize: size,
      where: lent
    ) { reader, page in
      isGoingOn = try body(&self, &reader, page, true)
      return isGoingOn
    }
    return isGoingOn
  }

  /// - Parameter excluded: A key to leave out.
  /// - Returns: False if `body` did.
  private mutating func forEachStored<R: StoreReader>(
    _ keys: KeyRange?, isDescending: Bool, _ excluded: PrimaryKey?, _ reader: inout R, _ body: Body<R>
  ) throws -> Bool {
    if keys?.isEmpty ?? false { return true }
    var isGoingOn = true
    let size = pageSize(reader)
    func visit(_ reader: inout R, _ page: ObjectPage, _ isTested: Bool) throws -> Bool {
      var page = page
      if let excluded, page.keys.first == .some(excluded) {
        page = ObjectPage(ids: Array(page.ids.dropFirst()), keys: Array(page.keys.dropFirst()))
      }
      if page.count > 0 { isGoingOn = try body(&self, &reader, page, isTested) }
      return isGoingOn
    }
    guard let lent else {
      try Self.forEachPage(query.entity, pushed, keys, isDescending: isDescending, size, &reader) {
        try visit(&$0, $1, false)
      }
      return isGoingOn
    }
    let tested = lent.count
    defer { lookedAt += lent.count - tested }
    try reader.forEachPage(
      of: query.entity, keys: keys, isDescending: isDescending, pageSize: size,
      where: lent
    ) { try visit(&$0, $1, true) }
    return isGoingOn
  }

  /// The objects of a range of keys, narrowed to matches if the store tests.
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
    // A store that prefers sets looks up all of them at once, unless a few are enough.
    let isWhole = reader.prefersSets && query.limit == .max
    let size =
      isWhole ? keys.count : isUnfiltered ? max(1, min(PageSize.ofNumbers, query.limit)) : PageSize.ofNumbers
    var left = keys[...]
    while !left.isEmpty {
      let chunk = Array(left.prefix(size))
      left = left.dropFirst(chunk.count)
      var page = ObjectPage()
      for (key, id) in zip(chunk, try reader.checkedFind(chunk, of: query.entity)) {
        if let id { page.append(id, key) }
      }
      if page.count > 0, try !body(&self, &reader, page, false) { return }
    }
  }

  /// - Parameter listed: Objects with a key, ascending.
  private mutating func forEachPage<R: StoreReader>(
    of listed: ObjectPage, _ order: BoundQuery.Order, _ start: QueryPosition?, _ reader: inout R,
    _ body: Body<R>
  ) throws {
    var places = Array(listed.keys.indices)
    if case .key(isDescending: true) = order {
      places.reverse()
      if let start = start?.key { places.removeAll { listed.keys[$0].map { $0 >= start } ?? true } }
    } else if let start = start?.key {
      places.removeAll { listed.keys[$0].map { $0 <= start } ?? true }
    }
    var left = places[...]
    while !left.isEmpty {
      let chunk = left.prefix(pageSize(reader))
      left = left.dropFirst(chunk.count)
      let page = ObjectPage(ids: chunk.map { listed.ids[$0] }, keys: chunk.map { listed.keys[$0] })
      if try !body(&self, &reader, page, false) { return }
    }
  }

  private func pageSize<R: StoreReader>(_ reader: borrowing R) -> Int {
    if lent != nil { return max(1, min(PageSize.ofNumbers, query.limit)) }
    let size = runner?.pageSize(reader) ?? PageSize.ofNumbers
    return isUnfiltered && runner == nil ? max(1, min(size, query.limit)) : size
  }
}

extension KeyRange {
  fileprivate func from(_ key: PrimaryKey) -> KeyRange {
    var range = self
    range.lower = lower.map { max($0, key) } ?? key
    return range
  }

  fileprivate func before(_ key: PrimaryKey) -> KeyRange {
    var range = self
    if let upper, upper < key { return range }
    range.upper = key
    range.includesUpper = false
    return range
  }
}
