import FastMapCore
import Synchronization

@testable import FastMapReading

/// A store on top of another that prefers sets, and may break a rule of the protocols.
final class SetsStore<Base: Store>: Store {
  private let base: Base
  private let fault: StoreFault?
  /// The rows that writes asked for: all of them, and the most of one question.
  let rows = Mutex<(all: Int, most: Int)>((0, 0))

  init(_ base: Base, _ fault: StoreFault? = nil) {
    self.base = base
    self.fault = fault
  }

  var capabilities: StoreCapabilities { base.capabilities }

  func read<R>(_ schema: Schema, _ body: (inout SetsReader<Base.Reader>) throws -> R) throws -> R {
    try base.read(schema) { inner in
      var reader = SetsReader(inner)
      reader.fault = fault
      return try body(&reader)
    }
  }

  func write<R>(
    _ schema: Schema, _ body: (inout SetsWriter<Base.Writer>) throws -> TransactionCompletion<R>
  ) throws -> R {
    try base.write(schema) { inner in
      var writer = SetsWriter(inner, fault)
      defer {
        inner = writer.inner
        rows.withLock { $0 = ($0.all + writer.count.rows, max($0.most, writer.count.mostRows)) }
      }
      return try body(&writer)
    }
  }
}

/// A writer on top of another that reads with a `SetsReader`.
struct SetsWriter<Inner: StoreWriter>: StoreWriter {
  var inner: Inner
  let count = QuestionCount()
  let fault: StoreFault?
  /// Answers `references` instead of the other writer.
  var referring: (([ObjectID], Reference?, Int) -> [[Reference]])?

  init(_ inner: Inner, _ fault: StoreFault? = nil) {
    self.inner = inner
    self.fault = fault
  }

  var reader: SetsReader<Inner.Reader> {
    get {
      var reader = SetsReader(inner.reader, count)
      reader.fault = fault
      return reader
    }
    set { inner.reader = newValue.base }
  }

  mutating func use(_ schema: Schema) throws { try inner.use(schema) }
  mutating func resolve(_ lookups: [KeyLookup]) throws { try inner.resolve(lookups) }

  mutating func reserve(_ requests: [NumberRequest]) throws -> [ObjectNumbers] {
    let reserved = try inner.reserve(requests)
    switch fault {
    case .fewerNumbers:
      return zip(requests, reserved).map { request, numbers in
        .list((0..<request.count - 1).map { numbers[$0] })
      }
    case .lastNumbers: return requests.map { _ in .run(from: ObjectID(rawValue: .max)) }
    default: return reserved
    }
  }

  mutating func apply(_ changes: inout ChangeBatch) throws { try inner.apply(&changes) }
  mutating func finish(_ changes: inout ChangeBatch) throws { try inner.finish(&changes) }

  mutating func references(
    to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
  ) throws -> [[Reference]] {
    try referring?(ids, last, limit) ?? inner.references(to: ids, of: entity, after: last, limit: limit)
  }

  mutating func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID] {
    try inner.delete(ids, of: entity)
  }

  mutating func buildIndexes(_ onProgress: (_ done: Int, _ total: Int) throws -> Void) throws {
    try inner.buildIndexes(onProgress)
  }

  mutating func forEachDuplicate(limit: Int, _ body: (DuplicateValues) throws -> Void) throws {
    try inner.forEachDuplicate(limit: limit, body)
  }

  mutating func changed(_ ids: [ObjectID], of entity: Int) throws -> [Bool] {
    try inner.changed(ids, of: entity)
  }

  mutating func keepLeftovers(_ leftovers: [Leftover], of keeper: AnyObject?) throws -> AnyObject? {
    try inner.keepLeftovers(leftovers, of: keeper)
  }

  mutating func claimLeftovers(of keeper: AnyObject?) throws -> [Leftover] {
    guard fault == .farLeftovers else { return try inner.claimLeftovers(of: keeper) }
    return [Leftover(id: ObjectID(rawValue: 1), entity: 99, isOwned: true, deletesShared: false)]
  }
}
