import FastMapCore
import FastMapMemory
import FastMapQueries
import TestSupport
import Testing

/// Inverses of the instances that a memory store keeps.
@Suite struct InverseInstanceTests {
  final class Author {
    var id = 0
    var name: String?
    var books: [Book] = [] { didSet { setCount += 1 } }
    var favourites: Set<Reader> = []
    var setCount = 0

    static let mapping: Mapping<Author> = Mapping(Author.self, "Author", primaryKey: "id", make: Author.init)
    {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToMany("books", \.books, inverseOf: \.author, of: Book.mapping)
      ToMany("favourites", \.favourites, inverseOf: \.authors, of: Reader.mapping)
    }
  }

  final class Book {
    var id = 0
    var author: Author?

    static let mapping: Mapping<Book> = Mapping(Book.self, "Book", primaryKey: "id", make: Book.init) {
      Attribute("id", \.id)
      ToOne("author", \.author, Author.mapping)
    }

    /// Does not name the inverse.
    static let plain = Mapping(Book.self, "PlainBook", entity: "Book", primaryKey: "id", make: Book.init) {
      Attribute("id", \.id)
      ToOne("author", \.author, plainAuthor)
    }
    static let plainAuthor = Mapping(
      Author.self, "PlainAuthor", entity: "Author", primaryKey: "id", make: Author.init
    ) {
      Attribute("id", \.id)
    }
  }

  final class Reader: Hashable {
    var id = 0
    var authors: [Author] = []

    static let mapping: Mapping<Reader> = Mapping(Reader.self, "Reader", primaryKey: "id", make: Reader.init)
    {
      Attribute("id", \.id)
      ToMany("authors", \.authors, Author.mapping)
    }

    static func == (a: Reader, b: Reader) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  private let store = MemoryStore()

  private func load(_ json: String, as mapping: some PlanSource = Book.mapping) throws {
    _ = try Mapper(store).importJSON(json, as: mapping)
  }

  private func author(_ key: PrimaryKey) throws -> Author {
    try #require(try store.read { try $0.object(Author.mapping, key: key) })
  }

