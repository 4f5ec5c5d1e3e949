/// A condition on the objects of a mapping.
///
///     let adults = try Filter("@.age >= 18 && @.author.name == \"Ada\"")     // the tool's FILTER
///     let query = Person.mapping.where { $0.age >= 18 && $0.author.name == "Ada" }
///
/// A filter names fields, and is checked when it meets a mapping, in a query: an unknown name and a comparison that can
/// never hold are errors then.
///
/// - Complexity: `&&` and `||` copy the terms of their left side. To join many filters, use ``all(_:)`` and ``any(_:)``.
public struct Filter: Hashable, Sendable {
  package let tree: FilterTree
  /// How deep filters are nested, at least 1.
  package let depth: Int
  /// The number of conditions, terms, steps and values. A part that occurs twice counts twice.
  package let size: Int
  /// Where a comparison begins in the text that it came from.
  package var place = FilterPlace.unknown

  /// The deepest nesting that can be bound. Threads with a stack of 512 KB can read and compare such filters.
  package static let deepest = 64

  /// The most steps of a path that can be bound.
  package static let longestPath = 256

  /// The greatest size that can be bound. A filter can contain another twice, which contains a third twice,
  /// and so on.
  package static let largest = 1_000_000

  package init(_ tree: FilterTree) {
    let extent = tree.extent
    if extent.depth > Self.deepest {
      (self.tree, depth, size) = (.tooDeep, 1, 1)
    } else if extent.size > Self.largest {
      (self.tree, depth, size) = (.refused(Self.tooLarge), 1, 1)
    } else if extent.isOutside {
      (self.tree, depth, size) = (.refused(FilterSelector.outside), 1, 1)
    } else {
      (self.tree, depth, size) = (tree, extent.depth, extent.size)
    }
  }

  /// True if all filters are true, also if there is none.
  public static func all(_ filters: [Filter]) -> Filter {
    if filters.count == 1 { return filters[0] }
    let terms = filters.flatMap { if case .all(let inner) = $0.tree { inner } else { [$0] } }
    return terms.count == 1 ? terms[0] : Filter(.all(terms))
  }

  /// True if at least one filter is true.
  public static func any(_ filters: [Filter]) -> Filter {
    if filters.count == 1 { return filters[0] }
    let terms = filters.flatMap { if case .any(let inner) = $0.tree { inner } else { [$0] } }
    return terms.count == 1 ? terms[0] : Filter(.any(terms))
  }

  /// True if the filter is false.
  package var negated: Filter {
    if case .not(let inner) = tree { return inner }
    return Filter(.not(self))
  }
}
