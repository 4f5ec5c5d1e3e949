/// The result of verifying a whole store.
///
///     let report = try store.check()
///     for problem in report.problems { print(problem) }
public struct CheckReport: Equatable, Sendable {
  /// A violated invariant.
  ///
  ///     print(problem.place, problem.detail)
  public struct Problem: Equatable, Sendable, CustomStringConvertible {
    /// The table or entity, and the object or field.
    public let place: String
    /// The fault, in words.
    public let detail: String

    package init(place: String, detail: String) {
      self.place = place
      self.detail = detail
    }

    public var description: String { "\(place): \(detail)" }
  }

  /// The first problems, at most 1000.
  public private(set) var problems: [Problem] = []
  /// The number of all problems.
  public private(set) var problemCount = 0
  /// Findings that may be harmless, in one sentence each: objects that may have lost their owner, for example.
  public package(set) var notes: [String] = []
  /// The number of objects that were checked.
  public package(set) var objectCount = 0
  /// The number of primary keys that were checked.
  package var keyCount = 0
  /// The number of links, counted once for each position in a list.
  package var linkCount = 0

  /// The number of objects that an import unlinked but did not delete, because its process ended between two of its
  /// transactions. The next import or deletion deletes the unreferenced ones.
  public package(set) var leftoverCount = 0

  /// Whether every invariant holds.
  public var isSound: Bool { problemCount == 0 }

  /// Problems beyond this number are only counted.
  package static let limit = 1000

  package init() {}

  package mutating func add(_ place: @autoclosure () -> String, _ detail: @autoclosure () -> String) {
    problemCount += 1
    if problems.count < Self.limit { problems.append(Problem(place: place(), detail: detail())) }
  }
}