  @Test func aHeldInstanceFollowsEveryChange() throws {
    try load(#"[{"id":3,"author":7},{"id":1,"author":7},{"id":2,"author":8}]"#)
    let (first, second) = (try author(7), try author(8))
    #expect(first.books.map(\.id) == [1, 3])
    #expect(second.books.map(\.id) == [2])
    try load(#"[{"id":3,"author":8},{"id":4,"author":8}]"#)
    #expect(first.books.map(\.id) == [1])
    #expect(second.books.map(\.id) == [2, 3, 4])
    _ = try store.delete("Book", keys: [2, 3], in: Book.mapping)
    #expect(second.books.map(\.id) == [4])
    try load(#"{"id":4,"author":null}"#)
    #expect(second.books.isEmpty)
    // A write that does not know the inverse keeps it, too.
    try load(#"[{"id":9,"author":8},{"id":1,"author":8}]"#, as: Book.plain)
    #expect(second.books.map(\.id) == [1, 9])
    #expect(first.books.isEmpty)
  }

  @Test func anInstanceIsSetOnceInAWriteAndOnlyIfItDiffers() throws {
    let books = (0..<5000).map { #"{"id":\#($0),"author":7}"# }
    try load("[\(books.joined(separator: ","))]")
    let author = try author(7)
    #expect(author.books.count == 5000)
    #expect(author.setCount == 1)
    try load("[\(books.joined(separator: ","))]")
    try load(#"{"id":7,"name":"n"}"#, as: Author.mapping)
    #expect(author.setCount == 1)
  }

  @Test func aRollbackGivesBackWhatWasThere() throws {
    try load(#"[{"id":1,"author":7},{"id":2,"author":8}]"#)
    try load(#"{"id":5,"authors":[7]}"#, as: Reader.mapping)
    let (first, second) = (try author(7), try author(8))
    #expect(first.favourites.map(\.id) == [5])
    // A fault behind the change, a dry run, and an error of a write that has lent instances.
    #expect(throws: (any Error).self) { try load(#"[{"id":1,"author":8},{"id":"x"}]"#) }
    #expect(first.books.map(\.id) == [1])
    var options = ImportOptions()
    options.isDryRun = true
    _ = try Mapper(store).importJSON(#"{"id":1,"author":8}"#, as: Book.mapping, options: options)
    #expect(first.books.map(\.id) == [1])
    #expect(second.books.map(\.id) == [2])
    struct Stop: Error {}
    let policy = Mapping(Reader.self, "Picky", entity: "Reader", primaryKey: "id", make: Reader.init) {
      Attribute("id", \.id)
      ToMany(
        "authors", \.authors, Author.mapping,
        policy: .custom { change in
          let author = change.new.first.flatMap { change.instance($0) as? Author }
          #expect(author?.favourites.count == 0)
          throw Stop()
        })
    }
    #expect(throws: (any Error).self) { try load(#"[{"id":5,"authors":[8]}]"#, as: policy) }
    #expect(first.favourites.map(\.id) == [5])
    #expect(second.favourites.isEmpty)
  }

  @Test func aPolicySeesTheInversesOfItsImport() throws {
    let seen = Collector<[Int]>()
    let policy = Mapping(Reader.self, "Picky", entity: "Reader", primaryKey: "id", make: Reader.init) {
      Attribute("id", \.id)
      ToMany(
        "authors", \.authors, Author.mapping,
        policy: .custom { change in
          let author = change.new.first.flatMap { change.instance($0) as? Author }
          seen.add(author?.favourites.map(\.id).sorted() ?? [])
          return change.new
        })
    }
    try load(#"[{"id":1,"authors":[7]},{"id":2,"authors":[7]}]"#, as: policy)
    try load(#"{"id":3,"authors":[7]}"#, as: policy)
    #expect(seen.all.last == [1, 2])
    try #expect(author(7).favourites.map(\.id).sorted() == [1, 2, 3])
  }

  /// Asks for the instance of each object of an entity.
  private struct Asking: ImportDelegate {
    let entity: String
    let seen = Collector<Int>()

    func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {
      guard object.entity == entity, let instance = object.instance else { return }
      if let author = instance as? Author { seen.add(author.books.count) }
    }
  }

  @Test func aDelegateThatAsksForInstancesSetsNoInverseOfOthers() throws {
    try load(#"{"id":7}"#, as: Author.mapping)
    let author = try author(7)
    let before = author.setCount
    let books = (0..<500).map { #"{"id":\#($0),"author":{"id":7}}"# }.joined(separator: ",")
    let options = ImportOptions(delegate: Asking(entity: "Book"))
    _ = try Mapper(store).importJSON("[\(books)]", as: Book.mapping, options: options)
    #expect(author.books.map(\.id) == Array(0..<500))
    #expect(author.setCount == before + 1)
  }

  @Test func aDelegateSeesTheInversesOfTheInstanceThatItAsksFor() throws {
    let delegate = Asking(entity: "Author")
    let books = (0..<4).map { #"{"id":\#($0),"author":{"id":\#(7 + $0 % 2)}}"# }.joined(separator: ",")
    _ = try Mapper(store).importJSON(
      "[\(books)]", as: Book.mapping, options: ImportOptions(delegate: delegate))
    // A target is mapped before its owner is linked to it.
    #expect(delegate.seen.all == [0, 0, 1, 1])
    try #expect(author(7).books.map(\.id) == [0, 2])
  }

  @Test func anInverseThatAMappingAddsIsSetInOldInstances() throws {
    try load(#"[{"id":2,"author":7},{"id":1,"author":7}]"#, as: Book.plain)
    let author = try #require(try store.read { try $0.object(Book.plainAuthor, key: 7) })
    #expect(author.books.isEmpty)
    try load(#"{"id":9}"#, as: Author.mapping)
    #expect(author.books.map(\.id) == [1, 2])
  }

  @Test func aNewKeyMovesAnObject() throws {
    try load(#"[{"id":1,"author":7},{"id":2,"author":7}]"#)
    let author = try author(7)
    let first = author.books[0]
    try Mapper(store).fill(first, from: #"{"id":1}"#, as: Book.mapping)
    first.id = 3
    // Queries see it at once, and the property with the next change.
    try store.read { snapshot in
      try #expect(snapshot.keys(Book.mapping.where { $0.author.books.first.id == 2 }) == [2, 3])
    }
    try load(#"{"id":5,"author":7}"#)
    #expect(author.books.map(\.id) == [2, 3, 5])
  }

  /// The caller's own changes of properties show at once in records and queries.
  @Test func queriesFollowTheLinksOfInstances() throws {
    try load(#"[{"id":1,"author":7},{"id":2,"author":8},{"id":3,"author":8}]"#)
    let (first, second) = (try author(7), try author(8))
    second.books[0].author = first
    try store.read(Author.mapping) { snapshot in
      try #expect(snapshot.records("Author").map { $0.targets("books").count } == [2, 1])
      try #expect(snapshot.keys(Author.mapping.where { $0.books.count == 2 }) == [7])
      try #expect(snapshot.keys(Author.mapping.where { $0.books.contains { $0.id == 2 } }) == [7])
    }
    // An import of the book takes the link over, if it changes anything.
    try load(#"[{"id":2,"author":7},{"id":9}]"#)
    #expect(first.books.map(\.id) == [1, 2])
    #expect(second.books.map(\.id) == [3])
  }

  @Test func anAdoptedInstanceGetsItsInverse() throws {
    try load(#"{"id":1}"#)
    let author = Author()
    author.id = 7
    author.books = [Book()]
    let book = try #require(try store.read { try $0.object(Book.mapping, key: 1) })
    book.author = author
    try Mapper(store).fill(book, from: #"{"id":1,"author":{"id":7}}"#, as: Book.mapping)
    #expect(author.books.count == 1)
    #expect(author.books.first === book)
  }
}
