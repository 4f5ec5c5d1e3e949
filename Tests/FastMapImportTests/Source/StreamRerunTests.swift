import FastMapCore
import FastMapStoreTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// A transaction that the store runs again to make room gets the stream's text again.
@Suite struct StreamRerunTests {
  private static func text(_ count: Int) -> [UInt8] {
    let objects = (0..<count).map { #"{"id":\#($0),"n":"\#(String(repeating: "é", count: 200))"}"# }
    return Array(
      "{\"a\":[1,{}],\"items\":[ ],\"items\":[\(objects.joined(separator: ",\n"))],\"z\":[2]}".utf8)
  }

  @Test(arguments: [(nil, 100), (100, 100), (nil, 1 << 16), (100, 1 << 16)] as [(Int?, Int)], [false, true])
  func theStreamIsImportedOnceAndWhole(_ interval: (Int?, size: Int), _ readsAhead: Bool) throws {
    let (interval, size) = interval
    let store = try ScratchStore.growing()
    let plan = try Plan(Fixture.node)
    var options = ImportOptions(rootPath: "items", commitInterval: interval)
    (options.readsAhead, options.alwaysReadsAhead) = (readsAhead, readsAhead)
    let count = TestSize.count(small: 500, whole: 3000)
    let text = Self.text(count)
    let report = try Mapper(store).importStream(
      as: plan, options: options, window: size, stream(text, inChunksOf: size))
    #expect(summary(report) == "Node +\(count)")
    #expect((report.rootObjects, report.bytes) == (count, text.count))
    try #expect(store.read(plan) { try $0.records("Node").count } == count)
  }

  private final class Gate: Sendable { let isWaiting = Atomic<Bool>(false) }

  @Test func aStoreMakesRoomWhileTheStreamIsWaitedForOnAnotherThread() throws {
    let gate = Gate()
    // Holds the first batch back until the stream is waited for.
    let store = ObservedStore(try ScratchStore.growing()) { question in
      guard question.kind == .apply else { return }
      let end = ContinuousClock.now.advanced(by: .seconds(20))
      while !gate.isWaiting.load(ordering: .sequentiallyConsistent), ContinuousClock.now < end { usleep(200) }
    }
    let plan = try Plan(Fixture.node)
    var options = ImportOptions()
    options.alwaysReadsAhead = true
    let name = String(repeating: "é", count: 50_000)
    let text = Array("[\((0..<40).map { #"{"id":\#($0),"n":"\#(name)"}"# }.joined(separator: ","))]".utf8)
    let input = stream(text, inChunksOf: 1 << 16)
    var received = 0
    var wasCancelled = false
    let report = try Mapper(store).importStream(as: plan, options: options) { room, isCancelled in
      // The first batch is there, but the map has no room for it; no more text comes until the import has noticed.
      if received > 5 << 19, !wasCancelled {
        gate.isWaiting.store(true, ordering: .sequentiallyConsistent)
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while !isCancelled(), ContinuousClock.now < end { usleep(200) }
        wasCancelled = isCancelled()
        if wasCancelled { throw CancellationError() }
      }
      let count = try input(room, isCancelled)
      received += count
      return count
    }
    #expect(wasCancelled)
    #expect(summary(report) == "Node +40")
    try #expect(store.read(plan) { try $0.records("Node").count } == 40)
  }

  @Test func aFaultBehindARunAgainIsNamedAsInTheWhole() throws {
    let store = try ScratchStore.growing()
    let plan = try Plan(Fixture.node)
    let lines = (0..<3000).map { #"{"id":\#($0),"n":"\#(String(repeating: "é", count: 200))"}"# }
    let text = Array((lines.joined(separator: "\n") + "\n{\"id\":1,\n\n").utf8)
    let error = #expect(throws: JSONSyntaxError.self) {
      try Mapper(store).importStream(as: plan, options: .ndjson, stream(text, inChunksOf: .max))
    }
    #expect(error?.location == TextLocation(line: 3001, column: 9))
    try #expect(store.read(plan) { try $0.records("Node").count } == 0)
  }
}
