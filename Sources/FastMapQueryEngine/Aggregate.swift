/// A number about the objects of a group: how many they are, or the sum, average, least or greatest value of a field.
///
///     let rows = try snapshot.groups(orders, by: ["status", "customer.city"], [.count, .sum("total")])
///     for row in rows { print(row) }      // [.string("paid"), .string("Bern"), .integer(2), .number(40.5)]
///
/// A field is named as in ``QueryConvertible/sorted(by:descending:)-(String,_)``: `"total"`, `"customer.age"`. Objects without a value
/// count, and add nothing to the others.
public enum Aggregate: Hashable, Sendable {
  /// The number of objects.
  case count
  /// The sum of integers, numbers or decimals.
  ///
  /// Exact for integers and decimals, and the nearest `Double` of the exact sum for numbers. So the order of the objects changes
  /// nothing.
  case sum(String)
  /// The average, as the `Double` nearest to the exact one.
  case average(String)
  /// The first value in the order of a sort.
  case min(String)
  /// The last value in the order of a sort.
  case max(String)
}

/// An ``Aggregate`` of any term.
package struct GroupColumn: Sendable {
  package enum Function: String, CaseIterable, Sendable {
    case count, sum, avg, min, max
  }

  let function: Function
  /// Nil for `count` alone.
  let term: FilterTerm?

  package init(_ function: Function, _ term: FilterTerm? = nil) {
    self.function = function
    self.term = term
  }

  package init(aggregate: Aggregate) {
    switch aggregate {
    case .count: self.init(.count)
    case .sum(let name): self.init(.sum, FilterTerm(name: name))
    case .average(let name): self.init(.avg, FilterTerm(name: name))
    case .min(let name): self.init(.min, FilterTerm(name: name))
    case .max(let name): self.init(.max, FilterTerm(name: name))
    }
  }
}

extension FilterTerm {
  /// The path of names with dots between them.
  package init(name: String) {
    let names = name.split(separator: ".", omittingEmptySubsequences: false)
    self = .path(FilterPath(names.map { FilterStep(.name(String($0))) }))
  }
}
