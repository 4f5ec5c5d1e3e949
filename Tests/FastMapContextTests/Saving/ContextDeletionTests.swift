import FastMapCore
import TestSupport
import Testing

@testable import FastMapContexts

/// Links to objects that a context has deleted, or forgotten, on every store.
@Suite struct ContextDeletionTests {
  typealias Author = Library.Author
  typealias Book = Library.Book
  typealias Tag = Passes.Tag
  typealias Pass = Passes.Pass

  @Test(arguments: StoreKind.allCases)
  func aNewObjectThatIsDeletedLeavesAllRelationships(_ kind: StoreKind) throws {
    let (world, context, dune) = try Library.dune(kind)
    let (author, book) = (Author(), Book())
    (author.id, book.id) = (99, 20)
    book.editors = [author]
    try context.insert(author, as: Author.mapping)
    try context.insert(book, as: Book.mapping)
    dune.editors.append(author)
    dune.author = author
    try context.delete(author)
    try context.delete(author)
    _ = try context.save()
    #expect(dune.editors.map(\.id) == [8, 7])
    #expect(dune.author == nil)
    #expect(book.editors.isEmpty)
    #expect(try !context.hasChanges())
    #expect(try world.dump(of: "Author 99") == nil)
    #expect(try world.dump(of: "Book 20") != nil)
    // It is the caller's again.
    dune.author = author
    _ = try context.save()
    #expect(try world.dump(of: "Author 99") != nil)
  }

  @Test(arguments: StoreKind.allCases)
  func aNewObjectThatIsInsertedAgainIsStored(_ kind: StoreKind) throws {
    let (world, context, dune) = try Library.dune(kind)
    let author = Author()
    author.id = 99
    try context.insert(author, as: Author.mapping)
    dune.author = author
    try context.delete(author)
    try context.insert(author, as: Author.mapping)
    _ = try context.save()
    #expect(dune.author === author)
    #expect(try world.dump(of: "Author 99") != nil)
    #expect(try !context.hasChanges())
  }

  /// A rollback forgets that it was deleted, too.
  @Test(arguments: StoreKind.allCases)
  func aNewObjectThatWasDeletedIsStoredAfterARollBackIfSomethingRefersToIt(_ kind: StoreKind) throws {
    let (world, context, dune) = try Library.dune(kind)
    defer { context.end() }
    let author = Author()
    author.id = 99
    try context.insert(author, as: Author.mapping)
    dune.editors.append(author)
    try context.delete(author)
    try context.rollBack()
    #expect(dune.editors.map(\.id) == [8, 7])
    #expect(try !context.hasChanges())
    dune.editors.append(author)
    dune.author = author
    let report = try context.save()
    #expect(report["Author"] == .init(inserted: 1) && report["Book"] == .init(updated: 1))
    #expect(dune.author === author && dune.editors.last === author)
    #expect(try world.dump(of: "Book 1")?.contains("author=99 editors=[8 7 99]") == true)
    #expect(try world.dump(of: "Author 99") != nil)
    #expect(try !context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases)
  func aSaveWithNothingElseRemovesItFromRelationshipsToo(_ kind: StoreKind) throws {
    let (world, context, dune) = try Library.dune(kind)
    let before = try world.dump()
    let author = Author()
    author.id = 99
    try context.insert(author, as: Author.mapping)
    dune.editors.append(author)
    try context.delete(author)
    _ = try context.save()
    #expect(dune.editors.map(\.id) == [8, 7])
    #expect(try world.dump() == before)
  }

  @Test(arguments: StoreKind.allCases)
  func aLinkToADeletedObjectIsAnError(_ kind: StoreKind) throws {
    let (world, context, dune) = try Library.dune(kind)
    let jane = try #require(try context.object(Author.mapping, key: 9))
    try context.delete(jane)
    _ = try context.save()
    let before = try world.dump()
    dune.author = jane
    #expect(message { _ = try context.save() } == "Author 9: not stored any more")
    dune.author = dune.editors[0]
    dune.editors.append(jane)
    #expect(message { _ = try context.save() } == "Author 9: not stored any more")
    #expect(try world.dump() == before)
    // It is a new object if the caller says so.
    try context.insert(jane, as: Author.mapping)
    _ = try context.save()
    #expect(dune.editors.map(\.id) == [8, 7, 9])
    #expect(try world.dump(of: "Author 9") != nil)
    #expect(try !context.hasChanges())
  }

  /// Tag 2 is in the context. Its part is not, so the context cannot tell who has deleted it.
  @Test(arguments: StoreKind.allCases, [2, 3])
  func ownEarlierDeletionsDoNotConflict(_ kind: StoreKind, cover: Int) throws {
    let world = try World(kind, Pass.mapping)
    try world.load(#"[{"id":1,"bag":[{"id":1},{"id":2,"part":{"id":3}}]},{"id":2,"cover":\#(cover)}]"#)
    let context = try ObjectContext(world.store, for: Pass.mapping)
    let first = try #require(try context.object(Pass.mapping, key: 1, including: \.bag))
    let second = try #require(try context.object(Pass.mapping, key: 2))
    first.bag.removeLast()
    _ = try context.save()
    #expect(try world.dump(of: "Pass 2") == "Pass 2")
    let tag = Tag()
    tag.id = 7
    second.cover = tag
    if cover == 3 {
      #expect(message { _ = try context.save() } == "Pass 2.cover: read [0], mine 7, theirs none")
    }
    #expect(try summary(context.save(onConflict: cover == 2 ? .fail : .mine)) == "Pass ~1, Tag +1")
    #expect(try world.dump(of: "Pass 2") == "Pass 2 cover=7")
  }

  /// Nothing refers to it any more, so its inverse is empty.
  @Test(arguments: StoreKind.allCases)
  func aDeletedObjectWithALoadedInverseCanBeInserted(_ kind: StoreKind) throws {
    let (world, context, _) = try Library.dune(kind)
    let jane = try #require(try context.object(Author.mapping, key: 9, including: \.books))
    #expect(jane.books.map(\.id) == [2, 3])
    try context.delete(jane)
    _ = try context.save()
    try context.insert(jane, as: Author.mapping)
    #expect(jane.books.isEmpty)
    #expect(try summary(context.save()) == "Author +1")
    #expect(try world.dump(of: "Author 9") != nil)
  }
}
