package import FastMapCore

/// A store on top of another. A conforming type has only the calls that it changes; the base answers all others.
///
///     final class ShortStore<Base: Store>: InterceptedStore {
///       typealias Writer = ShortWriter<Base.Writer>
///       let base: Base
///       func reader(on reader: Base.Reader, _ schema: Schema) -> ShortReader<Base.Reader> { … }
///       func writer(on writer: Base.Writer, _ schema: Schema) -> Writer { … }
///     }
///
/// A store with the readers of its base is a `StoreOfBaseReaders`. With the writers of its base, it is a `StoreOfBaseWriters`.
package protocol InterceptedStore: Store {
  associatedtype Base: Store

  var base: Base { get }

  /// The reader of a read, on top of the base's.
  func reader(on reader: Base.Reader, _ schema: Schema) -> Reader

  /// The writer of a write, on top of the base's.
  func writer(on writer: Base.Writer, _ schema: Schema) throws -> Writer

  /// Called when the body of a write has returned. An error rolls the write back.
  func willEnd(_ writer: Writer, commits: Bool) throws
}

extension InterceptedStore {
  package var capabilities: StoreCapabilities { base.capabilities }

  package func prepare(_ schema: Schema) throws -> [String] { try base.prepare(schema) }

  package func dropIndex(_ name: String, of entity: String) throws {
    try base.dropIndex(name, of: entity)
  }

  package func willEnd(_ writer: Writer, commits: Bool) {}
}

/// An intercepted store whose readers are the base's.
package protocol StoreOfBaseReaders: InterceptedStore where Reader == Base.Reader {}

extension StoreOfBaseReaders {
  package func reader(on reader: Base.Reader, _ schema: Schema) -> Reader { reader }

  package func read<R>(_ schema: Schema, _ body: (inout Reader) throws -> R) throws -> R {
    try base.read(schema, body)
  }
}

extension InterceptedStore where Reader: InterceptedReader, Reader.Base == Base.Reader {
  package func read<R>(_ schema: Schema, _ body: (inout Reader) throws -> R) throws -> R {
    try base.read(schema) { inner in
      var reader = reader(on: inner, schema)
      defer { inner = reader.base }
      return try body(&reader)
    }
  }
}

/// An intercepted store whose writers are the base's.
package protocol StoreOfBaseWriters: InterceptedStore where Writer == Base.Writer {}

extension StoreOfBaseWriters {
  package func writer(on writer: Base.Writer, _ schema: Schema) -> Writer { writer }

  package func write<R>(
    _ schema: Schema, _ body: (inout Writer) throws -> TransactionCompletion<R>
  ) throws -> R {
    try base.write(schema, body)
  }
}

extension InterceptedStore where Writer: InterceptedWriter, Writer.Base == Base.Writer {
  package func write<R>(
    _ schema: Schema, _ body: (inout Writer) throws -> TransactionCompletion<R>
  ) throws -> R {
    try base.write(schema) { inner in
      var writer = try writer(on: inner, schema)
      defer { inner = writer.base }
      let ending = try body(&writer)
      try willEnd(writer, commits: ending.isCommit)
      return ending
    }
  }
}

extension TransactionCompletion {
  package var isCommit: Bool { if case .commit = self { true } else { false } }
}

/// A reader on top of another, which answers the questions that every store answers itself.
///
/// The others have their default answers, which ask these questions: they pass the calls that a conforming type changes.
/// So a reader without calls for them keeps no indexes and tests no conditions.
package protocol InterceptedReader: LeftoverReader, TextReader {
  associatedtype Base: StoreReader

  var base: Base { get set }

  /// Called before each question to the base. Its error is the error of the question. Each page is a question of its own.
  ///
  /// - Parameter size: The number of objects or keys that it is about.
  func willAsk(_ kind: Question.Kind, _ size: Int) throws
}

extension InterceptedReader {
  package func willAsk(_ kind: Question.Kind, _ size: Int) {}

  package var prefersSets: Bool { base.prefersSets }

  package mutating func use(_ schema: Schema) throws { try base.use(schema) }

  package mutating func storedSchema() throws -> Schema? { try base.storedSchema() }

  package mutating func hasLeftovers() throws -> Bool {
    guard var kept = base as? any LeftoverReader else { return false }
    return try kept.hasLeftovers()
  }

  package mutating func text(_ name: KeptText) throws -> [UInt8]? {
    guard var kept = base as? any TextReader else { return nil }
    return try kept.text(name)
  }

