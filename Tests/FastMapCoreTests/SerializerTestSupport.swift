import FastMapCore
import Testing

/// Objects in a dictionary, by the names of their fields: a store whose only use is to be written.
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
    var one: [String: ObjectID] = [:]
    var many: [String: [ObjectID]] = [:]
  }

  var objects: [ObjectID: Object] = [:]

  init(_ fill: (inout Graph) -> Void = { _ in }) { fill(&self) }

  mutating func add(
    _ id: ObjectID, _ entity: String, _ values: [String: Content] = [:], one: [String: ObjectID] = [:],
    many: [String: [ObjectID]] = [:]
  ) {
    objects[id] = Object(entity: entity, values: values, one: one, many: many)
  }
}

/// Answers from a graph, and counts how often it is asked.
struct GraphReader: StoreReader {
  let graph: Graph
  let schema: Schema
  var reads = 0

  struct Failure: Error {}
  var failingRead: Int?

  init(_ graph: Graph, _ schema: Schema) {
    self.graph = graph
    self.schema = schema
  }

  mutating func use(_ schema: Schema) {}
  mutating func find(_ key: PrimaryKey, of entity: Int) -> ObjectID? { nil }

  mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool {
    reads += 1
    if reads == failingRead { throw Failure() }
    guard let object = graph.objects[id], object.entity == schema.entities[entity].name else { return false }
    let fields = schema.entities[entity].fields
    buffer.reset(count: fields.count)
    for (index, field) in fields.enumerated() {
      switch field.kind {
      case .attribute: if let content = object.values[field.name] { buffer.set(content.value, at: index) }
      case .toOne: if let target = object.one[field.name] { buffer.setTarget(target, at: index) }
      case .toMany: break
      }
    }
    return true
  }

  mutating func targets(of owners: [ObjectID], entity: Int, field: Int) -> [[ObjectID]] {
    owners.map { graph.objects[$0]?.many[schema.entities[entity].fields[field].name] ?? [] }
  }

  mutating func forEach(
    of entity: Int, keys: KeyRange?, _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool
  ) throws {
    for id in ids(of: entity) where try !body(&self, id, nil) { return }
  }

  mutating func count(of entity: Int) -> Int { ids(of: entity).count }

  private func ids(of entity: Int) -> [ObjectID] {
    graph.objects.filter { $0.value.entity == schema.entities[entity].name }.map(\.key).sorted()
  }
}

// The mappings of most tests.
extension Graph {
  static let author = Mapping("Author", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string, at: "n")
  }

  static let tag = Mapping("Tag") { Attribute("text", .string, at: nil) }

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
    ToOne("tail", Mapping("NodeRef", entity: "Node", primaryKey: "id") { Attribute("id", .integer, at: nil) })
  }

  static let shelf = Mapping("Shelf", primaryKey: "id") {
    Attribute("id", .integer, at: "shelf_id")
    Attribute("room", .string, at: "info.room")
    ToMany("books", shelvedBook, at: "info.books")
    ToOne("keeper", author, at: nil)
  }

  static let shelvedBook: Mapping<Record> = Mapping("Book", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("year", .integer, at: "info.year")
    ToOne("shelf", shelf, at: nil)
    ToOne("author", author)
  }

  static let clubs = Graph {
    $0.add(1, "Club", ["id": 1, "name": "C"], many: ["members": [2, 3]])
    $0.add(2, "Member", ["id": "a"], one: ["club": 1, "friend": 3])
    $0.add(3, "Member", ["id": "b"], one: ["club": 1, "friend": 2])
  }
}

/// The text of an object of a graph.
func serialized(
  _ mapping: Mapping<Record>, _ graph: Graph, _ id: ObjectID = 1,
  _ change: (inout SerializerOptions) -> Void = { _ in }
) throws -> String {
  var options = SerializerOptions()
  change(&options)
  let plan = try Plan(mapping)
  var reader = GraphReader(graph, plan.schema)
  var output = JSONWriter()
  #expect(try Serializer(plan, options: options).write(id, from: &reader, to: &output))
  return String(decoding: output.bytes, as: UTF8.self)
}

/// The same numbers every time.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
