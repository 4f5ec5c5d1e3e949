import FastMapCore
import TestSupport
import Testing

@testable import FastMapContexts

/// A context of classes and of records, on every store. One that keeps instances has the records as values beside them.
@Suite struct ContextMixedTests {
  typealias Author = Library.Author
  typealias Book = Library.Book

  private static let list = Mapping("List", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToOne("top", .mapping { Book.mapping.definition })
    ToMany("books", .mapping { Book.mapping.definition }, policy: .replace)
  }

  private static func load(_ kind: StoreKind) throws -> (World, ObjectContext) {
    let world = try World(kind, list)
    _ = try Mapper(world.store).importJSON(Book.payload, as: Book.mapping)
    try world.load(#"[{"id": 1, "name": "best", "top": 1, "books": [1, 2]}, {"id": 2, "books": [2, 3]}]"#)
    return (world, try ObjectContext(world.store, for: list))
  }

  @Test(arguments: StoreKind.allCases)
  func recordsReferToInstancesOfTheContext(_ kind: StoreKind) throws {
    let (_, context) = try Self.load(kind)
    let dune = try #require(try context.object(Book.mapping, key: 1))
    let list = try #require(try context.record("List", key: 1, including: ["top.author", "books"]))
    #expect(try list.target("top", as: Book.self) === dune)
    #expect(dune.author?.name == "Frank")
    #expect(try list.targets("books", as: Book.self).map(\.id) == [1, 2])
    #expect(
      message { _ = try list.targets("books") }
        == "expected Book, the class of Book in this context, found EditableRecord")
    #expect(
      message { try list.set("top", to: list) }
        == "List 1.top: expected an instance of Book, found one of EditableRecord")
  }

  @Test(arguments: StoreKind.allCases)
  func oneSaveWritesBoth(_ kind: StoreKind) throws {
    let (world, context) = try Self.load(kind)
    let lists = try context.records("List", including: ["top", "books"])
    let dune = try #require(try context.object(Book.mapping, key: 1, including: \.author))
    let (new, author) = (Book(), Author())
    (new.id, new.title, new.author, author.id) = (20, "New", author, 21)
    dune.title = "Dune!"
    lists[0]["name"] = nil
    try lists[0].set("top", to: new)
    try lists[1].set("books", to: [new, dune])
    let inserted = try context.insert("List", ["id": 3])
    try inserted.set("books", to: [new])
    #expect(try context.hasChanges())
    let report = try context.save()
    #expect(report["List"] == .init(inserted: 1, updated: 2))
    #expect(report["Book"]?.inserted == 1)
    #expect(report["Book"]?.deleted == 1, "no list has it any more")
    #expect(report["Author"]?.inserted == 1)
    #expect(try world.dump(of: "List 1") == "List 1 top=20 books=[1 2]")
    #expect(try world.dump(of: "List 2") == "List 2 books=[20 1]")
    #expect(try world.dump(of: "List 3") == "List 3 books=[20]")
    #expect(try world.dump(of: "Book 20")?.contains("author=21") == true)
    #expect(try world.dump(of: "Book 1")?.contains("Dune!") == true)
    #expect(try world.dump(of: "Book 3") == nil)
    #expect(try !context.hasChanges())
    #expect(try context.object(Book.mapping, key: 20) === new)
    // Deleted objects leave the records.
    try context.delete(new)
    try context.delete(lists[1])
    _ = try context.save()
    #expect(try lists[0].target("top", as: Book.self) == nil)
    #expect(try (world.dump(of: "List 1"), world.dump(of: "List 3")) == ("List 1 books=[1 2]", "List 3"))
    #expect(try world.dump(of: "List 2") == nil)
    #expect(try !context.hasChanges())
  }
}
