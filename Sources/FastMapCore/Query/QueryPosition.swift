internal import CFastMap

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
