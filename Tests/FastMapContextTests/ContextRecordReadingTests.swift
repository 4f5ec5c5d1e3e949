import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapContexts

/// A context's reads of entities without a class, on every store. A store that keeps instances has copies of records.
@Suite struct ContextRecordReadingTests {
  @Test(arguments: StoreKind.allCases)
  func aReadHasItsIncludesAndTheRestIsAnErrorToRead(_ kind: StoreKind) throws {
    let (_, context) = try Library.recordWorld(kind)
    let book = try #require(try context.record("Book", key: 1, including: ["author", "editors", "notes"]))
    #expect((book.entity, book.key) == ("Book", 1))
    #expect((book["title"], book["price"], book["rating"]) == ("Dune", 9.5, 5))
    #expect(book["tags"] == .json(#"["sand","spice"]"#))
    #expect(book.values.map(\.name) == ["id", "title", "price", "rating", "tags"])
    #expect(try (book.target("author")?["name"], book.keys("editors")) == ("Frank", [8, 7]))
    #expect(try book.targets("editors")[1] === book.target("author"))
    #expect(try book.texts("notes") == ["long", "dry"])
    #expect(try context.isLoaded("author", of: book))
    #expect(try !context.isLoaded("shops", of: book))
    #expect(try !context.isLoaded("author.books", of: book))
    #expect(
      message { _ = try book.targets("shops") }
        == "Book 1.shops is not loaded; load it before you read or change it")
    #expect(
      message { try book.set("shops", to: []) }
        == "Book 1.shops is not loaded; load it before you read or change it")
    #expect(
      message { _ = try book.target("author")?.targets("books") }
        == "Author 7.books is not loaded; load it before you read or change it")
    try context.load(["shops", "author.books"], of: [book])
    #expect(try book.keys("shops") == ["a", "b"])
    #expect(try book.target("author")?.targets("books")[0] === book)
    #expect(try context.isLoaded("author.books", of: book))
    #expect(try context.record("Book", key: 99, including: ["author"]) == nil)
    // No value, and no target.
    let emma = try #require(try context.record("Book", key: 2, including: ["notes", "shops.best"]))
    #expect(emma["price"] == nil)
    #expect(try emma.targets("notes").isEmpty)
    #expect(try emma.targets("shops")[0].target("best") == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func anObjectHasOneRecordHoweverItIsReached(_ kind: StoreKind) throws {
    let (world, context) = try Library.recordWorld(kind)
    let jane = try #require(try context.record("Author", key: 9))
    let emma = try #require(try context.record("Book", key: 2, including: ["author"]))
    #expect(try emma.target("author") === jane)
    let all = try context.records("Book", including: ["author.books", "shops"])
    #expect(all.map(\.key) == [1, 2, 3])
    #expect(all[1] === emma)
    #expect(try jane.keys("books") == [2, 3])
    let books = world.plan().query(of: "Book")
    #expect(try context.records(books.keys([3, 77, 1])).map(\.key) == [1, 3])
    #expect(try context.records(books.keys(2...).sorted(by: "id", descending: true)).map(\.key) == [3, 2])
    #expect(try context.records(books.limit(2)).map(\.key) == [1, 2])
    let query = try world.plan().where(Filter(#"@.author.name == "Jane""#))
    #expect(try context.records(query, including: ["author"]).map(\.key) == [2, 3])
    #expect(try context.records(query.limit(1)).first === emma)
    let shops = try Library.records().plan(for: "Shop").query
    #expect(try context.records(shops, including: ["best"]).map(\.key) == ["a", "b"])
    try context.load(["notes"], of: [all[0], all[2]])
    #expect(try all[0].texts("notes") == ["long", "dry"])
    // Records of different entities.
    let messages = message { try context.load(["notes"], of: [all[0], jane]) }
    #expect(messages?.hasPrefix(#"Author has no relationship named "notes""#) == true)
  }

  // MARK: Faults

  @Test(arguments: StoreKind.allCases)
  func anUnknownNameHasASuggestion(_ kind: StoreKind) throws {
    let (world, context) = try Library.recordWorld(kind)
    let dune = try #require(try context.record("Book", key: 1, including: ["author"]))
    let cases: [(String, () throws -> Void)] = [
      (#"no entity named "Bok"; did you mean "Book"?"#, { _ = try context.record("Bok", key: 1) }),
      (
        #"Book has no relationship named "autor"; did you mean "author"?"#,
        { _ = try context.records("Book", including: ["autor"]) }
      ),
      (
        #"Author has no relationship named "book"; did you mean "books"?"#,
        { try context.load(["author.book"], of: [dune]) }
      ),
      (#"Book has no relationship named "autor"; did you mean "author"?"#, { _ = try dune.target("autor") }),
      (
        #"Book has no relationship named "editor"; did you mean "editors"?"#,
        { try dune.set("editor", to: [dune]) }
      ),
      (#""title" of Book is an attribute, not a relationship"#, { _ = try dune.target("title") }),
      (
        #"Book has no attribute named "titel"; did you mean "title"?"#,
        { try context.insert("Book", ["id": 9, "titel": "x"]) }
      ),
      (
        "expected at most 100 relationships in a path, found more in \"next.next.next.next.next.next.next.next.…\"",
        {
          let nodes = try ObjectContext(world.store, for: try Library.records().plan(for: "Node"))
          _ = try nodes.records(
            "Node", including: [Array(repeating: "next", count: 100_000).joined(separator: ".")])
        }
      ),
    ]
    for (expected, body) in cases { #expect(message(body) == expected) }
    #expect(try !context.hasChanges())
    // The save checks the names of changed fields.
    dune["titel"] = "x"
    #expect(dune["titel"] == nil)
    #expect(
      message { try context.save() } == #"Book has no attribute named "titel"; did you mean "title"?"#)
    dune["titel"] = nil
    dune["author"] = 7
    #expect(message { try context.save() } == #""author" of Book is a relationship, not an attribute"#)
    try context.rollBack()
    #expect(try !context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases)
  func aValueOfAnotherKindIsAnErrorWithTheExpectation(_ kind: StoreKind) throws {
    let (world, context) = try Library.recordWorld(kind)
    let before = try world.dump()
    let dune = try #require(try context.record("Book", key: 1, including: ["author", "editors", "shops"]))
    let cases: [(String, Value, String)] = [
      ("title", 5, "a string, found the number 5"), ("rating", "5", #"an integer, found the string "5""#),
      ("rating", 5.5, "an integer, found the number 5.5"), ("price", true, "a number, found true"),
      (
        "price", 9_007_199_254_740_993,
        "a number that a Double can hold, found the number 9007199254740993"
      ),
      ("tags", .json("[1,"), #"JSON text, found the JSON text "[1,""#),
      ("tags", "x", #"JSON text, found the string "x""#), ("title", .data([1]), "a string, found data"),
    ]
    for (name, value, expected) in cases {
      dune[name] = value
      #expect(dune[name] == value)
      #expect(message { _ = try context.hasChanges() } == "Book 1.\(name): expected \(expected)")
      #expect(message { try context.save() } == "Book 1.\(name): expected \(expected)")
      try context.rollBack()
    }
    let (author, shop) = (try #require(try dune.target("author")), try dune.targets("shops")[0])
    let other = try #require(try ObjectContext(world.store, for: world.plan()).record("Author", key: 9))
    let targets: [(String, () throws -> Void)] = [
      ("author: expected a record of Author, found one of Shop", { try dune.set("author", to: shop) }),
      (
        "author: expected a record of Author, found one of another context",
        { try dune.set("author", to: other) }
      ),
      (
        "editors: expected a record of Author, found one of Book",
        { try dune.set("editors", to: [author, dune]) }
      ),
      ("editors: expected a list of objects, found one object", { try dune.set("editors", to: author) }),
      ("author: expected one object or nil, found a list", { try dune.set("author", to: []) }),
      (
        "author: expected a record of Author, found an instance of Shop",
        { try dune.set("author", to: Library.Shop()) }
      ),
    ]
    for (expected, body) in targets { #expect(message(body) == "Book 1.\(expected)") }
    #expect(
      message { try author.set("books", to: [dune]) } == "Author 7.books is an inverse; change Book.author")
    #expect(
      message { _ = try dune.target("author", as: Library.Author.self) }
        == "expected records, the class of Author in this context, found Author")
    #expect(try !context.hasChanges())
    #expect(try world.dump() == before)
  }

  @Test(arguments: StoreKind.allCases)
  func anEntityWithAClassHasNoRecords(_ kind: StoreKind) throws {
    let store = try kind.make()
    let context = try ObjectContext(store, for: Library.Book.mapping)
    #expect(
      message { _ = try context.record("Book", key: 1) }
        == "expected Book, the class of Book in this context, found a record")
    #expect(throws: ContextError.self) { try context.insert("Book") }
  }

  @Test(arguments: StoreKind.allCases)
  func aContextThatHasEndedRefusesItsRecords(_ kind: StoreKind) throws {
    let (_, context) = try Library.recordWorld(kind)
    let book = try #require(try context.record("Book", key: 1, including: ["author"]))
    context.end()
    #expect(throws: ContextError.hasEnded) { try context.record("Book", key: 1) }
    #expect(throws: ContextError.hasEnded) { try context.insert("Book") }
    #expect(throws: ContextError.hasEnded) { try context.load(["author"], of: [book]) }
    #expect(throws: ContextError.hasEnded) { try context.isLoaded("author", of: book) }
    #expect(throws: ContextError.hasEnded) { try book.target("author") }
    #expect(throws: ContextError.hasEnded) { try book.set("author", to: nil) }
    #expect(book["title"] == "Dune")
  }
}
