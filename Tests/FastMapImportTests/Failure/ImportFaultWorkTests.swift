import FastMapCore
import Synchronization
import TestSupport
import Testing

/// Where faults stand is found in one pass over the text, however many there are.
@Suite struct ImportFaultWorkTests {
  private static let part = Mapping("Part", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("size", .number, at: "a.b")
    ToMany("parts", inner)
  }
  private static let inner = Mapping("Inner") { Attribute("n", .integer) }
  private static let root = Mapping("Root", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("parts", part, at: "x.parts")
    ToMany("more", part)
  }

  private static func report(_ text: String) throws -> (report: ImportReport, bytes: Int) {
    let bytes = Mutex(0)
    var options = ImportOptions.skipping
    options.onPlaceSearch = { count in bytes.withLock { $0 += count } }
    let report = try World(.memory, root).report(text, options: options)
    return (report, bytes.withLock { $0 })
  }

  @Test func manyFaultsInOneRootCostOnePass() throws {
    for count in [100, 400, 1600] {
      let parts = (0..<count).map { "{\"id\":\($0),\"a\":{\"b\":\"x\"}}" }.joined(separator: ",\n")
      let text = "{\"id\":1,\"x\":{\"parts\":[\(parts)]},\"more\":[\(parts)]}"
      let (report, bytes) = try Self.report(text)
      #expect(report.errorCount == count * 2)
      #expect(bytes <= text.utf8.count * 2, "\(count) faults")
    }
  }

  @Test func eachFaultIsAtItsPlace() throws {
    let text = """
      {"id": 1, "more": [{"id": "é"}, {"id": 2, "a": {"b": true}},
        {"id": 3, "parts": [{"n": 1}, {"n": "x"}, 5, {"n": {}}]}],
       "x": {"parts": [{"id": 4, "a": 7}, {"id": "a\\"b", "a": {}},
         {"a": {"b": 1}}]}}
      """
    let places = try Self.report(text).report.errors.map {
      "\($0.path) \($0.location.map { "\($0.line):\($0.column)" } ?? "")"
    }
    #expect(
      places == [
        "$.x.parts[0].a 3:33", "$.x.parts[1].id 3:44", "$.x.parts[2].id 4:4", "$.more[0].id 1:27",
        "$.more[1].a.b 1:54", "$.more[2].parts[1].n 2:39", "$.more[2].parts[2] 2:45",
        "$.more[2].parts[3].n 2:54",
      ])
  }

  // The last of several members with one name counts, also where an earlier member shares the place
  @Test func aFaultOfARepeatedMemberIsAtTheLastOne() throws {
    let text = #"""
      {"id": 1, "x": {"parts": [{"id": 1, "a": {"b": "no"}}, {"id": 2}]},
       "more": [{"id": "first", "id": "last"}, 3], "\u006dore": [3, {"id": "second"}],
       "x": {"parts": [], "parts": [{"id": 1, "a": {"c": 1}, "a": {"b": [], "b": {}}}]}}
      """#
    let places = try Self.report(text).report.errors.map {
      "\($0.path) \($0.location.map { "\($0.line):\($0.column)" } ?? "")"
    }
    #expect(places == ["$.x.parts[0].a.b 3:76", "$.more[1].id 2:70"])
  }

  @Test func faultsOfManyRootsAreCountedOnFromEachOther() throws {
    let roots = (0..<300).map { "{\"id\":\($0),\n\"more\":[\($0 % 3 == 0 ? "true" : "\($0)")]}" }
    let text = "[\(roots.joined(separator: ",\n"))]"
    let (report, bytes) = try Self.report(text)
    #expect(report.errors.map(\.location?.line) == (0..<300).filter { $0 % 3 == 0 }.map { $0 * 2 + 2 })
    #expect(bytes <= text.utf8.count)
  }
}
