package import FastMapCore

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
package final class ObservedStore<Base: Store>: Store {
  package typealias Observer = @Sendable (Question) throws -> Void

  private let base: Base
  private let observe: Observer
  package let capabilities: StoreCapabilities

  /// - Parameter capabilities: The capabilities of the store; nil for the capabilities of the base.
  package init(_ base: Base, capabilities: StoreCapabilities? = nil, _ observe: @escaping Observer) {
    self.base = base
    self.capabilities = capabilities ?? base.capabilities
    self.observe = observe
  }

  package func prepare(_ schema: Schema) throws -> [String] {
    try observe(Question(kind: .prepare, size: schema.entities.count, isInWrite: false))
    return try base.prepare(schema)
  }

  package func dropIndex(_ name: String, of entity: String) throws {
    try base.dropIndex(name, of: entity)
  }

  package func read<R>(_ schema: Schema, _ body: (inout ObservedReader<Base.Reader>) throws -> R) throws -> R
  {
    try base.read(schema) { inner in
      var reader = ObservedReader(
        inner: inner, asker: Asker(observe, isInWrite: false), prefersSets: capabilities.prefersSets)
      defer { inner = reader.inner }
      return try body(&reader)
    }
  }

  package func write<R>(
    _ schema: Schema, _ body: (inout ObservedWriter<Base.Writer>) throws -> TransactionCompletion<R>
  ) throws -> R {
    try base.write(schema) { inner in
      let asker = Asker(observe, isInWrite: true)
      var writer = ObservedWriter(inner: inner, asker: asker, prefersSets: capabilities.prefersSets)
      defer { inner = writer.inner }
      let ending = try body(&writer)
      if case .commit = ending { try asker.ask(.commit, 1) }
      return ending
    }
  }
}

/// Shows questions to the observer.
package struct Asker {
  private let observe: (Question) throws -> Void
  private let isInWrite: Bool

  package init(_ observe: @escaping (Question) throws -> Void, isInWrite: Bool) {
    self.observe = observe
    self.isInWrite = isInWrite
  }

  func ask(_ kind: Question.Kind, _ size: Int) throws {
    if size > 0 { try observe(Question(kind: kind, size: size, isInWrite: isInWrite)) }
  }
}

package struct ObservedReader<Base: StoreReader>: StoreReader {
  package private(set) var inner: Base
  let asker: Asker
  package let prefersSets: Bool

  package init(inner: Base, asker: Asker, prefersSets: Bool) {
    (self.inner, self.asker, self.prefersSets) = (inner, asker, prefersSets)
  }

  package mutating func use(_ schema: Schema) throws { try inner.use(schema) }

  package mutating func storedSchema() throws -> Schema? { try inner.storedSchema() }

  package mutating func hasLeftovers() throws -> Bool { try inner.hasLeftovers() }

  package mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
    try asker.ask(.find, keys.count)
    return try inner.find(keys, of: entity)
  }

  package mutating func find(_ key: PrimaryKey, of entity: Int) throws -> ObjectID? {
    try asker.ask(.find, 1)
    return try inner.find(key, of: entity)
  }

  package mutating func read(
    _ ids: [ObjectID], of entity: Int, _ body: (_ index: Int, Row) throws -> Void
  ) throws {
    try asker.ask(.read, ids.count)
    try inner.read(ids, of: entity, body)
  }

  package mutating func withRow<R>(_ id: ObjectID, of entity: Int, _ body: (Row) throws -> R) throws -> R? {
    try asker.ask(.read, 1)
    return try inner.withRow(id, of: entity, body)
  }

  package mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    try asker.ask(.read, 1)
    return try inner.read(id, of: entity, into: &buffer)
  }

  package mutating func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    try asker.ask(.targets, owners.count * fields.count)
    return try inner.targets(of: owners, entity: entity, fields: fields)
  }

  package mutating func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    try asker.ask(.owners, targets.count)
    return try inner.owners(of: targets, entity: entity, field: field)
  }

  package mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    var copy = self
    defer { self = copy }
    var isEmpty = true
    try inner.forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize) { _, page in
      isEmpty = false
      try copy.asker.ask(.page, page.count)
      return try body(&copy, page)
    }
    if isEmpty { try asker.ask(.page, 1) }
  }

  package mutating func count(of entity: Int) throws -> Int {
    try asker.ask(.count, 1)
    return try inner.count(of: entity)
  }

  package mutating func count(of entity: Int, keys: KeyRange) throws -> Int {
    try asker.ask(.count, 1)
    return try inner.count(of: entity, keys: keys)
  }

}
