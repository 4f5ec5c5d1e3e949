public import FastMapMaintenance

/// The objects that a repair saved and lost.
///
///     let report = try LMDBStore.repair(from: "people.db", to: "people-repaired.db")
///     for problem in report.problems { print(problem) }
public struct RepairReport: Equatable, Sendable {
  /// The numbers of one entity.
  ///
  ///     print(entity.name, entity.savedCount, entity.lostCount ?? 0)
  public struct Entity: Equatable, Sendable {
    /// The name in the mappings, or `lost entity 3` if its layout could not be read.
    public let name: String
    /// The number of objects in the new store.
    public let savedCount: Int
    /// The number of objects that were lost. If the old store's count is lost too, those that its keys still name; nil if
    /// they name none.
    public let lostCount: Int?
  }

  /// The entities, in the order in which they were first stored.
  public internal(set) var entities: [Entity] = []
  /// The first problems, at most 1000, each with its remedy.
  public internal(set) var problems: [CheckReport.Problem] = []
  /// The number of all problems.
  public internal(set) var problemCount = 0
  /// The number of the commit that was saved.
  public internal(set) var commit: UInt64 = 0

  /// Whether there were no problems, so that the new store equals the old one.
  public var isComplete: Bool { problemCount == 0 }

  mutating func add(_ place: @autoclosure () -> String, _ detail: @autoclosure () -> String) {
    problemCount += 1
    if problems.count < CheckReport.limit { problems.append(.init(place: place(), detail: detail())) }
  }
}
