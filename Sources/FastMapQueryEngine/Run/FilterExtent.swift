/// How deep and how large a filter is.
///
/// Neither number overflows: a filter has at most `Filter.largest` parts, and an array has no more than 2^48 of them.
struct FilterExtent {
  var depth = 0
  var size = 0
  /// Whether a position lies outside ``FilterSelector/positions``.
  var isOutside = false

  /// Adds a part beside the other ones: the deepest part sets the depth, and sizes add up.
  fileprivate mutating func add(_ filter: Filter) {
    depth = max(depth, filter.depth)
    size += filter.size
  }

  fileprivate mutating func add(_ term: FilterTerm) {
    switch term {
    case .literal: size += 1
    case .path(let path), .count(let path), .value(let path): add(path)
    case .length(let inner), .lowercased(let inner):
      let outer = depth
      depth = 0
      add(inner)
      depth = max(outer, depth + 1)
      size += 1
    }
  }

  fileprivate mutating func add(_ path: FilterPath) {
    size += 1
    for step in path.steps {
      for selector in step.selectors {
        size += 1
        switch selector {
        case .filtered(let filter): add(filter)
        case .index(let index): if !FilterSelector.positions.contains(index) { isOutside = true }
        case .member, .all, .slice: break
        }
      }
    }
  }
}

extension FilterTree {
  /// The depth and size of the tree, from the extents of its inner filters.
  var extent: FilterExtent {
    var extent = FilterExtent()
    switch self {
    case .all(let filters), .any(let filters): for filter in filters { extent.add(filter) }
    case .not(let filter): extent.add(filter)
    case .exists(let path): extent.add(path)
    case .compare(let a, _, let b), .text(let a, _, let b):
      extent.add(a)
      extent.add(b)
    case .isOne(let term, let literals):
      extent.add(term)
      extent.size += literals.count
      // Written as alternatives, which may need parentheses.
      if literals.count > 1 { extent.depth += 1 }
    case .tooDeep, .refused: break
    }
    extent.depth += 1
    extent.size += 1
    return extent
  }
}

extension FilterSelector {
  package static let positions: ClosedRange<Int64> = -9_007_199_254_740_991...9_007_199_254_740_991

  /// The fault of another position.
  static let outside = "an index must be from \(positions.lowerBound) to \(positions.upperBound)"
}

extension Filter {
  package static let tooDeep = "filters are nested too deep, at most \(deepest) levels are allowed"

  /// The fault of a filter that is larger.
  package static let tooLarge =
    "the filter is too large, at most \(largest) conditions, terms, steps and values are allowed"
}
