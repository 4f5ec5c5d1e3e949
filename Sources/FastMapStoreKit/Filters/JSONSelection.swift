/// A path inside the JSON of an attribute, as RFC 9535 means it.
///
///     if case .json(_, let selection) = path.end, selection.isWhole { print("the attribute itself") }
public struct JSONSelection: Sendable {
  /// Whether it is the value of the attribute itself.
  public let isWhole: Bool
  /// Whether it leads to at most one value.
  package let isSingular: Bool
  /// The steps. FastMap follows them itself.
  package let query: any Sendable

  package init(isWhole: Bool, isSingular: Bool, query: any Sendable) {
    self.isWhole = isWhole
    self.isSingular = isSingular
    self.query = query
  }
}
