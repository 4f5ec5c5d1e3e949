// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapLMDB
import FastMapQueries
import TestSupport
import Testing

@Suite("ReadingInAContext.md")
struct ContextTests {
  final class Author {
    var id = 0
    var name: String?
    var books: [Book] = []

    static let mapping: Mapping<Author> = Mapping(Author.self, "Author", primaryKey: "id", make: Author.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToMany("books", \.books, inverseOf: \.author, of: Book.mapping)
    }
  }

  final class Review {
    var text = ""

    static let mapping = Mapping(Review.self, "Review", make: Review.init) { Attribute("text", \.text) }
  }

  final class Book {
    var id = 0
    var title = ""
    var price: Double?
    var author: Author?
    var reviews: [Review] = []

    static let mapping: Mapping<Book> = Mapping(Book.self, "Book", primaryKey: "id", make: Book.init) {
      Attribute("id", \.id)
      Attribute("title", \.title)
      Attribute("price", \.price)
      ToOne("author", \.author, Author.mapping)
      ToMany("reviews", \.reviews, Review.mapping)
    }
  }

  @Test func aContextReadsTheRequestedObjects() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let store = try LMDBStore(at: "books.db")
        let json = #"""
          [{"id": 1, "title": "Dune", "price": 8, "author": {"id": 7, "name": "Frank"}, "reviews": [{"text": "long"}]},
           {"id": 2, "title": "Children of Dune", "price": 12, "author": 7}, {"id": 3, "title": "Emma"}]
          """#
        _ = try Mapper(store).importJSON(json, as: Book.mapping)

        let context = try ObjectContext(store, for: Book.mapping)
        defer { context.end() }
        guard let dune = try context.object(Book.mapping, key: 1, including: \.author, \.author.books) else { return }
        let titles = dune.author?.books.map(\.title)     // ["Dune", "Children of Dune"]
        #expect(titles == ["Dune", "Children of Dune"])

        let some = try context.objects(Book.mapping.keys([3, 1]))
        let last = try context.objects(Book.mapping.sorted(by: \.id, descending: true).limit(10), including: \.author)
        let cheap = try context.objects(Book.mapping.where { $0.price < 9 }, including: \.author)
        #expect(some.map(\.id) == [1, 3])
        #expect(last.map(\.id) == [3, 2, 1])
        #expect(cheap.map(\.id) == [1])

        let author: PartialKeyPath<RelationshipPath<Book>> = \.author
        let emma = try context.object(Book.mapping, key: 3, including: author)
        #expect(emma === some[1])

        let again = try context.object(Book.mapping, key: 1)
        let isSame = again === dune     // true
        #expect(isSame)

        _ = try Mapper(store).importJSON(#"{"id": 1, "title": "Dune Messiah"}"#, as: Book.mapping)
        let gone = try context.refresh([dune])
        #expect(gone.isEmpty)
        #expect(dune.title == "Dune Messiah")

        #expect(dune.reviews.isEmpty)
        if try !context.isLoaded(\.reviews, of: dune) {
          try context.load(\.reviews, of: [dune])
        }
        try context.load(\.author, of: some)     // of all of them, in one go
        #expect(dune.reviews.map(\.text) == ["long"])

        let names = try store.withContext(for: Book.mapping) { context in
          try context.objects(Book.mapping, including: \.author).compactMap(\.author?.name)
        }
        #expect(names == ["Frank", "Frank"])

        let nobody = try ObjectContext(store, for: Book.mapping).object(Book.mapping, key: 1, including: \.author)?.author
        #expect(nobody == nil)
      }
    }
  }

  /// A store with some books, and the plan of a mapping file.
  static func storeOfRecords() throws -> (LMDBStore, Plan) {
    let file = #"""
      {"fastmap": 1, "mappings": {
        "Author": {"primaryKey": "id", "attributes": {"id": "integer", "name": "string"},
          "relationships": {"books": {"inverseOf": "Book.author", "toMany": true}}},
        "Review": {"attributes": {"text": "string"}},
        "Book": {"primaryKey": "id", "attributes": {"id": "integer", "title": "string", "price": "number"},
          "relationships": {
            "author": {"mapping": "Author"}, "editors": {"mapping": "Author", "toMany": true},
            "reviews": {"mapping": "Review", "toMany": true}}}}}
      """#
    let store = try LMDBStore(at: "books.db")
    let plan = try MappingSet(file: Array(file.utf8)).plan(for: "Book")
    let json = #"""
      [{"id": 1, "title": "Dune", "price": 8, "author": {"id": 7, "name": "Frank"}, "reviews": [{"text": "long"}]},
       {"id": 2, "title": "Children of Dune", "price": 12, "author": 7}, {"id": 3, "title": "Emma"}]
      """#
    _ = try Mapper(store).importJSON(json, as: plan)
    return (store, plan)
  }

  @Test func aContextReadsRecords() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let (store, plan) = try ContextTests.storeOfRecords()

        let context = try ObjectContext(store, for: plan)
        defer { context.end() }
        guard let dune = try context.record("Book", key: 1, including: ["author", "author.books"]) else { return }
        print(dune["title"] ?? .null, try dune.target("author")?.targets("books").count ?? 0)     // string("Dune") 2
        #expect(Printed.takeLines() == [#"string("Dune") 2"#])

        let cheap = try context.records(plan.where(Filter("@.price < 9")), including: ["author"])
        try context.load(["reviews"], of: cheap)
        let texts = try cheap[0].targets("reviews").map { $0["text"] }
        #expect(texts == ["long"])

        do {
          _ = try dune.targets("editors")
        } catch let error as ContextError {
          print(error)     // Book 1.editors is not loaded; load it before you read or change it
        }
        #expect(Printed.takeLines() == ["Book 1.editors is not loaded; load it before you read or change it"])
        #expect(throws: UnknownNameError.self) { try dune.targets("publishers") }
        #expect(dune["publisher"] == nil)
      }
    }
  }

  @Test func recordsReferToInstances() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let store = try LMDBStore(at: "books.db")
        _ = try Mapper(store).importJSON(
          #"{"id": 1, "author": {"id": 7, "name": "Frank"}}"#, as: Book.mapping)
        _ = try Mapper(store).importJSON(
          #"{"id": 1, "books": [1]}"#,
          as: Mapping("Shelf", primaryKey: "id") {
            Attribute("id", .integer)
            ToMany("books", .mapping { Book.mapping.definition })
          })

        let shelves = Mapping("Shelf", primaryKey: "id") {
          Attribute("id", .integer)
          ToMany("books", .named("Book"))
        }
        let mappings = MappingSet([Book.mapping.definition, shelves.definition])
        let mixed = try ObjectContext(store, for: mappings.plan(for: "Shelf"))
        defer { mixed.end() }
        let shelf = try mixed.record("Shelf", key: 1, including: ["books.author"])
        let shelved = try shelf?.targets("books", as: Book.self).compactMap(\.author?.name)
        #expect(shelved == ["Frank"])
      }
    }
  }
}
