import FastMapCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Translates the expression of a predicate.
struct PredicateTranslation {
  /// The objects of the closures.
  var variables: [PredicateExpressions.VariableID: FilterPath] = [:]

  /// The meaning of a part.
  enum Part {
    case condition(Filter)
    /// A value, an object or a list.
    case path(FilterPath)
    case number(FilterTerm)
    /// A value from outside.
    case constant(Any)
    /// A range, by its bounds; nil means no bound.
    case range(lower: FilterLiteral?, upper: FilterLiteral?, BoundFilter.Comparison)
  }

  mutating func part(_ expression: some PredicateExpression) throws(PredicateError) -> Part {
    guard let translatable = expression as? any Translatable else {
      throw PredicateError("a filter has no \(Self.name(of: type(of: expression)))")
    }
    return try translatable.translate(&self)
  }

  mutating func condition(_ expression: some PredicateExpression) throws(PredicateError) -> Filter {
    switch try part(expression) {
    case .condition(let filter): return filter
    case .path(let path): return Filter(.compare(.path(path), .equal, .literal(.boolean(true))))
    case .constant(true as Bool): return .all([])
    case .constant(false as Bool): return .any([])
    case .constant, .number, .range: throw PredicateError("a filter has no condition of this form")
    }
  }

  mutating func term(_ expression: some PredicateExpression) throws(PredicateError) -> FilterTerm {
    switch try part(expression) {
    case .path(let path): return .path(path)
    case .number(let term): return term
    case .constant(let value): return .literal(try Self.literal(value))
    case .condition, .range: throw PredicateError("a filter compares values, not conditions; use && and ||")
    }
  }

  /// The property that a part is.
  mutating func path(_ expression: some PredicateExpression, of use: String) throws(PredicateError)
    -> FilterPath
  {
    guard case .path(let path) = try part(expression) else {
      throw PredicateError("a filter has \(use) for properties only")
    }
    return path
  }

  /// The condition of an inner closure, which is about its own object alone.
  mutating func inner<Object>(
    _ variable: PredicateExpressions.Variable<Object>, _ test: some PredicateExpression
  ) throws(PredicateError) -> Filter {
    let outer = variables
    defer { variables = outer }
    variables = [variable.key: FilterPath()]
    return try condition(test)
  }

  static func literal(_ value: Any) throws(PredicateError) -> FilterLiteral {
    if let optional = value as? any OptionalValue, optional.isNone { return .null }
    guard let attribute = value as? any AttributeValue, let literal = Self.literal(attribute) else {
      throw PredicateError("a filter cannot compare with \(value)")
    }
    return literal
  }

  private static func literal(_ value: some AttributeValue) -> FilterLiteral? { FilterLiteral(value) }

  /// `Arithmetic` of `PredicateExpressions.Arithmetic<…>`.
  private static func name(of type: Any.Type) -> String {
    let name = "\(type)"
    return String(name.prefix { $0 != "<" })
  }
}

/// A part of a predicate that a filter can say.
protocol Translatable {
  func translate(_ translation: inout PredicateTranslation) throws(PredicateError)
    -> PredicateTranslation.Part
}

private protocol OptionalValue {
  var isNone: Bool { get }
}

extension Optional: OptionalValue {
  var isNone: Bool { self == nil }
}
