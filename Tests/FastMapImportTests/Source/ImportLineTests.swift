import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

/// Lines that are not JSON: each is an error of its own where faults are skipped, and else ends the import.
@Suite struct ImportLineTests {
  /// The lines, the error of each wrong one, and the keys of the others.
  struct Case: Sendable, CustomTestStringConvertible {
    let text: String
    let errors: [String]
    let keys: String
    var rootObjects: Int { errors.count + keys.split(separator: " ").count }
    var testDescription: String { text }
  }

  private static let severalOnALine = "this looks like several values on a line; write one a line (jq -c .)"
  private static let commaAtEnd =
    "a comma ends the line; remove it, or put all lines within [ and ] and import them as JSON (--format json)"
  private static let overLines =
    "this looks like a value over several lines; import one value as JSON (--format json), or write each on one line "
    + "(jq -c .)"

  static let cases: [Case] = [
    Case(
      text: "{\"id\":1}\n{\"id\":2}TRAILER\n{\"id\":3}\n",
      errors: ["$[1]: expected the end of the text (line 2, column 9)"], keys: "1 3"),
    Case(
      text: "{\"id\":1,\"n\":\"C:\\p\"}\n{\"id\":2}",
      errors: ["$[0]: invalid escape (line 1, column 16)"], keys: "2"),
    Case(
      text: "{\"id\":1}\n\n nul\r\n{\"id\":2,\n{\"id\":3}\n\"x",
      errors: [
        "$[1]: expected true, false or null (line 3, column 5)",
        "$[2]: expected a name in quotes, found the end of the line (line 4, column 9)",
        "$[4]: unterminated string (line 6, column 3)",
      ], keys: "1 3"),
    Case(
      text: "{\"id\":1}\n{\"id\":1e}\n{\"id\":01}\n{\"id\":2}\n{\"id\":3",
      errors: [
        "$[1]: expected a digit (line 2, column 9)",
        "$[2]: number with a leading zero (line 3, column 7)",
        "$[4]: expected a comma or '}', found the end of the line (line 5, column 8)",
      ], keys: "1 2"),
    Case(
      text: "\u{FEFF}{\"id\":1}\n{\"id\":2,}\nnull\n{\"id\":\"x\"}\n{\"id\":5}",
      errors: [
        "$[1]: expected a name in quotes (line 2, column 9)",
        "$[2]: expected an object, found null (line 3, column 1)",
        "$[3].id: expected an integer, found the string \"x\" (line 4, column 7)",
      ], keys: "1 5"),
    Case(
      text: "{\"id\":1} {\"id\":2}\n{\"id\":3}",
      errors: ["$[0]: expected the end of the text; \(severalOnALine) (line 1, column 10)"], keys: "3"),
    Case(
      text: "{\"id\":1},\n{\"id\":2} , \n{\"id\":3}",
      errors: [
        "$[0]: expected the end of the text; \(commaAtEnd) (line 1, column 9)",
        "$[1]: expected the end of the text; \(commaAtEnd) (line 2, column 10)",
      ], keys: "3"),
    Case(
      text: "{\n \"id\": 1\n}\n{\"id\":2}",
      errors: [
        "$[0]: expected a name in quotes or '}', found the end of the line; \(overLines) (line 1, column 2)",
        "$[1]: expected the end of the text (line 2, column 6)",
        "$[2]: expected a value, found \"}\" (line 3, column 1)",
      ], keys: "2"),
    Case(
      text: "id,n\n1,a\n{\"id\":3}",
      errors: [
        "$[0]: expected a value, found \"i\"; this looks like CSV; convert it to JSON first, each row to an object "
          + "(line 1, column 1)",
        "$[1]: expected the end of the text (line 2, column 2)",
      ], keys: "3"),
    Case(text: "x\n", errors: [#"$[0]: expected a value, found "x" (line 1, column 1)"#], keys: ""),
  ]

  private static func skipping(_ batchSize: Int? = nil, interval: Int? = nil) -> ImportOptions {
    ImportOptions(format: .ndjson, faults: .skip, commitInterval: interval, batchSize: batchSize)
  }

  private func check(_ kind: StoreKind, _ test: Case, inChunksOf size: Int?, _ options: ImportOptions) throws
  {
    let world = try World(kind, Fixture.node)
    let sent = Collector<String>()
    var options = options
    options.onError = { sent.add("\($0)") }
    let report = try world.report(test.text, inChunksOf: size, options: options)
    #expect(report.errors.map { "\($0)" } == test.errors)
    #expect(sent.all == test.errors)
    #expect((report.errorCount, report.rootObjects) == (test.errors.count, test.rootObjects))
    #expect(report["Node"]?.skipped == test.errors.count)
    #expect(report["Node"]?.inserted == test.rootObjects - test.errors.count)
    try #expect(world.keys(of: "Node") == test.keys)
  }

  @Test(arguments: TestSize.onStores(cases, others: 4))
  func aLineThatIsNoJSONIsAnErrorOfThatLine(_ kind: StoreKind, _ test: Case) throws {
    for size in [nil, 1, 7] {
      try check(kind, test, inChunksOf: size, Self.skipping())
      try check(kind, test, inChunksOf: size, Self.skipping(1))
      try check(kind, test, inChunksOf: size, Self.skipping(2, interval: 1))
    }
    try check(kind, test, inChunksOf: nil, Self.skipping(3, interval: 2))
  }

  @Test(arguments: TestSize.onStores(cases, others: 2))
  func withoutSkippingItEndsTheImport(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Fixture.node)
    let first = try #require(test.errors.first)
    let message = world.failure(of: test.text, options: .ndjson)
    for size in [1, 7] {
      #expect(world.failure(of: test.text, inChunksOf: size, options: .ndjson) == message)
    }
    let isSyntax = !first.contains("null (")
    let place = first.split(separator: " (").last.map { $0.dropLast() } ?? ""
    let reason = first.dropFirst("$[0]: ".count).split(separator: " (line").first ?? ""
    if isSyntax { #expect(message == "\(place): \(reason)") }
    try #expect(world.dump() == "")
  }

  /// Errors of many lines: all are counted, the first are kept, and reading ahead changes nothing.
  @Test(arguments: [true, false])
  func manyWrongLinesAreCounted(_ readsAhead: Bool) throws {
    let lines = (0..<5000).map { $0 % 2 == 0 ? "{\"id\":\($0)}" : "{\"id\":\($0)" }
    let world = try World(.memory, Fixture.node)
    var options = Self.skipping(64)
    options.readsAhead = readsAhead
    options.alwaysReadsAhead = readsAhead
    let report = try world.report(lines.joined(separator: "\n"), options: options)
    #expect((report.errorCount, report.errors.count) == (2500, 1000))
    #expect((report.errors.last?.location?.line, report.rootObjects) == (2000, 5000))
    #expect(summary(report) == "Node +2500 !2500")
  }

  @Test(arguments: StoreKind.allCases)
  func theErrorSaysItsReason(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.node)
    let report = try world.report("{\"id\":1\n", options: Self.skipping())
    #expect(report.errors.first?.path == JSONPath([.index(0)]))
    guard case .notJSON(let reason)? = report.errors.first?.reason else {
      Issue.record("no such reason")
      return
    }
    #expect(reason.hasPrefix("expected a comma or '}', found the end of the line"))
  }

  @Test func chunksOfASequenceSkipLinesToo() async throws {
    let store = MemoryStore()
    let chunks = AsyncStream<[UInt8]> { stream in
      for chunk in ["{\"id\":1}\n{\"id", "\":2}x\n", "{\"id\":3}"] { stream.yield(Array(chunk.utf8)) }
      stream.finish()
    }
    let report = try await Mapper(store).importJSON(chunks, as: Fixture.node, options: Self.skipping())
    #expect(summary(report) == "Node +2 !1")
    #expect(report.errors.map { "\($0)" } == ["$[1]: expected the end of the text (line 2, column 9)"])
  }

  // MARK: Texts that are no lines

  static let foreign: [(bytes: [UInt8], look: String)] = [
    ([0x1F, 0x8B, 8, 0, 0], "gzip; decompress it first (gunzip -c)"),
    ([0x28, 0xB5, 0x2F, 0xFD, 4], "zstd; decompress it first (zstd -dc)"),
    (Array("BZh91AY".utf8), "bzip2; decompress it first (bunzip2 -c)"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz; decompress it first (xz -dc)"),
    ([0xFF, 0xFE, 0x5B, 0, 0x5D, 0], "UTF-16; convert it first (iconv -f UTF-16 -t UTF-8)"),
    ([0xFE, 0xFF, 0, 0x5B, 0, 0x5D], "UTF-16; convert it first (iconv -f UTF-16 -t UTF-8)"),
    ([0x5B, 0, 0x5D, 0], "UTF-16; convert it first (iconv -f UTF-16LE -t UTF-8)"),
    ([0, 0x5B, 0, 0x5D], "UTF-16; convert it first (iconv -f UTF-16BE -t UTF-8)"),
    ([0x0A, 0, 0x5B, 0, 0x5D, 0], "UTF-16; convert it first (iconv -f UTF-16LE -t UTF-8)"),
    ([0xFF, 0xFE, 0, 0, 0x5B, 0, 0, 0], "UTF-32; convert it first (iconv -f UTF-32 -t UTF-8)"),
    ([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x5B], "UTF-32; convert it first (iconv -f UTF-32 -t UTF-8)"),
    ([0x5B, 0, 0, 0, 0x5D, 0, 0, 0], "UTF-32; convert it first (iconv -f UTF-32LE -t UTF-8)"),
    ([0, 0, 0, 0x5B, 0, 0, 0, 0x5D], "UTF-32; convert it first (iconv -f UTF-32BE -t UTF-8)"),
  ]

  @Test(arguments: foreign, [JSONFormat.json, .ndjson])
  func aTextInAnotherFormatEndsEveryImport(_ text: (bytes: [UInt8], look: String), _ format: JSONFormat)
    throws
  {
    let expected = "line 1, column 1: expected JSON in UTF-8, found data that looks like \(text.look)"
    for faults in [ImportOptions.FaultPolicy.abort, .skip] {
      let options = ImportOptions(format: format, faults: faults)
      let mapper = Mapper(MemoryStore())
      let plan = try Fixture.node.plan()
      #expect(message { _ = try mapper.importJSON(text.bytes, as: plan, options: options) } == expected)
      for size in [1, 3] {
        let found = message {
          _ = try mapper.importStream(
            as: plan, options: options, window: 16, stream(text.bytes, inChunksOf: size))
        }
        #expect(found == expected)
      }
    }
    #expect(message { _ = try JSONDocument(parsing: text.bytes) } == expected)
  }

  private static let several =
    "this looks like several values; write one a line (jq -c .) and import them as NDJSON (--format ndjson)"
  private static let csv = "this looks like CSV; convert it to JSON first, each row to an object"

  @Test(
    arguments: [
      ("{\"id\":1}\n{\"id\":2}\n", "line 2, column 1: expected the end of the text; \(several)"),
      ("{\n \"id\": 1\n}\n{\n \"id\": 2\n}\n", "line 4, column 1: expected the end of the text; \(several)"),
      ("[1][2]", "line 1, column 4: expected the end of the text; \(several)"),
      ("1\n2\n", "line 2, column 1: expected the end of the text; \(several)"),
      (
        "{\"id\":1},\n{\"id\":2}",
        "line 1, column 9: expected the end of the text; this looks like several values; put them within [ and ]"
      ),
      ("{\"id\":1} x", "line 1, column 10: expected the end of the text"),
      ("id,name\n1,a\n", "line 1, column 1: expected a value, found \"i\"; \(csv)"),
      ("\u{FEFF}\"id\";\"name, full\"\r\n1;a\n", "line 1, column 5: expected the end of the text; \(csv)"),
      ("name\tid\na\t1", "line 1, column 2: expected true, false or null; \(csv)"),
      ("1,2,3\n4,5,6\n", "line 1, column 2: expected the end of the text; \(csv)"),
      ("Not found, sorry", "line 1, column 1: expected a value, found \"N\""),
      ("nope", "line 1, column 2: expected true, false or null"),
      ("\"id\":1,\"n\":\"x\"", "line 1, column 5: expected the end of the text"),
      ("<a>,</a>", "line 1, column 1: expected a value, found \"<\"; this looks like HTML or XML"),
    ])
  func aTextInAnotherLayoutHasAdvice(_ text: String, _ expected: String) throws {
    for rootPath in [nil, "a" as JSONKeyPath?] {
      let options = ImportOptions(rootPath: rootPath)
      for size in [nil, 1, 5, 64] {
        // Behind a root path, a text in memory is checked first, and a stream as it arrives.
        if rootPath != nil, size != nil { continue }
        let world = try World(.memory, Fixture.node)
        #expect(world.failure(of: text, inChunksOf: size, options: options) == expected)
      }
    }
  }

  /// A long first line that might be CSV is looked at in part.
  @Test func aLongStringIsNoCSV() throws {
    let world = try World(.memory, Fixture.node)
    for text in ["\"\(String(repeating: "a,", count: 10_000))\"", String(repeating: "1", count: 10_000)] {
      for size in [nil, 100] {
        #expect(
          world.failure(of: text, inChunksOf: size)?.hasPrefix("$: expected an object, found the ") == true)
      }
    }
  }
}
