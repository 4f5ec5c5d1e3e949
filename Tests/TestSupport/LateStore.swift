package import FastMapCore
package import FastMapStoreTesting

/// A store on top of another whose answer to `apply` comes with `finish`, as in a store that pipelines its statements.
///
/// It throws where the core does anything but look up the next batch before it has settled one.
package final class LateStore<Base: Store>: Store {
  package let base: Base

  package init(_ base: Base) { self.base = base }

  package var capabilities: StoreCapabilities { base.capabilities }

  package func prepare(_ schema: Schema) throws -> [String] { try base.prepare(schema) }

  package func read<R>(_ schema: Schema, _ body: (inout ObservedReader<Base.Reader>) throws -> R) throws -> R
  {
    try base.read(schema) { inner in
      var reader = ObservedReader(
        inner: inner, asker: Asker({ _ in }, isInWrite: false), prefersSets: inner.prefersSets)
      return try body(&reader)
    }
  }

  package func write<R>(
    _ schema: Schema, _ body: (inout LateWriter<Base.Writer>) throws -> TransactionCompletion<R>
  ) throws -> R {
    try base.write(schema) { inner in
      var writer = LateWriter(inner: inner)
      defer { inner = writer.inner }
      let ending = try body(&writer)
      if case .commit = ending { try writer.expectSettled("the commit") }
      return ending
    }
  }
}

/// The core asks too early.
package struct UnsettledError: Error, CustomStringConvertible {
  package let description: String
}

package struct LateWriter<Base: StoreWriter>: StoreWriter {
  fileprivate(set) var inner: Base
  private let pending = Pending()

  /// Batches that were applied, with their answers.
  private final class Pending {
    var answers: [(batch: ChangeBatch, removedBefore: Int)] = []
  }

  fileprivate init(inner: Base) { self.inner = inner }

  fileprivate func expectSettled(_ what: String) throws {
    if !pending.answers.isEmpty {
      throw UnsettledError(description: "\(what) comes before a batch is settled")
    }
  }

  package var reader: ObservedReader<Base.Reader> {
    get {
      let asker = Asker({ try expectSettled("the question \($0.kind)") }, isInWrite: true)
      return ObservedReader(inner: inner.reader, asker: asker, prefersSets: inner.reader.prefersSets)
    }
    set { inner.reader = newValue.inner }
  }

  package var notes: [String] { inner.notes }
  package var hasStoredDefaults: Bool { inner.hasStoredDefaults }

  package mutating func use(_ schema: Schema) throws {
    try expectSettled("another schema")
    try inner.use(schema)
  }

  package mutating func resolve(_ lookups: [KeyLookup]) throws { try inner.resolve(lookups) }

  package mutating func reserve(_ requests: [NumberRequest]) throws -> [ObjectNumbers] {
    try expectSettled("the numbers of the next batch")
    return try inner.reserve(requests)
  }

  package mutating func apply(_ changes: inout ChangeBatch) throws {
    try expectSettled("another batch")
    let removedBefore = changes.removed.count
    var batch = changes
    try inner.apply(&batch)
    try inner.finish(&batch)
    pending.answers.append((batch, removedBefore))
    // Nobody is to look at them before.
    for index in changes.changes.indices { changes.changes[index].isChanged = false }
  }

  package mutating func finish(_ changes: inout ChangeBatch) throws {
    guard let answer = pending.answers.first else {
      throw UnsettledError(description: "a batch is settled that was not applied, or for the second time")
    }
    pending.answers.removeFirst()
    changes.take(answer.batch, from: answer.removedBefore) { $0 }
  }

  package mutating func references(
    to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
  ) throws -> [[Reference]] {
    try expectSettled("a look at references")
    return try inner.references(to: ids, of: entity, after: last, limit: limit)
  }

  package mutating func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID] {
    try expectSettled("a deletion")
    return try inner.delete(ids, of: entity)
  }

  package mutating func buildIndexes(_ onProgress: (_ done: Int, _ total: Int) throws -> Void) throws {
    try inner.buildIndexes(onProgress)
  }

  package mutating func forEachDuplicate(limit: Int, _ body: (DuplicateValues) throws -> Void) throws {
    try inner.forEachDuplicate(limit: limit, body)
  }

  package mutating func changed(_ ids: [ObjectID], of entity: Int) throws -> [Bool] {
    try expectSettled("the question what has changed")
    return try inner.changed(ids, of: entity)
  }

  package mutating func keepLeftovers(_ leftovers: [Leftover], of keeper: AnyObject?) throws -> AnyObject? {
    try expectSettled("the end of a transaction")
    return try inner.keepLeftovers(leftovers, of: keeper)
  }

  package mutating func claimLeftovers(of keeper: AnyObject?) throws -> [Leftover] {
    try expectSettled("the end of an import")
    return try inner.claimLeftovers(of: keeper)
  }
}
