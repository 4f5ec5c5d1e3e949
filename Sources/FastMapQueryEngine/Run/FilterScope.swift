/// A closure that builds a filter. A path from its object means nothing in the closure of another object:
///
///     people.where { person in person.books.contains { $0.title == person.name } }     // refused
package final class FilterScope: Hashable, Sendable {
  package static func == (a: FilterScope, b: FilterScope) -> Bool { a === b }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// The filter that a closure about a new object builds.
  static func filter(_ build: (FilterPath) -> Filter) -> Filter {
    let scope = FilterScope()
    var object = FilterPath()
    object.scope = scope
    return build(object).closed(scope)
  }
}

extension Filter {
  /// The filter with its paths beginning at the object that it is asked about.
  ///
  /// The filters of inner closures are closed already, so this visits each term once.
  fileprivate func closed(_ scope: FilterScope) -> Filter {
    switch tree {
    case .all(let filters): Filter(.all(filters.map { $0.closed(scope) }))
    case .any(let filters): Filter(.any(filters.map { $0.closed(scope) }))
    case .not(let filter): Filter(.not(filter.closed(scope)))
    case .exists(let path): path.closed(scope).map { Filter(.exists($0)) } ?? .foreign
    case .compare(let a, let comparison, let b):
      if let a = a.closed(scope), let b = b.closed(scope) {
        Filter(.compare(a, comparison, b))
      } else {
        .foreign
      }
    case .isOne(let term, let literals):
      term.closed(scope).map { Filter(.isOne($0, of: literals)) } ?? .foreign
    case .text(let a, let test, let b):
      if let a = a.closed(scope), let b = b.closed(scope) { Filter(.text(a, test, b)) } else { .foreign }
    case .tooDeep, .refused: self
    }
  }

  private static var foreign: Filter {
    Filter(
      .refused(
        "a closure about an object uses the object of another closure; a filter compares the fields of one object"
      ))
  }
}

extension FilterTerm {
  fileprivate func closed(_ scope: FilterScope) -> FilterTerm? {
    switch self {
    case .literal: self
    case .path(let path): path.closed(scope).map { .path($0) }
    case .length(let term): term.closed(scope).map { .length($0) }
    case .lowercased(let term): term.closed(scope).map { .lowercased($0) }
    case .count(let path): path.closed(scope).map { .count($0) }
    case .value(let path): path.closed(scope).map { .value($0) }
    }
  }
}

extension FilterPath {
  /// Nil if it begins at the object of another closure.
  fileprivate func closed(_ scope: FilterScope) -> FilterPath? {
    guard self.scope != nil else { return self }
    guard self.scope == scope else { return nil }
    var path = self
    path.scope = nil
    return path
  }
}
