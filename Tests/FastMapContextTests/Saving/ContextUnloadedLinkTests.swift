import FastMapCore
import TestSupport
import Testing

/// Relationships that are not loaded, set to nil or to an empty list. A property looks the same before and after.
@Suite struct ContextUnloadedLinkTests {
  typealias Book = Library.Book

  @Test(arguments: StoreKind.allCases)
  func aRelationshipOfAnInstanceIsClearedOnceItIsLoaded(_ kind: StoreKind) throws {
    let world = try World(kind, Book.mapping, holding: Book.payload)
    let context = try ObjectContext(world.store, for: Book.mapping)
    let dune = try #require(try context.object(Book.mapping, key: 1))
    (dune.author, dune.editors) = (nil, [])
    #expect(try !context.hasChanges())
    try context.load(\.author, \.editors, of: [dune])
    #expect((dune.author?.id, dune.editors.map(\.id)) == (7, [8, 7]))
    (dune.author, dune.editors) = (nil, [])
    #expect(try summary(context.save()) == "Book ~1")
    #expect(try world.dump(of: "Book 1")?.contains("author") == false)
    #expect(try world.dump(of: "Book 1")?.contains("editors") == false)
  }

  @Test(arguments: StoreKind.allCases)
  func aRecordRefusesToClearARelationshipThatIsNotLoaded(_ kind: StoreKind) throws {
    let (world, context) = try Library.recordWorld(kind)
    let dune = try #require(try context.record("Book", key: 1))
    let advice = "is not loaded; load it before you read or change it"
    #expect(message { try dune.set("author", to: nil) } == "Book 1.author \(advice)")
    #expect(message { try dune.set("editors", to: []) } == "Book 1.editors \(advice)")
    try context.load(["author", "editors"], of: [dune])
    try dune.set("author", to: nil)
    try dune.set("editors", to: [])
    #expect(try summary(context.save()) == "Book ~1")
    #expect(try world.dump(of: "Book 1")?.contains("author") == false)
    #expect(try world.dump(of: "Book 1")?.contains("editors") == false)
  }
}
