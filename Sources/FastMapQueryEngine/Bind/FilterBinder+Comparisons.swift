extension FilterBinder {
  // MARK: Terms

  /// The term with numbers; nil after a fault.
  mutating func bind(_ term: FilterTerm, of entity: Int) -> BoundTerm? {
    switch term {
    case .literal(let literal, let place):
      return BoundTerm(term: .literal(literal.value), kind: literal.kind, source: term, place: place)
    case .path(let path):
      guard let bound = bind(path, of: entity, needsOne: true) else { return nil }
      return BoundTerm(term: .path(bound.path), kind: bound.kind, source: term, place: path.place)
    case .count(let path):
      guard let bound = bind(path, of: entity, needsOne: false) else { return nil }
      return BoundTerm(
        term: .count(bound.path), kind: .value(.integer), source: term, place: path.place)
    case .value(let path):
      guard let bound = bind(path, of: entity, needsOne: false) else { return nil }
      return BoundTerm(
        term: .value(bound.path), kind: bound.kind, source: term, place: path.place)
    case .length(let inner): return length(inner, term, of: entity)
    case .lowercased(let inner): return lowercased(inner, term, of: entity)
    }
  }

  /// A text in lower case; nil after a fault.
  mutating func lowercased(_ inner: FilterTerm, _ term: FilterTerm, of entity: Int) -> BoundTerm? {
    guard let bound = bind(inner, of: entity) else { return nil }
    switch bound.kind {
    case .value(.string), .json: break
    default:
      report(bound.place, term.text, "expected a string, found \(bound.kind.phrase)")
      return nil
    }
    return BoundTerm(term: .lowercased(bound.term), kind: bound.kind, source: term, place: bound.place)
  }

  private mutating func length(_ inner: FilterTerm, _ term: FilterTerm, of entity: Int) -> BoundTerm? {
    if case .path(let path) = inner {
      guard let bound = bind(path, of: entity, needsOne: false) else { return nil }
      if bound.isBareList {
        // The list itself has a length.
        return BoundTerm(
          term: .count(bound.path), kind: .value(.integer), source: term, place: path.place)
      }
    }
    guard let bound = bind(inner, of: entity) else { return nil }
    switch bound.kind {
    case .value(.string), .json, .list, .null: break
    case .value(let kind):
      report(bound.place, term.text, "expected a string or a list, found \(kind.phrase)")
      return nil
    case .object:
      report(bound.place, term.text, "expected a string or a list, found an object")
      return nil
    }
    return BoundTerm(term: .length(bound.term), kind: .value(.integer), source: term, place: bound.place)
  }

  // MARK: Comparisons

  mutating func compare(
    _ a: FilterTerm, _ comparison: BoundFilter.Comparison, _ b: FilterTerm, of entity: Int,
    at place: FilterPlace = .unknown
  ) -> Condition {
    let left = bind(a, of: entity)
    let right = bind(b, of: entity)
    guard var left, var right else { return .constant(false) }
    left.adapt(beside: right.kind)
    right.adapt(beside: left.kind)
    left.round(beside: right)
    right.round(beside: left)
    if let condition = compareKey(of: left, comparison, right) { return condition }
    if let condition = compareKey(of: right, comparison.mirrored, left) { return condition }
    guard check(left, comparison, right, place) else { return .constant(false) }
    guard convert(&left, beside: right), convert(&right, beside: left) else { return .constant(false) }
    if left.kind == .value(.integer), let place = right.integerPlace {
      return compare(left, place.comparison(comparison))
    }
    if right.kind == .value(.integer), let place = left.integerPlace {
      return compare(right, place.comparison(comparison.mirrored))
    }
    if let a = left.literal, let b = right.literal { return .constant(comparison.holds(between: a, b)) }
    if left.kind == .null || right.kind == .null {
      let other = left.kind == .null ? right : left
      if comparison == .less || comparison == .greater { return .constant(false) }
      if case .path(let path) = other.term, !other.term.isJSON {
        let exists = Condition.exists(of: path)
        return comparison == .notEqual ? exists : .not(of: exists)
      }
    }
    return .compare(left.term, comparison, right.term)
  }

  /// A comparison of an object with a number that no key has, as one of its integer key; nil for others.
  private func compareKey(
    of object: BoundTerm, _ comparison: BoundFilter.Comparison, _ number: BoundTerm
  ) -> Condition? {
    guard case .object(let entity) = object.kind, plan.schema.entities[entity].keyKind == .integer,
      plan.schema.entities[entity].keyField != nil
    else { return nil }
    var integers: IntegerPlace.Comparison
    switch number.literal {
    case .number:
      guard let place = number.integerPlace else { return nil }
      integers = place.comparison(comparison)
    case .unsigned(let integer): integers = .with(.unsigned(integer), comparison)
    default: return nil
    }
    // A key is at most `Int64.max`.
    if case .with(.unsigned, let comparison) = integers {
      switch comparison {
      case .equal, .greater, .greaterOrEqual: integers = .constant(false)
      case .notEqual: integers = .constant(true)
      case .less, .lessOrEqual: integers = .with(.integer(.max), .lessOrEqual)
      }
    }
    return compare(object, integers)
  }

  private func compare(_ integer: BoundTerm, _ comparison: IntegerPlace.Comparison) -> Condition {
    switch comparison {
    case .constant(let holds): return .constant(holds)
    case .with(let value, let comparison):
      if let literal = integer.literal { return .constant(comparison.holds(between: literal, value)) }
      return .compare(integer.term, comparison, .literal(value))
    }
  }

  mutating func isOne(_ term: FilterTerm, _ literals: [FilterLiteral], of entity: Int) -> Condition {
    guard let term = bind(term, of: entity) else { return .constant(false) }
    var values: [Value] = []
    for literal in literals {
      var bound = BoundTerm(
        term: .literal(literal.value), kind: literal.kind, source: .literal(literal), place: term.place)
      guard check(term, .equal, bound), convert(&bound, beside: term) else { continue }
      if term.kind == .json {
        values.append(literal.valueInJSON)
        continue
      }
      bound.adapt(beside: term.kind == .value(.decimal) ? term.kind : .null)
      bound.round(beside: term)
      if term.kind == .value(.integer), let place = bound.integerPlace {
        // A value that is no integer is equal to none. In the list, it would keep the others from an index.
        if let integer = place.integer { values.append(integer) }
      } else if let value = bound.literal {
        values.append(value)
      }
    }
    if let value = term.literal {
      return .constant(values.contains { BoundFilter.Comparison.equal.holds(between: value, $0) })
    }
    return values.isEmpty ? .constant(false) : .isOne(term.term, of: values)
  }

  /// Checks whether a comparison can hold at all.
  ///
  /// - Parameter start: Where it begins.
  private mutating func check(
    _ a: BoundTerm, _ comparison: BoundFilter.Comparison, _ b: BoundTerm, _ start: FilterPlace = .unknown
  ) -> Bool {
    var place = a.place.offset == nil || a.literal != nil && b.literal == nil ? b.place : a.place
    // A function's value has the place of its argument, so the message points at the comparison's start.
    if a.isOfFunction || b.isOfFunction, start.offset != nil { place = start }
    // Most comparisons need no message.
    var text: String { "\(a.text) \(comparison.rawValue) \(b.text)" }
    for (literal, other) in [(a, b.kind), (b, a.kind)] where literal.isBeyondDecimals(beside: other) {
      report(literal.place, text, "expected \(AttributeKind.decimal.noun), found \(literal.text)")
      return false
    }
    switch (a.kind, b.kind) {
    case (.null, _), (_, .null): return true
    case (.list, .value), (.value, .list), (.list, .object), (.object, .list):
      let list = (a.kind == .list ? a : b).path
      report(
        place, text, "expected one value, found the list \(list); use \(list)[?@ == …] to test its elements")
      return false
    case (.json, .value(.date)), (.value(.date), .json), (.json, .value(.data)), (.value(.data), .json),
      (.json, .object), (.object, .json):
      report(
        place, text,
        "expected values that can be equal, found JSON and \((a.kind == .json ? b : a).kind.phrase)")
      return false
    case (.json, _), (_, .json), (.list, .list): return true
    case (.object(let first), .object(let second)):
      if first != second {
        report(place, text, "expected objects of one entity, found \(name(first)) and \(name(second))")
        return false
      }
      if comparison == .equal || comparison == .notEqual { return true }
      report(place, text, "expected == or != between two objects, found \(comparison.rawValue)")
      return false
    case (.object(let entity), .value(let kind)): return check(key: entity, kind, b, place, { text })
    case (.value(let kind), .object(let entity)): return check(key: entity, kind, a, place, { text })
    case (.value(let first), .value(let second)):
      guard first.isComparable(with: second, a.literal != nil, b.literal != nil) else {
        report(place, text, "expected values of one kind, found \(first.phrase) and \(second.phrase)")
        return false
      }
      guard first == .boolean, comparison == .less || comparison == .greater else { return true }
      report(place, text, "expected == or != between booleans, found \(comparison.rawValue)")
      return false
    }
  }

  private mutating func check(
    key entity: Int, _ kind: AttributeKind, _ value: BoundTerm, _ place: FilterPlace, _ text: () -> String
  ) -> Bool {
    let schema = plan.schema.entities[entity]
    guard let keyKind = schema.keyKind, schema.keyField != nil else {
      report(place, text(), "\(escaped(schema.name)) has no primary key to compare with")
      return false
    }
    let parts = plan.traits.partFields[entity].map { schema.fields[$0].name }
    if !parts.isEmpty {
      report(
        place, text(),
        "the primary key of \(escaped(schema.name)) has the parts \(list(parts.map(quoted))); compare each of them"
      )
      return false
    }
    if let literal = value.literal {
      switch (keyKind, literal) {
      case (.integer, .integer), (.string, .string): return true
      default: break
      }
    } else if kind == keyKind {
      return true
    }
    report(
      place, text(),
      "expected \(keyKind.phrase), the primary key of \(escaped(schema.name)), found "
        + (value.literal == nil ? kind.phrase : value.text))
    return false
  }

  private func name(_ entity: Int) -> String { escaped(plan.schema.entities[entity].name) }

  private mutating func convert(_ literal: inout BoundTerm, beside other: BoundTerm) -> Bool {
    guard case .string(let text)? = literal.literal, other.literal == nil else { return true }
    let value: Value?
    let expected: String
    switch other.kind {
    case .value(.date): (value, expected) = (Timestamp(iso8601: text).map { .date($0) }, "an ISO 8601 date")
    case .value(.data): (value, expected) = (base64(text).map { .data($0) }, "base64 data")
    default: return true
    }
    guard let value else {
      report(
        literal.place.offset == nil ? other.place : literal.place, other.text,
        "expected \(expected), found \(quoted(text))")
      return false
    }
    literal = BoundTerm(term: .literal(value), kind: other.kind, source: literal.source, place: literal.place)
    return true
  }

  // MARK: Texts

  mutating func text(_ a: FilterTerm, _ test: BoundFilter.TextTest, _ b: FilterTerm, of entity: Int)
    -> Condition
  {
    let left = bind(a, of: entity)
    let right = bind(b, of: entity)
    guard let left, let right else { return .constant(false) }
    for term in [left, right] {
      switch term.kind {
      case .value(.string), .json: continue
      case .null: return .constant(false)
      default:
        let place = term.place.offset == nil ? left.place : term.place
        report(place, "\(test.rawValue)(…)", "expected a string, found \(term.kind.phrase): \(term.text)")
        return .constant(false)
      }
    }
    if test == .match || test == .search {
      if case .string(let text)? = right.literal {
        if pattern(text, right.place.offset == nil ? left.place : right.place, test) == nil {
          return .constant(false)
        }
      } else if !left.term.isJSON, !right.term.isJSON {
        report(right.place, "\(test.rawValue)(…)", "expected a literal as the pattern, found \(right.text)")
        return .constant(false)
      }
    }
    return .text(left.term, test, right.term)
  }
}

