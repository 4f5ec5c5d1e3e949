/// How a query ran.
///
///     print(try store.read { try $0.explain(query) })
///     // scan of Person: 1000 objects looked at, 12 found
public struct QueryExplanation: Sendable, CustomStringConvertible {
  /// The name of the entity.
  package let entity: String
  /// The objects that the query looked at.
  package let access: AccessPath
  /// The indexes of the server that found them, if it found them itself.
  package let serverIndexes: [String]
  /// Their number.
  public let lookedAt: Int
  /// The number of results.
  public let found: Int
  /// Whether the results had to be sorted. Otherwise they came in order.
  package let isSorted: Bool
  /// Whether the store sorted the results.
  package let isSortedByStore: Bool
  /// The conditions that had to be tested, and how many of them the store tested. Both are 0 if the store tested none.
  package let conditions: (count: Int, testedByStore: Int)

  package init(
    entity: String, access: AccessPath, serverIndexes: [String], lookedAt: Int, found: Int, isSorted: Bool,
    isSortedByStore: Bool, conditions: (count: Int, testedByStore: Int)
  ) {
    self.entity = entity
    self.access = access
    self.serverIndexes = serverIndexes
    self.lookedAt = lookedAt
    self.found = found
    self.isSorted = isSorted
    self.isSortedByStore = isSortedByStore
    self.conditions = conditions
  }

  /// One line.
  public var description: String {
    let path =
      switch access {
      case .scan where !serverIndexes.isEmpty:
        "\(escaped(entity)), the server's "
          + (serverIndexes.count == 1 ? "index " : "indexes ")
          + serverIndexes.map { quoted($0) }.joined(separator: " and ")
      case .scan: "scan of \(escaped(entity))"
      case .keys, .lookUp, .index, .targets: "\(escaped(entity)), \(access)"
      case .nothing: "\(escaped(entity)), \(access)"
      }
    return "\(path): \(lookedAt) \(lookedAt == 1 ? "object" : "objects") looked at, \(found) found"
      + byStore + (isSorted ? ", sorted" : isSortedByStore ? ", sorted by the store" : "")
  }

  private var byStore: String {
    if conditions.testedByStore == 0 { return "" }
    return conditions.testedByStore == conditions.count
      ? ", the store tested the filter"
      : ", the store tested \(conditions.testedByStore) of \(conditions.count) conditions"
  }
}
