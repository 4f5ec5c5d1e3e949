import FastMapCore
import TestSupport
import Testing

/// The text of one object: its limits, and its delivery.
@Suite struct SerializerObjectLimitTests {
  /// Objects of four kinds that refer to one of the next many times over.
  private static func repeats(_ count: Int) throws -> (plan: Plan, graph: Graph) {
    let d = Mapping("D", primaryKey: "id") { Attribute("id", .integer) }
    let c = Mapping("C", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("ds", d)
    }
    let b = Mapping("B", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("cs", c)
    }
    let a = Mapping("A", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("bs", b)
    }
    // Long keys make much text of few objects.
    func long(_ number: Int64) -> Graph.Content { .init(.integer(1_000_000_000_000_000_000 + number)) }
    let graph = Graph {
      $0.add(1, "A", ["id": 7], many: ["bs": Array(repeating: 2, count: count)])
      $0.add(2, "B", ["id": long(2)], many: ["cs": Array(repeating: 3, count: count)])
      $0.add(3, "C", ["id": long(3)], many: ["ds": Array(repeating: 4, count: count)])
      $0.add(4, "D", ["id": long(4)])
    }
    return (try Plan(a), graph)
  }

  private static func export(
    _ count: Int, _ change: (inout SerializerOptions) -> Void = { _ in }, progress: ExportOptions? = nil,
    to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportReport {
    let (plan, graph) = try repeats(count)
    var options = SerializerOptions()
    change(&options)
    var exporting = progress ?? ExportOptions()
    exporting.format = .ndjson
    var reader = try GraphReader(graph, plan.schema)
    return try Serializer(plan, options: options).export(from: &reader, options: exporting, to: sink)
  }

  ///
  @Test func listsOfRepeatsAreLinear() throws {
    let report = try Self.export(1000) { _ in }
    #expect(report.bytes < 3000 * 30)
  }

  @Test func aLargeObjectIsHandedOutInPieces() throws {
    var largest = 0
    var bytes: [UInt8] = []
    let report = try Self.export(36, { $0.cycles = .ancestorAsKey }) {
      largest = max(largest, $0.count)
      bytes += $0
    }
    #expect((report.objects, report.bytes) == (1, bytes.count))
    #expect(bytes.count > 1_200_000)
    #expect(largest < 1 << 20 + 4096)
    // As the same object in one piece.
    let (plan, graph) = try Self.repeats(36)
    let options = SerializerOptions.with { $0.cycles = .ancestorAsKey }
    var reader = try GraphReader(graph, plan.schema)
    var output = JSONWriter()
    try Serializer(plan, options: options).write(reader[1], from: &reader, to: &output)
    output.endLine()
    #expect(bytes == output.bytes)
  }

  @Test func aLongListOfKeysIsHandedOutInPieces() throws {
    var largest = 0
    let report = try Self.export(20_000) { largest = max(largest, $0.count) }
    #expect(report.bytes > 1_500_000)
    #expect(largest < 1 << 20 + 4096)
  }

  @Test func progressIsToldWithinALargeObject() throws {
    struct Enough: Error {}
    let options = ExportOptions(onProgress: { if $0.objects == 0, $0.bytes > 2_000_000 { throw Enough() } })
    var bytes = 0
    #expect(throws: Enough.self) {
      try Self.export(60, { $0.cycles = .ancestorAsKey }, progress: options) { bytes += $0.count }
    }
    #expect(bytes < 4_000_000)
  }

  @Test func anObjectThatIsTooLargeIsAnErrorThatNamesItAndTheLimit() throws {
    var bytes = 0
    let error = #expect(throws: ExportError.self) {
      try Self.export(
        1000,
        {
          $0.cycles = .ancestorAsKey
          $0.maxObjectBytes = 2_000_000
        }
      ) { bytes += $0.count }
    }
    #expect((error?.entity, error?.key) == ("A", 7))
    #expect(bytes <= 2_000_000)
    #expect(
      error?.error.description.hasSuffix(
        "the text of A 7 has more than 2000000 bytes, the limit of one object") ?? false)
    #expect(error?.error.path.description.hasPrefix("$.bs[0].cs[") ?? false)

    let (plan, graph) = try Self.repeats(3)
    for (limit, isEnough) in [(0, false), (1, false), (100, false), (400, true)] {
      let options = SerializerOptions.with { $0.maxObjectBytes = limit }
      var reader = try GraphReader(graph, plan.schema)
      var output = JSONWriter()
      output.beginArray()
      output.string(String(repeating: "before", count: 100))
      let before = output.bytes
      if isEnough {
        try Serializer(plan, options: options).write(reader[1], from: &reader, to: &output)
      } else {
        #expect(throws: MappingError.self) {
          try Serializer(plan, options: options).write(reader[1], from: &reader, to: &output)
        }
        #expect(output.bytes == before)
      }
    }
  }
}