extension FilterBinder {
  /// The compiled pattern; nil after a fault.
  mutating func pattern(
    _ text: String, _ place: FilterPlace, _ test: BoundFilter.TextTest
  ) -> TextPattern? {
    do throws(TextPatternError) {
      return try TextPattern(text)
    } catch {
      // In the text of a filter, the pattern stands in a string.
      report(place, "\(test.rawValue)(…)", place.offset == nil ? "\(error)" : error.textInString)
      return nil
    }
  }
}

extension FilterKind {
  /// `a string`
  var phrase: String {
    switch self {
    case .null: "null"
    case .value(let kind): kind.phrase
    case .json: "JSON"
    case .list: "a list"
    case .object: "an object"
    }
  }
}

extension AttributeKind {
  fileprivate func isComparable(with other: AttributeKind, _ isLiteral: Bool, _ isOtherLiteral: Bool) -> Bool
  {
    if self == other { return true }
    switch (self, other) {
    case (.integer, .number), (.number, .integer), (.integer, .decimal), (.decimal, .integer),
      (.number, .decimal), (.decimal, .number):
      return true
    // Dates and data are strings in a filter.
    case (.date, .string), (.data, .string): return isOtherLiteral && !isLiteral
    case (.string, .date), (.string, .data): return isLiteral && !isOtherLiteral
    default: return false
    }
  }
}
