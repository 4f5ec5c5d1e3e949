internal import CFastMap

/// A place between the results of a query.
package struct QueryPosition: Sendable {
  /// Nil after an object without a key.
  let key: PrimaryKey?
  /// The values of the sort terms.
  let values: [LiteralSlot]

  init(key: PrimaryKey?, values: [LiteralSlot]) { (self.key, self.values) = (key, values) }

  init(_ position: Position) {
    self.init(key: position.key, values: position.values.map { LiteralSlot($0) })
  }

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
