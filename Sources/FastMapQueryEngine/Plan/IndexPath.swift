internal import CFastMap

/// A way through an index that finds the objects of a query.
package struct IndexPath: Sendable {
  let index: Schema.Index
  /// Parts of the index that have no entry in common.
  let ranges: [IndexRange]
  /// Whether the fields of the index are visited in reverse.
  let isDescending: Bool
  /// Whether the objects come in the order of the query. Then there is one range.
  let isInOrder: Bool
  /// The places among the terms to sort by, after the first one, that show a default in objects without a value.
  let unproven: [Int]
  /// The condition left to test on each object.
  let rest: BoundFilter.Condition
  /// The objects of its only range in their order, if the planner has found them all; nil otherwise.
  var found: ObjectPage?

  /// Whether nothing is left to be tested.
  var isExact: Bool { if case .constant(true) = rest { true } else { false } }

  /// Where the objects after a position of the query begin. Every field of an index in order is known.
  package func position(_ position: QueryPosition) -> IndexRange.Position? {
    guard isInOrder, let key = position.key, let range = ranges.first else { return nil }
    let sorted = position.values.map { $0.slot.value.map { IndexRange.Content.value($0) } ?? .none }
    return IndexRange.Position(contents: range.equal + sorted, key: key)
  }

  /// Finds the objects of its only range, unless they are many or a call costs much.
  mutating func findFew<R: StoreReader>(of entity: Int, _ reader: inout R) throws {
    let most = 32
    guard ranges.count == 1, !reader.prefersSets else { return }
    var objects = ObjectPage()
    try reader.forEachPage(
      in: index, of: entity, range: ranges[0], isDescending: isDescending, after: nil, pageSize: most + 1
    ) { _, page in
      for (id, key) in zip(page.ids, page.keys) { objects.append(id, key) }
      return objects.count <= most
    }
    if objects.count <= most { found = objects }
  }

  /// The number of entries in its ranges, or `limit` if there are more.
  package func count<R: StoreReader>(of entity: Int, limit: Int, _ reader: inout R) throws -> Int {
    if let found { return min(found.count, limit) }
    var count = 0
    for range in ranges where count < limit {
      count += try reader.count(in: index, of: entity, range: range, limit: limit - count)
    }
    return count
  }
}
