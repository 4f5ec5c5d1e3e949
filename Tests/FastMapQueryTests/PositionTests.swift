import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

/// Pages behind positions.
@Suite struct PositionTests {
  private final class Task {
    var id = 0
    var title: String?
    var rank: Int?
    var score = 0.0
    static let mapping = Mapping(Task.self, "Task", primaryKey: "id", make: Task.init) {
      Attribute("id", \.id)
      Attribute("title", \.title)
      Attribute("rank", \.rank)
      Attribute("score", \.score)
      Index("rank", "-title")
    }
  }

  private static let json =
    "["
    + (1...12).map { id in
      let rank = id % 4 == 0 ? "null" : "\(id % 3)"
      return #"{"id":\#(id),"rank":\#(rank),"title":"t\#(id % 2)","score":\#(id % 2).5}"#
    }.joined(separator: ",") + "]"

  private static let queries: [(name: String, query: Query<Mapping<Task>>)] = [
    ("by key", Task.mapping.query), ("by -id", Task.mapping.sorted(by: \.id, descending: true)),
    ("by rank", Task.mapping.sorted(by: \.rank)),
    ("by -rank", Task.mapping.sorted(by: \.rank, descending: true)),
    ("by rank, -title", Task.mapping.sorted(by: \.rank).sorted(by: \.title, descending: true)),
    ("by score, -rank", Task.mapping.sorted(by: \.score).sorted(by: \.rank, descending: true)),
    ("of rank 1 by -title", Task.mapping.where { $0.rank == 1 }.sorted(by: \.title, descending: true)),
    ("by lower(title)", Task.mapping.sorted(by: \.title.lowercased, descending: true)),
  ]

  private func world(_ kind: StoreKind) throws -> World {
    try World(kind, Task.mapping, holding: Self.json)
  }

