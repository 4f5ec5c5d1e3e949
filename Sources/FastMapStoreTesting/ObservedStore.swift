package import FastMapCore
internal import Synchronization

/// One question of the core to a store.
///
///     if question.kind == .commit { throw ConflictError("in the commit") }
package struct Question: Sendable {
  /// The calls of the protocols.
  package enum Kind: String, Sendable {
    case prepare, find, read, targets, owners, page, count
    case resolve, reserve, apply, references, delete, changed, keepLeftovers, claimLeftovers, commit
  }

  package let kind: Kind
  /// The number of objects, keys or changes that it is about.
  package let size: Int
  package let isInWrite: Bool
}

/// A store on top of another that shows each question to a closure first. An error of the closure is the error of the
/// question.
///
///     let store = ObservedStore(base) { question in print(question.kind) }
///
/// A question about nothing is not shown, because a store answers it at once. Each page is a question of its own.
/// `finish` is no question: it waits for the answer to `apply`.
package final class ObservedStore<Base: Store>: InterceptedStore {
  package typealias Observer = @Sendable (Question) throws -> Void

  package let base: Base
  package let capabilities: StoreCapabilities
  private let observe: Observer
  private let afterCommit: @Sendable (_ number: Int) throws -> Void
  private let committed = Mutex(0)

  /// - Parameters:
  ///   - capabilities: The capabilities of the store; nil for the capabilities of the base.
  ///   - afterCommit: Called after each commit, for example between two transactions of an import, with the number of
  ///     commits. The write throws its errors, although it is committed.
  package init(
    _ base: Base, capabilities: StoreCapabilities? = nil, _ observe: @escaping Observer,
    afterCommit: @escaping @Sendable (_ number: Int) throws -> Void = { _ in }
  ) {
    self.base = base
    self.capabilities = capabilities ?? base.capabilities
    self.observe = observe
    self.afterCommit = afterCommit
  }

  /// The number of commits.
  package var commits: Int { committed.withLock(\.self) }

  package func prepare(_ schema: Schema) throws -> [String] {
    try observe(Question(kind: .prepare, size: schema.entities.count, isInWrite: false))
    return try base.prepare(schema)
  }

  package func reader(on reader: Base.Reader, _ schema: Schema) -> ObservedReader<Base.Reader> {
    ObservedReader(base: reader, isInWrite: false, prefersSets: capabilities.prefersSets, observe)
  }

  package func writer(on writer: Base.Writer, _ schema: Schema) -> ObservedWriter<Base.Writer> {
    ObservedWriter(base: writer, observe: observe, prefersSets: capabilities.prefersSets)
  }

  package func write<R>(
    _ schema: Schema, _ body: (inout ObservedWriter<Base.Writer>) throws -> TransactionCompletion<R>
  ) throws -> R {
    var isCommitted = false
    let result = try base.write(schema) { inner in
      var writer = writer(on: inner, schema)
      defer { inner = writer.base }
      let ending = try body(&writer)
      isCommitted = ending.isCommit
      if isCommitted { try writer.willAsk(.commit, 1) }
      return ending
    }
    guard isCommitted else { return result }
    let number = committed.withLock { committed in
      committed += 1
      return committed
    }
    try afterCommit(number)
    return result
  }
}

package struct ObservedReader<Base: StoreReader>: InterceptedReader {
  package var base: Base
  let observe: (Question) throws -> Void
  let isInWrite: Bool
  package let prefersSets: Bool

  package init(
    base: Base, isInWrite: Bool, prefersSets: Bool, _ observe: @escaping (Question) throws -> Void
  ) {
    (self.base, self.isInWrite, self.prefersSets, self.observe) = (base, isInWrite, prefersSets, observe)
  }

  package func willAsk(_ kind: Question.Kind, _ size: Int) throws {
    if size > 0 { try observe(Question(kind: kind, size: size, isInWrite: isInWrite)) }
  }

  package mutating func count(of entity: Int, keys: KeyRange) throws -> Int {
    try willAsk(.count, 1)
    return try base.count(of: entity, keys: keys)
  }
}

package struct ObservedWriter<Base: StoreWriter>: InterceptedWriter {
  package var base: Base
  let observe: (Question) throws -> Void
  package let prefersSets: Bool

  package var reader: ObservedReader<Base.Reader> {
    get { ObservedReader(base: base.reader, isInWrite: true, prefersSets: prefersSets, observe) }
    set { base.reader = newValue.base }
  }

  package func willAsk(_ kind: Question.Kind, _ size: Int) throws {
    if size > 0 { try observe(Question(kind: kind, size: size, isInWrite: true)) }
  }
}