  package mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
    try willAsk(.find, keys.count)
    return try base.find(keys, of: entity)
  }

  package mutating func read(
    _ ids: [ObjectID], of entity: Int, _ body: (_ index: Int, Row) throws -> Void
  ) throws {
    try willAsk(.read, ids.count)
    try base.read(ids, of: entity, body)
  }

  package mutating func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]] {
    try willAsk(.targets, owners.count * fields.count)
    return try base.targets(of: owners, entity: entity, fields: fields)
  }

  package mutating func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]] {
    try willAsk(.owners, targets.count)
    return try base.owners(of: targets, entity: entity, field: field)
  }

  package mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout Self, ObjectPage) throws -> Bool
  ) throws {
    var copy = self
    defer { self = copy }
    var isEmpty = true
    try base.forEachPage(of: entity, keys: keys, isDescending: isDescending, pageSize: pageSize) { _, page in
      isEmpty = false
      try copy.willAsk(.page, page.count)
      return try body(&copy, page)
    }
    if isEmpty { try willAsk(.page, 1) }
  }

  package mutating func count(of entity: Int) throws -> Int {
    try willAsk(.count, 1)
    return try base.count(of: entity)
  }
}

/// A writer on top of another.
package protocol InterceptedWriter: TextWriter {
  associatedtype Base: StoreWriter

  var base: Base { get set }

  /// Called before each question to the base, except the questions of its reader. Its error is the error of the question.
  ///
  /// - Parameter size: The number of objects, keys or changes that it is about.
  func willAsk(_ kind: Question.Kind, _ size: Int) throws
}

extension InterceptedWriter {
  package func willAsk(_ kind: Question.Kind, _ size: Int) {}

  package var notes: [String] { base.notes }
  package var hasStoredDefaults: Bool { base.hasStoredDefaults }

  package mutating func use(_ schema: Schema) throws { try base.use(schema) }

  package var keepsMappings: Bool { (base as? any TextWriter)?.keepsMappings ?? false }

  package mutating func keep(_ text: [UInt8], as name: KeptText) throws {
    guard var kept = base as? any TextWriter else { return }
    try kept.keep(text, as: name)
    if let changed = kept as? Base { base = changed }
  }

  package mutating func resolve(_ lookups: [KeyLookup]) throws {
    try willAsk(.resolve, lookups.reduce(0) { $0 + $1.keys.count })
    try base.resolve(lookups)
  }

  package mutating func reserve(_ requests: [NumberRequest]) throws -> [ObjectNumbers] {
    try willAsk(.reserve, requests.reduce(0) { $0 + $1.count })
    return try base.reserve(requests)
  }

  package mutating func apply(_ changes: inout ChangeBatch) throws {
    try willAsk(.apply, changes.changes.count)
    try base.apply(&changes)
  }

  /// No question: it waits for the answer to `apply`.
  package mutating func finish(_ changes: inout ChangeBatch) throws { try base.finish(&changes) }

  package mutating func references(
    to ids: [ObjectID], of entity: Int, after last: Reference?, limit: Int
  ) throws -> [[Reference]] {
    try willAsk(.references, ids.count)
    return try base.references(to: ids, of: entity, after: last, limit: limit)
  }

  package mutating func delete(_ ids: [ObjectID], of entity: Int) throws -> [ObjectID] {
    try willAsk(.delete, ids.count)
    return try base.delete(ids, of: entity)
  }

  package mutating func changed(_ ids: [ObjectID], of entity: Int) throws -> [Bool] {
    try willAsk(.changed, ids.count)
    return try base.changed(ids, of: entity)
  }

  package mutating func buildIndexes(_ onProgress: (_ done: Int, _ total: Int) throws -> Void) throws {
    try base.buildIndexes(onProgress)
  }

  package mutating func forEachDuplicate(limit: Int, _ body: (DuplicateValues) throws -> Void) throws {
    try base.forEachDuplicate(limit: limit, body)
  }

  package mutating func keepLeftovers(_ leftovers: [Leftover], of keeper: AnyObject?) throws -> AnyObject? {
    try willAsk(.keepLeftovers, 1)
    return try base.keepLeftovers(leftovers, of: keeper)
  }

  package mutating func claimLeftovers(of keeper: AnyObject?) throws -> [Leftover] {
    try willAsk(.claimLeftovers, 1)
    return try base.claimLeftovers(of: keeper)
  }
}
