import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// The report of objects that are left out because of a unique index.
@Suite struct UniquePlaceTests {
  private static let node: Mapping<Record> = Mapping("A", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("u", .integer)
    Attribute("n", .integer)
    ToOne("q", node)
    Index("u", isUnique: true)
  }

  /// Payloads that give object 7 the value of object 9, in places inside of each other.
  private static let payloads = [
    #"[{"id":7,"n":1,"q":{"id":7,"u":10}}]"#,
    #"[{"id":7,"n":1,"q":{"id":8,"n":2,"q":{"id":7,"u":10}}},{"id":12,"n":5}]"#,
    #"[{"id":7,"n":1,"u":11,"q":{"id":7,"u":10}}]"#,
    #"[{"id":8,"n":1,"q":{"id":7,"u":10}}]"#,
    #"[{"id":7,"n":1,"u":10,"q":{"id":7}}]"#,
    #"[{"id":12,"n":1},{"id":7,"n":3},{"id":8,"q":{"id":7,"u":10}}]"#,
  ]

  @Test(arguments: StoreKind.allCases, payloads)
  func anObjectThatIsLeftOutIsReportedAndCounted(_ kind: StoreKind, _ payload: String) throws {
    let world = try World(kind, Self.node, holding: #"[{"id":9,"u":10},{"id":7}]"#)
    let before = try world.dump()
    let failure = world.failure(of: payload)
    #expect(failure?.hasPrefix("$[") ?? false, "\(failure ?? "no error")")
    try #expect(world.dump() == before)
    let report = try world.report(payload, options: .skipping)
    #expect((report.errorCount, report.entities[0].counts.skipped) == (1, 1))
    #expect(report.errors.first?.path.description == (failure?.split(separator: ":").first).map(String.init))
    try #expect(world.dump(of: "A 7") == "A 7")
  }

  /// A swap of two values is right in one transaction, and a conflict between two.
  @Test(arguments: StoreKind.allCases, [false, true])
  func aDryRunForeseesTheConflictsBetweenItsCommits(_ kind: StoreKind, _ skips: Bool) throws {
    var reports: [[String]] = []
    for isDryRun in [true, false] {
      let world = try World(kind, Self.node, holding: #"[{"id":1,"u":1},{"id":2,"u":2},{"id":3,"u":3}]"#)
      var options = skips ? ImportOptions.skipping : ImportOptions()
      options.isDryRun = isDryRun
      let swap = #"[{"id":1,"u":2},{"id":2,"u":1},{"id":3,"u":5}]"#
      #expect(world.failure(of: swap, options: options) == nil)
      if !isDryRun { try world.load(#"[{"id":1,"u":1},{"id":2,"u":2},{"id":3,"u":3}]"#) }
      options.commitInterval = 1
      do {
        let report = try world.report(swap, options: options)
        reports.append(report.errors.map { "\($0)" } + [summary(report)])
      } catch {
        reports.append(["\(error)"])
      }
    }
    #expect(reports[0] == reports[1])
    #expect(reports[0][0].hasPrefix("$[0]"), "\(reports[0])")
  }
}
