import FastMapCore
import TestSupport
import Testing

@testable import FastMapContexts

/// The names of objects in the errors and conflicts of contexts.
@Suite struct ContextMessageTests {
  typealias Author = Library.Author
  typealias Book = Library.Book

  private static let values = StoreKind.allCases

  @Test(arguments: values)
  func anOwnedObjectHasItsOwnerAndItsPlace(_ kind: StoreKind) throws {
    let (world, context, dune) = try Library.dune(kind)
    dune.notes[1].text = "mine"
    try world.load(#"{"id":1,"notes":[{"text":"long"},{"text":"theirs"}]}"#)
    #expect(message { _ = try context.save() } == "Book 1.notes[1]: not stored any more")
    dune.notes.swapAt(0, 1)
    try world.load(#"{"id":1,"notes":[{"text":"long"}]}"#)
    #expect(message { _ = try context.save(onConflict: .mine) } == "Book 1.notes[1]: not stored any more")
    try context.rollBack()
    dune.notes.append(Library.Note())
    #expect(
      message { _ = try context.save() } == """
        Book 1.notes: read [0], [1], mine [0], [1], new, theirs [0]
        Book 1.notes[1]: not stored any more
        """)
  }

  @Test(arguments: values)
  func anObjectWithoutAKeyAndAnOwnerSaysSo(_ kind: StoreKind) throws {
    let world = try World(kind, Library.Note.mapping, holding: #"{"text":"a"}"#)
    let context = try ObjectContext(world.store, for: Library.Note.mapping)
    let note = try #require(try context.objects(Library.Note.mapping).first)
    try context.delete(note)
    try context.save()
    #expect(
      message { try context.refresh([note]) }
        == "expected an object that is stored, found Note without a key, which was deleted")
  }

  @Test(arguments: StoreKind.allCases)
  func anInstanceThatASaveHasDeletedIsNotUnknown(_ kind: StoreKind) throws {
    let (_, context, _) = try Library.dune(kind)
    let book = try #require(try context.object(Book.mapping, key: 3))
    try context.delete(book)
    try context.save()
    let expected = "expected an object that is stored, found Book 3, which was deleted"
    #expect(message { try context.refresh([book]) } == expected)
    #expect(message { try context.load(\.author, of: [book]) } == expected)
    #expect(message { try context.delete(book) } == expected)
    try context.insert(book, as: Book.mapping)
    try context.save()
    #expect(try context.refresh([book]).isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func aStoredObjectWithoutAKeyIsNotFilled(_ kind: StoreKind) throws {
    let (_, context, dune) = try Library.dune(kind)
    let note = try #require(dune.notes.first)
    #expect(
      message { try context.fill(note, from: #"{"text":"new"}"#, as: Library.Note.mapping) }
        == "expected an object with a key or a new one, found a stored Note without a key, "
        + "which no payload can name; change its properties instead")
    #expect(note.text == "long")
    #expect(try !context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases)
  func aNewInstanceIsNotUnknown(_ kind: StoreKind) throws {
    let (_, context, _) = try Library.dune(kind)
    let book = Book()
    book.id = 50
    try context.insert(book, as: Book.mapping)
    let expected = "expected an object that is stored, found a new Book, which is not saved yet"
    #expect(message { try context.refresh([book]) } == expected)
    #expect(message { try context.load(\.author, of: [book]) } == expected)
    #expect(message { _ = try context.isLoaded(\.author, of: book) } == expected)
    try context.save()
    #expect(try context.isLoaded(\.author, of: book))
    #expect(try context.refresh([book]).isEmpty)
  }

  // MARK: Relationships

  private class Animal {
    var id = 0
    var friends: [Cat] = []
  }

  private final class Cat: Animal {
    var owner: Author?

    static let mapping: Mapping<Cat> = Mapping(Cat.self, "Cat", primaryKey: "id", make: { Cat() }) {
      Attribute("id", \.id)
      ToOne("owner", \.owner, Author.mapping)
      ToMany("friends", \.friends, Cat.mapping)
    }
  }

  @Test func aPropertyThatNoMappingHasNamesThoseThatItHas() throws {
    let context = try ObjectContext(StoreKind.lmdb.make(), for: Cat.mapping)
    let cat = Cat()
    cat.id = 1
    try context.insert(cat, as: Cat.mapping)
    try context.save()
    let found = message { try context.load(\.friends, of: [cat as Animal]) }
    #expect(found?.hasSuffix("; its relationships are: owner and friends") == true, "\(found ?? "")")
  }

  private final class Tag {
    var id = 0
    var drafts: [Tag] = []

    static let mapping: Mapping<Tag> = Mapping(Tag.self, "Tag", primaryKey: "id", make: { Tag() }) {
      Attribute("id", \.id)
      ToMany("drafts", \.drafts, draft)
    }
    static let draft = Mapping(Tag.self, "DraftTag", primaryKey: "id", make: { Tag() }) {
      Attribute("id", \.id)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anObjectOfAnotherEntityIsNamed(_ kind: StoreKind) throws {
    let store = try kind.make(#"[{"id":1,"drafts":[]},{"id":2}]"#, as: Tag.mapping)
    let context = try ObjectContext(store, for: Tag.mapping)
    let tags = try context.objects(Tag.mapping, including: \.drafts)
    tags[0].drafts = [tags[1]]
    #expect(
      message { _ = try context.save() } == "Tag 1.drafts[0]: expected an object of DraftTag, found Tag 2")
  }

  @Test func aPropertyWhoseKeyPathHasNoNameHasItsType() throws {
    let context = try ObjectContext(StoreKind.lmdb.make(), for: Parent.mapping)
    let parent = Parent()
    parent.id = 1
    try context.insert(parent, as: Parent.mapping)
    try context.save()
    #expect(
      message { try context.load(\.oldest, of: [parent]) }
        == "no mapping of Parent has the given property of type Optional<Child> as a relationship; "
        + "its relationships are: heir and children")
  }

  // MARK: New objects

  private final class Child {
    var id: Int?

    static let mapping = Mapping(Child.self, "Child", primaryKey: "id", make: { Child() }) {
      Attribute("id", \.id)
    }
  }

  private final class Parent {
    var id = 0
    var heir: Child?
    var children: [Child] = []
    var oldest: Child? { children.first }

    static let mapping = Mapping(Parent.self, "Parent", primaryKey: "id", make: { Parent() }) {
      Attribute("id", \.id)
      ToOne("heir", \.heir, Child.mapping)
      ToMany("children", \.children, Child.mapping)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aNewObjectWithoutAKeyHasItsPlace(_ kind: StoreKind) throws {
    let store = try kind.make(#"{"id":1,"children":[{"id":1}]}"#, as: Parent.mapping)
    let context = try ObjectContext(store, for: Parent.mapping)
    let parent = try #require(try context.object(Parent.mapping, key: 1, including: \.children))
    parent.children.append(Child())
    #expect(
      message { try context.save() }
        == "Parent 1.children[1], a new object of Child: expected a key, found none")
    parent.children.removeLast()
    let new = Parent()
    (new.id, new.heir) = (2, Child())
    try context.insert(new, as: Parent.mapping)
    #expect(
      message { try context.save() } == "Parent 2.heir, a new object of Child: expected a key, found none")
    new.heir = nil
    try context.insert(Child(), as: Child.mapping)
    #expect(message { try context.save() } == "a new object of Child: expected a key, found none")
  }

  @Test func aNewObjectWhoseKeyTheStoreRefusesHasItsPlace() throws {
    let (_, context, _) = try Library.dune(.lmdb)
    let (book, shop) = (Book(), Library.Shop())
    (book.id, shop.code, book.shops) = (9, String(repeating: "x", count: 600), [shop])
    try context.insert(book, as: Book.mapping)
    let found = message { try context.save() }
    #expect(
      found?.hasPrefix("Book 9.shops[0], a new object of Shop: expected a key of ") == true, "\(found ?? "")")
  }

  @Test(arguments: StoreKind.allCases)
  func aNewInstanceThatIsOnlyLinkedIsNotKnown(_ kind: StoreKind) throws {
    let (_, context, dune) = try Library.dune(kind)
    let author = Author()
    author.id = 20
    dune.author = author
    #expect(
      message { try context.delete(author) }
        == "expected an instance that this context has read or inserted, found another one of Author")
  }

  // MARK: Values

  private final class Project {
    var id = 0
    var start: Timestamp?
    var blob: [UInt8]?

    static let mapping = Mapping(Project.self, "Project", primaryKey: "id", make: { Project() }) {
      Attribute("id", \.id)
      Attribute("start", \.start)
      Attribute("blob", \.blob)
    }
  }

  @Test(arguments: values)
  func datesAndBytesAreReadable(_ kind: StoreKind) throws {
    let world = try World(kind, Project.mapping)
    try world.load(#"{"id":1,"start":"2024-01-02T03:04:05Z","blob":"AQID"}"#)
    let context = try ObjectContext(world.store, for: Project.mapping)
    let project = try #require(try context.object(Project.mapping, key: 1))
    (project.start, project.blob) = (Timestamp(seconds: 1_704_164_645, nanoseconds: 500_000_000), [])
    try world.load(#"{"id":1,"start":"1969-12-31T23:59:59Z","blob":"AAECAwQFBgcI"}"#)
    #expect(
      message { try context.save() } == """
        Project 1.start: read 2024-01-02T03:04:05Z, mine 2024-01-02T03:04:05.5Z, theirs 1969-12-31T23:59:59Z
        Project 1.blob: read 3 bytes 0x010203, mine 0 bytes, theirs 9 bytes 0x0001020304050607…
        """)
  }

  @Test func aDateOutsideTheYearsOfISO8601IsItsSeconds() {
    let states: [ObjectConflict.State] = [.value(.date(Timestamp(seconds: .max))), .value(.data([255]))]
    #expect(states.map { "\($0)" } == ["\(Int64.max) s", "1 byte 0xff"])
  }
}
