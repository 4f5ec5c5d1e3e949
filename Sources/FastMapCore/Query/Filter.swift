/// A condition on the objects of a mapping.
///
///     let adults = try Filter("@.age >= 18 && @.author.name == \"Ada\"")     // the tool's FILTER
///     let query = Person.mapping.where { $0.age >= 18 && $0.author.name == "Ada" }
///
/// A filter names fields. It is checked when it meets a mapping, in a query: an unknown name and a comparison that can
/// never hold are errors then.
///
/// - Complexity: `&&` and `||` copy the terms of their left side. To join many filters, use ``all(_:)`` and ``any(_:)``.
public struct Filter: Hashable, Sendable {
  package let tree: FilterTree
  /// How deep filters are nested, at least 1.
  package let depth: Int

  /// The deepest nesting. What is deeper cannot be bound.
  package static let deepest = 256

  package init(_ tree: FilterTree) {
    let depth = 1 + tree.innerDepth
    if depth > Self.deepest {
      (self.tree, self.depth) = (.tooDeep, 1)
    } else {
      (self.tree, self.depth) = (tree, depth)
    }
  }

  /// True if all filters are true, also if there is none.
  public static func all(_ filters: [Filter]) -> Filter {
    let terms = filters.flatMap { if case .all(let inner) = $0.tree { inner } else { [$0] } }
    return terms.count == 1 ? terms[0] : Filter(.all(terms))
  }

  /// True if at least one filter is true.
  public static func any(_ filters: [Filter]) -> Filter {
    let terms = filters.flatMap { if case .any(let inner) = $0.tree { inner } else { [$0] } }
    return terms.count == 1 ? terms[0] : Filter(.any(terms))
  }

  /// True if both are true.
  public static func && (a: Filter, b: Filter) -> Filter { all([a, b]) }

  /// True if at least one is true.
  public static func || (a: Filter, b: Filter) -> Filter { any([a, b]) }

  /// True if the filter is false.
  public static prefix func ! (a: Filter) -> Filter {
    if case .not(let inner) = a.tree { return inner }
    return Filter(.not(a))
  }
}

extension FilterTree {
  /// The depth of the deepest filter inside.
  fileprivate var innerDepth: Int {
    switch self {
    case .all(let filters), .any(let filters): filters.reduce(0) { max($0, $1.depth) }
    case .not(let filter): filter.depth
    case .exists(let path): path.depth
    case .compare(let a, _, let b), .text(let a, _, let b): max(a.depth, b.depth)
    case .isOne(let term, _): term.depth
    case .tooDeep, .refused: 0
    }
  }
}

extension FilterTerm {
  fileprivate var depth: Int {
    switch self {
    case .literal: 0
    case .path(let path), .count(let path), .value(let path): path.depth
    case .length(let term): 1 + term.depth
    }
  }
}

extension FilterPath {
  fileprivate var depth: Int {
    steps.reduce(0) { depth, step in
      step.selectors.reduce(depth) {
        if case .filtered(let filter) = $1 { max($0, filter.depth) } else { $0 }
      }
    }
  }
}
