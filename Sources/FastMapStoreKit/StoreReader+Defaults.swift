/// Default implementations, which a store may replace.
extension StoreReader {
  public var prefersSets: Bool { false }

  public mutating func storedSchema() throws -> Schema? { nil }

  public mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    where test: RowTest, _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    try forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize) { reader, page in
      let included = try reader.included(page, of: entity, where: test)
      return try included.count == 0 || body(&reader, included)
    }
  }

  mutating func included(
    _ page: ObjectPage, of entity: Int, where test: RowTest
  ) throws -> ObjectPage {
    var areIncluded = [Bool](repeating: false, count: page.count)
    try read(page.ids, of: entity) { index, row in
      try StoreContractError.check(position: index, below: page.count)
      areIncluded[index] = try test.includes(page.ids[index], row)
    }
    var included = ObjectPage()
    for index in areIncluded.indices where areIncluded[index] {
      included.append(page.ids[index], page.keys[index])
    }
    return included
  }

  public mutating func indexes(of entity: Int) throws -> [Schema.Index] { [] }

  public mutating func forEachPage(
    in index: Schema.Index, of entity: Int, range: IndexRange, isDescending: Bool,
    after position: IndexRange.Position?, pageSize: Int, _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    preconditionFailure("a store that names indexes goes through them")
  }

  public mutating func forEachPage(
    in index: Schema.Index, of entity: Int, range: IndexRange, isDescending: Bool,
    after position: IndexRange.Position?, pageSize: Int, where test: RowTest,
    _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    try forEachPage(
      in: index, of: entity, range: range, isDescending: isDescending, after: position, pageSize: pageSize
    ) { reader, page in
      let included = try reader.included(page, of: entity, where: test)
      return try included.count == 0 || body(&reader, included)
    }
  }

  public mutating func forEachPageByKey(
    in index: Schema.Index, of entity: Int, ranges: [IndexRange], pageSize: Int,
    where test: RowTest, _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    var found = ObjectPage()
    for range in ranges {
      try forEachPage(
        in: index, of: entity, range: range, isDescending: false, after: nil, pageSize: PageSize.ofNumbers,
        where: test
      ) { _, page in
        for (id, key) in zip(page.ids, page.keys) { found.append(id, key) }
        return true
      }
    }
    // Objects without a key follow, in the order of the index, which is the order of their creation.
    let order = found.keys.indices.sorted { a, b in
      guard let first = found.keys[a] else { return found.keys[b] == nil && found.ids[a] < found.ids[b] }
      return found.keys[b].map { first < $0 } ?? true
    }
    for start in stride(from: 0, to: order.count, by: pageSize) {
      let places = order[start..<min(start + pageSize, order.count)]
      let page = ObjectPage(ids: places.map { found.ids[$0] }, keys: places.map { found.keys[$0] })
      guard try body(&self, page) else { return }
    }
  }

  public mutating func count(
    in index: Schema.Index, of entity: Int, range: IndexRange, limit: Int
  ) throws -> Int {
    var count = 0
    try forEachPage(
      in: index, of: entity, range: range, isDescending: false, after: nil, pageSize: PageSize.ofNumbers
    ) { _, page in
      count += page.count
      return count < limit
    }
    return min(count, limit)
  }

  public mutating func canTest(_ condition: BoundFilter.Condition, of entity: Int) throws -> Bool { false }

  public mutating func forEachPage(
    of entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition, isDescending: Bool,
    pageSize: Int,
    _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    preconditionFailure("a store that can test a condition goes through the objects that fulfil it")
  }

  public mutating func count(
    of entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition, limit: Int
  ) throws -> Int {
    var count = 0
    try forEachPage(
      of: entity, keys: keys, where: condition, isDescending: false, pageSize: PageSize.ofNumbers
    ) { _, page in
      count += page.count
      return count < limit
    }
    return min(count, limit)
  }

  public mutating func objects(
    of entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition,
    sortedBy parts: [Schema.Index.Part],
    limit: Int
  ) throws -> ObjectPage? { nil }

  public mutating func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    if targets.isEmpty { return [] }
    var owners: [ObjectID: [ObjectID]] = [:]
    for target in targets { owners[target] = [] }
    try forEachPage(of: entity, keys: nil, isDescending: false, pageSize: PageSize.ofNumbers) {
      reader, page in
      let lists = try reader.checkedTargets(of: page.ids, entity: entity, fields: [field])[0]
      for (owner, list) in zip(page.ids, lists) {
        for target in list {
          // A list may have an object twice.
          guard let place = owners.index(forKey: target), owners.values[place].last != owner else { continue }
          owners.values[place].append(owner)
        }
      }
      return true
    }
    return targets.map { owners[$0] ?? [] }
  }

  public mutating func firstOwners(of targets: [ObjectID], entity: Int, field: Int) throws -> [ObjectID?] {
    try checkedOwners(of: targets, entity: entity, field: field).map(\.first)
  }

  public mutating func targets(of owner: ObjectID, entity: Int, field: Int) throws -> [ObjectID] {
    try checkedTargets(of: [owner], entity: entity, fields: [field])[0][0]
  }

  public mutating func find(_ key: PrimaryKey, of entity: Int) throws -> ObjectID? {
    try checkedFind([key], of: entity)[0]
  }

  public mutating func withRow<R>(
    _ id: ObjectID, of entity: Int, _ body: (Row) throws -> R
  ) throws -> R? {
    var result: R?
    try read([id], of: entity) { index, row in
      try StoreContractError.check(position: index, below: 1)
      result = try body(row)
    }
    return result
  }

  public mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    buffer.reset(count: 0)
    var isStored = false
    try read([id], of: entity) { index, row in
      try StoreContractError.check(position: index, below: 1)
      buffer.copy(row)
      try buffer.checkWhole()
      isStored = true
    }
    return isStored
  }

  public mutating func count(of entity: Int, keys: KeyRange) throws -> Int {
    var count = 0
    try forEachPage(of: entity, keys: keys, isDescending: false, pageSize: PageSize.ofNumbers) { _, page in
      count += page.count
      return true
    }
    return count
  }

  /// The targets of one relationship for each of `owners`, in order; empty for an owner that is not stored.
  ///
  /// - Returns: As many lists as `owners`.
  /// - Throws: ``StoreContractError`` if the store returns another number of them, or the store's own error.
  public mutating func targets(of owners: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    try checkedTargets(of: owners, entity: entity, fields: [field])[0]
  }

  public mutating func forEachObject(
    of entity: Int, keys: KeyRange?, isDescending: Bool,
    _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    let size = PageSize.ofObjects(in: self)
    try forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: size) { reader, page in
      for index in page.ids.indices {
        guard try body(&reader, page.ids[index], page.keys[index]) else { return false }
      }
      return true
    }
  }
}
