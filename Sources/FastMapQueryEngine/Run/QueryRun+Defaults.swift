internal import CFastMap

/// The order of properties that show a default where the store has no value. Stores and indexes sort by stored values.
extension QueryRun {
  /// Whether a result may lack a stored value to sort by, and show a default instead. Stores sort by stored values.
  func lacksValue<R: StoreReader>(
    _ parts: [Schema.Index.Part], _ keys: KeyRange?, _ reader: inout R
  ) throws -> Bool {
    let own = query.plan.classes[query.entity]
    let filter = pushed?.taken ?? .constant(true)
    let without = parts.map(\.field).filter { own.shownDefault($0) != nil && !filter.needsValue(of: $0) }
    if without.isEmpty { return false }
    let condition = BoundFilter.Condition.all(of: [
      filter, .any(of: without.map { .not(.exists(.init([], .attribute(field: $0)))) }),
    ])
    guard try reader.canTest(condition, of: query.entity) else { return true }
    return try reader.count(of: query.entity, keys: keys, where: condition, limit: 1) > 0
  }

  /// Calls `body` with pages of the results in the order of an index, until it returns false.
  ///
  /// If it meets objects without a value in a later field of the index, it sorts all results and continues after the
  /// results that `body` has received.
  package mutating func forEachPage<R: StoreReader>(
    inOrderOf path: IndexPath, _ reader: inout R, _ body: (inout R, ObjectPage) throws -> Bool
  ) throws {
    if path.unproven.isEmpty { return try forEachUnsortedPage(&reader, body) }
    let query = query
    let values = FilterRunner(
      FilterProgram(
        .constant(true), query.entity, query.plan, sortedBy: query.sortTerms, isStored: true))
    var done = 0
    var isWhole = true
    if let start {
      isWhole = try path.isWhole(behind: start.values.map { $0.slot.value }, of: query.entity, &reader)
    }
    if isWhole {
      try forEachUnsortedPage(&reader) { reader, page in
        var last: [Value?] = []
        try values.run(page.ids, &reader) { index, values in
          for place in path.unproven where values[place].kind == .missing { isWhole = false }
          if index == page.count - 1 { last = values.map(\.value) }
        }
        if isWhole { isWhole = try path.isWhole(behind: last, of: query.entity, &reader) }
        if !isWhole { return false }
        done += page.count
        return try body(&reader, page)
      }
    }
    if isWhole { return }
    var sorting = QueryRun(query, after: start, usesIndexes: false)
    defer { lookedAt += sorting.lookedAt }
    try sorting.forEachPage(&reader) { reader, page in
      let left = page.dropFirst(done)
      done -= page.count - left.count
      return left.count == 0 ? true : try body(&reader, left)
    }
  }
}

extension IndexPath {
  /// Whether all objects that begin as an object of the index have a value in its later fields.
  ///
  /// - Parameter values: The values of the object's sorted fields.
  fileprivate func isWhole<R: StoreReader>(
    behind values: [Value?], of entity: Int, _ reader: inout R
  ) throws -> Bool {
    guard let range = ranges.first else { return true }
    let contents = values.map { $0.map { IndexRange.Content.value($0) } ?? .none }
    for place in unproven where place < contents.count {
      let others = IndexRange(equal: range.equal + contents[..<place] + [.none])
      if try reader.count(in: index, of: entity, range: others, limit: 1) > 0 { return false }
    }
    return true
  }
}

extension ObjectPage {
  fileprivate func dropFirst(_ count: Int) -> ObjectPage {
    ObjectPage(ids: Array(ids.dropFirst(count)), keys: Array(keys.dropFirst(count)))
  }
}
