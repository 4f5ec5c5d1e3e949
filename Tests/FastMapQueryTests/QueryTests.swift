import FastMapCore
import FastMapModels
import FastMapStoreTesting
import TestSupport
import Testing

/// Queries of classes and records on every store.
@Suite struct QueryTests {
  final class Author {
    var id = 0
    var name = ""
    var books: [Book] = []
    static let mapping: Mapping<Author> = Mapping(Author.self, "Author", primaryKey: "id", make: Author.init)
    {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToMany("books", \.books, Book.mapping)
    }
  }

  final class Book {
    var id = 0
    var title: String?
    var price = 0.0
    var author: Author?
    static let mapping: Mapping<Book> = Mapping(Book.self, "Book", primaryKey: "id", make: Book.init) {
      Attribute("id", \.id)
      Attribute("title", \.title)
      Attribute("price", \.price)
      ToOne("author", \.author, Author.mapping)
    }
  }

  static let json = #"""
    [{"id": 1, "title": "Dune", "price": 9.5, "author": {"id": 7, "name": "Frank", "books": [{"id": 1}, {"id": 2}]}},
     {"id": 2, "title": "Emma", "price": 4, "author": {"id": 8, "name": "Jane"}},
     {"id": 3, "price": 4}, {"id": 4, "title": "Dune 2", "price": 12, "author": {"id": 7}}]
    """#

  func world(_ kind: StoreKind) throws -> World {
    try World(kind, Book.mapping, holding: Self.json)
  }

  func query(_ text: String) throws -> Query<Mapping<Book>> { Book.mapping.where(try Filter(text)) }

  @Test(arguments: StoreKind.allCases)
  func instancesOfAQueryComeInItsOrder(_ kind: StoreKind) throws {
    let world = try world(kind)
    try world.store.read { snapshot in
      let books = try snapshot.objects(query("@.author.name == 'Frank'"), including: \.author.books)
      #expect(books.map(\.id) == [1, 4])
      #expect(books[0].author === books[1].author)
      #expect(books[0].author?.books.map(\.id) == [1, 2])
      let sorted = sorted(by: "price", descending: true)
      try #expect(snapshot.objects(sorted).map(\.id) == [4, 1, 2, 3])
      try #expect(snapshot.objects(sorted.after(key: 1).limit(1)).map(\.id) == [2])
      try #expect(snapshot.first(sorted)?.id == 4)
      try #expect(snapshot.first(query("@.price > 100")) == nil)
      try #expect(snapshot.count(Book.mapping.query) == 4)
    }
  }

  func sorted(by name: String, descending: Bool = false) -> Query<Mapping<Book>> {
    Book.mapping.query.sorted(by: [name], descending: descending)
  }

  /// A property is found by any mapping of the entity.
  @Test(arguments: StoreKind.allCases)
  func aPropertyIsItsField(_ kind: StoreKind) throws {
    let world = try world(kind)
    let path = FilterPath([FilterStep(.property(\Book.author)), FilterStep(.property(\Author.name))])
    let filter = Filter(.compare(.path(path), .equal, .literal(.string("Jane"))))
    try world.store.read { snapshot in
      try #expect(snapshot.objects(Book.mapping.where(filter)).map(\.id) == [2])
    }
    let unknown = Filter(.exists(FilterPath([FilterStep(.property(\Author.name))])))
    let error = message { _ = try unknown.bound(to: Book.mapping.plan()) }
    #expect(error?.contains("no mapping of Book has the property") ?? false)
  }

  @Test(arguments: StoreKind.allCases)
  func anAfterWithoutObjectIsAnError(_ kind: StoreKind) throws {
    let world = try world(kind)
    for query in [sorted(by: "price"), Book.mapping.query] {
      #expect(
        message { _ = try world.store.read { try $0.objects(query.after(key: 99)) } }
          == "no Book with the key 99")
    }
  }

  /// The index says at once that there is no result, because there is no such author.
  @Test(arguments: StoreKind.allCases)
  func anAfterWithoutObjectIsAnErrorOfACountToo(_ kind: StoreKind) throws {
    let author = Mapping("Author", primaryKey: "id") { Attribute("id", .integer) }
    let world = try World(
      kind,
      Mapping("Book", primaryKey: "id") {
        Attribute("id", .integer)
        ToOne("author", author)
        Index("author")
      })
    try world.load(#"[{"id":1,"author":{"id":7}}]"#)
    let plan = world.plan()
    let query = plan.where(try Filter("@.author == 12345"))
    try world.store.read(plan) { snapshot in
      try #expect((snapshot.count(query), snapshot.count(query.after(key: 1))) == (0, 0))
      #expect(message { _ = try snapshot.count(query.after(key: 999)) } == "no Book with the key 999")
      #expect(message { _ = try snapshot.keys(query.after(key: 999)) } == "no Book with the key 999")
      #expect(message { _ = try snapshot.count(plan.after(key: 999)) } == "no Book with the key 999")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func theKeyNarrowsTheSearch(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.tag)
    try world.load(
      "[" + (1...500).map { #"{"id": \#($0), "t": "\#($0 % 10)"}"# }.joined(separator: ",") + "]")
    // Where the store tests a filter, FastMap looks only at the objects that the store has found.
    let tested = [
      "@.text == '3'": "scan of Tag: 50 objects looked at, 50 found, the store tested the filter",
      "@.tagID > 490 && @.text == '3'":
        "Tag, keys from 491: 1 object looked at, 1 found, the store tested the filter",
      "30 >= @.tagID && @.text == '3'":
        "Tag, keys to 30: 3 objects looked at, 3 found, the store tested the filter",
      "search(@.text, '[3]') && @.text == '3'":
        "scan of Tag: 50 objects looked at, 50 found, the store tested 1 of 2 conditions",
    ]
    let cases: [(filter: String, explanation: String)] = [
      ("@.text == '3'", "scan of Tag: 500 objects looked at, 50 found"),
      ("search(@.text, '[3]') && @.text == '3'", "scan of Tag: 500 objects looked at, 50 found"),
      ("@.tagID == 7", "Tag, the key 7: 1 object looked at, 1 found"),
      ("@ == 7 && @.text == '3'", "Tag, the key 7: 1 object looked at, 0 found"),
      ("@.tagID == 7 || @.tagID == 999", "Tag, the keys 7, 999: 1 object looked at, 1 found"),
      ("@.tagID >= 10 && @.tagID < 20", "Tag, keys from 10 to before 20: 10 objects looked at, 10 found"),
      ("@.tagID > 490 && @.text == '3'", "Tag, keys from 491: 10 objects looked at, 1 found"),
      ("30 >= @.tagID && @.text == '3'", "Tag, keys to 30: 30 objects looked at, 3 found"),
      (
        "@.tagID > 5 && @.tagID < 5",
        "Tag, nothing, as the filter is never true: 0 objects looked at, 0 found"
      ),
      ("@.tagID < null", "Tag, nothing, as the filter is never true: 0 objects looked at, 0 found"),
      ("@.tagID >= 1.5 && @.tagID <= 3", "Tag, keys from 2 to 3: 2 objects looked at, 2 found"),
    ]
    try world.store.read(world.plan()) { snapshot in
      for (text, explanation) in cases {
        let query = world.plan().where(try Filter(text))
        let expected = kind == .postgres ? tested[text] ?? explanation : explanation
        try #expect(snapshot.explain(query).description == expected)
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aPrefixOfAStringKeyIsARange(_ kind: StoreKind) throws {
    let world = try World(kind, Model.team)
    try world.load(
      "["
        + ["a", "ab", "abz", "ac", "b", "\u{D7FF}", "\u{D7FF}x", "\u{E000}"].map { #"{"code": "\#($0)"}"# }
        .joined(separator: ",") + "]")
    func found(_ prefix: String) throws -> [PrimaryKey] {
      let code = FilterTerm.path(FilterPath([FilterStep(.name("code"))]))
      let filter = Filter(.text(code, .hasPrefix, .literal(.string(prefix))))
      return try world.store.read(world.plan()) { try $0.keys(world.plan().where(filter)) }
    }
    try #expect(found("ab") == ["ab", "abz"])
    try #expect(found("\u{D7FF}") == ["\u{D7FF}", "\u{D7FF}x"])
    try #expect(found("").count == 8)
    try #expect(found("x") == [])
  }

  /// Integers and numbers are compared without rounding.
  @Test(arguments: StoreKind.allCases)
  func numbersCompareByExactValue(_ kind: StoreKind) throws {
    let mapping = Mapping("Number", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("i", .integer)
      Attribute("d", .number)
    }
    let world = try World(kind, mapping)
    try world.load(
      #"""
      [{"id": 1, "i": 9007199254740993, "d": 9007199254740992},
       {"id": 2, "i": 9223372036854775807, "d": 9223372036854775808.0},
       {"id": 3, "i": -9223372036854775808, "d": -9223372036854775808.0}, {"id": 4, "i": 2, "d": 2.5}]
      """#)
    func found(_ text: String) throws -> [PrimaryKey] {
      try world.store.read(mapping) { try $0.keys(mapping.where(Filter(text))) }
    }
    try #expect(found("@.i > @.d") == [1])
    try #expect(found("@.i < @.d") == [2, 4])
    try #expect(found("@.i == @.d") == [3])
    try #expect(found("@.i == 9007199254740992.0") == [])
    try #expect(found("@.i < 9223372036854775808") == [1, 2, 3, 4])
    try #expect(found("@.d == 9223372036854775808") == [2])
    try #expect(found("@.d >= 9223372036854775807") == [2])
    try #expect(found("@.d == 2.5") == [4])
  }

  @Test(arguments: StoreKind.allCases)
  func insideJSONTheRFCHolds(_ kind: StoreKind) throws {
    let mapping = Mapping("Note", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("body", .json)
      Attribute("title", .string)
    }
    let world = try World(kind, mapping)
    try world.load(
      #"""
      [{"id": 1, "body": {"a": null, "k\"é": 1, "list": [1, 2.0, "x\u00e9\n", [3], {"b": true}]}},
       {"id": 2, "body": [10, {"a": {"z": 1, "y": [2]}}, {"a": {"y": [2.0], "z": 1}}]}, {"id": 3, "title": "t"},
       {"id": 4, "body": "t", "title": "t"}, {"id": 5, "body": {"n": 1e2, "big": 18446744073709551615}}]
      """#)
    func found(_ text: String) throws -> [PrimaryKey] {
      try world.store.read(mapping) { try $0.keys(mapping.where(Filter(text))) }
    }
    try #expect(found("@.body.a == null") == [1])
    try #expect(found("@.body.a") == [1])
    try #expect(found("@.body.missing == null") == [])
    try #expect(found("@.body == null") == [3])
    try #expect(found("!@.body") == [3])
    try #expect(found(#"@.body["k\"é"] == 1"#) == [1])
    try #expect(found("@.body.list[2] == 'xé\\n'") == [1])
    try #expect(found("@.body.list[1] == 2") == [1])
    try #expect(found("@.body.list[-1].b == true") == [1])
    try #expect(found("@.body[1].a == @.body[2].a") == [1, 2, 3, 4, 5])
    try #expect(found("@.body[1].a != @.body[2].a") == [])
    try #expect(found("@.body == @.title") == [4])
    try #expect(found("@.body.n == 100") == [5])
    try #expect(found("@.body.big == 18446744073709551615") == [5])
    try #expect(found("length(@.body.list[2]) == 3") == [1])
    try #expect(found("length(@.body) == 3") == [1, 2])
    try #expect(found("count(@.body.list[?@ > 1]) == 1") == [1])
    try #expect(found("@.body[*][?@.z == 1]") == [2])
    try #expect(found("value(@.body[?@ == 10]) == 10") == [2])
    try #expect(found("search(@.body.list[2], 'é')") == [1])
    try #expect(found("@.body.list[::-2]") == [1])
  }

  /// The key says nothing of their order.
  @Test(arguments: StoreKind.allCases)
  func objectsWithoutAKeyAreSortedByTheNextTerm(_ kind: StoreKind) throws {
    let mapping = Mapping("Note", primaryKey: "id", missingPrimaryKey: .insert) {
      Attribute("id", .integer)
      Attribute("n", .integer)
    }
    let world = try World(kind, mapping)
    try world.load(#"[{"n": 3}, {"id": 1, "n": 9}, {"n": 1}, {"id": 2, "n": 8}, {"n": 2}]"#)
    func numbers(_ query: Query<Mapping<Record>>) throws -> [Value?] {
      try world.store.read(mapping) { try $0.records(query).map { $0["n"] } }
    }
    let id = mapping.sorted(by: "id")
    try #expect(numbers(id) == [3, 1, 2, 9, 8].map { .integer($0) })
    try #expect(numbers(id.sorted(by: "n")) == [1, 2, 3, 9, 8].map { .integer($0) })
  }

  @Test(arguments: StoreKind.allCases)
  func theLargestResultsAreKeptOfMany(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.tag)
    let count = kind == .memory ? 3000 : TestSize.count(small: 700, whole: 3000)
    try world.load(
      "[" + (0..<count).map { #"{"id": \#($0), "t": "\#($0 * 7919 % count)"}"# }.joined(separator: ",") + "]")
    let text = "text"
    let expected = (0..<count).map { (PrimaryKey($0), "\($0 * 7919 % count)") }.sorted { $0.1 < $1.1 }.map(
      \.0)
    try world.store.read(world.plan()) { snapshot in
      let query = world.plan().query.sorted(by: text, descending: false)
      try #expect(snapshot.keys(query) == expected)
      for limit in [1, 10, 300, count - 1] {
        try #expect(snapshot.keys(query.limit(limit)) == Array(expected.prefix(limit)))
      }
      try #expect(
        snapshot.keys(world.plan().query.sorted(by: text, descending: true).limit(5))
          == Array(expected.reversed().prefix(5)))
    }
  }

  static let node: Mapping<Record> = Mapping("Node", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToMany("next", node)
  }

  static let looseNode: Mapping<Record> = Mapping("Node", primaryKey: "id", missingPrimaryKey: .insert) {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToMany("next", looseNode)
  }

  /// Each list on a path is compiled and asked once. Twice would be 2^40.
  @Test(arguments: StoreKind.allCases)
  func aPathOfManyListsTakesLinearTime(_ kind: StoreKind) throws {
    let node = Self.node
    let world = try World(kind, node)
    // 1 leads to itself, 2 to 1 and 3, which leads nowhere.
    try world.load(
      #"[{"id": 1, "name": "a", "next": [1]}, {"id": 2, "next": [3, 1]}, {"id": 3, "next": []}]"#)
    let path = "@" + String(repeating: ".next[*]", count: 40)
    for (text, keys) in [
      (path, [1, 2]), ("count(\(path)) == 1", [1, 2]), ("count(\(path)) == 0", [3]),
      ("value(\(path).name) == 'a'", [1, 2]), ("!\(path)", [3]),
    ] {
      let found = try world.store.read(node) { try $0.keys(node.where(Filter(text))) }
      #expect(found == keys.map { PrimaryKey($0) }, "\(text.suffix(30))")
    }
  }

  /// The only target of a list as a key: with filters inside, each compiled and asked once. Twice would be 2^30.
  @Test(arguments: StoreKind.allCases, [false, true])
  func aValueInsideOfAnotherTakesLinearTime(_ kind: StoreKind, _ mayLackKey: Bool) throws {
    let node = mayLackKey ? Self.looseNode : Self.node
    let world = try World(kind, node)
    try world.load(
      #"[{"id": 1, "name": "a", "next": [1]}, {"id": 2, "next": [3, 1]}, {"id": 3, "next": []}]"#)
    func nested(_ opening: String, _ core: String, _ closing: String, _ count: Int) -> String {
      String(repeating: opening, count: count) + core + String(repeating: closing, count: count)
    }
    for (text, keys) in [
      (nested("value(@.next[?", "@.id == 1", "]) == @.id", 30), [1]),
      (nested("@.id == value(@.next[?", "@.id == 1", "])", 30), [1]),
      (nested("value(@.next[?", "@.id == 1", "]) != @.id", 1), [2, 3]),
      (nested("value(@.next[*].next[?", "@.name == 'a'", "].name) == 'a'", 30), [1, 2]),
      (nested("value(@.next[?", "@.name == 'a'", "].next[*].name) == @.name", 30), [1, 3]),
      (nested("value(@.next[?", "@.id == 1", "]) < 5", 30), [1, 2]),
    ] {
      let found = try world.store.read(node) { try $0.keys(node.where(Filter(text))) }
      #expect(found == keys.map { PrimaryKey($0) }, "\(text.suffix(40))")
    }
  }

  /// More than is copied before it is known which values are asked for.
  @Test(arguments: StoreKind.allCases)
  func manyLargeValuesInsideOfOthersAreFound(_ kind: StoreKind) throws {
    let world = try World(kind, Self.node)
    // 20 of them are more than that on one store.
    let isShort = kind != StoreKind.allCases[0]
    let name = String(
      repeating: "x", count: isShort ? TestSize.count(small: 1 << 14, whole: 1 << 20) : 1 << 20)
    for first in stride(from: 1, through: 20, by: 5) {
      let objects = (first..<first + 5).map { id in
        let longer = name + String(repeating: "y", count: id)
        return #"{"id": \#(id), "name": "\#(longer)", "next": [\#(id % 20 + 1)]}"#
      }
      try world.load("[\(objects.joined(separator: ","))]")
    }
    for (text, keys) in [
      ("length(value(@.next[*].next[*].name)) == \(name.utf8.count + 5)", [3]),
      ("length(value(@.next[*].next[*].name)) > \(name.utf8.count + 17)", [16, 17, 18]),
    ] {
      let found = try world.store.read(Self.node) { try $0.keys(Self.node.where(Filter(text))) }
      #expect(found == keys.map { PrimaryKey($0) }, "\(text)")
    }
  }
}
