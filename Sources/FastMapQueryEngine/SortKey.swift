/// A value to sort by: an ordered or Boolean property, or a to-one relationship, which stands for its key.
///
///     Person.mapping.sorted(by: \.author.name).sorted(by: \.author)
///
/// Only types of this module conform to it.
public protocol SortKey {
  /// The field, ascending.
  var sortTerm: SortTerm { get }
}

extension FilterValue: SortKey where Value.Unwrapped: OrderedAttributeValue {
  public var sortTerm: SortTerm { SortTerm(term: term, isDescending: false) }
}

extension FilterObject: SortKey {
  public var sortTerm: SortTerm { SortTerm(term: .path(filterPath), isDescending: false) }
}
