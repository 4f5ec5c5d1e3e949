import FastMapCore
import FastMapMemory
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapContexts

/// A context's reads, and the parts that it leaves for later, on every store.
@Suite struct ContextReadingTests {
  typealias Author = Library.Author
  typealias Book = Library.Book
  typealias Note = Library.Note
  typealias Shop = Library.Shop

  private static func load(_ kind: StoreKind) throws -> any Store {
    let store = try kind.make(Book.payload, as: Book.mapping)
    return store
  }

  @Test(arguments: StoreKind.allCases)
  func aReadHasItsIncludesAlone(_ kind: StoreKind) throws {
    let store = try Self.load(kind)
    try store.withContext(for: Book.mapping) { context in
      let book = try #require(
        try context.object(Book.mapping, key: 1, including: \.author, \.editors, \.notes))
      #expect((book.title, book.rating, book.tags) == ("Dune", 5, ["sand", "spice"]))
      #expect((book.author?.name, book.editors.map(\.id)) == ("Frank", [8, 7]))
      #expect(book.editors[1] === book.author)
      #expect(book.notes.map(\.text) == ["long", "dry"])
      // It looks empty, and the context knows better.
      #expect(book.shops.isEmpty)
      #expect(try !context.isLoaded(\.shops, of: book))
      #expect(try context.isLoaded(\.author, of: book))
      #expect(try !context.isLoaded(\.author.books, of: book))
      try context.load(\.shops, \.author.books, of: [book])
      #expect(Set(book.shops.map(\.code)) == ["a", "b"])
      #expect(book.author?.books.map(\.id) == [1])
      #expect(book.author?.books[0] === book)
      #expect(try context.isLoaded(\.author.books, of: book))
      #expect(try context.object(Book.mapping, key: 99, including: \.author) == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anObjectHasOneInstanceHoweverItIsReached(_ kind: StoreKind) throws {
    let store = try Self.load(kind)
    try store.withContext(for: Book.mapping) { context in
      let jane = try #require(try context.object(Author.mapping, key: 9))
      let emma = try #require(try context.object(Book.mapping, key: 2, including: \.author))
      #expect(emma.author === jane)
      let all = try context.objects(Book.mapping, including: \.author.books, \.shops)
      #expect(all.map(\.id) == [1, 2, 3])
      #expect(all[1] === emma)
      #expect(jane.books.map(\.id) == [2, 3])
      #expect(jane.books[1] === all[2])
      #expect(all[0].shops.intersection(all[1].shops).map(\.code) == ["a"])
      #expect(try context.objects(Book.mapping.keys([3, 77, 1])).map(\.id) == [1, 3])
      #expect(
        try context.objects(Book.mapping.keys(2...).sorted(by: \.id, descending: true)).map(\.id) == [3, 2])
      #expect(try context.objects(Book.mapping.limit(2)).map(\.id) == [1, 2])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aQueryFindsInstancesOfTheContext(_ kind: StoreKind) throws {
    let store = try Self.load(kind)
    let context = try ObjectContext(store, for: Shop.mapping)
    let dune = try #require(try context.object(Book.mapping, key: 1))
    let query = Book.mapping.where { $0.author.name == "Jane" }.sorted(by: \.title, descending: true)
    #expect(try context.objects(query, including: \.author).map(\.author?.name) == ["Jane", "Jane"])
    #expect(try context.objects(query).map(\.title) == ["Persuasion", "Emma"])
    #expect(try context.first(query)?.id == 3)
    #expect(try context.first(Book.mapping.where { $0.price > 9 }, including: \.author) === dune)
    #expect(dune.author?.id == 7)
    #expect(try context.objects(Shop.mapping.query, including: \.best).map(\.code) == ["a", "b"])
  }

  @Test(arguments: StoreKind.allCases)
  func loadingKeepsRelationshipsThatWereSetBefore(_ kind: StoreKind) throws {
    let store = try Self.load(kind)
    let context = try ObjectContext(store, for: Book.mapping)
    let dune = try #require(try context.object(Book.mapping, key: 1))
    let jane = try #require(try context.object(Author.mapping, key: 9))
    dune.author = jane
    dune.editors.append(jane)
    try context.load(\.author, \.editors, of: [dune])
    #expect(dune.author === jane)
    #expect(dune.editors.map(\.id) == [8, 7, 9])
    // Nor does a refresh lose it.
    dune.tags = ["new"]
    try context.refresh([dune])
    #expect(dune.author === jane)
    #expect((dune.editors.map(\.id), dune.tags) == ([8, 7, 9], ["new"]))
  }

  @Test(arguments: StoreKind.allCases)
  func manyObjectsAreLoadedTogether(_ kind: StoreKind) throws {
    let store = try Self.load(kind)
    let context = try ObjectContext(store, for: Book.mapping)
    let books = try context.objects(Book.mapping)
    try context.load(\.author, of: books)
    #expect(books.map(\.author?.id) == [7, 9, 9])
    #expect(books[1].author === books[2].author)
    try context.load(of: [Book]())
    #expect(try context.objects(Book.mapping.keys([PrimaryKey]()), including: \.author).isEmpty)
  }