  @Test(arguments: StoreKind.allCases)
  func aPositionHoldsAfterItsObjectHasGoneOrMoved(_ kind: StoreKind) throws {
    for (name, query) in Self.queries {
      for isDeleted in [true, false] {
        let world = try world(kind)
        let all = try world.store.read { try $0.objects(query).map(\.id) }
        let page = try world.store.read { try $0.page(query.limit(2)) }
        let last = try #require(page.elements.last?.id)
        if isDeleted {
          _ = try world.store.delete(Task.mapping.keys([PrimaryKey(last)]))
        } else {
          try world.load(#"{"id":\#(last),"rank":-5,"title":"","score":-9}"#)
        }
        let next = try world.store.read { try $0.objects(query.after(page.position)).map(\.id) }
        #expect(next.filter { $0 != last } == Array(all.dropFirst(2)), "\(name), deleted: \(isDeleted)")
        let count = try world.store.read { try $0.count(query.after(page.position)) }
        #expect(count == next.count)
        if isDeleted {
          #expect(throws: NoSuchObjectError.self) {
            try world.store.read { try $0.objects(query.after(key: last)) }
          }
        }
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func keysAndRecordsBeginAtAPosition(_ kind: StoreKind) throws {
    let world = try world(kind)
    let query = Task.mapping.sorted(by: \.rank)
    let all = try world.store.read { try $0.keys(query) }
    let page = try world.store.read { try $0.recordPage(query.limit(4)) }
    #expect(page.elements.map(\.key) == all.prefix(4).map { $0 })
    try #expect(world.store.read { try $0.keys(query.after(page.position)) } == Array(all.dropFirst(4)))
    let found = try world.store.read { try $0.records(query.after(page.position)) }
    #expect(found.map(\.key) == Array(all.dropFirst(4)))
    let byKey = try world.store.read { try $0.recordPage(Task.mapping.limit(4)) }
    let next = try world.store.read { try $0.keys(Task.mapping.after(byKey.position)) }
    #expect(next == (5...12).map { .integer($0) })
  }

  @Test func aPositionFitsItsMappingFilterAndOrder() throws {
    let world = try world(.memory)
    let query = Task.mapping.where { $0.rank == 1 }.sorted(by: \.title)
    let position = try #require(try world.store.read { try $0.page(query.limit(1)) }.position)
    // Written as text, the same query.
    let text = world.plan().where(try Filter("@.rank==1")).sorted(by: "title")
    try #expect(world.store.read { try $0.keys(text.after(position)) }.count == 2)
    let other = Mapping("Other", entity: "Task", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("title", .string)
      Attribute("rank", .integer)
    }
    func fault<Source: PlanSource>(_ query: Query<Source>) -> String? {
      message { _ = try world.store.read { try $0.records(query.after(position)) } }
    }
    let expected = "expected a position of this mapping, filter and order, found one of another query"
    #expect(fault(Task.mapping.where { $0.rank == 2 }.sorted(by: \.title)) == expected)
    #expect(fault(Task.mapping.where { $0.rank == 1 }) == expected)
    #expect(fault(Task.mapping.where { $0.rank == 1 }.sorted(by: \.title, descending: true)) == expected)
    #expect(fault(Task.mapping.where { $0.rank == 1 }.sorted(by: \.title.lowercased)) == expected)
    #expect(fault(Task.mapping.sorted(by: \.title)) == expected)
    #expect(fault(other.where(try Filter("@.rank == 1")).sorted(by: "title")) == expected)
    #expect(fault(query.limit(3)) == nil)
  }

  @Test func thereIsNoPositionBehindAnObjectWithoutAKey() throws {
    let note = Mapping("Note") { Attribute("text", .string) }
    let mixed = Mapping("Mixed", primaryKey: "id", missingPrimaryKey: .insert) { Attribute("id", .integer) }
    let world = try World(.memory, mixed, note, holding: #"[{"id":1},{},{"id":2}]"#)
    try #expect(world.store.read { try $0.recordPage(mixed.limit(2)) }.elements.count == 2)
    #expect(
      message { _ = try world.store.read { try $0.recordPage(mixed.query) } }
        == "no position follows an object without a key: the last Mixed of the page has none")
    #expect(
      message { _ = try world.store.read { try $0.recordPage(note.query) } }
        == #"a position needs a primary key; the mapping "Note" has none"#)
  }

  @Test(arguments: StoreKind.allCases)
  func aPositionKeepsValuesOfEveryKind(_ kind: StoreKind) throws {
    let mapping = Mapping("Thing", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("flag", .boolean)
      Attribute("count", .integer)
      Attribute("size", .number)
      Attribute("name", .string)
      Attribute("at", .date(.iso8601))
      Attribute("blob", .data)
    }
    let world = try World(kind, mapping)
    try world.load(
      #"""
      [{"id":"é\u0000","flag":true,"count":-7,"size":-0.5,"name":"日本\u0000","at":"2020-01-01T00:00:00.000000001Z","blob":"AAEC"},
       {"id":"b","flag":false,"count":9223372036854775807,"size":1e300,"name":"","at":"0001-01-01T00:00:00Z","blob":""},
       {"id":"c"}]
      """#)
    for field in ["id", "flag", "count", "size", "name", "at", "blob"] {
      for isDescending in [false, true] {
        let query = mapping.sorted(by: field, descending: isDescending)
        let keys = try world.store.read { try $0.keys(query) }
        for place in keys.indices {
          let page = try world.store.read { try $0.recordPage(query.limit(place + 1)) }
          let position = try #require(page.position.map { try Position("\($0)") })
          #expect(
            "\(position)".allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
          let next = try world.store.read { try $0.keys(query.after(position)) }
          #expect(next == Array(keys.dropFirst(place + 1)), "\(field) \(isDescending) \(place)")
        }
      }
    }
  }

  @Test func everyOtherTextIsNoPosition() throws {
    let world = try world(.memory)
    let page = try world.store.read { try $0.page(Task.mapping.sorted(by: \.title).limit(3)) }
    let text = try #require(page.position).description
    try #expect(Position(text) == page.position)
    for other in ["", "p", "pAAAA", "7", "t1", String(text.dropFirst()), text + "=", text + "A", " " + text] {
      #expect(throws: FilterError.self, "\(other)") { try Position(other) }
    }
    for index in text.indices {
      for replacement in ["A", "B", "_", "9", "é"] where String(text[index]) != replacement {
        var changed = text
        changed.replaceSubrange(index...index, with: replacement)
        #expect(throws: FilterError.self) { try Position(changed) }
      }
      #expect(throws: FilterError.self) { try Position(String(text[..<index])) }
    }
    let error = #expect(throws: FilterError.self) {
      try world.store.read { try $0.page(Task.mapping.query.after(Position("garbage")).limit(3)) }
    }
    #expect(error?.description == #"expected the text of a position, found "garbage""#)
  }
}
