import FastMapCore
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// Writes that come together share one commit, and nothing else.
@Suite struct SharedCommitTests {
  let scratch = Scratch()

  private struct Refusal: Error, Equatable {
    let number: Int
  }

  private func open(mapSize: Int = 16 << 30) throws -> Environment {
    try Environment.open(at: scratch.store, .test { $0.mapSize = mapSize })
  }

  private static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("text", .string)
  }

  private func openSharing() throws -> LMDBStore {
    let configuration = LMDBStore.Configuration.with { $0.sharesCommits = true }
    return try LMDBStore(at: scratch.store, configuration: configuration)
  }

  /// Runs `bodies` so that all share one commit: they wait for a write that ends when the last one has come.
  private func together(
    _ environment: Environment, _ bodies: [@Sendable (borrowing WriteTransaction) throws -> Void]
  ) throws -> [(any Error)?] {
    let errors = Shared<[(any Error)?]>(bodies.map { _ in nil })
    let threads = Shared<[Thread]>([])
    try environment.write { _ in
      for (index, body) in bodies.enumerated() {
        let thread = Thread {
          do { try environment.write(isSharing: true, body) } catch {
            let error = error
            errors.change { $0[index] = error }
          }
        }
        threads.change { $0.append(thread) }
      }
      while environment.group.count < bodies.count { usleep(500) }
    }
    for thread in threads.value { thread.join() }
    return errors.value
  }

  @Test func writesThatWaitShareOneCommit() throws {
    let environment = try open()
    let before = try environment.statistics().lastCommit
    let errors = try together(
      environment,
      (0..<20).map { number in { try $0.put($0.view.environment.things, number, "\(number)") } })
    #expect(errors.allSatisfy { $0 == nil })
    #expect(try environment.statistics().lastCommit == before + 1)
    for number in 0..<20 {
      #expect(try environment.read { try $0.text(environment.things, number) } == "\(number)")
    }
  }

  /// Each write sees the writes before it.
  @Test func theyComeOneAfterTheOther() throws {
    let environment = try open()
    let errors = try together(
      environment,
      (0..<12).map { _ in
        { transaction in
          let things = transaction.view.environment.things
          let count = Int(try transaction.text(things, 1) ?? "0") ?? 0
          try transaction.put(things, 1, "\(count + 1)")
        }
      })
    #expect(errors.allSatisfy { $0 == nil })
    #expect(try environment.read { try $0.text(environment.things, 1) } == "12")
  }

  @Test(arguments: [false, true])
  func aFailedReservationUndoesNoOther(afterChanges: Bool) throws {
    let environment = try open()
    let before = try environment.statistics().lastCommit
    let errors = try together(
      environment,
      (0..<12).map { number in
        { transaction in
          let things = transaction.view.environment.things
          if afterChanges || number % 4 != 1 { try transaction.put(things, number, "\(number)") }
          if number % 4 == 1 { throw Refusal(number: number) }
        }
      })
    for number in 0..<12 {
      let fails = number % 4 == 1
      #expect((errors[number] as? Refusal) == (fails ? Refusal(number: number) : nil))
      #expect(try environment.read { try $0.text(environment.things, number) } == (fails ? nil : "\(number)"))
    }
    if !afterChanges { #expect(try environment.statistics().lastCommit == before + 1) }
  }

  @Test func oneThatDiscardsItsChangesKeepsTheOthers() throws {
    let environment = try open()
    let errors = try together(
      environment,
      (0..<6).map { number in
        { transaction in
          try transaction.put(transaction.view.environment.things, number, "\(number)")
          if number == 2 { transaction.discardChanges() }
        }
      })
    #expect(errors.allSatisfy { $0 == nil })
    for number in 0..<6 {
      #expect(
        try environment.read { try $0.text(environment.things, number) } == (number == 2 ? nil : "\(number)"))
    }
  }

  @Test func theMapGrowsForAllOfThem() throws {
    let environment = try open(mapSize: 256 << 10)
    let errors = try together(
      environment,
      (0..<8).map { number in
        { try $0.fill($0.view.environment.things, number * 100..<number * 100 + 100, length: 1000) }
      })
    #expect(errors.allSatisfy { $0 == nil })
    #expect(try environment.read { try $0.statistics(environment.things).entries } == 800)
  }

  @Test func aWriteInsideASharedWriteIsRefused() throws {
    let environment = try open()
    let errors = try together(
      environment,
      (0..<3).map { _ in { try $0.view.environment.write(isSharing: true) { _ in } } })
    for error in errors { #expect((error as? LMDBError)?.reason == .reentrantWrite) }
  }

  @Test func aLeaderThatFailsRunsOnce() throws {
    let environment = try open()
    var runs = 0
    let error = thrown(Refusal.self) {
      try environment.write(isSharing: true) { transaction in
        runs += 1
        try transaction.put(environment.things, 1, "one")
        throw Refusal(number: 7)
      }
    }
    #expect(error == Refusal(number: 7))
    #expect(runs == 1)
    #expect(try environment.read { try $0.text(environment.things, 1) } == nil)
  }

  /// An import reports only its own changes, not the changes of earlier imports in the same commit.
  @Test func anImportComparesWithTheStoredState() throws {
    let store = try openSharing()
    try store.take(#"{"id": 1, "text": "x"}"#, as: Self.item)
    let environment = store.environment
    let reports = Shared<[ImportReport]>([])
    let threads = Shared<[Thread]>([])
    // The long text keeps the two that are the same object in batches of their own.
    let long = #"{"id": 2, "text": "\#(String(repeating: "x", count: 3 << 20))"}"#
    let payloads = [
      #"{"id": 1, "text": "y"}"#, #"[{"id": 1, "text": "z"}, \#(long), {"id": 1, "text": "y"}]"#,
    ]
    try environment.write(isSharing: true) { _ in
      // Which runs again, where another one has to start afresh.
      for payload in payloads.dropFirst(threads.value.count) {
        let thread = Thread {
          do {
            let report = try store.take(payload, as: Self.item)
            reports.change { $0.append(report) }
          } catch { Issue.record(error) }
        }
        threads.change { $0.append(thread) }
        while environment.group.count < threads.value.count + 1 { usleep(500) }
      }
    }
    for thread in threads.value { thread.join() }
    // Whichever was the first has changed it, and the other one has not.
    let counts = reports.value.compactMap { $0["Item"] }
    #expect((counts.map(\.updated).reduce(0, +), counts.map(\.unchanged).reduce(0, +)) == (1, 1))
    #expect(try store.export(Self.item).first == #"{"id":1,"text":"y"}"#)
  }

  @Test func importsShareCommits() throws {
    let store = try openSharing()
    onThreads(8) { thread in
      for number in 0..<5 {
        do {
          let id = thread * 5 + number
          try store.take(#"{"id": \#(id), "text": "\#(id)"}"#, as: Self.item)
          let faulty = #"[{"id": \#(1000 + id), "text": "x"}, {"id": 1, "text": 7}]"#
          #expect(throws: (any Error).self) { try store.take(faulty, as: Self.item) }
        } catch { Issue.record(error) }
      }
    }
    #expect(try store.count(Self.item) == 40)
    try store.expectSound()
  }
}
