internal import CFastMap

/// A comparison of a value of JSON with a number of too many digits for a decimal.
package final class DecimalTest: Sendable {
  private let comparison: BoundFilter.Comparison
  private let nearest: LiteralSlot
  private let integers: IntegerPlace.Comparison
  private let integer: LiteralSlot

  /// - Parameter comparison: Has the decimal on its right.
  init(_ comparison: BoundFilter.Comparison, _ decimal: BoundFilter.Decimal) {
    self.comparison = comparison
    nearest = LiteralSlot(.number(decimal.nearest))
    integers = decimal.place.comparison(comparison)
    integer = if case .with(let value, _) = integers { LiteralSlot(value) } else { nearest }
  }

  func holds(_ slot: fastmap_slot) -> Bool {
    switch (slot.kind, integers) {
    case (.integer, .with(_, let comparison)), (.unsigned, .with(_, let comparison)):
      comparison.holds(between: slot, integer.slot)
    case (.integer, .constant(let holds)), (.unsigned, .constant(let holds)): holds
    default: comparison.holds(between: slot, nearest.slot)
    }
  }
}
