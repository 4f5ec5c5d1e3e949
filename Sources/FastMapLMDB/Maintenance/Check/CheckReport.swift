/// The result of verifying every record of a store.
///
///     let report = try store.check()
///     for problem in report.problems { print(problem) }
public struct CheckReport: Equatable, Sendable {
  /// A violated invariant.
  ///
  ///     print(problem.place, problem.detail)
  public struct Problem: Equatable, Sendable, CustomStringConvertible {
    /// The table and the object.
    public let place: String
    /// The fault, in words.
    public let detail: String

    public var description: String { "\(place): \(detail)" }
  }

  /// The first problems, at most 1000.
  public internal(set) var problems: [Problem] = []
  /// The number of all problems.
  public internal(set) var problemCount = 0
  /// The number of entities in the store.
  public internal(set) var entityCount = 0
  /// The number of objects that were checked.
  public internal(set) var objectCount = 0
  /// The number of primary keys that were checked.
  public internal(set) var keyCount = 0
  /// The number of links, counted once for each position in a list.
  public internal(set) var linkCount = 0

  /// The number of objects that an import unlinked but did not delete, because its process ended between two of its
  /// transactions. The next import or deletion deletes the unreferenced ones.
  public internal(set) var leftoverCount = 0

  /// Whether every invariant holds.
  public var isSound: Bool { problemCount == 0 }

  static let limit = 1000

  mutating func add(_ place: @autoclosure () -> String, _ detail: @autoclosure () -> String) {
    problemCount += 1
    if problems.count < Self.limit { problems.append(Problem(place: place(), detail: detail())) }
  }
}
