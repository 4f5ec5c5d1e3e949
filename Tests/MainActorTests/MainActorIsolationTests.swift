import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import Foundation
import Observation
import Synchronization
import TestSupport
import Testing

/// Work on the main actor, and work that must not run there.
@Suite(.timeLimit(.minutes(2))) struct MainActorIsolationTests {
  // The main actor would wait for ever in these if it were held while something is read.

  @Test(arguments: StoreKind.allCases)
  func aTextIsWalkedWhileTheMainActorDoesSomethingElse(_ kind: StoreKind) async throws {
    let gate = Gate()
    var transforms = Transforms()
    transforms.use(
      Transform<Bool>(reading: { _ in
        gate.pass()
        return .value(true)
      }))
    let mapper = Mapper(try kind.make(), transforms: transforms)
    Task { gate.open() }
    let found = try await mapper.roundTrip(#"[{"id": 1, "is_active": 1}]"#, as: Person.mapping, depth: .max)
    #expect(found.first?.isActive == true)
    gate.close()
    Task { gate.open() }
    let tree = try document(#"[{"id": 1, "is_active": 1}]"#)
    _ = try await mapper.importJSON(tree, as: Person.mapping)
  }

  @Test(arguments: StoreKind.allCases)
  func aStreamBringsItsNextChunkWhenTheMainActorHasRun(_ kind: StoreKind) async throws {
    let store = try kind.make()
    let report = try await Mapper(store).importJSON(SlowChunks(), as: Person.mapping)
    #expect(report.rootObjects == SlowChunks.count)
    #expect(
      try reading(store) { try $0.objects(Person.mapping, depth: .max).map(\.age) }
        == Array(0..<SlowChunks.count))
  }

  @Test(arguments: StoreKind.allCases)
  func aPipeIsReadWhileTheMainActorWritesIntoIt(_ kind: StoreKind) async throws {
    let scratch = Scratch()
    let path = scratch.path("people.json")
    #expect(mkfifo(path, 0o600) == 0)
    let store = try kind.make()
    let writer = Task {
      // Waits until the import has opened the pipe. Bytes written before that would be lost at a close.
      let pipe = open(path, O_WRONLY)
      for piece in [#"[{"id": 1, "#, #""full_name": "Ada"}"#, "]"] {
        await Task.yield()
        _ = piece.withCString { write(pipe, $0, strlen($0)) }
      }
      return pipe
    }
    let closer = Task { close(await writer.value) }
    let report = try await Mapper(store).importJSON(.file(path), as: Person.mapping)
    _ = await closer.value
    #expect(report.rootObjects == 1)
    #expect(try reading(store) { try $0.object(Person.mapping, key: 1, depth: .max)?.name } == "Ada")
  }

  @Test func theMainActorMayUseTheStoreDuringAnImport() async throws {
    let store = MemoryStore()
    let mapper = Mapper(store)
    let tasks = (1...20).map { number in
      Task { try await mapper.importJSON(#"[{"id": \#(number)}]"#, as: Person.mapping) }
    }
    for number in 21...40 { try importAtOnce(number, mapper) }
    for task in tasks { _ = try await task.value }
    #expect(try reading(store) { try $0.count(Person.mapping) } == 40)
  }

  private func importAtOnce(_ number: Int, _ mapper: Mapper) throws {
    _ = try mapper.importJSON(#"[{"id": \#(number)}]"#, as: Person.mapping)
  }

  // Misuse that the compiler cannot see is refused at run time.

  @Test func anImportWithAwaitMayBeginOnAnyActor() async throws {
    let store = MemoryStore()
    let mapper = Mapper(store)
    let plan = try Person.mapping.plan()
    let report = try await Task.detached { try await mapper.importJSON(people, as: plan) }.value
    #expect(report["Person"]?.inserted == 3)
    let found = try reading(store) { try $0.objects(Person.mapping, depth: .max) }
    #expect(found.map(\.name) == ["Ada", "Charles", "Grace"])
  }

  @Test(arguments: StoreKind.allCases) @MainActor
  func importsAndReadsOfAMainActorClassRunInAnAsyncLet(_ kind: StoreKind) async throws {
    let mapper = Mapper(try kind.make())
    async let first = mapper.importJSON(#"[{"id": 1}]"#, as: Person.mapping)
    async let second = mapper.importJSON(#"[{"id": 2}]"#, as: Person.mapping)
    let inserted = try await (first["Person"]?.inserted, second["Person"]?.inserted)
    #expect(inserted == (1, 1))
    async let all = mapper.store.objects(Person.mapping)
    let ids = try await all.map(\.id)
    #expect(ids == [1, 2])
  }

  @Test func aStoreOfValuesIsWrittenElsewhereWithTheSamePlan() async throws {
    let store = try StoreKind.lmdb.make()
    let mapper = Mapper(store)
    let plan = try Person.mapping.plan()
    let count = try await elsewhere {
      _ = try mapper.importJSON(people, as: plan)
      return try store.read(plan) { try $0.count(of: "Person") }
    }
    #expect(count == 3)
    #expect(try reading(store) { try $0.object(Person.mapping, key: 1, depth: .max)?.name } == "Ada")
  }

  @Test func instancesAreWrittenAsJSONOnTheMainActorOnly() async throws {
    let ada = Person()
    let serializer = try Serializer(Person.mapping)
    #expect(try serializer.json(of: ada).contains(#""id":0"#))
    await expectRefusal { try serializer.json(of: ada).utf8.count }
    await expectRefusal { try serializer.export([ada]) { _ in }.objects }
  }

  @Test func aMappingIsCompiledByItsOwnPlan() async throws {
    let plan = try Person.mapping.plan()
    let faults = await #expect(throws: MappingDefinitionError.self) {
      try await elsewhere { try Plan(plan.root).schema.entities.count }
    }
    #expect(
      faults.map { "\($0)" }?.contains("a mapping of the main actor is compiled by its own plan()") == true)
  }

  @Test(arguments: StoreKind.allCases)
  func mainActorClassesHiddenByGenericsAreRefused(_ kind: StoreKind) async throws {
    let store = try kind.make()
    let mapper = Mapper(store)
    let mapping = Person.mapping
    _ = try mapping.plan()
    await expectRefusal { try Hidden.objects("", mapping, mapper) }
    await expectRefusal { try Hidden.read("", mapping, store) }
    #expect(try reading(store) { try $0.count(mapping) } == 0)
    let phones = MainActorMapping(Person.self, "Fresh", primaryKey: "id", make: Person.init) {
      Attribute("id", \.id)
      ToMany("phones", \.phones, Phone.mapping)
    }
    await #expect(throws: MappingDefinitionError.self) { try await elsewhere { try Hidden.plan("", phones) } }
  }

  @Test(arguments: StoreKind.allCases)
  func aCancelledImportChangesNothing(_ kind: StoreKind) async throws {
    let store = try kind.make()
    let task = Task { try await Mapper(store).importJSON(EndlessChunks(), as: Person.mapping) }
    await Task.yield()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try reading(store) { try $0.count(Person.mapping) } == 0)
  }
}

/// Runs `body` on another thread than the main actor's.
private func elsewhere<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await Task.detached { try body() }.value
}

/// Calls with several generic parameters. The compiler looks at the first.
private nonisolated enum Hidden {
  static func objects<A: Equatable, Source: ClassMapping>(_ a: A, _ mapping: Source, _ mapper: Mapper) throws
    -> Int
  {
    try mapping.objects(from: people).count
  }

  static func read<A: Equatable, Source: ClassMapping>(_ a: A, _ mapping: Source, _ store: any Store) throws
    -> Int
  {
    try store.read { try $0.objects(mapping, depth: .max).count }
  }

  static func plan<A: Equatable, Source: ClassMapping>(_ a: A, _ mapping: Source) throws -> Int {
    try mapping.plan().schema.entities.count
  }
}

private func expectRefusal(_ body: @escaping @Sendable () throws -> Int) async {
  let error = await #expect(throws: MainActorError.self) { try await elsewhere(body) }
  #expect(error?.entity == "Person")
  let text = "Person is a main-actor class; its instances can only be used on the main actor"
  #expect(error?.description == text)
}

/// Holds threads until it is opened.
private nonisolated final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }
  func close() { while semaphore.wait(timeout: .now()) == .success {} }
  func pass() {
    semaphore.wait()
    semaphore.signal()
  }
}

/// One object in each chunk, which comes after the main actor has had its turn.
private nonisolated struct SlowChunks: AsyncSequence, Sendable {
  static let count = 20

  struct AsyncIterator: AsyncIteratorProtocol {
    var next = 0

    mutating func next() async -> [UInt8]? {
      if next > SlowChunks.count { return nil }
      await Task { @MainActor in }.value
      defer { next += 1 }
      if next == SlowChunks.count { return Array("]".utf8) }
      return Array(#"\#(next == 0 ? "[" : ",") {"id": \#(next + 1), "age": \#(next)}"#.utf8)
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}

/// Objects without end.
private nonisolated struct EndlessChunks: AsyncSequence, Sendable {
  struct AsyncIterator: AsyncIteratorProtocol {
    var next = 0

    mutating func next() async -> [UInt8]? {
      defer { next += 1 }
      await Task.yield()
      return Task.isCancelled ? nil : Array(#"\#(next == 0 ? "[" : ",") {"id": \#(next + 1)}"#.utf8)
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}

extension AsyncStream<[UInt8]> {
  static func one(_ text: String) -> Self {
    AsyncStream { continuation in
      continuation.yield(Array(text.utf8))
      continuation.finish()
    }
  }
}