  @Test func aLevelTakesTwoQuestionsHoweverManyObjectsItHas() throws {
    let counter = TripCounter()
    let base = try ScratchStore()
    let books = (1...300).map { id in
      #"{"id":\#(id),"author":{"id":\#(id % 50)},"editors":[\#(id % 50),\#(id % 7)],"shops":[{"code":"\#(id)"}]}"#
    }
    _ = try Mapper(base).importJSON("[\(books.joined(separator: ","))]", as: Book.mapping)
    let context = try ObjectContext(counter.store(on: base), for: Book.mapping)
    _ = counter.take()
    let found = try context.objects(Book.mapping, including: \.author.books, \.editors, \.shops)
    #expect(found.count == 300)
    // The rows of the books; the targets of three relationships, the rows of authors and of shops; the books of authors.
    let trips = counter.take()
    #expect(trips.questions.count { $0.kind != .page } == 5, "\(trips)")
    _ = try context.objects(Book.mapping.keys([1, 2, 3]), including: \.author.books)
    #expect(counter.take().count == 1, "what is there is not read again")
  }

  // MARK: Faults

  @Test(arguments: StoreKind.allCases)
  func aContextRefusesUnknownObjects(_ kind: StoreKind) throws {
    let store = try Self.load(kind)
    let context = try ObjectContext(store, for: Note.mapping)
    #expect(
      message { _ = try context.object(Book.mapping, key: 1) } == #"no entity named "Book"; there is "Note""#)
    let books = try ObjectContext(store, for: Book.mapping, Note.mapping)
    let other = Book()
    #expect(
      message { try books.refresh([other]) }
        == "expected an instance that this context has read or inserted, found another one of Book")
    #expect(throws: ContextError.unknownInstance(type: "Book")) { try books.load(\.author, of: [other]) }
    #expect(throws: ContextError.unknownInstance(type: "Book")) { try books.isLoaded(\.author, of: other) }
    #expect(
      message { _ = try books.object(Volume.mapping, key: 1) }
        == "expected Book, the class of Book in this context, found Volume")
    let records = Mapping("Book", primaryKey: "id") { Attribute("id", .integer) }
    #expect(
      message { _ = try ObjectContext(store, for: records).object(Book.mapping, key: 1) }
        == "expected records, the class of Book in this context, found Book")
    #expect(
      message { _ = try books.object(Book.mapping, key: 1, including: \.author.rival) }
        == "no mapping of Author has the given property of type Optional<Author> as a relationship; "
        + "its relationships are: books")
  }

  @Test(arguments: StoreKind.allCases)
  func aContextThatHasEndedRefusesEverything(_ kind: StoreKind) throws {
    let store = try Self.load(kind)
    let context = try ObjectContext(store, for: Book.mapping)
    let book = try #require(try context.object(Book.mapping, key: 1, including: \.author))
    context.end()
    context.end()
    #expect(throws: ContextError.hasEnded) { try context.object(Book.mapping, key: 1) }
    #expect(throws: ContextError.hasEnded) { try context.refresh([book]) }
    #expect(throws: ContextError.hasEnded) { try context.refreshAll() }
    #expect(throws: ContextError.hasEnded) { try context.load(\.author, of: [book]) }
    #expect(message { _ = try context.isLoaded(\.author, of: book) } == "the context has ended")
    #expect(book.title == "Dune")
    #expect(book.author == nil)
  }
}

/// Another class for the objects of an entity.
private final class Volume {
  var id = 0

  static let mapping = Mapping(Volume.self, "Volume", entity: "Book", primaryKey: "id", make: { Volume() }) {
    Attribute("id", \.id)
  }
}

extension Library.Author {
  /// No field of the mapping.
  fileprivate var rival: Library.Author? { nil }

  private final class Profile {
    var bio = "default"
    static let mapping = Mapping(Profile.self, "Profile", make: { Profile() }) { Attribute("bio", \.bio) }
  }

  private final class User {
    var id = 0
    var name = ""
    var profile: Profile? = Profile()
    var others: [Profile] = [Profile()]

    static let mapping = Mapping(User.self, "User", primaryKey: "id", make: { User() }) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToOne("profile", \.profile, Profile.mapping)
      ToMany("others", \.others, Profile.mapping)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func targetsOfAnInitialiserAreNoEdit(_ kind: StoreKind) throws {
    let world = try World(kind, User.mapping)
    try world.load(#"[{"id":1,"profile":{"bio":"a"},"others":[{"bio":"b"}]},{"id":2}]"#)
    let before = try world.dump(of: "User 1")
    let context = try ObjectContext(world.store, for: User.mapping)
    let users = try context.objects(User.mapping)
    #expect(users.allSatisfy { $0.profile == nil && $0.others.isEmpty })
    #expect(try !context.hasChanges())
    for user in users { user.name = "new" }
    #expect(try summary(context.save()) == "User ~2")
    #expect(try world.dump(of: "User 1") == before?.replacing(#"name="""#, with: #"name="new""#))
    try context.load(\.profile, \.others, of: users)
    #expect((users[0].profile?.bio, users[0].others.map(\.bio)) == ("a", ["b"]))
    #expect(users[1].profile == nil && users[1].others.isEmpty)
    #expect(try !context.hasChanges())
  }
}
