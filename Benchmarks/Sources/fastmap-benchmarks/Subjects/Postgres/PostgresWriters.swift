#if Postgres
  import FastMapCore
  import FastMapPostgres
  import Foundation
  import Synchronization

  /// Small imports with overlapping keys: a payload shares half of its parents, with all their children, with the one
  /// before, and has other values for them.
  struct OverlappingPayloads {
    static let parentsEach = 50
    static let stride = 25

    let families: [Families]
    let count: Int
    let plan: Plan

    /// - Parameter parents: The number of different parents.
    init(parents: Int) throws {
      families = (0..<4).map { revision in
        var shape = Families.Shape(parents: parents)
        shape.changedPerTenThousand = 10_000
        shape.revision = UInt64(revision) + 1
        return Families(shape)
      }
      count = max(1, parents / Self.stride)
      plan = try Families.makePlan()
    }

    var rootCount: Int { (0..<count).reduce(0) { $0 + ranges($1).count } }
    var byteCount: Int { (0..<count).reduce(0) { $0 + json($1).count } }
    var objectCount: Int { rootCount * (1 + families[0].shape.childrenPerParent) }

    private func ranges(_ payload: Int) -> ArraySlice<Range<Int>> {
      let ranges = families[payload % families.count].parentRanges
      let start = payload * Self.stride
      return ranges[start..<min(start + Self.parentsEach, ranges.count)]
    }

    func json(_ payload: Int) -> [UInt8] {
      var text: [UInt8] = [UInt8(ascii: "[")]
      for range in ranges(payload) {
        if text.count > 1 { text.append(UInt8(ascii: ",")) }
        text.append(contentsOf: families[payload % families.count].json[range])
      }
      text.append(UInt8(ascii: "]"))
      return text
    }
  }

  /// The payloads by several writers at a time, each a thread with one import after the other. Neighbours are imported
  /// at the same time.
  struct PostgresWriters: Subject {
    let payloads: OverlappingPayloads
    let server: PostgresServer
    let processes: Int
    let threads: Int

    static let command = "postgres-writers"

    func prepare() throws -> () throws -> Int {
      let schema = server.schema("writers")
      let store = try server.newStore(schema, for: payloads.plan)
      let parents = payloads.families[0].parentCount
      let writers = try (0..<processes).map { process in
        try WriterProcess([schema, parents, process * threads, processes * threads, threads].map { "\($0)" })
      }
      try server.settle()
      return {
        for writer in writers { try writer.start() }
        let found = try writers.reduce(0) { try $0 + $1.end() }
        let objects = try store.read(payloads.plan.schema) { reader in
          try reader.count(of: 0) + reader.count(of: 1)
        }
        let expected = payloads.families[0].objectCount
        try WrongOutcome.check(objects == expected, "\(expected) objects, found \(objects)")
        return found
      }
    }

    /// The main program of a process with some of the writers: gets ready, waits for a line, imports, and prints the
    /// number of its root objects.
    static func main(_ words: [String]) throws {
      let numbers = words.dropFirst().compactMap { Int($0) }
      guard let schema = words.first, numbers.count == 4 else {
        throw WrongOutcome(description: "unknown writers: \(words)")
      }
      let (parents, first, step, threads) = (numbers[0], numbers[1], numbers[2], numbers[3])
      let payloads = try OverlappingPayloads(parents: parents)
      let texts = (0..<payloads.count).map(payloads.json)
      let store = try PostgresServer().store(schema, connections: threads)
      try store.read(payloads.plan.schema) { _ = try $0.count(of: 0) }
      print("ready")
      fflush(nil)
      _ = readLine()
      let rootCount = Atomic<Int>(0)
      let failure = Mutex<(any Error)?>(nil)
      DispatchQueue.concurrentPerform(iterations: threads) { thread in
        do {
          var options = ImportOptions()
          options.retries = RetryPolicy(attempts: 1000, patience: .seconds(60))
          for payload in stride(from: first + thread, to: texts.count, by: step) {
            let report = try Mapper(store).importJSON(texts[payload], as: payloads.plan, options: options)
            rootCount.add(report.rootObjects, ordering: .relaxed)
          }
        } catch { failure.withLock { $0 = error } }
      }
      if let error = failure.withLock({ $0 }) { throw error }
      print(rootCount.load(ordering: .relaxed))
    }
  }

  /// Another process of this program, with some of the writers.
  private final class WriterProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ arguments: [String]) throws {
      process.executableURL = URL(fileURLWithPath: Folder.parent + "fastmap-benchmarks")
      process.arguments = [PostgresWriters.command] + arguments
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      let words = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      try WrongOutcome.check(words == "ready\n", "writers that are ready, found: \(words)")
    }

    deinit {
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }

    func start() throws { try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }

    /// - Returns: The number of root objects.
    func end() throws -> Int {
      let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      guard process.terminationStatus == 0,
        let count = Int(words.trimmingCharacters(in: .whitespacesAndNewlines))
      else { throw WrongOutcome(description: "writers failed: \(words)") }
      return count
    }
  }
#endif
