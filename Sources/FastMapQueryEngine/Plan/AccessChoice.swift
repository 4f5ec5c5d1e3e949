/// The way of a query to its objects, beside the keys that its filter names.
enum AccessChoice {
  /// All objects, or those with the keys.
  case all
  /// The same, and the store tests a part of the filter.
  case pushed(PushedFilter)
  case index(IndexPath)
  /// The objects in the lists of some owners.
  case lists(InverseBound, ObjectPage)
  /// None: a related object that the filter asks for does not exist.
  case nothing

  /// Chooses between the store's own tests, lists of owners, indexes and a look at all objects.
  ///
  /// A wrong guess affects the cost, never the result.
  init<R: StoreReader>(for query: BoundQuery, usesIndexes: Bool, _ reader: inout R) throws {
    let filter = try PushedFilter(query, &reader)
    self = .all
    if usesIndexes {
      if query.access == .scan, !(filter?.isExact ?? false), let bound = InverseBound.fewest(in: query) {
        self = try Self.lists(bound, of: query, &reader)
      }
      // The store finds objects by its own means. In order, an index may find the first ones without the others.
      if case .all = self, filter == nil || query.isSorted {
        self = try IndexPlanner.choice(for: query, isExact: filter != nil, &reader)
      }
    }
    if case .all = self, let filter { self = .pushed(filter) }
  }

  /// Chooses the lists of an inverse, or a better index, unless looking at all objects costs less.
  private static func lists<R: StoreReader>(
    _ bound: InverseBound, of query: BoundQuery, _ reader: inout R
  ) throws -> AccessChoice {
    let all = try reader.count(of: query.entity)
    let costOfOne =
      IndexPlanner.costOfJump(among: all) * (query.isSorted ? 1 + IndexPlanner.jumpsOfSorting : 1)
    guard let found = try reader.objects(in: bound, of: query, most: max(1, all / costOfOne)) else {
      return .all
    }
    if found.count == 0 { return .nothing }
    let index = try IndexPlanner.choice(
      for: query, isExact: false, costOfOther: found.count * costOfOne, &reader)
    return if case .all = index { .lists(bound, found) } else { index }
  }
}
