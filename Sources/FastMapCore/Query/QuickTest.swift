internal import CFastMap

/// A comparison of a field with a literal: what most filters consist of, in a form that runs without counting references.
///
///     @.status == "open" && @.score < 0.5        two of them, and nothing else
struct QuickTest {
  private let field: Int
  private let comparison: BoundFilter.Comparison
  /// Borrowed from the node.
  private let literal: fastmap_slot

  /// Nil for another test. Valid as long as the node.
  init?(_ node: FilterProgram.Node) {
    guard case .test(.compare(.field(frame: 0, let field), let comparison, .literal(let literal)), _) = node
    else { return nil }
    (self.field, self.comparison, self.literal) = (field, comparison, literal.slot)
  }

  @inline(__always)
  func holds(_ row: Row) -> Bool {
    var slot = row[field].slot
    // In a store, null is no value.
    if slot.tag == UInt8(FASTMAP_NULL) { slot.tag = UInt8(FASTMAP_MISSING) }
    let other = literal
    guard slot.tag == other.tag else { return comparison.holds(between: slot, other) }
    switch Int32(slot.tag) {
    case Int32(FASTMAP_INTEGER): return comparison.holds(slot.integer, other.integer)
    case Int32(FASTMAP_NUMBER): return comparison.holds(slot.number, other.number)
    case Int32(FASTMAP_STRING):
      switch comparison {
      case .equal: return slot.length == other.length && slot.span.order(to: other.span) == 0
      case .notEqual: return slot.length != other.length || slot.span.order(to: other.span) != 0
      default: return comparison.holds(slot.span.order(to: other.span), 0)
      }
    default: return comparison.holds(between: slot, other)
    }
  }
}

extension BoundFilter.Comparison {
  /// As between numbers: what is not a number is in no order with anything.
  @inline(__always)
  fileprivate func holds<T: Comparable>(_ a: T, _ b: T) -> Bool {
    switch self {
    case .equal: a == b
    case .notEqual: a != b
    case .less: a < b
    case .lessOrEqual: a <= b
    case .greater: a > b
    case .greaterOrEqual: a >= b
    }
  }
}

extension FilterProgram.Node {
  /// The tests that all have to be true: the quick ones, and the others; nil if there are no others.
  var parted: (quick: [QuickTest], slow: FilterProgram.Node?) {
    let parts = if case .all(let parts) = self { parts } else { [self] }
    var quick: [QuickTest] = []
    var slow: [FilterProgram.Node] = []
    for part in parts {
      if let test = QuickTest(part) { quick.append(test) } else { slow.append(part) }
    }
    return (quick, slow.isEmpty ? nil : slow.count == 1 ? slow[0] : .all(slow))
  }
}
