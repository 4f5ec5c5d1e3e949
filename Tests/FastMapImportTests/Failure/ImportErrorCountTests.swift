import FastMapCore
import FastMapStoreTesting
import Synchronization
import TestSupport
import Testing

/// Under `skip` the report keeps the first errors and counts all, and a closure is told of each once.
@Suite struct ImportErrorCountTests {
  private static let page = Mapping("Page", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("note", .string)
    ToMany("lines", Mapping("Line") { Attribute("x", .integer) })
  }

  private static func lines(_ count: Int, note: Int = 0) -> [UInt8] {
    let note = String(repeating: "x", count: note)
    let lines = (0..<count).map { "{\"id\":\($0 % 2 == 0 ? "\"no\"" : "\($0)"),\"note\":\"\(note)\"}\n" }
    return Array(lines.joined().utf8)
  }

  private static func options(_ told: Collected) -> ImportOptions {
    ImportOptions(
      format: .ndjson, faults: .skip, onError: { error in told.paths.withLock { $0.append("\(error.path)") } }
    )
  }

  private final class Collected: Sendable {
    let paths = Mutex<[String]>([])
  }

  @Test func errorsBeyondTheLimitAreCountedAndToldOf() throws {
    let told = Collected()
    var options = Self.options(told)
    let store = try StoreKind.memory.make()
    // More errors than a report keeps.
    let count = TestSize.count(small: 1200, whole: 6000)
    let lines = Self.lines(count * 2)
    func run() throws -> ImportReport {
      try Mapper(store).importJSON(lines, as: Plan(Self.page), options: options)
    }
    let report = try run()
    let paths = (0..<count).map { "$[\($0 * 2)].id" }
    #expect(report.errors.map { "\($0.path)" } == Array(paths.prefix(1000)))
    #expect((report.errorCount, report["Page"]?.skipped) == (count, count))
    #expect(told.paths.withLock { $0 } == paths)

    options.maxErrors = 3
    #expect(try run().errors.count == 3)
    options.maxErrors = 0
    options.onError = nil
    let silent = try run()
    #expect(silent.errors.isEmpty && silent.errorCount == count)
  }

  @Test func theLimitHoldsWithinOneObjectAndAcrossTransactions() throws {
    let options = ImportOptions(faults: .skip, maxErrors: 5, commitInterval: 1)
    let faulty = Array(repeating: "{\"x\":\"\"}", count: 4).joined(separator: ",")
    let text = "[\((0..<3).map { "{\"id\":\($0),\"lines\":[\(faulty)]}" }.joined(separator: ","))]"
    let report = try World(.lmdb, Self.page).report(text, options: options)
    #expect(report.errorCount == 12)
    #expect(
      report.errors.map { "\($0.path)" } == (0..<5).map { "$[\($0 / 4)].lines[\($0 % 4)].x" })
  }

  // The map grows under the import, so that its transactions are run several times
  @Test(arguments: [nil, 700] as [Int?], [1000, 10])
  func aTransactionThatIsRunAgainTellsOfNoErrorTwice(_ interval: Int?, _ limit: Int) throws {
    let count = TestSize.count(small: 1010, whole: 1500)
    let store = try ScratchStore.growing()
    let told = Collected()
    var options = Self.options(told)
    options.commitInterval = interval
    options.maxErrors = limit
    let report = try Mapper(store).importJSON(
      Self.lines(count * 2, note: 300), as: Plan(Self.page), options: options)
    let paths = (0..<count).map { "$[\($0 * 2)].id" }
    #expect(told.paths.withLock { $0 } == paths)
    #expect(report.errors.map { "\($0.path)" } == Array(paths.prefix(limit)))
    #expect(report.errorCount == count)
  }
}
