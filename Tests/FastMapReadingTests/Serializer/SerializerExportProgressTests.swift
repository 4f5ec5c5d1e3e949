import FastMapCore
import Synchronization
import TestSupport
import Testing

@Suite struct SerializerExportProgressTests {
  private struct Stop: Error {}

  private final class Steps: Sendable {
    let all = Mutex<[String]>([])
    func take(_ progress: ExportOptions.Progress) {
      all.withLock {
        $0.append("\(progress.objects)/\(progress.totalObjects.map { "\($0)" } ?? "?") \(progress.bytes)")
      }
    }
    func takeAll() -> [String] {
      all.withLock { steps in
        defer { steps = [] }
        return steps
      }
    }
  }

  private static let mapping = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("when", .date(.iso8601), at: "info.when")
  }

  private static func graph(_ count: Int) -> Graph {
    Graph { graph in
      for id in 1..<count + 1 { graph.add(UInt64(id), "Person", ["id": .init(.integer(Int64(id)))]) }
    }
  }

  /// WAM-95
  @Test func progressGrowsByOneObjectAtATime() throws {
    let steps = Steps()
    var options = ExportOptions(format: .ndjson, onProgress: { steps.take($0) })
    let serializer = try Serializer(Self.mapping)
    var reader = try GraphReader(Self.graph(3), serializer.plan.schema)
    try serializer.export(from: &reader, options: options) { _ in }
    #expect(steps.takeAll() == ["1/3 9", "2/3 18", "3/3 27"])
    try serializer.exportTable(from: &reader, limit: 2, options: options) { _ in }
    #expect(steps.takeAll() == ["1/2 9", "2/2 18"])
    try serializer.exportTable(from: &reader, keys: KeyRange(), limit: 1, options: options) { _ in }
    #expect(steps.takeAll() == ["1/? 9"])
    try serializer.export([reader[3], reader[3]], from: &reader, options: options) { _ in }
    #expect(steps.takeAll() == ["1/2 9", "2/2 18"])
    options.format = .json
    try serializer.export([reader[3], reader[3]].lazy.filter { _ in true }, from: &reader, options: options) {
      _ in
    }
    #expect(steps.takeAll().map { $0.suffix(2) } == [" 9", "18"])
    reader = try GraphReader(Graph(), serializer.plan.schema)
    try serializer.export(from: &reader, options: options) { _ in }
    #expect(steps.takeAll() == [])
  }

  /// WAM-103, BUG-52: it ends with the error, and the next run begins anew
  @Test func progressCanEndAnExport() throws {
    let steps = Steps()
    var options = ExportOptions()
    options.onProgress = {
      steps.take($0)
      if $0.objects == 2 { throw Stop() }
    }
    let serializer = try Serializer(Self.mapping)
    var reader = try GraphReader(Self.graph(3), serializer.plan.schema)
    for _ in 1...2 {
      #expect(throws: Stop.self) { try serializer.export(from: &reader, options: options) { _ in } }
      #expect(steps.takeAll() == ["1/3 9", "2/3 18"])
    }
  }

  @Test func aFailingSinkEndsAnExport() throws {
    let serializer = try Serializer(Self.mapping)
    var reader = try GraphReader(Self.graph(10_000), serializer.plan.schema)
    var calls = 0
    #expect(throws: Stop.self) {
      try serializer.export(from: &reader) { _ in
        calls += 1
        throw Stop()
      }
    }
    #expect(calls == 1)
    #expect(reader.reads < 8000)
  }

  @Test(arguments: [(["id": 7000], "7000"), ([:], "without a key")])
  func anObjectThatCannotBeWrittenIsNamed(_ key: [String: Graph.Content], _ name: String) throws {
    let serializer = try Serializer(Self.mapping)
    var graph = Self.graph(6000)
    graph.add(7000, "Person", key.merging(["when": .init(.date(Timestamp(seconds: .max)))]) { $1 })
    var reader = try GraphReader(graph, serializer.plan.schema)
    var last: UInt8?
    let error = #expect(throws: ExportError.self) {
      try serializer.export(from: &reader, options: ExportOptions(format: .ndjson)) { last = $0.last }
    }
    #expect(
      error?.description
        == "$.info.when: the date 9223372036854775807 seconds from 1970 cannot be written as ISO 8601, "
        + "which has the years 0 to 9999 (Person \(name))")
    #expect(last == UInt8(ascii: "\n"))
  }

  @Test func anInstanceOfAnotherClassIsNamedByItsEntity() throws {
    final class Thing { var id = 0 }
    let things = Mapping(Thing.self, "Thing", primaryKey: "id", make: { Thing() }) { Attribute("id", \.id) }
    let others: [AnyObject] = [Thing(), Steps()]
    var text = ""
    let error = #expect(throws: ExportError.self) {
      try Serializer(things).export(others) { text += String(decoding: $0, as: UTF8.self) }
    }
    #expect(
      error?.description == "$: expected an instance of Thing, found one of Steps (Thing without a key)")
    #expect(text == "")
  }

  @Test func anErrorOfTheStorePassesThrough() throws {
    let serializer = try Serializer(Self.mapping)
    var reader = try GraphReader(Self.graph(3), serializer.plan.schema)
    reader.failingRead = 2
    #expect(throws: Graph.Failure.self) { try serializer.export(from: &reader) { _ in } }
  }
}
