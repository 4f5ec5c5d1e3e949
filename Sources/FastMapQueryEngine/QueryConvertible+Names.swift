// Filters and orders of objects without a class, written with the names of fields.

/// A mapping of records, or a plan: filters are written with names.
///
///     let query = people.where { $0["age"] >= 18 && $0["author", "name"] == "Ada" }
public protocol RecordSource: PlanSource {}

extension Mapping: RecordSource where Object == Record {}

extension Plan: RecordSource {}

extension QueryConvertible where Source: RecordSource {
  /// Narrows the query to objects that also fulfil a condition.
  ///
  ///     let query = plan.where { $0["age"] >= 18 && $0["author", "name"] == "Ada" }
  ///
  /// - Parameter condition: About an object; called once, when the query is written.
  public func `where`(_ condition: (FilterNode) -> some FilterConvertible) -> Query<Source> {
    self.where(Filter(condition))
  }

  /// Sorts the objects by a text in lower case or by the number of objects of a list, and objects that are equal so far.
  ///
  ///     plan.sorted { $0["name"].lowercased }
  ///     plan.sorted(by: { $0["orders"].count }, descending: true)
  ///
  /// - Parameters:
  ///   - term: Called once, when the query is written.
  ///   - descending: Whether the greatest comes first and no value last.
  public func sorted<Value>(
    by term: (FilterNode) -> FilterValue<Value>, descending: Bool = false
  ) -> Query<Source> {
    query.sorted(by: term(FilterNode(path: FilterPath())).term, descending: descending)
  }
}

extension QueryConvertible {
  /// Sorts the objects, and objects that are equal so far by one more field.
  ///
  ///     people.sorted(by: "author.name").sorted(by: "age", descending: true)
  ///
  /// No value comes first, and last if `descending`. A to-one relationship is sorted by the key of its target.
  ///
  /// - Parameters:
  ///   - name: The name of a field, or a path of names with dots. A name with a dot itself stands in an array:
  ///     `sorted(by: ["full.name"])`.
  ///   - descending: Whether the greatest comes first.
  public func sorted(by name: String, descending: Bool = false) -> Query<Source> {
    let names = name.split(separator: ".", omittingEmptySubsequences: false)
    return sorted(by: names.map { String($0) }, descending: descending)
  }

  /// Sorts the objects by one more field, whose name may contain dots.
  ///
  ///     people.sorted(by: ["author", "full.name"])
  ///
  /// - Parameters:
  ///   - names: The names of the to-one relationships that lead to a field, then the name of the field.
  ///   - descending: Whether the greatest comes first.
  public func sorted(by names: [String], descending: Bool = false) -> Query<Source> {
    query.sorted(by: .path(FilterPath(names.map { FilterStep(.name($0)) })), descending: descending)
  }
}
