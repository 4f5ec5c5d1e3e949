internal import CFastMap

/// A path inside the JSON of an attribute, bound and ready to run.
package struct JSONPathQuery: Sendable {
  /// A step. Each selector may choose values.
  package struct Step: Sendable {
    let selectors: [Selector]
  }

  package indirect enum Selector: Sendable {
    case member([UInt8])
    case all
    case index(Int64)
    case slice(start: Int64?, end: Int64?, step: Int64)
    case filtered(Condition)
  }

  /// A filter about a value inside JSON.
  package indirect enum Condition: Sendable {
    case constant(Bool)
    case all([Condition])
    case any([Condition])
    case not(Condition)
    case exists(JSONPathQuery)
    case compare(Term, BoundFilter.Comparison, Term)
    case decimal(Term, DecimalTest)
    case isOne(Term, LiteralSet)
    case text(Term, BoundFilter.TextTest, Term, TextPattern?)
  }

  package indirect enum Term: Sendable {
    case literal(LiteralSlot)
    case path(JSONPathQuery)
    case length(Term)
    case lowercased(Term)
    case count(JSONPathQuery)
    case value(JSONPathQuery)
  }

  package let steps: [Step]

  /// The value of an attribute itself.
  static let whole = JSONPathQuery(steps: [])

  /// Whether it is the value of the attribute itself.
  package var isWhole: Bool { steps.isEmpty }

  /// Whether it leads to at most one value.
  var isSingular: Bool {
    steps.allSatisfy { step in
      guard step.selectors.count == 1 else { return false }
      switch step.selectors[0] {
      case .member, .index: return true
      case .all, .slice, .filtered: return false
      }
    }
  }
}

extension BoundFilter.End {
  static func json(field: Int, _ query: JSONPathQuery) -> Self {
    .json(field: field, isWhole: query.isWhole, query: query)
  }

  /// The path inside the JSON of an attribute; nil at another end.
  var query: JSONPathQuery? {
    guard case .json(_, _, let query) = self else { return nil }
    return query as? JSONPathQuery ?? .whole
  }
}

extension BoundFilter.Path {
  /// Whether it leads to at most one value or object.
  var isSingular: Bool {
    steps.allSatisfy { $0.selectors?.isSingular ?? true } && end.query?.isSingular ?? true
  }
}

// MARK: Binding

extension JSONPathQuery {
  /// Nil after a fault.
  init?(_ steps: some Sequence<FilterStep>, _ path: FilterPath, _ binder: inout FilterBinder) {
    var bound: [Step] = []
    for step in steps {
      var selectors: [Selector] = []
      for selector in step.selectors {
        switch selector {
        case .member(.name(let name)): selectors.append(.member(Array(name.utf8)))
        case .member(.property(let property)):
          binder.report(
            path.place, path.names(), "JSON has no property \(property); write the name of a member")
          return nil
        case .all: selectors.append(.all)
        case .index(let index): selectors.append(.index(index))
        case .slice(let start, let end, let step):
          selectors.append(.slice(start: start, end: end, step: step))
        case .filtered(let filter):
          guard let condition = Condition(filter, path, &binder) else { return nil }
          selectors.append(.filtered(condition))
        }
      }
      bound.append(Step(selectors: selectors))
    }
    self.steps = bound
  }
}

extension JSONPathQuery.Condition {
  fileprivate init?(_ filter: Filter, _ path: FilterPath, _ binder: inout FilterBinder) {
    func bind(_ filters: [Filter], _ binder: inout FilterBinder) -> [Self]? {
      let bound = filters.compactMap { Self($0, path, &binder) }
      return bound.count == filters.count ? bound : nil
    }
    switch filter.tree {
    case .all(let filters):
      guard let bound = bind(filters, &binder) else { return nil }
      self = .all(bound)
    case .any(let filters):
      guard let bound = bind(filters, &binder) else { return nil }
      self = .any(bound)
    case .not(let inner):
      guard let inner = Self(inner, path, &binder) else { return nil }
      self = .not(inner)
    case .exists(let inner):
      guard let selection = JSONPathQuery(inner, &binder) else { return nil }
      self = .exists(selection)
    case .compare(let term, let comparison, .literal(.decimal(let decimal), _)) where decimal.exact == nil:
      guard let term = JSONPathQuery.Term(term, path, &binder, needsOne: true) else { return nil }
      self = .decimal(term, DecimalTest(comparison, decimal))
    case .compare(.literal(.decimal(let decimal), _), let comparison, let term) where decimal.exact == nil:
      guard let term = JSONPathQuery.Term(term, path, &binder, needsOne: true) else { return nil }
      self = .decimal(term, DecimalTest(comparison.mirrored, decimal))
    case .compare(let a, let comparison, let b):
      guard let a = JSONPathQuery.Term(a, path, &binder, needsOne: true),
        let b = JSONPathQuery.Term(b, path, &binder, needsOne: true)
      else { return nil }
      self = .compare(a, comparison, b)
    case .isOne(let term, let literals):
      guard let term = JSONPathQuery.Term(term, path, &binder, needsOne: true) else { return nil }
      self = .isOne(term, LiteralSet(literals.map(\.valueInJSON), isJSON: true))
    case .text(let a, let test, let b):
      guard let a = JSONPathQuery.Term(a, path, &binder, needsOne: true),
        let b = JSONPathQuery.Term(b, path, &binder, needsOne: true)
      else { return nil }
      var pattern: TextPattern?
      if test == .match || test == .search, case .literal(let literal) = b {
        guard let text = Field(literal.slot).string else {
          self = .constant(false)
          return
        }
        pattern = binder.pattern(text, path.place, test)
        if pattern == nil { return nil }
      }
      self = .text(a, test, b, pattern)
    case .tooDeep, .refused:
      _ = binder.condition(filter, of: 0)
      return nil
    }
  }
}

extension JSONPathQuery {
  fileprivate init?(_ path: FilterPath, _ binder: inout FilterBinder) {
    guard binder.check(path) else { return nil }
    self.init(path.steps, path, &binder)
  }
}

extension JSONPathQuery.Term {
  fileprivate init?(
    _ term: FilterTerm, _ path: FilterPath, _ binder: inout FilterBinder, needsOne: Bool
  ) {
    switch term {
    case .literal(let literal, _):
      self = .literal(LiteralSlot(literal.valueInJSON, isJSON: true))
    case .path(let inner):
      guard let selection = JSONPathQuery(inner, &binder) else { return nil }
      guard selection.isSingular || !needsOne else {
        binder.reportSeveral(inner)
        return nil
      }
      self = .path(selection)
    case .length(let inner):
      guard let inner = JSONPathQuery.Term(inner, path, &binder, needsOne: true) else { return nil }
      self = .length(inner)
    case .lowercased(let inner):
      guard let inner = JSONPathQuery.Term(inner, path, &binder, needsOne: true) else { return nil }
      self = .lowercased(inner)
    case .count(let inner):
      guard let selection = JSONPathQuery(inner, &binder) else { return nil }
      self = .count(selection)
    case .value(let inner):
      guard let selection = JSONPathQuery(inner, &binder) else { return nil }
      self = .value(selection)
    }
  }
}
