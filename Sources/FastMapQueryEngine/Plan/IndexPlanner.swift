/// Chooses between the indexes of a store and a look at all objects.
///
/// A wrong guess affects the cost, never the result: conditions that an index does not cover are tested on each object.
struct IndexPlanner {
  private let query: BoundQuery
  private let parts: [BoundFilter.Condition]
  private let terms: IndexTerms

  /// Reading an object through an index takes about as long as reading so many of them in a row.
  ///
  /// Measured with LMDB: 5 where all objects are in the processor's cache, and 35 among a million. Where it is not known which objects are
  /// neighbours, the middle is the least wrong.
  static func costOfJump(among count: Int) -> Int { count < 10_000 ? 5 : 12 }

  /// Sorting an object takes about as long as so many jumps, because it is read again in the order. Measured with LMDB among a million.
  static let jumpsOfSorting = 3

  static let mostRanges = 1024

  /// The cheapest index, unless looking at all objects is cheaper.
  ///
  /// - Parameters:
  ///   - isExact: Whether only an index is of use that has the order of the query and leaves nothing to be tested.
  ///   - costOfOther: The cost of another way to the objects; a dearer index is of no use.
  static func choice<R: StoreReader>(
    for query: BoundQuery, isExact: Bool, costOfOther: Int = .max, _ reader: inout R
  ) throws -> AccessChoice {
    guard query.access == .scan else { return .all }
    if case .key = query.order { return .all }
    let indexes = try reader.indexes(of: query.entity)
    if indexes.isEmpty { return .all }
    let parts = if case .all(let all) = query.condition { all } else { [query.condition] }
    let terms = try IndexTerms(parts, of: query.entity, query.plan, &reader)
    if terms.isNothing { return .nothing }
    let planner = IndexPlanner(query: query, parts: parts, terms: terms)
    var paths: [IndexPath] = []
    for index in indexes {
      if let path = try planner.path(through: index, isExact: isExact, &reader) { paths.append(path) }
    }
    if paths.isEmpty { return .all }
    #if DEBUG
      if let number = ForcedIndex.number { return .index(paths[number % paths.count]) }
    #endif
    // An index that has the order and all of the filter looks at nothing in vain. A scan finds the same objects, and has to sort them.
    let isScanWorse = query.isSorted && paths.contains { $0.isInOrder && $0.isExact }
    if isScanWorse, paths.count == 1 { return .index(paths[0]) }
    let all = try reader.count(of: query.entity)
    let costOfJump = costOfJump(among: all)
    var best: (path: IndexPath, cost: Int)?
    for var path in paths {
      let least = best?.cost ?? min(isScanWorse ? .max : all, costOfOther)
      let costOfOne = costOfJump * (query.isSorted && !path.isInOrder ? 1 + jumpsOfSorting : 1)
      let found = try planner.found(by: &path, of: all, most: least / costOfOne + 1, &reader)
      let (cost, isTooMuch) = found.multipliedReportingOverflow(by: costOfOne)
      if !isTooMuch, cost < least { best = (path, cost) }
    }
    return best.map { .index($0.path) } ?? .all
  }

  /// The objects to look at, at most `most`.
  private func found<R: StoreReader>(
    by path: inout IndexPath, of all: Int, most: Int, _ reader: inout R
  ) throws -> Int {
    // Where something is left to be tested, the number of objects that fill the limit is unknown.
    let limit = path.isInOrder && path.isExact ? query.limit : .max
    // So few that counting them would take as long.
    if limit < most { return limit }
    if path.ranges == [IndexRange()] { return min(all, most) }
    try path.findFew(of: query.entity, &reader)
    return try path.count(of: query.entity, limit: most, &reader)
  }

  /// The way through an index; nil if it is of no use.
  ///
  /// Where no object lacks a value, an index has the order of shown values, and a bound needs one range.
  private func path<R: StoreReader>(
    through index: Schema.Index, isExact: Bool, _ reader: inout R
  ) throws -> IndexPath? {
    func isOfUse(_ path: IndexPath) -> Bool { !isExact || path.isInOrder && path.isExact }
    guard let way = way(through: index, ifNoneLacksValue: true), isOfUse(way.path) else { return nil }
    for range in way.withoutValue
    where try reader.count(in: index, of: query.entity, range: range, limit: 1) > 0 {
      let path = self.way(through: index, ifNoneLacksValue: false)?.path
      return path.flatMap { isOfUse($0) ? $0 : nil }
    }
    return way.path
  }

  /// A way, and the ranges of objects without a value that it takes for empty. These objects show a default.
  private typealias Way = (path: IndexPath, withoutValue: [IndexRange])

