import FastMapCore
import FastMapLMDB
import Foundation
import Testing

/// A transaction that the store runs again, as it has to make room, finds again what it has read of a stream.
@Suite struct StreamRerunTests {
  private static func text(_ count: Int) -> [UInt8] {
    let objects = (0..<count).map { #"{"id":\#($0),"n":"\#(String(repeating: "é", count: 200))"}"# }
    return Array(
      "{\"a\":[1,{}],\"items\":[ ],\"items\":[\(objects.joined(separator: ",\n"))],\"z\":[2]}".utf8)
  }

  @Test(arguments: [nil, 700], [100, 1 << 16])
  func theStreamIsImportedOnceAndWhole(_ interval: Int?, _ size: Int) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "fastmap-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    var configuration = LMDBStore.Configuration()
    configuration.mapSize = 1 << 16
    let store = try LMDBStore(at: directory.path, configuration: configuration)
    let plan = try Plan(Fixture.node)
    var options = ImportOptions()
    options.rootPath = "items"
    options.commitInterval = interval
    let text = Self.text(3000)
    var rest = text[...]
    let report = try Mapper(store).importStream(as: plan, options: options, window: size) { room in
      let piece = rest.prefix(min(room.count, size))
      room.copyBytes(from: piece)
      rest = rest.dropFirst(piece.count)
      return piece.count
    }
    #expect(summary(report) == "Node +3000")
    #expect(report.rootObjects == 3000)
    #expect(report.bytes == text.count)
    try #expect(store.read(plan) { try $0.records("Node").count } == 3000)
  }

  @Test func aFaultBehindARunAgainIsNamedAsInTheWhole() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "fastmap-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    var configuration = LMDBStore.Configuration()
    configuration.mapSize = 1 << 16
    let store = try LMDBStore(at: directory.path, configuration: configuration)
    let plan = try Plan(Fixture.node)
    let lines = (0..<3000).map { #"{"id":\#($0),"n":"\#(String(repeating: "é", count: 200))"}"# }
    let text = Array((lines.joined(separator: "\n") + "\n{\"id\":1,\n\n").utf8)
    var rest = text[...]
    let error = #expect(throws: JSONSyntaxError.self) {
      try Mapper(store).importStream(as: plan, options: .ndjson) { room in
        let piece = rest.prefix(room.count)
        room.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
      }
    }
    #expect(error?.location == TextLocation(line: 3001, column: 9))
    try #expect(store.read(plan) { try $0.records("Node").count } == 0)
  }
}
