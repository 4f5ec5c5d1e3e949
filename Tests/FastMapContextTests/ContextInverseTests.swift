import FastMapCore
import TestSupport
import Testing

@testable import FastMapContexts

/// Inverses of new objects and of changed ones, in stores whose instances are copies.
@Suite struct ContextInverseTests {
  typealias Author = Library.Author
  typealias Book = Library.Book

  static let stores: [StoreKind] = StoreKind.allCases

  private static func load(_ kind: StoreKind) throws -> (world: World, context: ObjectContext) {
    let world = try World(kind, Book.mapping, holding: Book.payload)
    return (world, try ObjectContext(world.store, for: Book.mapping))
  }

  private static func book(_ id: Int, by author: Author?) -> Book {
    let book = Book()
    (book.id, book.author) = (id, author)
    return book
  }

  private static func author(_ id: Int) -> Author {
    let author = Author()
    author.id = id
    return author
  }

  @Test(arguments: stores, [true, false])
  func theInverseOfANewObjectShowsSavedTargets(_ kind: StoreKind, areBothSidesSet: Bool) throws {
    let (_, context) = try Self.load(kind)
    let jane = try #require(try context.object(Author.mapping, key: 9))
    let author = Self.author(20)
    let (b, c) = (Self.book(31, by: author), Self.book(30, by: author))
    if areBothSidesSet { author.books = [b, c] }
    try context.insert(b, as: Book.mapping)
    try context.insert(c, as: Book.mapping)
    try context.save()
    #expect(try !context.hasChanges())
    #expect(try context.isLoaded(\.books, of: author))
    #expect(author.books.map(\.id) == [30, 31])
    b.author = jane
    try context.save()
    #expect(author.books.map(\.id) == [30])
    #expect(try !context.hasChanges())
  }

  @Test(arguments: stores)
  func anInverseThatWasSetAndNotLoadedIsLoadedByTheSave(_ kind: StoreKind) throws {
    let (_, context) = try Self.load(kind)
    let jane = try #require(try context.object(Author.mapping, key: 9))
    let book = Self.book(30, by: jane)
    jane.books = [book]
    try context.insert(book, as: Book.mapping)
    try context.save()
    #expect(try !context.hasChanges())
    #expect(try context.isLoaded(\.books, of: jane))
    #expect(jane.books.map(\.id) == [2, 3, 30])
    book.author = nil
    try context.save()
    #expect(jane.books.map(\.id) == [2, 3])
  }

  @Test(arguments: stores)
  func theInverseOfANewObjectThatIsNotStoredIsNotChecked(_ kind: StoreKind) throws {
    let (world, context) = try Self.load(kind)
    let emma = try #require(try context.object(Book.mapping, key: 2, including: \.author))
    let author = Self.author(20)
    (emma.author, author.books) = (author, [emma])
    try world.load(#"{"id":2,"author":7}"#)
    try context.save(onConflict: .theirs)
    #expect(emma.author?.id == 7)
    #expect(try !context.hasChanges())
    #expect(try world.dump(of: "Author 20") == nil)
  }

  // MARK: Reading again

  @Test(arguments: stores)
  func aRefreshLoadsTheIncludesOfANewTarget(_ kind: StoreKind) throws {
    let (world, context) = try Self.load(kind)
    let dune = try #require(try context.object(Book.mapping, key: 1, including: \.author.books.shops))
    try world.load(#"[{"id":1,"author":{"id":20}},{"id":2,"author":20}]"#)
    try context.refresh([dune])
    let author = try #require(dune.author)
    #expect(author.id == 20)
    #expect(try context.isLoaded(\.author.books.shops, of: dune))
    #expect(author.books.map { $0.shops.count } == [2, 1])
    // The path is remembered behind no target as well.
    try world.load(#"{"id":1,"author":null}"#)
    try context.refresh([dune])
    #expect(dune.author == nil)
    try world.load(#"{"id":1,"author":{"id":21}}"#)
    try context.refresh([dune])
    #expect(dune.author?.books.map(\.id) == [1])
  }

  @Test(arguments: stores)
  func aLoadSaysThatAnObjectIsGone(_ kind: StoreKind) throws {
    let (world, context) = try Self.load(kind)
    let books = try context.objects(Book.mapping)
    _ = try world.store.delete(Book.mapping, key: 1)
    #expect(try !context.load(\.shops, of: [books[0]]).isEmpty)
    #expect(try !context.isLoaded(\.shops, of: books[0]))
    #expect(try context.load(\.shops, \.author.books, of: books).map(\.id) == [1])
    #expect(try context.isLoaded(\.author.books, of: books[1]))
    #expect(try context.load(\.shops, of: [books[1]]).isEmpty)
    #expect(try context.isLoaded(\.notes, of: books[2]) == false)
    #expect(try context.load(\.notes, of: [books[2]]).isEmpty)
  }

  @Test(arguments: stores)
  func anInstanceIsAnObjectOfOneEntity(_ kind: StoreKind) throws {
    let twin: Mapping<Author> = Mapping(Author.self, "Twin", primaryKey: "id", make: { Author() }) {
      Attribute("id", \.id)
    }
    let world = try World(kind, Book.mapping, holding: Book.payload)
    let context = try ObjectContext(world.store, for: Book.mapping, twin)
    let stored = try #require(try context.object(Author.mapping, key: 7))
    #expect(
      message { try context.insert(stored, as: twin) } == "expected an object of Twin, found Author 7")
    let new = Self.author(20)
    try context.insert(new, as: Author.mapping)
    #expect(message { try context.insert(new, as: twin) } == "expected an object of Twin, found Author 20")
    try context.insert(new, as: Author.mapping)
    #expect(try summary(context.save()) == "Author +1")
  }
}
