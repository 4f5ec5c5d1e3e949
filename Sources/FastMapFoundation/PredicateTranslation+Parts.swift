import FastMapCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// MARK: Values

extension PredicateExpressions.Variable: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    guard let path = translation.variables[key] else {
      throw PredicateError("a closure about an object uses the object of another closure")
    }
    return .path(path)
  }
}

extension PredicateExpressions.Value: Translatable {
  func translate(_ translation: inout PredicateTranslation) -> PredicateTranslation.Part { .constant(value) }
}

extension PredicateExpressions.NilLiteral: Translatable {
  func translate(_ translation: inout PredicateTranslation) -> PredicateTranslation.Part {
    .constant(Output.none as Any)
  }
}

extension PredicateExpressions.KeyPath: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    let isText = Root.Output.self == String.self
    guard let kind else {
      return .path(try translation.path(root, of: "properties").appending(keyPath))
    }
    if kind == .collectionCount, let filter = root as? any FilteredList {
      return .number(.count(try filter.path(&translation)))
    }
    let path = try translation.path(root, of: "counts")
    switch kind {
    case .collectionIsEmpty where isText:
      return .condition(Filter(.compare(.path(path), .equal, .literal(.string("")))))
    case .collectionIsEmpty:
      return .condition(
        Filter(.compare(.count(path.appending(.all)), .equal, .literal(.integer(0)))))
    case .collectionCount where isText:
      throw PredicateError(
        "a filter has no count of a string's characters; in a closure, length counts Unicode scalars")
    case .collectionCount: return .number(.count(path.appending(.all)))
    case .collectionFirst where !isText: return .path(path.appending(.index(0)))
    case .bidirectionalCollectionLast where !isText: return .path(path.appending(.index(-1)))
    default: throw PredicateError("a filter has no characters of a string")
    }
  }
}

extension PredicateExpressions.OptionalFlatMap: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    translation.variables[variable.key] = try translation.path(wrapped, of: "optional chaining")
    return try translation.part(transform)
  }
}

extension PredicateExpressions.ForcedUnwrap: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    try translation.part(inner)
  }
}

extension PredicateExpressions.NilCoalesce: Translatable {
  /// `$0.isActive ?? false`, the meaning of a Boolean property in a filter.
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    guard case .constant(false as Bool) = try translation.part(rhs) else {
      throw PredicateError("a filter has ?? only before false")
    }
    return .condition(try translation.condition(lhs))
  }
}

// MARK: Conditions

extension PredicateExpressions.Conjunction: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    .condition(.all([try translation.condition(lhs), try translation.condition(rhs)]))
  }
}

extension PredicateExpressions.Disjunction: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    .condition(.any([try translation.condition(lhs), try translation.condition(rhs)]))
  }
}

extension PredicateExpressions.Negation: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    .condition(try translation.condition(wrapped).negated)
  }
}

extension PredicateExpressions.Equal: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    .condition(Filter(.compare(try translation.term(lhs), .equal, try translation.term(rhs))))
  }
}

extension PredicateExpressions.NotEqual: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    .condition(Filter(.compare(try translation.term(lhs), .notEqual, try translation.term(rhs))))
  }
}

extension PredicateExpressions.Comparison: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    guard LHS.Output.self is any OrderedAttributeValue.Type else {
      throw PredicateError("stores do not keep \(LHS.Output.self) in order")
    }
    let comparison: BoundFilter.Comparison =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      }
    return .condition(Filter(.compare(try translation.term(lhs), comparison, try translation.term(rhs))))
  }
}

// MARK: Lists and strings

extension PredicateExpressions.SequenceContains: Translatable {
  /// A property in values from outside, or a value in an array of the object.
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    switch try translation.part(sequence) {
    case .constant(let value):
      guard let values = value as? any Sequence else {
        throw PredicateError("a filter cannot search in \(value)")
      }
      var literals: [FilterLiteral] = []
      for value in Self.elements(of: values) { literals.append(try PredicateTranslation.literal(value)) }
      return .condition(Filter(.isOne(try translation.term(element), of: literals)))
    case .path(let path):
      guard case .constant(let value) = try translation.part(element) else {
        throw PredicateError("a filter can search for values from outside only")
      }
      let literal = try PredicateTranslation.literal(value)
      let isEqual = Filter(.compare(.path(FilterPath()), .equal, .literal(literal)))
      return .condition(Filter(.exists(path.appending(.filtered(isEqual)))))
    default: throw PredicateError("a filter has contains(_:) for arrays only")
    }
  }

  private static func elements(of values: some Sequence) -> [Any] { values.map { $0 as Any } }
}

