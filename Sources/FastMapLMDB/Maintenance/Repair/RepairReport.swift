/// What a repair has saved, and what it has not.
///
///     let report = try LMDBStore.repair(from: "people.db", to: "people-repaired.db")
///     for problem in report.problems { print(problem) }
public struct RepairReport: Equatable, Sendable {
  /// One entity.
  public struct Entity: Equatable, Sendable {
    /// What the mappings call it; `lost entity 3` where its layout could not be read.
    public let name: String
    /// The objects in the new store.
    public let savedCount: Int
    /// The objects that the old store had and the new one has not; nil where the old one's count could not be
    /// read.
    public let lostCount: Int?
  }

  /// The entities, in the order in which they were first stored.
  public internal(set) var entities: [Entity] = []
  /// The first things that were not as they must be, at most 1000, each with what became of it.
  public internal(set) var problems: [CheckReport.Problem] = []
  /// How many there are in all.
  public internal(set) var problemCount = 0
  /// The commit that was saved.
  public internal(set) var commit: UInt64 = 0

  /// Whether nothing was wrong: the new store is as the old one.
  public var isComplete: Bool { problemCount == 0 }

  mutating func add(_ place: @autoclosure () -> String, _ detail: @autoclosure () -> String) {
    problemCount += 1
    if problems.count < CheckReport.limit { problems.append(.init(place: place(), detail: detail())) }
  }
}
