/// A term with numbers.
struct BoundTerm {
  var term: BoundFilter.Term
  let kind: FilterKind
  /// As it was written.
  let source: FilterTerm
  let place: FilterPlace

  /// For messages: `@.age`, or `"abc"`.
  var text: String { source.text }

  /// For messages: the path, without a function around it.
  var path: String {
    switch source {
    case .path(let path), .value(let path): path.names()
    default: text
    }
  }

  var isOfFunction: Bool {
    switch source {
    case .literal, .path: false
    case .length, .lowercased, .count, .value: true
    }
  }

  /// Nil for anything but a literal.
  var literal: Value? { if case .literal(let value) = term { value } else { nil } }

  /// Where a literal with a fraction or an exponent lies among the integers.
  var integerPlace: IntegerPlace? {
    guard case .literal(let literal, _) = source else { return nil }
    switch literal {
    case .number(let number): return IntegerPlace(number)
    case .decimal(let decimal): return decimal.place
    default: return nil
    }
  }

  /// Gives a decimal its meaning: the key of an object is an integer, and JSON has numbers of both kinds.
  mutating func adapt(beside other: FilterKind) {
    guard case .literal(.decimal(let decimal), _) = source else { return adaptNumber(beside: other) }
    switch other {
    case .json: term = decimal.exact.map { .literal(.decimal($0)) } ?? .decimal(decimal)
    case .object: if let integer = decimal.place.integer { term = .literal(integer) }
    case .value(.decimal): if let exact = decimal.exact { term = .literal(.decimal(exact)) }
    default: break
    }
  }

  private mutating func adaptNumber(beside other: FilterKind) {
    guard other == .value(.decimal), case .number(let number)? = literal,
      let decimal = DecimalNumber(meaning: number) ?? DecimalNumber(FilterPrinter.text(of: number))
    else { return }
    term = .literal(.decimal(decimal))
  }

  /// Whether it is a number that no decimal attribute can hold.
  func isBeyondDecimals(beside other: FilterKind) -> Bool {
    guard other == .value(.decimal), case .literal(.decimal(let decimal), _) = source else { return false }
    return decimal.exact == nil
  }

  /// Makes a large integer the nearest `Double` beside a field of numbers, as which a payload's number is stored.
  mutating func round(beside other: BoundTerm) {
    guard other.kind == .value(.number), other.literal == nil else { return }
    switch literal {
    case .integer(let integer) where integer.magnitude > 1 << 53: term = .literal(.number(Double(integer)))
    case .unsigned(let integer): term = .literal(.number(Double(integer)))
    default: break
    }
  }
}
