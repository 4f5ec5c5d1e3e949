import FastMapCore
import FastMapLMDB

/// FastMap: the same payload again, into a store that has it. Nothing is different, so nothing is to be
/// written.
struct FastMapAgain: Subject {
  let families: Families
  let store: LMDBStore
  let plan: Plan
  let commitCount: Int

  init(_ families: Families, _ folder: Folder) throws {
    self.families = families
    plan = try Families.makePlan()
    store = try LMDBStore(at: folder.newPath("fastmap-again"))
    _ = try Mapper(store).importJSON(families.json, as: plan)
    commitCount = try store.statistics().commitCount
  }

  func prepare() throws -> () throws -> Int {
    let commits = try store.statistics().commitCount
    try WrongOutcome.check(commits == commitCount, "no commit after \(commitCount), found \(commits)")
    return {
      let report = try Mapper(store).importJSON(families.json, as: plan)
      let unchanged = report.entities.reduce(0) { $0 + $1.counts.unchanged }
      try WrongOutcome.check(
        unchanged == families.objectCount, "\(families.objectCount) unchanged, found \(unchanged)")
      return report.rootObjects
    }
  }
}
