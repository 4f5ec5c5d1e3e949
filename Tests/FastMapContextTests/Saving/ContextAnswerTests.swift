import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Answers of a server that new instances are filled with, and elements that a save edits and removes.
@Suite struct ContextAnswerTests {
  private typealias Book = Library.Book

  final class Account {
    var id = 0
    var role = "guest"
    var price: Double? = 5
    var number = Int.random(in: 1...Int.max)

    static let mapping = Mapping(Account.self, "Account", primaryKey: "id", make: { Account() }) {
      Attribute("id", \.id)
      Attribute("role", \.role).default("member")
      Attribute("price", \.price)
      Attribute("number", \.number).default(0)
    }
  }

  private func makeContext(_ kind: StoreKind) throws -> (World, ObjectContext) {
    let world = try World(kind, Book.mapping, holding: Book.payload)
    return (world, try ObjectContext(world.store, for: Book.mapping))
  }

  @Test(arguments: StoreKind.allCases)
  func unsetPropertiesShowStoredValues(_ kind: StoreKind) throws {
    let store = try kind.make()
    let context = try ObjectContext(store, for: Account.mapping)
    defer { context.end() }
    let draft = Account()
    try context.fill(draft, from: #"{"id":6,"price":null,"number":12}"#, as: Account.mapping)
    #expect(draft.role == "member" && draft.price == nil && draft.number == 12)
    #expect(try !context.hasChanges())
    // By its key, too.
    let other = Account()
    other.id = 7
    try context.insert(other, as: Account.mapping)
    _ = try context.importJSON(#"{"id":7,"price":null}"#, as: Account.mapping)
    #expect(other.role == "member" && other.price == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func anElementThatIsEditedAndRemovedIsGone(_ kind: StoreKind) throws {
    let (world, context) = try makeContext(kind)
    defer { context.end() }
    let dune = try #require(try context.object(Book.mapping, key: 1, including: \.notes))
    dune.notes[0].text = "x"
    dune.notes.removeFirst()
    try context.save()
    #expect(try !context.hasChanges())
    dune.title = "Dune!"
    try context.save()
    #expect(try world.dump(of: "Book 1")?.contains(#"title="Dune!""#) == true)
    #expect(try world.store.read { try $0.count(Library.Note.mapping) } == 1)
    // So is one of a deleted object.
    dune.notes[0].text = "y"
    try context.delete(dune)
    try context.save()
    #expect(try !context.hasChanges())
    #expect(try world.store.read { try $0.count(Library.Note.mapping) } == 0)
  }
}
