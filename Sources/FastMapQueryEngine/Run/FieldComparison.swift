internal import CFastMap

/// A comparison of a field with a literal, which runs without reference counting. Most filters consist of these.
///
///     @.status == "open" && @.score < 0.5        two of them, and nothing else
struct FieldComparison {
  private let field: Int
  private let kind: Int32
  /// The orders of the field's value and the literal for which it is true.
  private let accepted: Order
  /// The literal: an integer, the bits of a number, or the length of a string.
  private let bits: Int64
  /// Borrowed from the node.
  private let bytes: UnsafePointer<UInt8>?
  private let comparison: BoundFilter.Comparison
  private let literal: fastmap_slot
  /// Whether it is true of an object without a value.
  private let takesNone: Bool

  private struct Order: OptionSet {
    let rawValue: UInt8

    static let less = Order(rawValue: 1)
    static let equal = Order(rawValue: 2)
    static let greater = Order(rawValue: 4)
    /// No order, because one of the values is NaN.
    static let none = Order(rawValue: 8)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ comparison: BoundFilter.Comparison) {
      self =
        switch comparison {
        case .equal: .equal
        case .notEqual: [.less, .greater, .none]
        case .less: .less
        case .lessOrEqual: [.less, .equal]
        case .greater: .greater
        case .greaterOrEqual: [.greater, .equal]
        }
    }
  }

  /// Nil for another test. Valid as long as the node.
  init?(_ node: FilterProgram.Node) {
    let (test, none) = node.partedFromNone
    guard case .test(.compare(.field(frame: 0, let field), let comparison, .literal(let literal)), _) = test,
      none == nil || none == field
    else { return nil }
    takesNone = none != nil || comparison.holds(between: fastmap_slot(), literal.slot)
    self.field = field
    self.comparison = comparison
    self.literal = literal.slot
    kind = Int32(literal.slot.tag)
    accepted = Order(comparison)
    let isString = literal.slot.tag == UInt8(FASTMAP_STRING)
    bits = isString ? Int64(literal.slot.length) : literal.slot.integer
    bytes = isString ? literal.slot.bytes : nil
  }

  func holds(_ row: Row) -> Bool { withUnsafePointer(to: row[field].slot) { holds(slot: $0) } }

  /// - Parameter slots: All of a row.
  @inline(__always)
  func holds(_ slots: UnsafePointer<fastmap_slot>) -> Bool { holds(slot: slots + field) }

  // This reads the parts that it needs, where they are: to copy two slots takes as long as the rest.
  @inline(__always)
  private func holds(slot: UnsafePointer<fastmap_slot>) -> Bool {
    guard Int32(slot.pointee.tag) == kind else {
      return Self.holds(slot.pointee, comparison, literal, takesNone)
    }
    switch kind {
    case Int32(FASTMAP_INTEGER):
      let value = slot.pointee.integer
      return accepted.contains(value < bits ? .less : value == bits ? .equal : .greater)
    case Int32(FASTMAP_NUMBER):
      let value = slot.pointee.number
      let other = Double(bitPattern: UInt64(bitPattern: bits))
      return accepted.contains(
        value < other ? .less : value == other ? .equal : value > other ? .greater : .none)
    case Int32(FASTMAP_STRING):
      let length = slot.pointee.length
      if accepted == .equal, Int64(length) != bits { return false }
      let order = slot.pointee.span.order(to: UnsafeBufferPointer(start: bytes, count: Int(bits)))
      return accepted.contains(order < 0 ? .less : order == 0 ? .equal : .greater)
    default: return Self.holds(slot.pointee, comparison, literal, takesNone)
    }
  }

  /// Values of other kinds, or of two kinds.
  // Static, because a method would have the whole test copied first.
  @inline(never)
  private static func holds(
    _ slot: fastmap_slot, _ comparison: BoundFilter.Comparison, _ literal: fastmap_slot, _ takesNone: Bool
  ) -> Bool {
    // In a store, null is no value.
    if slot.tag == UInt8(FASTMAP_NULL) || slot.tag == UInt8(FASTMAP_MISSING) { return takesNone }
    return comparison.holds(between: slot, literal)
  }
}

extension FilterProgram.Node {
  /// Splits `test || !@.field` into the test and the field; returns any other node itself.
  fileprivate var partedFromNone: (test: Self, none: Int?) {
    guard case .any(let parts) = self, parts.count == 2,
      case .not(.test(.exists(.field(frame: 0, let field)), _)) = parts[1]
    else { return (self, nil) }
    return (parts[0], field)
  }

  /// The tests that all have to be true: the quick ones, and the others; nil if there are no others.
  var parted: (quick: [FieldComparison], slow: FilterProgram.Node?) {
    let parts = if case .all(let parts) = self { parts } else { [self] }
    var quick: [FieldComparison] = []
    var slow: [FilterProgram.Node] = []
    for part in parts {
      if let test = FieldComparison(part) { quick.append(test) } else { slow.append(part) }
    }
    return (quick, slow.isEmpty ? nil : slow.count == 1 ? slow[0] : .all(slow))
  }
}
