internal import CFastMap
internal import FastMapSystem

/// The memory of values that outlive the row that they come from.
package final class FilterMemory {
  private var arena = fastmap_arena()
  /// Since the last ``removeAll()``.
  private(set) var byteCount = 0

  deinit { fastmap_arena_free(&arena) }

  /// Invalidates all copies.
  func removeAll() {
    fastmap_arena_reset(&arena)
    byteCount = 0
  }

  func bytes(_ count: Int) throws(SystemError) -> UnsafeMutablePointer<UInt8> {
    guard let memory = fastmap_arena_alloc(&arena, max(1, count)) else { throw SystemError.outOfMemory }
    byteCount += count
    return memory.assumingMemoryBound(to: UInt8.self)
  }

  func copy(_ slot: fastmap_slot) throws(SystemError) -> fastmap_slot {
    guard slot.hasBytes else { return slot }
    var copy = slot
    let memory = try bytes(Int(slot.length))
    if let source = slot.bytes { memory.update(from: source, count: Int(slot.length)) }
    copy.bytes = UnsafePointer(memory)
    return copy
  }
}

// How filters compare values. A slot that is missing is no value; null is a value inside JSON only.
extension fastmap_slot {
  /// The order of two values of one kind: -1, 0 or 1. Nil if they have none.
  func order(to other: fastmap_slot) -> Int? {
    switch (kind, other.kind) {
    case (.integer, .integer): integer.order(to: other.integer)
    case (.string, .string), (.data, .data): span.order(to: other.span)
    case (.date, .date):
      integer != other.integer ? integer.order(to: other.integer) : length.order(to: other.length)
    case (.integer, .unsigned), (.integer, .number), (.unsigned, .integer), (.unsigned, .unsigned),
      (.unsigned, .number), (.number, .integer), (.number, .unsigned), (.number, .number):
      numericOrder(to: other)
    case (.decimal, .decimal): order(toDecimal: other).signum()
    case (.decimal, .integer), (.decimal, .unsigned), (.decimal, .number):
      other.order(ofDecimal: self)
    case (.integer, .decimal), (.unsigned, .decimal), (.number, .decimal):
      order(ofDecimal: other).map { -$0 }
    default: nil
    }
  }

  /// The exact order of a decimal to this number. A `Double` stands for its shortest text.
  private func order(ofDecimal decimal: fastmap_slot) -> Int? {
    if kind != .number {
      var (own, other) = (fastmap_decimal_value(), fastmap_decimal_value())
      var slots = (self, decimal)
      _ = fastmap_decimal_read_slot(&slots.0, &own)
      _ = fastmap_decimal_read_slot(&slots.1, &other)
      return Int(fastmap_decimal_order(&other, &own)).signum()
    }
    guard let own = DecimalNumber(meaning: number) else { return number.isNaN ? nil : number < 0 ? 1 : -1 }
    let literal = LiteralSlot(.decimal(own))
    return withExtendedLifetime(literal) { decimal.order(toDecimal: literal.slot).signum() }
  }

  private func numericOrder(to other: fastmap_slot) -> Int? {
    switch (kind, other.kind) {
    case (.number, .number):
      number < other.number ? -1 : number > other.number ? 1 : number == other.number ? 0 : nil
    case (.number, _): other.integerOrder(to: number).map { -$0 }
    case (_, .number): integerOrder(to: other.number)
    case (.unsigned, .unsigned): UInt64(bitPattern: integer).order(to: UInt64(bitPattern: other.integer))
    // An unsigned one is above all others.
    case (.unsigned, _): 1
    case (_, .unsigned): -1
    default: integer.order(to: other.integer)
    }
  }

