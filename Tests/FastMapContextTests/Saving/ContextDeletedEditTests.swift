import FastMapCore
import TestSupport
import Testing

/// Edits of objects after they were deleted, and links to objects that the same save deletes. A save refuses both.
@Suite struct ContextDeletedEditTests {
  typealias Author = Library.Author
  typealias Book = Library.Book

  private static func load(_ kind: StoreKind) throws -> (World, ObjectContext, Book) {
    let world = try World(kind, Book.mapping, holding: Book.payload)
    let context = try ObjectContext(world.store, for: Book.mapping)
    return (
      world, context, try #require(try context.object(Book.mapping, key: 1, including: \.author, \.editors))
    )
  }

  private static func jane(_ context: ObjectContext) throws -> Author {
    try #require(try context.object(Author.mapping, key: 9))
  }

  // MARK: Links

  private static let stays = "expected an object that stays, found Author 9, which the same save deletes"

  @Test(arguments: StoreKind.allCases)
  func aLinkToAnObjectThatTheSaveDeletesIsAnError(_ kind: StoreKind) throws {
    let (world, context, dune) = try Self.load(kind)
    let (before, jane, frank) = (try world.dump(), try Self.jane(context), dune.author)
    try context.delete(jane)
    dune.author = jane
    #expect(message { try context.save() } == "Book 1.author: \(Self.stays)")
    dune.author = frank
    dune.editors.append(jane)
    #expect(message { try context.save() } == "Book 1.editors[2]: \(Self.stays)")
    dune.editors.removeLast()
    let new = Book()
    (new.id, new.author) = (20, jane)
    try context.insert(new, as: Book.mapping)
    #expect(message { try context.save() } == "Book 20.author: \(Self.stays)")
    #expect(try world.dump() == before)
    try context.rollBack(jane)
    #expect(try summary(context.save()) == "Book +1")
  }

  /// The relationship is not loaded.
  @Test(arguments: StoreKind.allCases)
  func aLinkInPlaceOfAStoredOneIsAnErrorToo(_ kind: StoreKind) throws {
    let (_, context, _) = try Self.load(kind)
    let (emma, jane) = (try #require(try context.object(Book.mapping, key: 2)), try Self.jane(context))
    let frank = try #require(try context.object(Author.mapping, key: 7))
    try context.delete(frank)
    emma.author = frank
    #expect(message { try context.save() }?.hasPrefix("Book 2.author: expected an object that stays") == true)
    // It has had this one all the time.
    try context.rollBack(frank)
    try context.delete(jane)
    emma.author = jane
    #expect(try summary(context.save()) == "Author -1")
    #expect(emma.author == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func aDeletionRemovesLinksThatWereNotSet(_ kind: StoreKind) throws {
    let (world, context, dune) = try Self.load(kind)
    let sterling = dune.editors[0]
    dune.editors.append(try Self.jane(context))
    try context.delete(sterling)
    #expect(try context.save()["Author"] == .init(deleted: 1))
    #expect(dune.editors.map(\.id) == [7, 9])
    #expect(try world.dump(of: "Book 1")?.contains("editors=[7 9]") == true)
  }

  @Test(arguments: StoreKind.allCases)
  func aRecordMayNotReferToARecordThatTheSaveDeletes(_ kind: StoreKind) throws {
    let (world, context) = try Library.recordWorld(kind)
    let before = try world.dump()
    let dune = try #require(try context.record("Book", key: 1, including: ["author", "editors"]))
    let jane = try #require(try context.record("Author", key: 9))
    try context.delete(jane)
    try dune.set("author", to: jane)
    #expect(message { try context.save() } == "Book 1.author: \(Self.stays)")
    try context.rollBack(dune)
    try dune.set("editors", to: dune.targets("editors") + [jane])
    #expect(message { try context.save() } == "Book 1.editors[2]: \(Self.stays)")
    #expect(try world.dump() == before)
  }

  // MARK: Edits

  private static func late(_ place: String) -> String {
    "\(place) was set after the object was deleted; roll it back, or insert it as a new object"
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func anEditAfterTheDeletionIsAnError(_ kind: StoreKind, isSaved: Bool) throws {
    let (world, context, dune) = try Self.load(kind)
    let jane = try Self.jane(context)
    // A deletion drops the edits from before it.
    dune.title = "early"
    try context.delete(dune)
    #expect(try context.hasChanges())
    if isSaved { try context.save() }
    let before = try world.dump()
    dune.title = "late"
    jane.name = "not saved"
    let error = #expect(throws: ContextError.self) { try context.save() }
    #expect(error?.description == Self.late("Book 1.title"))
    #expect((error?.reason, error?.entity, error?.key) == (.deleted, "Book", 1))
    #expect(throws: ContextError.self) { try context.hasChanges() }
    (dune.title, dune.author) = ("early", jane)
    #expect(message { try context.save() } == Self.late("Book 1.author"))
    #expect(try world.dump() == before)
    try context.rollBack(dune)
    #expect(try summary(context.save()) == "Author ~1")
    #expect(try (world.dump(of: "Book 1") == nil) == isSaved)
  }

  @Test(arguments: StoreKind.allCases)
  func aRollBackOfAllDropsIt(_ kind: StoreKind) throws {
    let (_, context, dune) = try Self.load(kind)
    try context.delete(dune)
    try context.save()
    dune.title = "late"
    try context.rollBack()
    #expect(try !context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases)
  func aDeletedInstanceMayBecomeANewObjectWithItsEdits(_ kind: StoreKind) throws {
    let (world, context, dune) = try Self.load(kind)
    try context.delete(dune)
    try context.save()
    dune.title = "again"
    try context.insert(dune, as: Book.mapping)
    #expect(try context.save()["Book"] == .init(inserted: 1))
    #expect(try world.dump(of: "Book 1")?.contains(#"title="again""#) == true)
  }

  /// It may be in another context.
  @Test(arguments: StoreKind.allCases)
  func aNewInstanceIsTheCallersAgainAfterItsDeletion(_ kind: StoreKind) throws {
    let (_, context, _) = try Self.load(kind)
    let new = Book()
    new.id = 20
    try context.insert(new, as: Book.mapping)
    try context.save()
    try context.delete(new)
    try context.save()
    new.title = "mine"
    #expect(try !context.hasChanges())
  }

  /// A refresh may show other values after the deletion.
  @Test(arguments: StoreKind.allCases)
  func aRefreshOfADeletedObjectIsNoEdit(_ kind: StoreKind) throws {
    let (world, context, dune) = try Self.load(kind)
    try context.delete(dune)
    try world.load(#"{"id":1,"title":"theirs","editors":[9]}"#)
    try context.refreshAll()
    #expect(dune.title == "theirs")
    #expect(try context.save()["Book"] == .init(deleted: 1))
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func anEditOfADeletedRecordIsAnError(_ kind: StoreKind, isSaved: Bool) throws {
    let (_, context) = try Library.recordWorld(kind)
    let dune = try #require(try context.record("Book", key: 1, including: ["editors"]))
    try context.delete(dune)
    if isSaved { try context.save() }
    dune["title"] = "late"
    #expect(message { try context.save() } == Self.late("Book 1.title"))
    try context.rollBack(dune)
    try dune.set("editors", to: [])
    #expect((message { try context.save() } == Self.late("Book 1.editors")) == isSaved)
  }
}
