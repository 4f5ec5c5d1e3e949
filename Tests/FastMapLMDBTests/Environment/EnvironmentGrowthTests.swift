import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

@Suite struct EnvironmentGrowthTests {
  let scratch = Scratch()

  private func small(_ limit: Int = 1 << 30) throws -> Environment {
    try Environment.open(
      at: scratch.store,
      .test {
        $0.mapSize = 1 << 20
        $0.maxMapSize = limit
        $0.durability = .lastTransactionMayBeLost
      })
  }

  @Test func theMapGrowsUnderOneWrite() throws {
    let environment = try small()
    #expect(try environment.statistics().mapSize == 1 << 20)
    let count = TestSize.count(small: 8000, whole: 70_000)
    var runs = 0
    try environment.write { transaction in
      runs += 1
      try transaction.fill(environment.things, 0..<count, length: 1000)
    }
    #expect(runs > TestSize.count(small: 3, whole: 6))
    #expect(try environment.statistics().mapSize == TestSize.count(small: 16, whole: 128) << 20)
    #expect(try environment.read { try $0.statistics(environment.things).entries } == count)
  }

  @Test func aSwallowedOrWrappedFullMapStillGrows() throws {
    struct Wrapped: Error {}
    let environment = try small()
    try environment.write { transaction in
      _ = try? transaction.fill(environment.things, 0..<2000, length: 1000)
    }
    try environment.write { transaction in
      do { try transaction.fill(environment.things, 2000..<4000, length: 1000) } catch { throw Wrapped() }
    }
    #expect(try environment.read { try $0.statistics(environment.things).entries } == 4000)
  }

  @Test func theMapGrowsWhileOthersRead() throws {
    let environment = try small()
    let things = environment.things
    let batches = TestSize.count(small: 20, whole: 80)
    let isDone = Flag()
    let reads = Counter()
    try environment.write { try $0.put(things, 0, "first") }
    onThreads(5) { number in
      do {
        if number == 0 {
          for batch in 0..<batches {
            try environment.write { try $0.fill(things, batch * 1000 + 1..<batch * 1000 + 1001, length: 900) }
          }
          isDone.raise()
          return
        }
        while !isDone.value {
          try environment.read { snapshot in
            // A batch is in the snapshot whole or not at all, and stays, though the map wants to move.
            let entries = try snapshot.statistics(things).entries
            let nested = try environment.read { try $0.statistics(things).entries }
            var count = 0
            try snapshot.withCursor(things) { cursor in while try cursor.next() != nil { count += 1 } }
            if entries % 1000 != 1 || count != entries || nested < entries {
              Issue.record("\(entries) \(count) \(nested)")
            }
          }
          reads.increment()
        }
      } catch {
        Issue.record(error)
        isDone.raise()
      }
    }
    #expect(try environment.statistics().mapSize >= batches * 1000 * 900)
    #expect(try environment.read { try $0.statistics(things).entries } == batches * 1000 + 1)
    #expect(reads.value > 0)
  }

  @Test func growingStopsAtTheLimit() throws {
    let environment = try small(4 << 20)
    try environment.write { try $0.put(environment.things, 1, "one") }
    #expect(
      reason { try environment.write { try $0.fill(environment.things, 0..<70_000, length: 1000) } }
        == .mapFull(limit: 4 << 20))
    // And the store goes on.
    #expect(try environment.read { try $0.text(environment.things, 1) } == "one")
    try environment.write { try $0.put(environment.things, 2, "two") }
  }

  @Test func aReadingThreadCannotGrow() throws {
    let environment = try small()
    try environment.read { snapshot in
      #expect(
        reason { try environment.write { try $0.fill(environment.things, 0..<5000, length: 1000) } }
          == .growthInsideRead)
      try environment.write { try $0.put(environment.things, 1, "one") }
      try expect(snapshot.text(environment.things, 1), is: nil)
    }
    try environment.write { try $0.fill(environment.things, 0..<5000, length: 1000) }
  }

  @Test func aReaderThatWaitsToWriteLetsTheOtherGrow() throws {
    // Without care, the grower waits for the reader to end, and the reader for the grower's turn.
    let environment = try small()
    let (isReading, isWriting) = (Flag(), Flag())
    let found = Shared<LMDBError.Reason?>(nil)
    onThreads(2) { number in
      do {
        if number == 0 {
          isReading.wait()
          try environment.write { transaction in
            isWriting.raise()
            // The reader waits for the turn. This runs again when the map has grown.
            while found.value == nil, environment.gate.waiterCount == 0 { usleep(100) }
            try transaction.fill(environment.things, 0..<5000, length: 1000)
          }
        } else {
          try environment.read { _ in
            isReading.raise()
            isWriting.wait()
            found.set(reason { try environment.write { try $0.put(environment.things, 9, "nine") } })
          }
        }
      } catch { Issue.record(error) }
    }
    #expect(found.value == .growthInsideRead)
    #expect(try environment.read { try $0.statistics(environment.things).entries } == 5000)
  }

  @Test func aNestedReadPassesAGateThatWaits() throws {
    let environment = try small()
    let (isReading, isWriting) = (Flag(), Flag())
    onThreads(2) { number in
      do {
        if number == 0 {
          isReading.wait()
          isWriting.raise()
          try environment.write { try $0.fill(environment.things, 0..<5000, length: 1000) }
        } else {
          try environment.read { _ in
            isReading.raise()
            isWriting.wait()
            while !environment.gate.isShut { usleep(100) }  // The writer waits for this read.
            try environment.read { expect(try $0.statistics(environment.things).entries, is: 0) }
          }
        }
      } catch { Issue.record(error) }
    }
    #expect(try environment.read { try $0.statistics(environment.things).entries } == 5000)
  }

  @Test func theGrownSizeIsKept() throws {
    try small().write { try $0.fill($0.view.environment.things, 0..<5000, length: 1000) }
    let environment = try small()
    #expect(try environment.statistics().mapSize >= 8 << 20)
  }

  @Test func aHalfFullStoreIsOpenedWithTwiceTheRoom() throws {
    try small().write { try $0.fill($0.view.environment.things, 0..<600, length: 900) }
    #expect(try small().statistics().mapSize == 2 << 20)
  }
}
