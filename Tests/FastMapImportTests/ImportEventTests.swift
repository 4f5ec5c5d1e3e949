import FastMapCore
import FastMapMemory
import Synchronization
import TestSupport
import Testing

/// The steps of an import as an observer sees them.
@Suite struct ImportEventTests {
  private static let plan = try? Plan(
    Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string)
      Index("name", isUnique: true)
    })
  private static func json(_ count: Int) -> String {
    "[" + (1...count).map { #"{"id":\#($0),"name":"n\#($0)"}"# }.joined(separator: ",") + "]"
  }

  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    private let sums = Mutex<(objects: Int, bytes: Int)>((0, 0))
    var words: [String] { lines.withLock { $0 } }
    var total: (objects: Int, bytes: Int) { sums.withLock { $0 } }

    func add(_ event: ImportOptions.Event) {
      let word =
        switch event {
        case .began(let mapping): "began \(mapping)"
        case .batch(let objects, let bytes, _):
          sums.withLock {
            $0.objects += objects
            $0.bytes += bytes
            return "batch"
          }
        case .committed(let objects, let time): time >= .zero ? "committed \(objects)" : "negative"
        case .conflict(let error): error == nil ? "not unique" : "conflict"
        case .retrying(let number): "retry \(number)"
        case .ended(.success(let report)): "ended \(report.rootObjects)"
        case .ended(.failure(let error)): "failed \((error as? any FastMapError)?.code ?? "")"
        }
      lines.withLock { if $0.last != word || word != "batch" { $0.append(word) } }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anObserverSeesTheStepsInOrder(_ kind: StoreKind) throws {
    let (plan, log) = (try #require(Self.plan), Log())
    var options = ImportOptions(commitInterval: 4, batchSize: 2)
    options.observer = { log.add($0) }
    let text = Self.json(10)
    _ = try Mapper(kind.make()).importJSON(text, as: plan, options: options)
    #expect(
      log.words == [
        "began Item", "batch", "committed 4", "batch", "committed 4", "batch", "committed 2", "ended 10",
      ])
    #expect(log.total.objects == 10 && log.total.bytes > 0 && log.total.bytes <= text.utf8.count)
  }

  @Test(arguments: StoreKind.allCases)
  func anObserverSeesAFailureWithItsCode(_ kind: StoreKind) throws {
    let (plan, log) = (try #require(Self.plan), Log())
    var options = ImportOptions()
    options.observer = { log.add($0) }
    #expect(throws: MappingError.self) {
      try Mapper(kind.make()).importJSON(#"[{"id": 1}, {"id": "x"}]"#, as: plan, options: options)
    }
    #expect(log.words.first == "began Item" && log.words.last == "failed unexpected-value")
  }

  @Test(arguments: StoreKind.allCases)
  func anObserverSeesValuesThatAreNotUnique(_ kind: StoreKind) throws {
    let (plan, log) = (try #require(Self.plan), Log())
    var options = ImportOptions(faults: .skip)
    options.observer = { log.add($0) }
    let json = #"[{"id": 1, "name": "a"}, {"id": 2, "name": "a"}]"#
    let report = try Mapper(kind.make()).importJSON(json, as: plan, options: options)
    #expect(report.errorCount == 1)
    #expect(log.words.contains("not unique") && log.words.last == "ended 2")
  }

  @Test func anObserverSeesConflictsAndRetries() throws {
    let (plan, log) = (try #require(Self.plan), Log())
    let left = Mutex(2)
    let store = InterceptedConflicts {
      left.withLock {
        $0 -= 1; return $0 >= 0
      }
    }
    var options = ImportOptions(retries: RetryPolicy(attempts: 5, firstDelay: .zero, longestDelay: .zero))
    options.observer = { log.add($0) }
    _ = try Mapper(store).importJSON(Self.json(1), as: plan, options: options)
    #expect(
      log.words == [
        "began Item", "conflict", "retry 1", "conflict", "retry 2", "batch", "committed 1", "ended 1",
      ])
  }

  /// A memory store whose writes conflict while a test says so.
  private final class InterceptedConflicts: Store {
    private let base = MemoryStore()
    private let conflicts: @Sendable () -> Bool

    init(_ conflicts: @escaping @Sendable () -> Bool) { self.conflicts = conflicts }

    var capabilities: StoreCapabilities { base.capabilities }

    func read<R>(_ schema: Schema, _ body: (inout MemoryReader) throws -> R) throws -> R {
      try base.read(schema, body)
    }

    func write<R>(
      _ schema: Schema, _ body: (inout MemoryWriter) throws -> TransactionCompletion<R>
    ) throws -> R {
      if conflicts() { throw ConflictError("a test") }
      return try base.write(schema, body)
    }
  }
}
