import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Streams that come from a descriptor or an asynchronous sequence: their waits, and the side that ends first.
@Suite(.timeLimit(.minutes(2))) struct StreamArrivalTests {
  private static func plan() throws -> Plan { try Plan(Fixture.node) }

  private static func count(_ store: MemoryStore) throws -> Int {
    try store.read(plan()) { try $0.records("Node").count }
  }

  /// A pipe whose other end is written on a thread of its own.
  private final class Pipe: Sendable {
    let reading: Int32

    init(isNonBlocking: Bool = false, _ write: @escaping @Sendable (FileHandle, Pipe) -> Void) {
      let pipe = Foundation.Pipe()
      reading = dup(pipe.fileHandleForReading.fileDescriptor)
      if isNonBlocking { _ = fcntl(reading, F_SETFL, O_NONBLOCK) }
      let writing = FileHandle(
        fileDescriptor: dup(pipe.fileHandleForWriting.fileDescriptor), closeOnDealloc: true)
      Thread.detachNewThread { [self] in
        write(writing, self)
        try? writing.close()
      }
    }

    /// Waits until all that was written is read; not for ever.
    func waitUntilEmpty() {
      let end = ContinuousClock.now.advanced(by: .seconds(20))
      var left: Int32 = 0
      while ioctl(reading, UInt(FIONREAD), &left) == 0, left > 0, ContinuousClock.now < end { sched_yield() }
    }

    deinit { close(reading) }
  }

  #if !canImport(Darwin)
    /// Waits until this process has a file open; not for ever.
    private static func waitUntilOpen(_ path: String) {
      let end = ContinuousClock.now.advanced(by: .seconds(20))
      let files = FileManager.default
      func isOpen() -> Bool {
        let numbers = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return numbers.contains {
          (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
      }
      while !isOpen(), ContinuousClock.now < end { sched_yield() }
    }
  #endif

  @Test(arguments: StoreKind.allCases, [false, true])
  func aPipeIsReadToItsEnd(_ kind: StoreKind, _ isNonBlocking: Bool) throws {
    let world = try World(kind, Fixture.node)
    let count = TestSize.count(small: 500, whole: 5000)
    let pipe = Pipe(isNonBlocking: isNonBlocking) { handle, pipe in
      handle.write(Data("[".utf8))
      for id in 0..<count { handle.write(Data("\(id == 0 ? "" : ","){\"id\":\(id),\"n\":\"é\"}".utf8)) }
      pipe.waitUntilEmpty()
      handle.write(Data("]".utf8))
    }
    let report = try Mapper(world.store).importJSON(.descriptor(pipe.reading), as: world.plan())
    #expect(summary(report) == "Node +\(count)")
  }

  @Test func aNamedPipeIsAFileLikeAnyOther() throws {
    let scratch = Scratch()
    let path = scratch.path("fifo.ndjson")
    #expect(mkfifo(path, 0o600) == 0)
    Thread.detachNewThread {
      try? Data("{\"id\":1}\n{\"id\":2}\n".utf8).write(to: URL(fileURLWithPath: path))
    }
    let store = MemoryStore()
    let report = try Mapper(store).importJSON(.file(path), as: Fixture.node)
    #expect(summary(report) == "Node +2")
    #expect(report.bytes == 18)
  }

  @Test func anImportThatWaitsForAPipeCanBeCancelled() throws {
    let store = MemoryStore()
    var options = ImportOptions()
    let progress = ImportProgress()
    options.progress = progress
    let isDone = DispatchSemaphore(value: 0)
    defer { isDone.signal() }
    let pipe = Pipe { handle, pipe in
      handle.write(Data("[1,2,".utf8))
      pipe.waitUntilEmpty()
      progress.cancel()
      isDone.wait()
    }
    #expect(throws: CancellationError.self) {
      _ = try Mapper(store).importJSON(.descriptor(pipe.reading), as: Self.plan(), options: options)
    }
    try #expect(Self.count(store) == 0)
  }

  #if !canImport(Darwin)  // where the open itself waits for a writer
    @Test func anImportThatWaitsForTheWriterOfANamedPipeCanBeCancelled() async throws {
      let scratch = Scratch()
      let path = scratch.path("fifo")
      #expect(mkfifo(path, 0o600) == 0)
      let task = Task { try await Mapper(MemoryStore()).importJSON(.file(path), as: Fixture.node) }
      Self.waitUntilOpen(path)
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
  #endif

  @Test func aNamedPipeIsReadToItsEndHoweverLateItsWriterComes() throws {
    let scratch = Scratch()
    let path = scratch.path("fifo")
    #expect(mkfifo(path, 0o600) == 0)
    Thread.detachNewThread {
      #if !canImport(Darwin)
        Self.waitUntilOpen(path)
      #endif
      let handle = FileHandle(forWritingAtPath: path)
      handle?.write(Data("[{\"id\":1},".utf8))
      var left: Int32 = 1
      while let handle, ioctl(handle.fileDescriptor, UInt(FIONREAD), &left) == 0, left > 0 { sched_yield() }
      handle?.write(Data("{\"id\":2}]".utf8))
      try? handle?.close()
    }
    let report = try Mapper(MemoryStore()).importJSON(.file(path), as: Fixture.node)
    #expect(summary(report) == "Node +2")
  }

  @Test func aDescriptorThatCannotBeReadIsNamed() throws {
    let error = #expect(throws: SystemError.self) {
      _ = try Mapper(MemoryStore()).importJSON(.descriptor(-1, name: "the socket"), as: Self.plan())
    }
    #expect(error?.path == "the socket")
  }

  // MARK: Asynchronous sequences

  private static func pieces(_ text: String, of size: Int) -> [[UInt8]] {
    let bytes = Array(text.utf8)
    return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
  }

  @Test(arguments: StoreKind.allCases, [1, 3, 1000])
  func chunksAreImportedAsTheyArrive(_ kind: StoreKind, _ size: Int) async throws {
    let world = try World(kind, Fixture.node)
    let text = "[" + (0..<300).map { #"{"id":\#($0),"n":"é\#($0)"}"# }.joined(separator: ",") + "]"
    let chunks = AsyncStream { continuation in
      for piece in Self.pieces(text, of: size) { continuation.yield(piece) }
      continuation.finish()
    }
    let report = try await Mapper(world.store).importJSON(chunks, as: world.plan())
    #expect(summary(report) == "Node +300")
    #expect(report.bytes == text.utf8.count)
  }

  @Test func bytesAreImportedAsTheyArrive() async throws {
    let bytes = AsyncStream { continuation in
      for byte in "{\"id\":1}\n{\"id\":2}\n".utf8 { continuation.yield(byte) }
      continuation.finish()
    }
    let report = try await Mapper(MemoryStore()).importJSON(bytes, as: Self.plan(), options: .ndjson)
    #expect(summary(report) == "Node +2")
  }

  /// Counts the chunks that are asked of it; endless, or until an error.
  private struct Source: AsyncSequence, Sendable {
    struct Broken: Error {}
    final class Tally: Sendable {
      let chunks = Atomic<Int>(0)
      private let hundred = AsyncStream.makeStream(of: Void.self)

      func add() -> Int {
        let count = chunks.add(1, ordering: .relaxed).newValue
        if count == 100 { hundred.continuation.finish() }
        return count
      }

      /// Waits until a hundred chunks were asked for.
      func waitForHundred() async { for await _ in hundred.stream {} }
    }

    let tally = Tally()
    var failsAfter = Int.max
    var chunk: [UInt8] = {
      let text = String(repeating: "text ", count: 200)
      return Array(String(repeating: "{\"id\":1,\"n\":\"\(text)\"}\n", count: 24).utf8)
    }()

    struct AsyncIterator: AsyncIteratorProtocol {
      let source: Source

      mutating func next() async throws -> [UInt8]? {
        let count = source.tally.add()
        if count > source.failsAfter { throw Broken() }
        try Task.checkCancellation()
        return source.chunk
      }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: self) }
  }

  @Test(arguments: StoreKind.allCases)
  func theErrorOfTheSequenceEndsTheImportAndNothingIsKept(_ kind: StoreKind) async throws {
    let world = try World(kind, Fixture.node)
    let source = Source(failsAfter: 100)
    await #expect(throws: Source.Broken.self) {
      _ = try await Mapper(world.store).importJSON(source, as: world.plan(), options: .ndjson)
    }
    try #expect(world.dump() == "")
  }

  @Test func aFaultEndsAnEndlessSequence() async throws {
    var source = Source()
    source.chunk = Array(String(repeating: "{\"id\":1}\n", count: 1000).utf8) + Array("{\"id\":x}\n".utf8)
    await #expect(throws: JSONSyntaxError.self) {
      _ = try await Mapper(MemoryStore()).importJSON(source, as: Self.plan(), options: .ndjson)
    }
  }

  @Test func cancellingTheTaskEndsAnEndlessSequence() async throws {
    let source = Source()
    let store = MemoryStore()
    let task = Task { try await Mapper(store).importJSON(source, as: Self.plan(), options: .ndjson) }
    await source.tally.waitForHundred()
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    try #expect(Self.count(store) == 0)
  }

  // Outside of root objects: no batch ends
  @Test(arguments: ["items", nil])
  func cancellingTheProgressEndsASequenceThatKeepsUp(_ rootPath: JSONKeyPath?) async throws {
    var source = Source()
    source.chunk = Array(repeating: UInt8(ascii: " "), count: 10_000)
    let progress = ImportProgress()
    let options = ImportOptions(rootPath: rootPath, progress: progress)
    let task = Task { [source, options] in
      try await Mapper(MemoryStore()).importJSON(source, as: Self.plan(), options: options)
    }
    await source.tally.waitForHundred()
    progress.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  /// One chunk, and then nothing.
  private struct Silent: AsyncSequence, Sendable {
    let waiting = AsyncStream.makeStream(of: Void.self)
    let nothing = AsyncStream.makeStream(of: [UInt8].self)

    struct AsyncIterator: AsyncIteratorProtocol {
      let source: Silent
      var isFirst = true

      mutating func next() async -> [UInt8]? {
        if isFirst {
          isFirst = false
          return Array("[1".utf8)
        }
        source.waiting.continuation.finish()
        var rest = source.nothing.stream.makeAsyncIterator()
        return await rest.next()
      }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: self) }
  }

  @Test func cancellingTheTaskEndsAWaitForASilentSequence() async throws {
    let chunks = Silent()
    let task = Task { try await Mapper(MemoryStore()).importJSON(chunks, as: Self.plan()) }
    for await _ in chunks.waiting.stream {}
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  // Backpressure: an importer that is held up is not flooded
  @Test func theSequenceIsAskedForNoMoreThanTheQueueHolds() async throws {
    let source = Source(failsAfter: 600)
    let mostAhead = Mutex(0)
    let chunk = source.chunk.count
    var options = ImportOptions.ndjson
    options.onProgress = { [tally = source.tally] step in
      Thread.sleep(forTimeInterval: 0.002)
      let ahead = tally.chunks.load(ordering: .relaxed) * chunk - step.bytes
      mostAhead.withLock { $0 = max($0, ahead) }
    }
    let plan = try Self.plan()
    var isBroken = false
    do {
      _ = try await Mapper(MemoryStore()).importJSON(source, as: plan, options: options)
    } catch is Source.Broken {
      isBroken = true
    }
    #expect(isBroken)
    let most = mostAhead.withLock { $0 }
    #expect(most < 8 << 20)
  }
}
