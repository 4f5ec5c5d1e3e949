import FastMapCore
import FastMapMemory
import TestSupport
import Testing

/// Filling an instance that the caller has.
@Suite struct FillTests {
  private func fill(
    _ book: Book, _ store: some Store, _ json: String, _ mapping: Mapping<Book> = Book.plain
  ) throws {
    try Mapper(store).fill(book, from: json, as: mapping)
  }

  /// Expects an error with just these words.
  private func expect(_ words: String, _ body: () throws -> Void) {
    do {
      try body()
      Issue.record("nothing was thrown")
    } catch {
      #expect("\(error)" == words)
    }
  }

  private func stored(_ key: PrimaryKey, _ store: some Store) throws -> Book? {
    try store.read { try $0.object(Book.plain, key: key, depth: .max) }
  }

  // FEM-170, FEM-15, FEM-17, FEM-22, FEM-23
  @Test(arguments: StoreKind.allCases)
  func aPayloadIsAppliedToAnInstanceAsByAnyImport(_ kind: StoreKind) throws {
    let store = try kind.make()
    let book = Book()
    book.title = "Dune"
    book.year = 1965
    try fill(book, store, #"{"id": 5, "title": "Dune", "year": null}"#)
    #expect(book.id == 5)
    #expect(book.titleWasSet == 1)
    #expect(book.year == 1965)
    try fill(book, store, #"{"title": null, "year": 7}"#)
    #expect(book.title == nil)
    #expect(book.year == 7)
    let found = try #require(try stored(5, store))
    #expect((found === book) == (kind == .memory))
    #expect(found.title == nil && found.year == 7)
    #expect(try store.read { try $0.count(Book.plain) } == 1)
  }

  // FEM-23, FEM-149
  @Test(arguments: StoreKind.allCases)
  func thePayloadsKeyBecomesTheInstances(_ kind: StoreKind) throws {
    let store = try kind.make()
    let book = Book()
    book.id = 3
    book.year = 1965
    try fill(book, store, #"{"id": 5, "title": "a"}"#)
    #expect(book.id == 5)
    #expect(try stored(5, store)?.year == 1965)
    #expect(try stored(3, store) == nil)
    // Without a key in the payload it is the instance's own.
    try fill(book, store, #"{"title": "b"}"#)
    #expect(try stored(5, store)?.title == "b")
    #expect(try store.read { try $0.count(Book.plain) } == 1)
  }

  // FEM-23, FEM-149
  @Test func aKeptInstanceTakesAnotherKeyUnlessThatIsAnothers() throws {
    let store = MemoryStore()
    let book = Book()
    book.id = 3
    try fill(book, store, #"{"title": "a"}"#)
    try fill(book, store, #"{"id": 5}"#)
    #expect(try stored(5, store) === book)
    #expect(try stored(3, store) == nil)
    let other = Book()
    expect("$.id: expected a key that is free or the object's own, 5 is another object's (line 1, column 8)")
    {
      try fill(other, store, #"{"id": 5, "title": "b"}"#)
    }
    #expect(other.title == nil)
  }

  // FEM-149
  @Test func aStoreOfValuesKeepsTheKeyOfAStoredObject() throws {
    let store = try StoreKind.lmdb.make()
    let book = Book()
    try fill(book, store, #"{"id": 3, "title": "a"}"#)
    expect("$.id: expected 3, the key that the instance has in the store, found 5 (line 1, column 8)") {
      try fill(book, store, #"{"id": 5, "title": "b"}"#)
    }
    #expect(book.id == 3 && book.title == "a")
    #expect(try store.read { try $0.count(Book.plain) } == 1)
  }

  // FEM-171, FEM-173
  @Test(arguments: StoreKind.allCases)
  func relatedObjectsAreFoundAndMade(_ kind: StoreKind) throws {
    let store = try kind.make()
    let ada = try #require(
      try Mapper(store).object(from: #"{"id": 1, "name": "Ada"}"#, as: Author.mapping, depth: .max))
    let book = Book()
    try fill(book, store, #"{"id": 1, "author": {"id": 1}, "tags": [{"id": 1}, {"id": 2}]}"#)
    #expect((book.author === ada) == (kind == .memory))
    #expect(book.author?.name == "Ada")
    #expect(book.tags.map(\.id) == [1, 2])
  }

  // FEM-170
  @Test(arguments: StoreKind.allCases)
  func theInstancesOwnRelationshipsAreTheOldValueOfItsPolicies(_ kind: StoreKind) throws {
    let store = try kind.make()
    let book = Book()
    let mine = Tag()
    mine.id = 7
    book.tags = [mine]
    try fill(book, store, #"{"id": 1, "tags": [{"id": 8}]}"#, Book.mapping(.merge))
    #expect(book.tags.map(\.id) == [7, 8])
    #expect(book.tags[0] === mine)
    let later = Tag()
    later.id = 9
    book.tags.append(later)
    // Another import has added one meanwhile, which only an instance of the store's has.
    let merge = try Plan(Book.mapping(.merge))
    _ = try Mapper(store).importJSON(#"{"id": 1, "tags": [{"id": 6}]}"#, as: merge)
    let tags = kind == .memory ? [7, 8, 9, 6] : [7, 8, 6, 9]
    try fill(book, store, #"{"id": 1, "tags": [{"id": 8}]}"#, Book.mapping(.merge))
    #expect(book.tags.map(\.id) == tags)
    #expect(book.tags[0] === mine)
    #expect(book.tags.contains { $0 === later })
    #expect(try stored(1, store)?.tags.map(\.id) == tags)
    try fill(book, store, #"{"id": 1, "tags": [{"id": 8}]}"#, Book.mapping(.replace))
    #expect(book.tags.map(\.id) == [8])
    #expect(try store.read { try $0.object(Tag.mapping, key: 7, depth: .max) } == nil)
  }

  // FEM-170
  @Test(arguments: StoreKind.allCases)
  func whatADraftWasGivenByHandIsStoredWithThePayload(_ kind: StoreKind) throws {
    let store = try kind.make()
    let book = Book()
    let author = Author()
    author.id = 4
    author.name = "Ada"
    book.title = "Dune"
    book.author = author
    try fill(book, store, #"{"id": 12, "year": 1965}"#)
    #expect(book.title == "Dune" && book.year == 1965 && book.author === author)
    let found = try #require(try stored(12, store))
    #expect(found.title == "Dune" && found.year == 1965)
    #expect(found.author?.id == 4)
    _ = try Mapper(store).importJSON(#"{"id": 4, "name": "Ada L."}"#, as: Plan(Author.mapping))
    #expect(try stored(12, store)?.author?.name == "Ada L.")
    #expect(try store.read { try $0.count(Author.mapping) } == 1)
  }

  // FEM-170
  @Test(arguments: StoreKind.allCases)
  func missingMembersLeaveTheInstanceAndTheObjectAlone(_ kind: StoreKind) throws {
    let store = try kind.make()
    let json = #"{"id": 1, "title": "Dune", "year": 1965, "author": {"id": 2}, "tags": [{"id": 3}]}"#
    let book = try #require(try Mapper(store).object(from: json, as: Book.plain, depth: .max))
    book.title = "Dune Messiah"
    let report = try Mapper(store).fill(book, from: #"{"id": 1, "year": 1969}"#, as: Book.plain)
    #expect(report["Book"] == .init(updated: 1))
    #expect(book.title == "Dune Messiah" && book.year == 1969)
    #expect(book.author?.id == 2 && book.tags.map(\.id) == [3])
    let found = try #require(try stored(1, store))
    // A copy's change is the copy's: where both have a value, each keeps its own.
    #expect(found.title == (kind == .memory ? "Dune Messiah" : "Dune"))
    #expect(found.year == 1969 && found.author?.id == 2 && found.tags.map(\.id) == [3])
  }

  @Test(arguments: StoreKind.allCases)
  func aDraftCountsAsInsertedAndADryRunLeavesNoTrace(_ kind: StoreKind) throws {
    let store = try kind.make()
    let book = Book()
    book.id = 1
    book.title = "Dune"
    var options = ImportOptions()
    options.isDryRun = true
    let json = #"{"year": 1965, "tags": [{"id": 3}]}"#
    _ = try Mapper(store).fill(book, from: json, as: Book.plain, options: options)
    #expect(book.year == 1900 && book.tags.isEmpty)
    #expect(try store.read { try $0.count(Book.plain) + $0.count(Tag.mapping) } == 0)
    let report = try Mapper(store).fill(book, from: json, as: Book.plain)
    #expect(report["Tag"] == .init(inserted: 1))
    #expect(report["Book"]?.inserted == (kind == .memory ? 0 : 1))
    let again = try Mapper(store).fill(book, from: json, as: Book.plain)
    #expect(again["Book"] == .init(unchanged: 1))
  }

  // FEM-173
  @Test(arguments: StoreKind.allCases, ["", #""id": 3, "#])
  func anInstanceMeetsItselfInThePayloadByItsKeyOrThePayloads(_ kind: StoreKind, _ key: String) throws {
    let store = try kind.make()
    let person = Person()
    if key.isEmpty { person.id = 3 }
    person.name = "Ada"
    let json =
      #"{\#(key)"friends": [{"id": 3, "name": "Ada L."}, {"id": 4, "friends": [{"id": 3}]}]}"#
    try Mapper(store).fill(person, from: json, as: Person.mapping)
    #expect(person.id == 3)
    #expect(person.friends.map(\.id) == [3, 4])
    #expect(person.friends.first === person)
    #expect(person.friends.last?.friends.first === person)
    #expect(person.name == "Ada L.")
    #expect(try store.read { try $0.count(Person.mapping) } == 2)
    let again = try store.read { try $0.object(Person.mapping, key: 3, depth: .max) }
    #expect(again?.name == "Ada L." && again?.friends.map(\.id) == [3, 4])
  }

  @Test(arguments: StoreKind.allCases)
  func aCircleOfDraftsGoesIntoTheStoreAsItIs(_ kind: StoreKind) throws {
    let store = try kind.make()
    let people = (1...50).map { id in
      let person = Person()
      person.id = 100 - id
      return person
    }
    for (index, person) in people.enumerated() { person.friends = [people[(index + 1) % 50], people[0]] }
    people[49].name = "last"
    try Mapper(store).fill(people[0], from: #"{"name": "first"}"#, as: Person.mapping)
    let found = try store.read { try $0.objects(Person.mapping, depth: .max) }
    #expect(found.map(\.id) == Array(50...99))
    #expect(found.last?.friends.map(\.id) == [98, 99])
    #expect(found.first?.name == "last")
    #expect(found.last?.name == "first")
  }

  @Test func aStoreOfValuesNeedsAKeyToTellWhichObjectAnInstanceIs() throws {
    let store = try StoreKind.lmdb.make()
    let contact = try #require(
      try Mapper(store).object(
        from: #"{"name": "Ada", "email": "a@b.c", "phones": [{"number": "1"}]}"#, as: Contact.mapping,
        including: \.phones))
    expect(
      "$: expected a mapping with a primary key, Contact has none: a store of values cannot tell "
        + "which object the instance is (line 1, column 1)"
    ) { try Mapper(store).fill(contact, from: #"{"name": "B"}"#, as: Contact.mapping) }
    #expect(contact.email == "a@b.c" && contact.phones.count == 1)
    #expect(try store.read { try $0.count(Contact.mapping) } == 1)
    expect("$.id: expected a key, neither the payload nor the instance has one (line 1, column 1)") {
      try fill(Book(), store, #"{"title": "b"}"#)
    }
  }

  @Test func aStoreOfInstancesNeedsNoKeyToTellWhichObjectAnInstanceIs() throws {
    let store = MemoryStore()
    let contact = try #require(
      try Mapper(store).object(
        from: #"{"name": "Ada", "email": "a@b.c", "phones": [{"number": "1"}]}"#, as: Contact.mapping))
    try Mapper(store).fill(contact, from: #"{"name": "Other", "car": null}"#, as: Contact.mapping)
    #expect(contact.name == "Other" && contact.email == "a@b.c" && contact.phones.count == 1)
    #expect(try store.read { try $0.count(Contact.mapping) } == 1)
  }

  @Test func aRelatedInstanceWithoutAKeyIsRefusedUnlessItsOwnerOwnsIt() throws {
    let store = try StoreKind.lmdb.make()
    let book = Book()
    book.id = 1
    book.tags = [Tag()]
    expect("$: expected keys of the instances in Book.tags, found one without (line 1, column 1)") {
      try fill(book, store, #"{"title": "a"}"#)
    }
    #expect(book.title == nil)
    #expect(try store.read { try $0.count(Book.plain) } == 0)

    let owner = Owner()
    owner.id = 1
    let phone = Phone()
    phone.number = "1"
    owner.phones = [phone, Phone()]
    try Mapper(store).fill(owner, from: "{}", as: Owner.mapping)
    try Mapper(store).fill(owner, from: #"{"name": "a"}"#, as: Owner.mapping)
    let found = try #require(try store.read { try $0.object(Owner.mapping, key: 1, depth: .max) })
    #expect(found.phones.map(\.number) == ["1", nil])
    #expect(owner.phones.first === phone)
    try Mapper(store).fill(owner, from: #"{"phones": [{"number": "2"}]}"#, as: Owner.mapping)
    #expect(owner.phones.map(\.number) == ["2"])
    #expect(try store.read { try $0.count(Phone.mapping) } == 1)
  }

  // FEM-132, BUG-11
  @Test(arguments: StoreKind.allCases)
  func theRootPathIsFollowedAndAnArrayIsRefused(_ kind: StoreKind) throws {
    let store = try kind.make()
    let book = Book()
    try fill(book, store, #"{"result": {"book": {"id": 1, "title": "Dune"}}}"#, Book.wrapped)
    #expect(book.title == "Dune")
    do {
      try fill(book, store, #"{"result": {"book": [{"id": 1}]}}"#, Book.wrapped)
      Issue.record("an array was taken")
    } catch {
      #expect("\(error)" == "$.result.book: expected one object, found an array (line 1, column 21)")
    }
    #expect(throws: MappingError.self) { try fill(book, store, #"{"result": {}}"#, Book.wrapped) }
    #expect(throws: MappingError.self) { try fill(book, store, #"{"id": 1, "year": "x"}"#) }
    #expect(book.year == 1900)
  }

  // BUG-50
  @Test(arguments: [false, true])
  func anImportThatFailsLateGivesAnInstanceItsOldValuesBack(isKnown: Bool) throws {
    struct Failure: Error {}
    final class Failing: ImportDelegate {
      func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {
        if object.entity == "Book" { throw Failure() }
      }
    }
    let store = MemoryStore()
    let book = Book()
    let tag = Tag()
    book.id = 1
    book.title = "Dune"
    book.tags = [tag]
    if isKnown { try fill(book, store, "{}") }
    var options = ImportOptions()
    options.delegate = Failing()
    let json = #"{"id": 2, "title": "x", "author": {"id": 1}, "tags": [{"id": 9}]}"#
    #expect(throws: Failure.self) {
      try Mapper(store).fill(book, from: json, as: Book.plain, options: options)
    }
    #expect(book.id == 1)
    #expect(book.title == "Dune")
    #expect(book.author == nil)
    #expect(book.tags.count == 1 && book.tags.first === tag)
    options.delegate = nil
    options.isDryRun = true
    try Mapper(store).fill(book, from: json, as: Book.plain, options: options)
    #expect(book.title == "Dune")
    #expect(try store.read { try $0.object(Book.plain, key: 2, depth: .max) } == nil)
  }

  // FEM-172
  @Test func anInstanceShowsWhatAStoreOfValuesHasAndItHasNot() throws {
    let store = try StoreKind.lmdb.make()
    _ = try Mapper(store).importJSON(#"{"id": 1, "title": "Dune", "tags": [{"id": 3}]}"#, as: Book.plain)
    let book = Book()
    let report = try Mapper(store).fill(book, from: #"{"id": 1, "year": 1965}"#, as: Book.plain)
    #expect(report["Book"] == .init(updated: 1))
    #expect(book.title == "Dune")
    #expect(book.year == 1965)
    #expect(book.tags.map(\.id) == [3])
  }

  // FEM-174, FEM-175
  @Test(arguments: StoreKind.allCases)
  func oneObjectComesFromOneObject(_ kind: StoreKind) throws {
    let store = try kind.make()
    let book = try Mapper(store).object(from: #"{"id": 1}"#, as: Book.plain, depth: .max)
    #expect(book?.id == 1)
    #expect(throws: MappingError.self) {
      try Mapper(store).object(from: "[]", as: Book.plain, depth: .max)
    }
    #expect(try Mapper(store).objects(from: "[]", as: Book.plain, depth: .max).isEmpty)
  }
}
