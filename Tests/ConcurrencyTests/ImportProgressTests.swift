import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import Foundation
import Synchronization
import TestSupport
import Testing

private let manyCount = TestSize.count(small: 10_000, whole: 20_000)
private let many = "[" + (1...manyCount).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"

/// Holds a thread until it is opened.
private final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  /// Waits until the gate is open. A transaction that runs again passes it again.
  func pass() {
    semaphore.wait()
    semaphore.signal()
  }
}

private func run(
  _ kind: StoreKind, _ options: ImportOptions, _ json: String = many
) async throws -> (ImportReport?, dump: Int, (any Error)?) {
  let store = try kind.make()
  let plan = try Plan(Fixture.author)
  var result: (ImportReport?, (any Error)?)
  do {
    result = (try await Mapper(store).importJSON(Array(json.utf8), as: plan, options: options), nil)
  } catch {
    result = (nil, error)
  }
  return (result.0, try await store.read(plan) { try $0.count(of: "Author") }, result.1)
}

/// Progress and cancellation.
@Suite(.timeLimit(.minutes(1))) struct ImportProgressTests {
  // WAM-91..94, Q-33
  @Test(arguments: StoreKind.allCases)
  func progressCountsBytesAndRootObjectsAndEndsComplete(_ kind: StoreKind) async throws {
    let progress = ImportProgress()
    #expect(progress.current.totalBytes == 0)
    let options = ImportOptions(progress: progress)
    let updates = progress.updates
    let reader = Task {
      var last: ImportOptions.Progress?
      var isAscending = true
      for await step in updates {
        isAscending = isAscending && step.bytes >= last?.bytes ?? 0
        last = step
      }
      return (last, isAscending)
    }
    let (report, count, error) = try await run(kind, options)
    #expect(error == nil)
    #expect(report?.rootObjects == manyCount)
    #expect(count == manyCount)
    let (last, isAscending) = await reader.value
    #expect(isAscending)
    #expect((last?.bytes, last?.rootObjects) == (many.utf8.count, manyCount))
    #expect((progress.current.bytes, progress.current.totalBytes) == (many.utf8.count, many.utf8.count))
    var late = progress.updates.makeAsyncIterator()
    #expect(await late.next()?.bytes == many.utf8.count)
    #expect(await late.next() == nil)
  }

  // WAM-97..100, WAM-102, Q-21, BUG-51
  @Test(arguments: StoreKind.allCases)
  func aCancelledImportRollsBack(_ kind: StoreKind) async throws {
    let progress = ImportProgress()
    let options = ImportOptions(
      onProgress: { if $0.rootObjects > manyCount / 4 { progress.cancel() } }, progress: progress)
    let (_, count, error) = try await run(kind, options)
    #expect(error is CancellationError)
    #expect(count == 0)
    #expect(progress.isCancelled)
    #expect(progress.current.rootObjects < manyCount)
  }

  // WAM-99, Q-21
  @Test(arguments: StoreKind.allCases)
  func aCancellationKeepsCommittedObjects(_ kind: StoreKind) async throws {
    let progress = ImportProgress()
    var options = ImportOptions(progress: progress)
    let interval = manyCount / 20
    options.commitInterval = interval
    options.onProgress = { if $0.rootObjects == interval * 3 { progress.cancel() } }
    let (_, count, error) = try await run(kind, options)
    #expect(error is CancellationError)
    #expect(count >= interval * 2 && count <= interval * 3 && count % interval == 0)
  }

  // BUG-52, WAM-98
  @Test(arguments: StoreKind.allCases)
  func anImportThatWasCancelledBeforeItBeganDoesNothing(_ kind: StoreKind) async throws {
    let progress = ImportProgress()
    progress.cancel()
    let options = ImportOptions(progress: progress)
    let (_, count, error) = try await run(kind, options, "[]")
    #expect(error is CancellationError)
    #expect(count == 0)
  }

  // WAM-104
  @Test(arguments: StoreKind.allCases)
  func cancellingATaskCancelsItsImport(_ kind: StoreKind) async throws {
    // The stores are opened before: a cancelled task makes no connection to a server.
    let task = Task { () -> Bool in
      let (store, plan) = (try kind.make(), try Plan(Fixture.author))
      withUnsafeCurrentTask { $0?.cancel() }
      do {
        _ = try await Mapper(store).importJSON(Array(many.utf8), as: plan)
        return false
      } catch {
        return error is CancellationError
      }
    }
    #expect(try await task.value)
    let blocking = Task { () -> String? in
      let world = try World(kind, Fixture.author)
      withUnsafeCurrentTask { $0?.cancel() }
      return world.failure(of: "[]")
    }
    #expect(try await blocking.value == "CancellationError()")
  }

  @Test(arguments: StoreKind.allCases)
  func importsThatWaitForEachOtherDoNotBlockTheThreadsOfTasks(_ kind: StoreKind) async throws {
    let store = try kind.make()
    let plan = try Plan(Fixture.author)
    let gate = Gate()
    let (isHeld, held) = AsyncStream.makeStream(of: Void.self)
    var holding = ImportOptions()
    holding.onProgress = { _ in
      held.finish()
      gate.pass()  // holds the write until a task of the pool says go
    }
    let options = holding
    // On its own thread: a thread of the pool that waits for a task of the pool could wait for ever.
    let first = ThreadWork {
      _ = try Mapper(store).importJSON(Array(#"{"id": 1}"#.utf8), as: plan, options: options)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for key in 2...40 {
        group.addTask { _ = try await Mapper(store).importJSON(Array("{\"id\": \(key)}".utf8), as: plan) }
      }
      group.addTask {
        for await _ in isHeld {}
        // The others have their turns, as many as there are threads of the pool.
        for _ in 0..<200 { await Task.yield() }
        gate.open()
      }
      try await group.waitForAll()
    }
    try first.value()
    #expect(try await store.read(plan) { try $0.count(of: "Author") } == 40)
  }

  enum EarlyFailure: CaseIterable {
    case syntax, missingFile, missingFileOfMapping, missingRoot, faultyMapping, objects, collection
    case missingFileApart, faultyMappingApart, silentSequence

    func fail(telling progress: ImportProgress) async throws {
      var options = ImportOptions(progress: progress)
      let mapper = Mapper(MemoryStore())
      let text = Array(#"{"id": }"#.utf8)
      let faulty = Mapping("Author", primaryKey: "nothing") { Attribute("id", .integer) }
      switch self {
      case .syntax: try blocking { _ = try mapper.importJSON(text, as: Fixture.author, options: options) }
      case .missingFile:
        try blocking { _ = try mapper.importJSON(.file("/-"), as: Plan(Fixture.author), options: options) }
      case .missingFileOfMapping:
        try blocking { _ = try mapper.importJSON(.file("/-"), as: Fixture.author, options: options) }
      case .missingRoot:
        options.rootPath = "items"
        try blocking { _ = try mapper.importJSON(Array("{}".utf8), as: Fixture.author, options: options) }
      case .faultyMapping: try blocking { _ = try mapper.importJSON(text, as: faulty, options: options) }
      case .objects: try blocking { _ = try mapper.roundTrip(text, as: Card.mapping, options: options) }
      case .collection: _ = try Card.mapping.object(from: "[]", options: options)
      case .missingFileApart:
        _ = try await mapper.importJSON(.file("/-"), as: Fixture.author, options: options)
      case .faultyMappingApart: _ = try await mapper.importJSON(text, as: faulty, options: options)
      case .silentSequence:
        let (chunks, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        defer { continuation.finish() }
        progress.cancel()
        _ = try await mapper.importJSON(chunks, as: Plan(Fixture.author), options: options)
      }
    }

    /// In it the calls without `await` are meant.
    private func blocking(_ body: () throws -> Void) rethrows { try body() }
  }

  @Test(arguments: EarlyFailure.allCases)
  func updatesEndHoweverEarlyTheImportFails(_ failure: EarlyFailure) async throws {
    let progress = ImportProgress()
    let updates = progress.updates
    await #expect(throws: (any Error).self) { try await failure.fail(telling: progress) }
    // Otherwise the limit of the suite ends the test.
    for await _ in updates {}
  }

}

// @unchecked: the test hands it from one thread to another and touches it on one at a time.
private final class Card: @unchecked Sendable {
  var id = 0
  static let mapping = Mapping(Card.self, "Card", primaryKey: "id", make: Card.init) { Attribute("id", \.id) }
}
