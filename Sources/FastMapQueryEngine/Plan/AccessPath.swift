/// The objects that a query looks at.
///
///     let explanation = try store.read { try $0.explain(Person.mapping.where { $0.id >= 100 }) }
///     if case .keys(let range) = explanation.access { print(range) }
package enum AccessPath: Hashable, Sendable {
  /// All objects of the entity.
  case scan
  case keys(KeyRange)
  /// The objects with some keys, ascending and without repeats.
  case lookUp([PrimaryKey])
  /// The objects in ranges of an index, by its name in its entity.
  case index(String, [IndexRange])
  /// The targets of a relationship of the objects with some keys: `Parent.children`. An inverse leads to it.
  case targets(String, of: [PrimaryKey])
  /// None, because the filter is never true.
  case nothing
}

extension AccessPath: CustomStringConvertible {
  package var description: String {
    switch self {
    case .scan: "scan"
    case .keys(let range) where range.firstParts != nil: "keys that begin with \(range.firstParts ?? [])"
    case .keys(let range):
      "keys "
        + [
          range.lower.map { "from \($0)" },
          range.upper.map { "\(range.includesUpper ? "to" : "to before") \($0)" },
        ].compactMap { $0 }.joined(separator: " ")
    case .lookUp(let keys): Self.theKeys(keys)
    case .targets(let relationship, let keys): "\(escaped(relationship)) of \(Self.theKeys(keys))"
    case .index(let name, let ranges):
      "index \(quoted(name))" + (ranges.count == 1 ? "" : ", \(ranges.count) ranges")
    case .nothing: "nothing, as the filter is never true"
    }
  }

  private static func theKeys(_ keys: [PrimaryKey]) -> String {
    let most = 5
    let shown = keys.prefix(most).map(\.description).joined(separator: ", ")
    let rest = keys.count > most ? " and \(keys.count - most) more" : ""
    return "\(keys.count == 1 ? "the key" : "the keys") \(shown)\(rest)"
  }
}