  /// The way through an index; nil if it neither bounds nor sorts.
  private func way(through index: Schema.Index, ifNoneLacksValue isWhole: Bool) -> Way? {
    // Most indexes of an entity are of no use to a query, and are found so without memory.
    guard let first = index.parts.first?.field,
      terms.terms.contains(where: { $0.field == first }) || order(of: index, behind: 0) != nil
    else { return nil }
    var ranges = [IndexRange()]
    var withoutValue: [IndexRange] = []
    var done: [Int] = []
    var count = 0
    for part in index.parts {
      guard let (equal, number) = terms.equal(part.field),
        ranges.count * equal.count <= Self.mostRanges
      else { break }
      var contents = equal
      let areWhole = contents.allSatisfy { index.isWhole($0) }
      // Objects that long strings share would be found twice.
      guard areWhole || contents.count == 1 else { break }
      if isWhole, contents.count > 1, contents.contains(.none), showsDefault(part.field) {
        withoutValue += ranges.map { $0.narrowed(to: .none) }
        contents.removeAll { $0 == .none }
      }
      ranges = ranges.flatMap { range in contents.map { range.narrowed(to: $0) } }
      if areWhole { done.append(number) }
      count += 1
    }
    var order = ranges.count == 1 ? order(of: index, behind: count) : nil
    if count < index.parts.count, let bounds = bounds(of: index.parts[count].field, index, &done) {
      let others = bounds.takesNone ? ranges.map { $0.narrowed(to: .none) } : []
      for place in ranges.indices {
        (ranges[place].lower, ranges[place].upper) = (bounds.lower, bounds.upper)
      }
      if isWhole {
        withoutValue += others
      } else if !others.isEmpty {
        ranges += others
        order = nil
      }
    } else {
      if order != nil, count < index.parts.count, showsDefault(index.parts[count].field) {
        if isWhole { withoutValue += ranges.map { $0.narrowed(to: .none) } } else { order = nil }
      }
      if count == 0, order == nil { return nil }
    }
    let rest = parts.indices.filter { !done.contains($0) }.map { parts[$0] }
    let later = order == nil ? [] : index.parts[count...].dropFirst()
    return (
      IndexPath(
        index: index, ranges: ranges, isDescending: order ?? false, isInOrder: order != nil,
        unproven: later.enumerated().filter { showsDefault($1.field) }.map { $0.offset + 1 },
        rest: .all(of: rest)),
      withoutValue
    )
  }

  private func showsDefault(_ field: Int) -> Bool {
    query.plan.classes[query.entity].shownDefault(field) != nil
  }

  /// The bounds of a field; nil if it has none.
  private func bounds(
    of field: Int, _ index: Schema.Index, _ done: inout [Int]
  ) -> (lower: IndexRange.Bound?, upper: IndexRange.Bound?, takesNone: Bool)? {
    var lower: (bound: IndexRange.Bound, term: IndexTerm)?
    var upper: (bound: IndexRange.Bound, term: IndexTerm)?
    var prefix: (lower: String, upper: String, term: IndexTerm)?
    for term in terms.terms where term.field == field {
      switch term.test {
      case .equal: break
      case .lower(let bound): lower = (bound, term)
      case .upper(let bound): upper = (bound, term)
      case .within(let first, let end): prefix = (first, end, term)
      }
    }
    for case let (bound, term)? in [lower, upper] where index.isWhole(.value(bound.value)) {
      done.append(term.part)
    }
    if lower != nil || upper != nil {
      let takesNone = [lower, upper].allSatisfy { $0?.term.takesNone ?? true }
      return (lower?.bound, upper?.bound, takesNone)
    }
    guard let prefix else { return nil }
    if index.isWhole(.value(.string(prefix.lower))) { done.append(prefix.term.part) }
    return (
      .init(.string(prefix.lower), isIncluded: true), .init(.string(prefix.upper), isIncluded: false),
      prefix.term.takesNone
    )
  }

  /// Whether the index has to be visited in reverse for the order of the query; nil if it does not have that order.
  ///
  /// - Parameter count: The number of its first fields that are equal in all objects.
  private func order(of index: Schema.Index, behind count: Int) -> Bool? {
    let rest = index.parts[count...]
    switch query.order {
    case .stored: return rest.isEmpty ? false : nil
    case .key: return nil
    case .values(let isDescending):
      guard rest.count == query.sortTerms.count else { return nil }
      var isReversed: Bool?
      for (part, (term, isDescending)) in zip(rest, zip(query.sortTerms, isDescending)) {
        guard term.ownAttribute == part.field,
          query.plan.fallback(of: part.field, query.entity) == nil
        else { return nil }
        let differs = isDescending != part.isDescending
        guard isReversed ?? differs == differs else { return nil }
        isReversed = differs
      }
      return isReversed
    }
  }
}

extension IndexRange {
  /// The objects of the range with a content in its next field.
  fileprivate func narrowed(to content: Content) -> IndexRange {
    var range = self
    range.equal.append(content)
    return range
  }
}
