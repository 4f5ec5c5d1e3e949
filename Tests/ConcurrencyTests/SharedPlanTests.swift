import FastMapCore
import TestSupport
import Testing

/// A mapping that several threads use for the first time.
@Suite struct SharedPlanTests {
  @Test func allThreadsGetOnePlan() async throws {
    for _ in 0..<50 {
      let mapping = Mapping("A", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute("name", .string)
      }
      let plans = try await withThrowingTaskGroup(of: Plan.self) { group in
        for _ in 0..<8 { group.addTask { try mapping.plan() } }
        return try await group.reduce(into: [Plan]()) { $0.append($1) }
      }
      #expect(plans.allSatisfy { $0 === plans[0] })
    }
  }
}
