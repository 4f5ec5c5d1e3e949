/// The part of a filter that a store tests itself.
package struct PushedFilter: Sendable {
  /// The part that the store tests.
  package let taken: BoundFilter.Condition
  /// The part that FastMap tests on each object.
  let left: BoundFilter.Condition
  /// The number of parts that all have to be true, and the number of parts that the store tests.
  package let count: (parts: Int, taken: Int)

  /// Whether nothing is left to be tested.
  var isExact: Bool { count.taken == count.parts }

  /// Nil if the store tests nothing.
  init?<R: StoreReader>(_ query: BoundQuery, _ reader: inout R) throws {
    switch query.access {
    case .scan, .keys: break
    case .lookUp, .index, .targets, .nothing: return nil
    }
    if query.isUnfiltered { return nil }
    var parts = [query.rest]
    if case .all(let all) = query.rest { parts = all }
    var taken: [BoundFilter.Condition] = []
    var left: [BoundFilter.Condition] = []
    for part in parts {
      // A store knows stored values, but no shown ones.
      if try reader.canTest(part, of: query.entity),
        !part.readsShown(of: query.entity, in: query.plan)
      {
        taken.append(part)
      } else {
        left.append(part)
      }
    }
    if taken.isEmpty { return nil }
    // Together they may be too much for it.
    if taken.count > 1, try !reader.canTest(.all(of: taken), of: query.entity) { return nil }
    self.taken = .all(of: taken)
    self.left = .all(of: left)
    count = (parts.count, taken.count)
  }
}
