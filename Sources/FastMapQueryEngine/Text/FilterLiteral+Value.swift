internal import CFastMap

extension FilterLiteral {
  /// The value as a store keeps it; nil if a filter cannot compare with that.
  package init?<V: AttributeValue>(_ value: V) {
    // An optional without a value is null, and so is one whose value is written as null: its property reads back as nil.
    guard let some = value as? V.Unwrapped else {
      self = .null
      return
    }
    var slot = fastmap_slot()
    var arena = fastmap_arena()
    defer { fastmap_arena_free(&arena) }
    withUnsafeMutablePointer(to: &slot) { slot in
      withUnsafeMutablePointer(to: &arena) { arena in
        var field = FieldWriter(slot, arena)
        some.write(to: &field)
      }
    }
    switch slot.value {
    case .boolean(let value): self = .boolean(value)
    case .integer(let value): self = .integer(value)
    case .unsigned(let value): self = .unsigned(value)
    case .number(let value) where !value.isNaN: self = .number(value)
    case .decimal(let value):
      guard let literal = FilterLiteral(value) else { return nil }
      self = literal
    case .string(let value): self = .string(value)
    case .date(let value): self = .date(value)
    case .data(let value): self = .data(value)
    case .null where V.isOptional: self = .null
    case .number, .json, .null, nil: return nil
    }
  }

  /// A decimal; an integer or a `Double` where it means the same number, as in the text of a filter.
  init?(_ decimal: DecimalNumber) {
    guard let nearest = Double(decimal.text) else { return nil }
    if let literal = BoundFilter.Decimal(decimal.text, nearest: nearest) {
      self = .decimal(literal)
    } else {
      self =
        Int64(decimal.text).map { .integer($0) } ?? UInt64(decimal.text).map { .unsigned($0) }
        ?? .number(nearest)
    }
  }

  /// The value as it stands in the JSON of an array; nil if it is an array or an object there.
  init?<V: AttributeValue>(inJSON value: V) {
    var writer = JSONWriter()
    writer.value(value)
    let literal = writer.withBytes { bytes -> FilterLiteral? in
      guard let document = try? JSONDocument(parsing: bytes, keepsReals: true) else { return nil }
      return document.withRoot { FilterLiteral(JSONValue($0, document.bigIntegers)) }
    }
    guard let literal else { return nil }
    self = literal
  }

  private init?(_ value: JSONValue) {
    switch value.kind {
    case .null: self = .null
    case .boolean: self = .boolean(value.boolean == true)
    case .string: self = .string(value.string ?? "")
    case .integer:
      guard let integer = value.integer else { return nil }
      self = .integer(integer)
    case .number:
      if let digits = value.digits, let unsigned = UInt64(String(decoding: digits, as: UTF8.self)) {
        self = .unsigned(unsigned)
      } else if let literal = DecimalNumber(value.keptText).flatMap({ FilterLiteral($0) }) {
        self = literal
      } else {
        return nil
      }
    case .array, .object: return nil
    }
  }
}

extension Filter {
  /// A condition that compares with a value; a fault if it has no literal.
  static func with<V: AttributeValue>(_ value: V, _ filter: (FilterLiteral) -> Filter) -> Filter {
    FilterLiteral(value).map(filter) ?? refusing(value)
  }

  static func refusing<V: AttributeValue>(_ value: V) -> Filter {
    let found = printable(beginning(of: "\(value)", most: 100))
    return Filter(
      .refused(
        V.attributeType == .json
          ? "a filter cannot compare with \(found), which is stored as JSON; compare a value inside it"
          : "a filter cannot compare with \(found), because a store keeps it as no value, or not at all"))
  }
}

extension FilterTerm {
  package func comparing(_ comparison: BoundFilter.Comparison, _ literal: FilterLiteral) -> Filter {
    Filter(.compare(self, comparison, .literal(literal)))
  }

  package func comparing<V: AttributeValue>(_ comparison: BoundFilter.Comparison, _ value: V) -> Filter {
    .with(value) { comparing(comparison, $0) }
  }

  func isOne<V: AttributeValue>(of values: [V]) -> Filter {
    var literals: [FilterLiteral] = []
    for value in values {
      guard let literal = FilterLiteral(value) else { return .refusing(value) }
      literals.append(literal)
    }
    return Filter(.isOne(self, of: literals))
  }

  /// Whether the value lies between bounds; nil means no bound.
  func isBetween<V: AttributeValue>(_ lower: V?, _ upper: V?, _ comparison: BoundFilter.Comparison) -> Filter
  {
    .all(
      [
        lower.map { comparing(.greaterOrEqual, $0) }, upper.map { comparing(comparison, $0) },
      ].compactMap { $0 })
  }

  func test(_ test: BoundFilter.TextTest, _ text: String) -> Filter {
    Filter(.text(self, test, .literal(.string(text))))
  }
}
