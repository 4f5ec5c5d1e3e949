import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapReading

/// Objects by numbers of their own and by the names of their fields, to be put into stores and written from there.
struct Graph: Sendable {
  /// A value that a literal can be.
  struct Content: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
    init(integerLiteral value: Int64) { self.value = .integer(value) }
    init(stringLiteral value: String) { self.value = .string(value) }
    static let null = Content(.null)
  }

  struct Object: Sendable {
    var entity: String
    var values: [String: Content] = [:]
    var one: [String: UInt64] = [:]
    var many: [String: [UInt64]] = [:]
  }

  /// The objects by numbers of the graph, which differ from a store's numbers.
  var objects: [UInt64: Object] = [:]

  init(_ fill: (inout Graph) -> Void = { _ in }) { fill(&self) }

  mutating func add(
    _ id: UInt64, _ entity: String, _ values: [String: Content] = [:], one: [String: UInt64] = [:],
    many: [String: [UInt64]] = [:]
  ) {
    objects[id] = Object(entity: entity, values: values, one: one, many: many)
  }

  // MARK: In a store

  struct Failure: Error {}

  /// Inserts the objects of a schema's entities, in one batch. Targets that are not in the graph are left out.
  ///
  /// - Returns: The store's numbers by the graph's numbers.
  func insert<W: StoreWriter>(into writer: inout W, _ schema: Schema) throws -> [UInt64: ObjectID] {
    let order = schema.entities.map { layout in
      let own = objects.filter { $0.value.entity == layout.name }
      let keyed = own.compactMap { id, object in object.key(layout).map { (key: $0, id: id) } }
      return keyed.sorted { $0.key < $1.key }.map(\.id)
        + own.filter { $0.value.key(layout) == nil }.keys.sorted()
    }
    var numbers: [UInt64: ObjectID] = [:]
    for (entity, ids) in order.enumerated() where !ids.isEmpty {
      let keys = ids.compactMap { objects[$0]?.key(schema.entities[entity]) }
      let reserved = try KeyBatch.lend(keys) { keys in
        try writer.reserve([NumberRequest(entity: entity, keys: keys, count: ids.count)])[0]
      }
      for (offset, id) in ids.enumerated() { numbers[id] = reserved[offset] }
    }
    var rows: [GraphRow] = []
    var batch = ChangeBatch(schema: schema)
    for (entity, ids) in order.enumerated() {
      let layout = schema.entities[entity]
      for id in ids {
        guard let object = objects[id], let number = numbers[id] else { continue }
        let row = GraphRow(object, layout) { target, entity in
          objects[target]?.entity == schema.entities[entity].name ? numbers[target] : nil
        }
        rows.append(row)
        batch.changes.append(
          ObjectChange(
            id: number, entity: entity, isNew: true,
            keyField: object.key(layout) == nil ? nil : layout.keyField, row: row.buffer.unsafeRow))
      }
    }
    try withExtendedLifetime(rows) { try writer.apply(&batch) }
    try writer.finish(&batch)
    return numbers
  }
}

extension Graph.Object {
  fileprivate func key(_ layout: Schema.Entity) -> PrimaryKey? {
    switch layout.keyField.flatMap({ values[layout.fields[$0].name]?.value }) {
    case .integer(let key): .integer(key)
    case .string(let key): .string(key)
    default: nil
    }
  }
}

/// The fields of one object of a graph, with the numbers of a store.
private final class GraphRow {
  var buffer = RowBuffer()

  /// - Parameter number: The store's number of an object of the graph, if it is of the entity.
  init(_ object: Graph.Object, _ layout: Schema.Entity, _ number: (UInt64, Int) -> ObjectID?) {
    buffer.reset(count: layout.fields.count)
    for (index, field) in layout.fields.enumerated() {
      switch field.kind {
      case .attribute:
        if let content = object.values[field.name] { buffer.set(content.value, at: index) }
      case .toOne(let entity, _):
        let target = object.one[field.name].flatMap { number($0, entity) }
        if let target { buffer.copy(.target(target), at: index) }
      case .toMany(let entity, _):
        let targets = (object.many[field.name] ?? []).compactMap { number($0, entity) }
        if !targets.isEmpty { buffer.setTargets(targets, update: .assign, at: index) }
      }
    }
  }
}

/// Asks a store that holds a graph, and counts how often. On demand it fails, or has lost an object.
struct GraphReader<Base: StoreReader>: InterceptedReader {
  var base: Base
  private let numbers: [UInt64: ObjectID]
  var reads = 0
  var failingRead: Int?
  /// Numbers of the graph.
  var lost: Set<UInt64> = []

  /// - Parameter numbers: The store's numbers by the graph's numbers.
  init(_ base: Base, _ numbers: [UInt64: ObjectID]) {
    self.base = base
    self.numbers = numbers
  }

  /// The store's number of an object; one that none has where it is not in the graph.
  subscript(id: UInt64) -> ObjectID { numbers[id] ?? ObjectID(rawValue: .max) }

