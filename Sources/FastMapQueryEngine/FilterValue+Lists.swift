/// The elements of an array or a set of values in a filter.
///
///     Article.mapping.where { $0.tags.contains("swift") && $0.tags.count < 5 }
///
/// Stores keep them as JSON, and an element is compared in that form.
public struct FilterValues<Element: AttributeValue> {
  package let path: FilterPath

  /// Whether there is no element, or no array.
  public var isEmpty: Filter { Filter(.compare(count.term, .equal, .literal(.integer(0)))) }

  /// The number of elements; 0 if there is no array.
  public var count: FilterValue<Int> { FilterValue<Int>(.count(path.appending(.all))) }

  /// Whether an element equals a value.
  ///
  /// Dates and data are refused: the elements stay as the payload wrote them, and one date has many spellings.
  public func contains(_ value: Element) -> Filter {
    guard let stored = FilterLiteral(value), let literal = FilterLiteral(inJSON: value) else {
      return .refusing(value)
    }
    switch stored {
    case .date, .data:
      return Filter(
        .refused(
          "a filter cannot compare the elements of an array with \(printable(beginning(of: "\(value)", most: 100))), because a store keeps them as the payload wrote them, in any spelling"
        ))
    default: break
    }
    // Such as a number that JSON cannot write.
    guard (literal == .null) == (stored == .null) else { return .refusing(value) }
    let element = FilterTerm.path(FilterPath()).comparing(.equal, literal)
    return Filter(.exists(path.appending(.filtered(element))))
  }
}
