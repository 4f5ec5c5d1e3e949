/// What a look at every record of a store has found.
///
///     let report = try store.check()
///     for problem in report.problems { print(problem) }
public struct CheckReport: Equatable, Sendable {
  /// One thing that is not as it must be.
  public struct Problem: Equatable, Sendable, CustomStringConvertible {
    /// The table and the object.
    public let place: String
    /// What is wrong there.
    public let detail: String

    public var description: String { "\(place): \(detail)" }
  }

  /// The first problems, at most 1000.
  public internal(set) var problems: [Problem] = []
  /// How many there are in all.
  public internal(set) var problemCount = 0
  /// The entities of the store.
  public internal(set) var entityCount = 0
  /// The objects that were looked at.
  public internal(set) var objectCount = 0
  /// The primary keys that were looked at.
  public internal(set) var keyCount = 0
  /// Targets of relationships, one for each place where one stands.
  public internal(set) var linkCount = 0

  /// Objects that an import in several transactions has let go of, and whose process ended before it deleted them. The
  /// next import or deletion deletes those that nothing refers to.
  public internal(set) var leftoverCount = 0

  /// Whether every invariant holds.
  public var isSound: Bool { problemCount == 0 }

  static let limit = 1000

  mutating func add(_ place: @autoclosure () -> String, _ detail: @autoclosure () -> String) {
    problemCount += 1
    if problems.count < Self.limit { problems.append(Problem(place: place(), detail: detail())) }
  }
}