  mutating func read(_ ids: [ObjectID], of entity: Int, _ body: (Int, Row) throws -> Void) throws {
    var buffer = RowBuffer()
    for (index, id) in ids.enumerated() where try read(id, of: entity, into: &buffer) {
      try body(index, buffer.row)
    }
  }

  mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    reads += 1
    if reads == failingRead { throw Graph.Failure() }
    if lost.contains(where: { self[$0] == id }) { return false }
    return try base.read(id, of: entity, into: &buffer)
  }
}

extension GraphReader where Base == MemoryReader {
  /// Asks a memory store, whose readers may be kept.
  init(_ graph: Graph, _ schema: Schema) throws {
    let store = MemoryStore()
    let numbers = try store.write(schema) { .commit(try graph.insert(into: &$0, schema)) }
    self.init(try store.read(schema) { $0 }, numbers)
  }
}

// The mappings of most tests.
extension Graph {
  static let author = Mapping("Author", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string, at: "n")
  }

  static let tag = Mapping("Tag") { Attribute("text", .string, at: .wholeValue) }

  static let book = Mapping("Book", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("title", .string, at: "t")
    Attribute("year", .integer, at: "info.year")
    Attribute("pages", .integer, at: "info.print.pages")
    ToOne("author", author, at: "info.by")
    ToMany("editors", author)
    ToMany("tags", tag)
  }

  /// A key that is no plain member.
  static let club = Mapping("Club", primaryKey: "id") {
    Attribute("id", .integer, at: "meta.id")
    Attribute("name", .string)
    ToMany("members", member, at: "meta.members")
  }

  static let member: Mapping<Record> = Mapping("Member", primaryKey: "id") {
    Attribute("id", .string)
    ToOne("club", club)
    ToOne("friend", member)
  }

  /// No key, and itself inside of it.
  static let part: Mapping<Record> = Mapping("Part") {
    Attribute("n", .integer)
    ToOne("inner", part)
    ToMany("parts", part)
  }

  static let node: Mapping<Record> = Mapping("Node", primaryKey: "id") {
    Attribute("id", .integer)
    ToOne("child", node)
    ToOne(
      "tail",
      Mapping("NodeRef", entity: "Node", primaryKey: "id") { Attribute("id", .integer, at: .wholeValue) })
  }

  static let shelf = Mapping("Shelf", primaryKey: "id") {
    Attribute("id", .integer, at: "shelf_id")
    Attribute("room", .string, at: "info.room")
    ToMany("books", shelvedBook, at: "info.books")
    ToOne("keeper", author, at: .wholeValue)
  }

  static let shelvedBook: Mapping<Record> = Mapping("Book", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("year", .integer, at: "info.year")
    ToOne("shelf", shelf, at: .wholeValue)
    ToOne("author", author)
  }

  static let clubs = Graph {
    $0.add(1, "Club", ["id": 1, "name": "C"], many: ["members": [2, 3]])
    $0.add(2, "Member", ["id": "a"], one: ["club": 1, "friend": 3])
    $0.add(3, "Member", ["id": "b"], one: ["club": 1, "friend": 2])
  }
}

/// The text of an object of a graph, the same one from every store.
func serialized(
  _ mapping: Mapping<Record>, _ graph: Graph, _ id: UInt64 = 1, in kinds: [StoreKind] = StoreKind.allCases,
  _ change: (inout SerializerOptions) -> Void = { _ in }
) throws -> String {
  var options = SerializerOptions()
  change(&options)
  let serializer = Serializer(try Plan(mapping), options: options)
  let text = try serialized(serializer, graph, id, in: .memory)
  for kind in kinds where kind != .memory {
    try #expect(serialized(serializer, graph, id, in: kind) == text, "\(kind)")
  }
  return text
}

/// The text is the same if the store is asked for sets, however little of them fits into memory.
private func expectSameText(
  _ text: [UInt8], of id: ObjectID, _ serializer: Serializer, from reader: inout some StoreReader
) throws {
  var sets = SetsReader(reader)
  for limit in [PrefetchingReader.limit, 20_000, 1000, 1] where limit > 20_000 || text.count < 10_000 {
    var output = JSONWriter()
    var run = try serializer.borrowRun()
    let gatherer = PrefetchingReader(sets, for: run, limit: limit)
    _ = try sets.reading(ahead: &run, with: gatherer) { try $1.write(id, &$0, &output) }
    #expect(output.bytes == text, "\(limit) bytes")
  }
}

/// The text of an object of a graph, from one store.
func serialized(
  _ serializer: Serializer, _ graph: Graph, _ id: UInt64 = 1, in kind: StoreKind
) throws -> String {
  let schema = serializer.plan.schema
  func text(_ store: some Store) throws -> String {
    _ = try store.prepare(schema)
    let numbers = try store.write(schema) { .commit(try graph.insert(into: &$0, schema)) }
    let id = numbers[id] ?? ObjectID(rawValue: .max)
    return try store.read(schema) { reader in
      var output = JSONWriter()
      let isFound = try serializer.write(id, from: &reader, to: &output)
      #expect(isFound)
      try expectSameText(output.bytes, of: id, serializer, from: &reader)
      return String(decoding: output.bytes, as: UTF8.self)
    }
  }
  return try text(try kind.make())
}
