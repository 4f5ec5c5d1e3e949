import FastMapCore
import TestSupport
import Testing

/// The texts of reports.
@Suite struct ReportTextTests {
  @Test func anImportsReportIsATableALineForTheWholeAndNotes() throws {
    var report = try World(.memory, Fixture.tag).report("[]", options: .dry)
    report.bytes = 1234
    report.rootObjects = 2
    report.duration = .milliseconds(1250)
    report.entities = [
      .init(entity: "Person", counts: .init(inserted: 2)),
      .init(entity: "A\u{1B}", counts: .init(deleted: 10)),
    ]
    report.unseen = ["Person.age", "Person.n\nm"]
    #expect(
      "\(report)" == #"""
                 inserted  updated  unchanged  deleted  skipped
        Person          2        0          0        0        0
        A\u001b         0        0          0       10        0
        2 root objects, 1.2 kB, 1.25 s; a dry run, nothing was changed
        no object of the payload has Person.age or Person.n\nm
        """#)
  }

  @Test func aNoteNamesAtMostTwentyFields() throws {
    var report = try World(.memory, Fixture.tag).report("[]")
    report.unseen = (1...23).map { "A.f\($0)" }
    #expect("\(report)".hasSuffix("A.f19, A.f20 or 3 more"))
  }

  @Test func aDeletionsReportIsATableAndTheSum() {
    let report = DeletionReport(entities: [
      .init(entity: "Person", counts: .init(deleted: 1)), .init(entity: "Car", counts: .init(deleted: 20)),
    ])
    #expect(
      "\(report)" == """
                deleted
        Person        1
        Car          20
        21 objects deleted
        """)
    #expect("\(DeletionReport(entities: []))" == "0 objects deleted")
  }
}
