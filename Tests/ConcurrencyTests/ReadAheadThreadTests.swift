import FastMapCore
import FastMapMemory
import Foundation
import Synchronization
import TestSupport
import Testing

private struct Event: Equatable, Sendable {
  enum Kind { case read, mapped }
  var kind: Kind
  var id: Int
  /// Whether on the thread of the call.
  var isCaller: Bool
}

/// Notes on which thread, and in which order, objects are read and mapped.
private final class Watch: ImportDelegate {
  let events = Collector<Event>()
  let caller = pthread_self()
  /// Called when an object was mapped.
  let onMapped: @Sendable (Int, Watch) throws -> Void

  init(onMapped: @escaping @Sendable (Int, Watch) throws -> Void = { _, _ in }) { self.onMapped = onMapped }

  private let changed = NSCondition()

  func note(_ kind: Event.Kind, _ id: Int) {
    events.add(Event(kind: kind, id: id, isCaller: pthread_equal(pthread_self(), caller) != 0))
    changed.lock()
    changed.broadcast()
    changed.unlock()
  }

  func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {
    guard let id = representation["id"]?.integer.map({ Int($0) }) else { return }
    note(.mapped, id)
    try onMapped(id, self)
  }

  func has(_ kind: Event.Kind, _ id: Int) -> Bool { events.all.contains { $0.kind == kind && $0.id == id } }

  /// Waits until an object was read; not for ever.
  func waitUntilRead(_ id: Int) -> Bool {
    changed.lock()
    defer { changed.unlock() }
    let end = Date().addingTimeInterval(20)
    while !has(.read, id) {
      guard changed.wait(until: end) else { return false }
    }
    return true
  }
}

/// The thread that reads ahead.
@Suite struct ReadAheadThreadTests {
  private struct Failure: Error {}

  /// A plan whose transform tells of each object that is read, after `delay`.
  private func plan(_ watch: Watch, onRead: @escaping @Sendable (Int) -> Void = { _ in }) throws -> Plan {
    let seen = Transform<Int>(reading: { value in
      guard let number = value.integer.map({ Int($0) }) else { return .skip }
      watch.note(.read, number)
      onRead(number)
      return .value(number)
    })
    return try Plan(
      Mapping<Seen>(Seen.self, "Seen", primaryKey: "id", make: { Seen() }) {
        Attribute("id", \.id)
        Attribute("seen", \.seen, transform: seen)
      })
  }

  private final class Seen {
    var id = 0
    var seen = 0
  }

