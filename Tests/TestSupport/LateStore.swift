package import FastMapCore
package import FastMapStoreTesting

/// A store on top of another whose answer to `apply` comes with `finish`, as in a store that pipelines its statements.
///
/// It throws where the core does anything but look up the next batch before it has settled one.
package final class LateStore<Base: Store>: InterceptedStore {
  package typealias Writer = LateWriter<Base.Writer>

  package let base: Base

  package init(_ base: Base) { self.base = base }

  package func reader(on reader: Base.Reader, _ schema: Schema) -> ObservedReader<Base.Reader> {
    ObservedReader(base: reader, isInWrite: false, prefersSets: reader.prefersSets) { _ in }
  }

  package func writer(on writer: Base.Writer, _ schema: Schema) -> Writer {
    LateWriter(base: writer)
  }

  package func willEnd(_ writer: Writer, commits: Bool) throws {
    if commits { try writer.expectSettled("the commit") }
  }
}

/// The core asks too early.
package struct UnsettledError: Error, CustomStringConvertible {
  package let description: String
}

package struct LateWriter<Base: StoreWriter>: InterceptedWriter {
  package var base: Base
  private let pending = Pending()

  /// Batches that were applied, with their answers.
  private final class Pending {
    var answers: [(batch: ChangeBatch, removedBefore: Int)] = []
  }

  fileprivate init(base: Base) { self.base = base }

  fileprivate func expectSettled(_ what: String) throws {
    if !pending.answers.isEmpty {
      throw UnsettledError(description: "\(what) comes before a batch is settled")
    }
  }

  package var reader: ObservedReader<Base.Reader> {
    get {
      ObservedReader(base: base.reader, isInWrite: true, prefersSets: base.reader.prefersSets) {
        try expectSettled("the question \($0.kind)")
      }
    }
    set { base.reader = newValue.base }
  }

  /// Looks up the next batch at any time.
  package func willAsk(_ kind: Question.Kind, _ size: Int) throws {
    if kind != .resolve { try expectSettled("the question \(kind)") }
  }

  package mutating func use(_ schema: Schema) throws {
    try expectSettled("another schema")
    try base.use(schema)
  }

  package mutating func apply(_ changes: inout ChangeBatch) throws {
    try expectSettled("another batch")
    let removedBefore = changes.removed.count
    var batch = changes
    try base.apply(&batch)
    try base.finish(&batch)
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
}