  private func integerOrder(to number: Double) -> Int? {
    if number.isNaN { return nil }
    let isUnsigned = kind == .unsigned
    if number >= (isUnsigned ? 0x1p64 : 0x1p63) { return -1 }
    if number < (isUnsigned ? 0x1p63 : -0x1p63) { return 1 }
    let whole = number.rounded(.down)
    let order =
      isUnsigned
      ? UInt64(bitPattern: integer).order(to: UInt64(whole)) : integer.order(to: Int64(whole))
    return order == 0 && number > whole ? -1 : order
  }

  /// Whether both are the same value, or both none.
  func isEqual(to other: fastmap_slot) -> Bool {
    switch (kind, other.kind) {
    case (.missing, .missing), (.null, .null): true
    case (.boolean, .boolean), (.target, .target): integer == other.integer
    case (.json, .json): JSONText(span).isEqual(to: JSONText(other.span))
    default: order(to: other) == 0
    }
  }

  /// The order of a sort: no value first, then false and true, numbers, strings, dates and data.
  func sortOrder(to other: fastmap_slot) -> Int {
    if let order = order(to: other) { return order }
    if sortRank != other.sortRank { return sortRank.order(to: other.sortRank) }
    switch (kind, other.kind) {
    case (.boolean, .boolean), (.target, .target): return integer.order(to: other.integer)
    // NaN follows all numbers.
    case (.number, _), (_, .number): return (isNaN ? 1 : 0).order(to: other.isNaN ? 1 : 0)
    default: return 0
    }
  }

  private var isNaN: Bool { kind == .number && number.isNaN }

  private var sortRank: Int {
    switch kind {
    case .missing: 0
    case .null: 1
    case .boolean: 2
    case .integer, .unsigned, .number, .decimal: 3
    case .string: 4
    case .date: 5
    case .data: 6
    case .json, .node, .target, .targets: 7
    }
  }
}

extension BoundFilter.Comparison {
  @inline(__always)
  func holds(between a: fastmap_slot, _ b: fastmap_slot) -> Bool {
    switch self {
    case .equal: a.isEqual(to: b)
    case .notEqual: !a.isEqual(to: b)
    case .less: a.order(to: b).map { $0 < 0 } ?? false
    case .greater: a.order(to: b).map { $0 > 0 } ?? false
    case .lessOrEqual: a.order(to: b).map { $0 <= 0 } ?? a.isEqual(to: b)
    case .greaterOrEqual: a.order(to: b).map { $0 >= 0 } ?? a.isEqual(to: b)
    }
  }

  func holds(between a: Value, _ b: Value) -> Bool {
    let (a, b) = (LiteralSlot(a), LiteralSlot(b))
    return withExtendedLifetime((a, b)) { holds(between: a.slot, b.slot) }
  }
}

/// Literals that a value is searched among.
package struct LiteralSet: Sendable {
  /// In the order of a sort.
  private let literals: [LiteralSlot]

  init(_ values: [Value], isJSON: Bool) {
    literals = values.map { LiteralSlot($0, isJSON: isJSON) }
      .sorted { $0.slot.sortOrder(to: $1.slot) < 0 }
  }

  /// - Complexity: O(log *n*).
  func contains(_ slot: fastmap_slot) -> Bool {
    var low = 0
    var high = literals.count
    while low < high {
      let middle = (low + high) / 2
      if literals[middle].slot.sortOrder(to: slot) < 0 { low = middle + 1 } else { high = middle }
    }
    return low < literals.count && literals[low].slot.isEqual(to: slot)
  }
}

extension Comparable {
  @inline(__always)
  func order(to other: Self) -> Int { self < other ? -1 : self == other ? 0 : 1 }
}

extension UnsafeBufferPointer<UInt8> {
  /// By bytes; a prefix comes first.
  func order(to other: Self) -> Int {
    let shared = Swift.min(count, other.count)
    if shared > 0, let a = baseAddress, let b = other.baseAddress {
      let order = memcmp(a, b, shared)
      if order != 0 { return order < 0 ? -1 : 1 }
    }
    return count.order(to: other.count)
  }
}