  private func text(_ count: Int) -> [UInt8] {
    Array(("[" + (0..<count).map { #"{"id":\#($0),"seen":\#($0)}"# }.joined(separator: ",") + "]").utf8)
  }

  private func options(_ watch: Watch) -> ImportOptions {
    var options = ImportOptions(batchSize: 2, delegate: watch)
    options.alwaysReadsAhead = true
    return options
  }

  @Test(arguments: [nil, 20])
  func aBatchIsReadWhileTheOneBeforeItIsMapped(_ size: Int?) throws {
    // The first batch was read before there was a thread; the second is there while the first is mapped.
    let watch = Watch { id, watch in
      if id % 2 == 0, id < 10 { #expect(watch.waitUntilRead(id + 2)) }
    }
    try load(text(12), inChunksOf: size, watch)
    let events = watch.events.all
    #expect(events.filter { $0.kind == .mapped }.map(\.id) == Array(0..<12))
    #expect(events.filter { $0.kind == .read }.map(\.id) == Array(0..<12))
    for id in 4..<12 {
      let read = try #require(events.firstIndex { $0.kind == .read && $0.id == id })
      let mapped = try #require(events.firstIndex { $0.kind == .mapped && $0.id == id / 2 * 2 - 3 })
      #expect(mapped < read, "object \(id) was read when two batches waited to be mapped")
    }
    for event in events { #expect(event.isCaller == (event.kind == .mapped || event.id < 2), "\(event)") }
  }

  /// - Parameter size: Of the chunks of a stream; nil for a text in memory.
  private func load(
    _ text: [UInt8], inChunksOf size: Int?, _ watch: Watch, _ store: MemoryStore = MemoryStore()
  ) throws {
    let mapper = Mapper(store)
    if let size {
      _ = try mapper.importStream(as: plan(watch), options: options(watch), stream(text, inChunksOf: size))
    } else {
      _ = try mapper.importJSON(text, as: plan(watch), options: options(watch))
    }
  }

  @Test(arguments: [false, true])
  func aFailedOrCancelledImportDoesNotWaitForMoreOfAStream(_ isCancelled: Bool) throws {
    let isWaiting = DispatchSemaphore(value: 0)
    let progress = ImportProgress()
    let watch = Watch { id, _ in
      guard id == 1 else { return }
      #expect(isWaiting.wait(timeout: .now() + 20) == .success)
      guard isCancelled else { throw Failure() }
      progress.cancel()
    }
    var options = options(watch)
    options.progress = progress
    let input = stream(text(100), inChunksOf: 15)
    var count = 0
    let store = MemoryStore()
    let error = #expect(throws: (any Error).self) {
      _ = try Mapper(store).importStream(as: plan(watch), options: options, window: 16) { room, isCancelled in
        count += 1
        // Enough for the first batch, and not for the second.
        if count < 5 { return try input(room, isCancelled) }
        isWaiting.signal()
        while !isCancelled() { usleep(200) }
        throw CancellationError()
      }
    }
    #expect(isCancelled ? error is CancellationError : error is Failure)
    try #expect(store.read(plan(watch)) { try $0.count(of: "Seen") } == 0)
  }

  @Test func theErrorOfAStreamComesAfterEarlierFaults() throws {
    let watch = Watch()
    let input = stream(text(100), inChunksOf: 90)
    var count = 0
    #expect(throws: Failure.self) {
      _ = try Mapper(MemoryStore()).importStream(
        as: plan(watch), options: options(watch), window: 16
      ) { room, isCancelled in
        count += 1
        if count == 20 { throw Failure() }
        return try input(room, isCancelled)
      }
    }
    let read = watch.events.all.count { $0.kind == .read }
    let mapped = watch.events.all.count { $0.kind == .mapped }
    #expect(mapped > 4 && mapped == read)
  }

  @Test func nothingIsReadAheadWhereThatIsTurnedOff() throws {
    let watch = Watch()
    var options = options(watch)
    options.readsAhead = false
    _ = try Mapper(MemoryStore()).importJSON(text(12), as: plan(watch), options: options)
    #expect(watch.events.all.count == 24)
    #expect(!watch.events.all.contains { !$0.isCaller })
  }

  @Test func aLongTextIsReadAheadWhereThereIsACoreForItAndAShortOneIsNot() throws {
    for (count, isLong) in [(4000, false), (11_000, true)] {
      let watch = Watch()
      var options = ImportOptions()
      let space = String(repeating: " ", count: 80)
      let objects = (0..<count).lazy.map { _ in "{\"id\":1,\(space)\"seen\":1}" }
      let text = "[" + objects.joined(separator: ",") + "]"
      options.delegate = nil
      _ = try Mapper(MemoryStore()).importJSON(Array(text.utf8), as: plan(watch), options: options)
      let others = watch.events.all.count { !$0.isCaller }
      let hasCores = ProcessInfo.processInfo.activeProcessorCount > 1
      #expect((others > 0) == (isLong && hasCores))
    }
  }

  @Test func theThreadHasEndedWhenAFailedImportReturns() throws {
    let hasLeft = Atomic<Bool>(false)
    let watch = Watch { id, watch in
      guard id == 1 else { return }
      #expect(watch.waitUntilRead(3))
      throw Failure()
    }
    let plan = try plan(watch) { id in
      guard id == 3 else { return }
      usleep(20_000)
      hasLeft.store(true, ordering: .sequentiallyConsistent)
    }
    let store = MemoryStore()
    #expect(throws: Failure.self) {
      // Gone when the call returns: the address sanitizer sees who reads on.
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: text(100).count, alignment: 1)
      defer { bytes.deallocate() }
      bytes.copyBytes(from: text(100))
      _ = try Mapper(store).importJSON(UnsafeRawBufferPointer(bytes), as: plan, options: options(watch))
    }
    let left = hasLeft.load(ordering: .sequentiallyConsistent)
    #expect(left)
    #expect(!watch.has(.read, 6))
    try #expect(store.read(plan) { try $0.count(of: "Seen") } == 0)
  }

  @Test func severalImportsReadAheadAtOnce() async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for seed in 0..<4 {
        group.addTask {
          var options = ImportOptions()
          options.alwaysReadsAhead = true
          options.batchSize = 20
          let people = (0..<200).map { #"{"id":\#($0 + seed),"kids":[{"id":\#($0)},{"id":7,"n":"x"}]}"# }
          let text = Array("[\(people.joined(separator: ","))]".utf8)
          let store = MemoryStore()
          for _ in 0..<3 {
            _ = try Mapper(store).importJSON(text, as: Plan(Fixture.node), options: options)
          }
          return try store.read(Plan(Fixture.node)) { try $0.count(of: "Node") }
        }
      }
      for try await count in group { #expect(count >= 200 && count <= 203) }
    }
  }
}
