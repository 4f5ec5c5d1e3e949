import FastMapCore
import FastMapQueries
import TestSupport
import Testing

@testable import FastMapContexts

/// A context's saves, on every store.
@Suite struct ContextSavingTests {
  typealias Author = Library.Author
  typealias Book = Library.Book
  typealias Note = Library.Note
  typealias Shop = Library.Shop

  private static func load(_ kind: StoreKind) throws -> World {
    try World(kind, Book.mapping, holding: Book.payload)
  }

  @Test(arguments: StoreKind.allCases)
  func aSaveWritesChangedFieldsAlone(_ kind: StoreKind) throws {
    let world = try Self.load(kind)
    let context = try ObjectContext(world.store, for: Book.mapping)
    let dune = try #require(try context.object(Book.mapping, key: 1, including: \.author, \.notes))
    #expect(try !context.hasChanges())
    #expect(try summary(context.save()) == "")
    dune.title = "Dune Messiah"
    dune.price = nil
    dune.tags = ["spice"]
    dune.notes[1].text = "wet"
    #expect(try context.hasChanges())
    #expect(try summary(context.save()) == "Book ~1, Note ~1")
    #expect(try !context.hasChanges())
    #expect(try summary(context.save()) == "")
    #expect(
      try world.dump(of: "Book 1")
        == #"Book 1 title="Dune Messiah" rating=5 tags=["spice"] author=7 editors=[8 7] shops=["a" "b"] notes=[#1 #2]"#
    )
    #expect(try world.dump(of: "Note #2") == #"Note #2 text="wet""#)
    #expect(try world.dump(of: "Book 2")?.contains("author=9") == true)
  }

  @Test(arguments: StoreKind.allCases)
  func relationshipsAreClearedReorderedAndMoved(_ kind: StoreKind) throws {
    let world = try Self.load(kind)
    let context = try ObjectContext(world.store, for: Book.mapping)
    let books = try context.objects(Book.mapping, including: \.author, \.editors, \.shops, \.notes)
    let (dune, emma) = (books[0], books[1])
    dune.author = nil
    dune.editors.reverse()
    let note = dune.notes.removeFirst()
    emma.notes.append(note)
    let (b, a) = (try #require(dune.shops.first { $0.code == "b" }), try #require(emma.shops.first))
    // Two books refer to one shop, one to the other: that one goes, as by an import.
    dune.shops = [a]
    let report = try context.save()
    #expect(report["Book"] == .init(updated: 2))
    #expect(report["Shop"]?.deleted == 1)
    #expect(
      try world.dump(of: "Book 1")
        == #"Book 1 title="Dune" price=9.5 rating=5 tags=["sand","spice"] editors=[7 8] shops=["a"] notes=[#2]"#
    )
    #expect(try world.dump(of: "Book 2")?.hasSuffix(#" author=9 shops=["a"] notes=[#1]"#) == true)
    #expect(try world.dump(of: #"Shop "b""#) == nil)
    #expect(b.code == "b")
    emma.notes = []
    dune.editors = []
    _ = try context.save()
    #expect(try world.dump(of: "Book 1")?.contains("editors") == false)
    #expect(try world.store.read { try $0.count(Note.mapping) } == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func newObjectsAreInsertedWithTheirTargets(_ kind: StoreKind) throws {
    let world = try Self.load(kind)
    let context = try ObjectContext(world.store, for: Book.mapping)
    let dune = try #require(try context.object(Book.mapping, key: 1, including: \.author, \.shops))
    let (book, author, shop, note) = (Book(), Author(), Shop(), Note())
    (book.id, book.title, book.author, book.notes) = (20, "New", author, [note])
    (author.id, author.name) = (21, "Ann")
    (shop.code, shop.best) = ("z", book)
    note.text = "fresh"
    dune.shops.insert(shop)
    let other = Book()
    other.id = 22
    other.author = dune.author
    try context.insert(other, as: Book.mapping)
    try context.insert(other, as: Book.mapping)
    #expect(try summary(context.save()) == "Book +2 ~1, Author +1, Shop +1, Note +1")
    #expect(try world.dump(of: "Book 20")?.contains(#"title="New""#) == true)
    #expect(try world.dump(of: "Book 20")?.contains("author=21") == true)
    #expect(try world.dump(of: "Book 22")?.contains("author=7") == true)
    #expect(try world.dump(of: #"Shop "z""#)?.contains("best=20") == true)
    // They are objects of the context now.
    #expect(try context.object(Book.mapping, key: 20) === book)
    #expect(try context.isLoaded(\.author, of: book))
    book.title = "Newer"
    #expect(try summary(context.save()) == "Book ~1")
    #expect(try world.dump(of: "Book 20")?.contains(#"title="Newer""#) == true)
    #expect(try context.refreshAll().isEmpty)
    #expect(book.notes.map(\.text) == ["fresh"])
  }

  @Test(arguments: StoreKind.allCases)
  func objectsAreDeletedWithTheirOwnedObjects(_ kind: StoreKind) throws {
    let world = try Self.load(kind)
    let context = try ObjectContext(world.store, for: Book.mapping, Shop.mapping)
    let dune = try #require(try context.object(Book.mapping, key: 1, including: \.author, \.shops))
    let emma = try #require(try context.object(Book.mapping, key: 2, including: \.author.books, \.shops))
    let frank = try #require(dune.author)
    try context.load(\.books, of: [frank])
    let jane = try #require(emma.author)
    try context.load(\.editors, of: [emma])
    try context.delete(dune)
    try context.delete(frank)
    let forgotten = Book()
    forgotten.id = 50
    try context.insert(forgotten, as: Book.mapping)
    try context.delete(forgotten)
    _ = try context.save()
    #expect(try world.dump(of: "Book 1") == nil)
    #expect(try world.dump(of: "Author 7") == nil)
    #expect(try world.dump(of: #"Shop "b""#) == nil)
    #expect(try world.dump(of: #"Shop "a""#) != nil, "another book has it")
    #expect(try world.store.read { try $0.count(Note.mapping) } == 0)
    #expect(try world.dump(of: "Book 50") == nil)
    #expect(try context.object(Book.mapping, key: 1) == nil)
    #expect(jane.books.map(\.id) == [2, 3])
    #expect(try !context.hasChanges())
    #expect(emma.editors.isEmpty)
    #expect(throws: ContextError.deletedInstance(entity: "Book", key: 1)) { try context.delete(dune) }
  }

  @Test(arguments: StoreKind.allCases)
  func aKeyMayBeUsedAgainInTheSaveThatDeletesItsObject(_ kind: StoreKind) throws {
    let world = try Self.load(kind)
    let context = try ObjectContext(world.store, for: Book.mapping)
    let emma = try #require(try context.object(Book.mapping, key: 2))
    let new = Book()
    (new.id, new.title) = (2, "Emma again")
    try context.delete(emma)
    try context.insert(new, as: Book.mapping)
    #expect(try summary(context.save()) == "Book +1 -1")
    #expect(try context.object(Book.mapping, key: 2) === new)
  }

  @Test(arguments: StoreKind.allCases)
  func aSaveKeepsUnloadedFields(_ kind: StoreKind) throws {
    let world = try Self.load(kind)
    let before = try #require(try world.dump(of: "Book 1"))
    let context = try ObjectContext(world.store, for: Book.mapping)
    let dune = try #require(try context.object(Book.mapping, key: 1))
    dune.title = "Dune!"
    #expect(try summary(context.save()) == "Book ~1")
    #expect(try world.dump(of: "Book 1") == before.replacing(#""Dune""#, with: #""Dune!""#))
    // A list that was not loaded cannot be told from one that was emptied.
    dune.editors = [try #require(try context.object(Author.mapping, key: 9))]
    #expect(
      message { _ = try context.save() }
        == "Book 1.editors is not loaded; load it before you read or change it")
    try context.load(\.editors, of: [dune])
    #expect(try summary(context.save()) == "Book ~1")
    #expect(try world.dump(of: "Book 1")?.contains("editors=[8 7 9]") == true)
    // A target that was set is a target.
    dune.author = dune.editors[2]
    _ = try context.save()
    #expect(try world.dump(of: "Book 1")?.contains("author=9") == true)
    #expect(try context.isLoaded(\.author, of: dune))
  }

  @Test(arguments: StoreKind.allCases)
  func aSaveThatFailsChangesNothing(_ kind: StoreKind) throws {
    let world = try Self.load(kind)
    let before = try world.dump()
    let context = try ObjectContext(world.store, for: Book.mapping)
    let dune = try #require(try context.object(Book.mapping, key: 1, including: \.author.books))
    let new = Book()
    new.id = 3
    dune.title = "Other"
    try context.insert(new, as: Book.mapping)
    #expect(
      message { _ = try context.save() }
        == "a new object of Book: expected a new key, 3 is taken; read that object and change it")
    new.id = 4
    let twin = Book()
    twin.id = 4
    try context.insert(twin, as: Book.mapping)
    #expect(message { _ = try context.save() } == "two new objects of Book have the key 4")
    try context.delete(twin)
    dune.id = 77
    #expect(
      message { _ = try context.save() }
        == "the primary key of Book 1 was changed; insert a new object instead")
    dune.id = 1
    dune.author?.books.append(new)
    #expect(message { _ = try context.save() } == "Author 7.books is an inverse; change Book.author")
    #expect(try world.dump() == before)
    new.author = dune.author
    #expect(try summary(context.save()) == "Book +1 ~1")
    #expect(dune.author?.books.map(\.id) == [1, 4])
  }
}
