import FastMapCore
import FastMapLMDB
import FastMapStoreTesting
import Synchronization
import TestSupport
import Testing

@testable import FastMapReading

/// A store that answers about other objects than it was asked about is an error on every way, and a write changes nothing.
@Suite struct StoreAnswerTests {
  private static let person: Mapping<Record> = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("friends", other, policy: .merge, isWeak: true)
  }
  private static let other = Mapping("Other", entity: "Person", primaryKey: "id") {
    Attribute("id", .integer)
  }
  private static let comment: Mapping<Record> = Mapping("Comment") {
    Attribute("text", .string)
    ToMany("replies", comment)
  }
  private static let line = Mapping("Line") { Attribute("text", .string) }
  private static let page = Mapping("Page", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("lines", line)
  }
  private static let part = Mapping("Part", primaryKey: "id", missingPrimaryKey: .owned) {
    Attribute("id", .integer)
    Attribute("text", .string)
  }
  private static let shelf = Mapping("Shelf", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("parts", part)
  }

  private static func book(_ policy: RelationshipPolicy) -> Mapping<Record> {
    Mapping("Book", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("tags", Mapping("Tag", primaryKey: "id") { Attribute("id", .integer) }, policy: policy)
    }
  }

  private final class Book {
    var id = 0
    var title: String?
    static let mapping = Mapping(Book.self, "Book", primaryKey: "id", make: Book.init) {
      Attribute("id", \.id)
      Attribute("title", \.title)
    }
    /// The same entity.
    static let record = Mapping<Record>("Book", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("title", .string)
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let faults: [StoreFault]
    let mapping: Mapping<Record>
    let stored: String
    let act: @Sendable (SetsStore<ScratchStore>, Mapping<Record>) throws -> Void

    init(
      _ description: String, _ faults: [StoreFault], _ mapping: Mapping<Record>, _ stored: String,
      _ act: @escaping @Sendable (SetsStore<ScratchStore>, Mapping<Record>) throws -> Void
    ) {
      (testDescription, self.faults, self.mapping) = (description, faults, mapping)
      (self.stored, self.act) = (stored, act)
    }

    init(
      _ description: String, _ faults: [StoreFault], _ mapping: Mapping<Record>, _ stored: String,
      payload: String
    ) {
      self.init(description, faults, mapping, stored) { store, mapping in
        _ = try Mapper(store).importJSON(payload, as: mapping)
      }
    }
  }

  private static let lists: [StoreFault] = [.fewerLists, .fewerFields]

  static let cases: [Case] = [
    Case(
      "late links", lists + [.farRows], person, #"[{"id":5},{"id":1,"friends":[5]}]"#,
      payload: #"[{"id":1,"friends":[2]},{"id":2}]"#),
    Case(
      "custom policies", lists, book(.custom { $0.new }), #"{"id":1,"tags":[{"id":1}]}"#,
      payload: #"{"id":1,"tags":[{"id":2}]}"#),
    Case(
      "owned objects", lists, page, #"{"id":1,"lines":[{"text":"a"}]}"#,
      payload: #"{"id":1,"lines":[{"text":"b"}]}"#),
    Case(
      "owned objects among others", lists + [.farRows, .shortRows, .fewerResults], shelf,
      #"{"id":1,"parts":[{"id":2},{"text":"a"}]}"#, payload: #"{"id":1,"parts":[{"text":"b"}]}"#),
    Case("a deletion of keys", [.fewerResults] + lists, page, #"{"id":1,"lines":[{"text":"a"}]}"#) {
      store, page in
      try store.delete(page.query(of: "Page").keys([1, 2]))
    },
    Case("a deletion of all", lists, page, #"{"id":1,"lines":[{"text":"a"}]}"#) { store, page in
      try store.delete(page.query(of: "Page"))
    },
    Case("owned roots of an export", lists, comment, #"{"text":"a","replies":[{"text":"b"}]}"#) {
      store, comment in
      _ = try store.exported(comment)
    },
    Case("instances of keys", [.fewerResults], Book.record, #"[{"id":1},{"id":2}]"#) { store, _ in
      _ = try store.read { try $0.objects(Book.mapping.keys([1, 2]), depth: .max) }
    },
    Case(
      "new objects", [.fewerNumbers, .lastNumbers], page, "[]", payload: #"{"id":1,"lines":[{"text":"b"}]}"#),
    Case("leftovers of an import", [.farLeftovers], page, #"{"id":1}"#, payload: #"{"id":2}"#),
    Case("leftovers with a deletion", [.farLeftovers], page, #"{"id":1}"#) { store, page in
      try store.delete(page.query(of: "Page").keys([1]))
    },
    Case(
      "targets that a custom policy knows from elsewhere", [.farRows], book(.assign),
      #"[{"id":1,"tags":[{"id":1}]},{"id":2}]"#
    ) { store, book in
      let plan = try book.plan()
      let tag = try #require(plan.schema.entities.firstIndex { $0.name == "Tag" })
      let known = try #require(try store.read(plan.schema) { try $0.find(1, of: tag) })
      let asking = Self.book(.custom { $0.new + [known] })
      _ = try Mapper(store).importJSON(#"{"id":2,"tags":[{"id":2}]}"#, as: asking)
    },
  ]

  @Test(arguments: cases)
  func aSetOfAnswersIsChecked(_ test: Case) throws {
    for fault in test.faults {
      let base = try ScratchStore()
      _ = try Mapper(base).importJSON(test.stored, as: test.mapping)
      let before = try base.exported(test.mapping)
      #expect(throws: StoreContractError.self, "\(fault)") {
        try test.act(SetsStore(base, fault), test.mapping)
      }
      #expect(try base.exported(test.mapping) == before)
    }
  }

  /// The defaults of the protocol ask for a set of one.
  @Test(arguments: StoreFault.ofReads)
  func anAnswerAboutOneObjectIsChecked(_ fault: StoreFault) throws {
    let store = try ScratchStore()
    let node: Mapping<Node> = Node.mapping
    _ = try Mapper(store).importJSON(#"{"id":1,"next":{"id":2},"others":[{"id":2}]}"#, as: node)
    let plan = try node.plan()
    let serializer = try Serializer(node)
    let words =
      switch fault {
      case .shortRows: "read(_:of:_:): expected 3 fields in a row, found 2"
      case .farRows: "read(_:of:_:): expected positions below 1, found 1"
      case .fewerLists: "targets(of:entity:fields:): expected 1 lists, found 0"
      case .fewerFields: "targets(of:entity:fields:): expected 1 fields, found 0"
      default: "find(_:of:): expected 1 results, found 0"
      }
    func expect(_ what: String, _ body: (inout SetsReader<LMDBReader>) throws -> Void) throws {
      _ = try store.readInSets(plan.schema) { reader in
        reader.prefersSets = false
        reader.fault = fault
        let error = #expect(throws: StoreContractError.self, "\(what)") { try body(&reader) }
        #expect(error?.description == words, "\(what)")
      }
    }
    try expect("a record") { reader in
      var snapshot = Snapshot(reader, plan.schema)
      _ = try snapshot.record("Node", key: 1)
    }
    try expect("an instance") { reader in
      var snapshot = Snapshot(reader, plan.schema)
      _ = try snapshot.object(node, key: 1, depth: .max)
    }
    if fault == .fewerResults { return }
    try expect("text") { reader in try serializer.export(from: &reader) { _ in } }
    if fault != .shortRows, fault != .farRows { return }
    try expect("rows") { reader in
      var snapshot = Snapshot(reader, plan.schema)
      try snapshot.forEachRow(plan) { _, _ in true }
    }
  }

  private final class Node {
    var id = 0
    var next: Node?
    var others: [Node] = []
    static let mapping: Mapping<Node> = Mapping(Node.self, "Node", primaryKey: "id", make: Node.init) {
      Attribute("id", \.id)
      ToOne("next", \.next, mapping)
      ToMany("others", \.others, mapping)
    }
  }

  /// Targets that many owners share are asked for once, and a question has a limit.
  @Test func whichTargetsHaveAKeyIsAskedOnceForEach() throws {
    func rows(shelves: Int, parts: Int) throws -> (all: Int, most: Int) {
      let base = try ScratchStore()
      func payload(_ text: String) -> String {
        let shared = (0..<parts).map { #"{"id":\#($0)}"# }.joined(separator: ",")
        let all = (0..<shelves).map { #"{"id":\#($0),"parts":[{"text":"\#(text)"},\#(shared)]}"# }
        return "[\(all.joined(separator: ","))]"
      }
      _ = try Mapper(base).importJSON(payload("a"), as: Self.shelf)
      let store = SetsStore(base)
      let report = try Mapper(store).importJSON(payload("b"), as: Self.shelf)
      #expect(report["Part"]?.inserted == shelves && report["Part"]?.deleted == shelves)
      return store.rows.withLock { $0 }
    }
    let shared = try rows(shelves: 50, parts: 100)
    #expect(shared.all >= 150)
    #expect(shared.all < 400)
    let many = try rows(shelves: 1, parts: 5000)
    #expect(many.all >= 5001)
    #expect(many.most <= 4096)
  }
}