extension PredicateExpressions.SequenceContainsWhere: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    let path = try translation.path(sequence, of: "contains(where:)")
    return .condition(Filter(.exists(path.appending(.filtered(try translation.inner(variable, test))))))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    let path = try translation.path(sequence, of: "allSatisfy(_:)")
    return .condition(
      Filter(.exists(path.appending(.filtered(try translation.inner(variable, test).negated)))).negated)
  }
}

/// `filter {}`. A filter has its count only.
private protocol FilteredList {
  func path(_ translation: inout PredicateTranslation) throws(PredicateError) -> FilterPath
}

extension PredicateExpressions.Filter: FilteredList {
  func path(_ translation: inout PredicateTranslation) throws(PredicateError) -> FilterPath {
    let path = try translation.path(sequence, of: "filter(_:)")
    return path.appending(.filtered(try translation.inner(variable, filter)))
  }
}

extension PredicateExpressions.CollectionContainsCollection: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    .condition(try translation.test(base, .contains, other))
  }
}

extension PredicateExpressions.SequenceStartsWith: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    .condition(try translation.test(base, .hasPrefix, prefix))
  }
}

extension PredicateTranslation {
  fileprivate mutating func test<Text: PredicateExpression>(
    _ text: Text, _ test: BoundFilter.TextTest, _ other: some PredicateExpression
  ) throws(PredicateError) -> Filter {
    guard Text.Output.self == String.self, case .constant(let value as String) = try part(other) else {
      throw PredicateError("a filter tests strings for strings from outside only")
    }
    return Filter(.text(try term(text), test, .literal(.string(value))))
  }
}

// MARK: Ranges

extension PredicateExpressions.RangeExpressionContains: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    guard Element.Output.self is any OrderedAttributeValue.Type else {
      throw PredicateError("stores do not keep \(Element.Output.self) in order")
    }
    let bounds: (lower: FilterLiteral?, upper: FilterLiteral?, comparison: BoundFilter.Comparison)
    switch try translation.part(range) {
    case .range(let lower, let upper, let comparison): bounds = (lower, upper, comparison)
    case .constant(let value as any ConstantRange): bounds = try value.bounds()
    default: throw PredicateError("a filter has ranges of values from outside only")
    }
    let element = try translation.term(element)
    let parts = [
      bounds.lower.map { Filter(.compare(element, .greaterOrEqual, .literal($0))) },
      bounds.upper.map { Filter(.compare(element, bounds.comparison, .literal($0))) },
    ]
    return .condition(.all(parts.compactMap { $0 }))
  }
}

extension PredicateTranslation {
  fileprivate mutating func bound(_ expression: some PredicateExpression) throws(PredicateError)
    -> FilterLiteral
  {
    guard case .literal(let literal, _) = try term(expression) else {
      throw PredicateError("a filter has ranges of values from outside only")
    }
    return literal
  }
}

extension PredicateExpressions.Range: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    .range(lower: try translation.bound(lower), upper: try translation.bound(upper), .less)
  }
}

extension PredicateExpressions.ClosedRange: Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
  {
    .range(lower: try translation.bound(lower), upper: try translation.bound(upper), .lessOrEqual)
  }
}

/// A range from outside.
private protocol ConstantRange {
  func bounds() throws(PredicateError) -> (FilterLiteral?, FilterLiteral?, BoundFilter.Comparison)
}

extension Swift.Range: ConstantRange {
  func bounds() throws(PredicateError) -> (FilterLiteral?, FilterLiteral?, BoundFilter.Comparison) {
    (try PredicateTranslation.literal(lowerBound), try PredicateTranslation.literal(upperBound), .less)
  }
}

extension Swift.ClosedRange: ConstantRange {
  func bounds() throws(PredicateError) -> (FilterLiteral?, FilterLiteral?, BoundFilter.Comparison) {
    (try PredicateTranslation.literal(lowerBound), try PredicateTranslation.literal(upperBound), .lessOrEqual)
  }
}

extension PartialRangeFrom: ConstantRange {
  func bounds() throws(PredicateError) -> (FilterLiteral?, FilterLiteral?, BoundFilter.Comparison) {
    (try PredicateTranslation.literal(lowerBound), nil, .less)
  }
}

extension PartialRangeUpTo: ConstantRange {
  func bounds() throws(PredicateError) -> (FilterLiteral?, FilterLiteral?, BoundFilter.Comparison) {
    (nil, try PredicateTranslation.literal(upperBound), .less)
  }
}

extension PartialRangeThrough: ConstantRange {
  func bounds() throws(PredicateError) -> (FilterLiteral?, FilterLiteral?, BoundFilter.Comparison) {
    (nil, try PredicateTranslation.literal(upperBound), .lessOrEqual)
  }
}
