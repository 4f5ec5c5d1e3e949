import FastMapCore
import FastMapLMDB
import FastMapMemory
import TestSupport
import Testing

private final class Book {
  var id = 0
  var title: String? { didSet { titleWasSet += 1 } }
  var year = 1900
  var author: Author?
  var tags: [Tag] = []
  var titleWasSet = 0

  static func mapping(_ policy: RelationshipPolicy = .assign) -> Mapping<Book> {
    Mapping(Book.self, "Book", primaryKey: "id", make: Book.init) {
      Attribute("id", \.id)
      Attribute("title", \.title)
      Attribute("year", \.year)
      ToOne("author", \.author, Author.mapping, policy: policy)
      ToMany("tags", \.tags, Tag.mapping, policy: policy)
    }
  }

  static let plain = mapping()
  static let wrapped = Mapping(Book.self, "Book", rootPath: "result.book", primaryKey: "id", make: Book.init)
  {
    Attribute("id", \.id)
    Attribute("title", \.title)
  }
}

private final class Author {
  var id = 0
  var name: String?
  static let mapping = Mapping(Author.self, "Author", primaryKey: "id", make: Author.init) {
    Attribute("id", \.id)
    Attribute("name", \.name)
  }
}

private final class Tag {
  var id = 0
  static let mapping = Mapping(Tag.self, "Tag", primaryKey: "id", make: Tag.init) { Attribute("id", \.id) }
}

private final class Person {
  var id: Int?
  var name: String?
  var friends: [Person] = []
  static let mapping: Mapping<Person> = Mapping(
    Person.self, "Person", primaryKey: "id", make: Person.init
  ) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    ToMany("friends", \.friends, Person.mapping)
  }
}

private final class Phone {
  var number: String?
  static let mapping = Mapping(Phone.self, "Phone", make: Phone.init) { Attribute("number", \.number) }
}

private final class Contact {
  var name: String?
  var email: String?
  var phones: [Phone] = []
  static let mapping = Mapping(Contact.self, "Contact", make: Contact.init) {
    Attribute("name", \.name)
    Attribute("email", \.email)
    ToMany("phones", \.phones, Phone.mapping)
  }
}

private final class Owner {
  var id = 0
  var name: String?
  var phones: [Phone] = []
  static let mapping = Mapping(Owner.self, "Owner", primaryKey: "id", make: Owner.init) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    ToMany("phones", \.phones, Phone.mapping)
  }
}

@Suite("Filling an instance that the caller has")
struct FillTests {
  private func fill(
    _ book: Book, _ store: some Store, _ json: String, _ mapping: Mapping<Book> = Book.plain
  ) throws {
    try Mapper(store).fill(book, from: Array(json.utf8), as: mapping)
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
    try store.read { try $0.object(Book.plain, key: key) }
  }

  // FEM-170, FEM-15, FEM-17, FEM-22, FEM-23
  @Test("applies the payload to it by the rules of any import", arguments: StoreKind.allCases)
  func rules(_ kind: StoreKind) throws {
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
  @Test("never looks it up: the payload's key becomes its key", arguments: StoreKind.allCases)
  func key(_ kind: StoreKind) throws {
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
  @Test("in a store of instances a stored object takes another key, unless that is another's")
  func newKey() throws {
    let store = MemoryStore()
    let book = Book()
    book.id = 3
    try fill(book, store, #"{"title": "a"}"#)
    try fill(book, store, #"{"id": 5}"#)
    #expect(try stored(5, store) === book)
    #expect(try stored(3, store) == nil)
    let other = Book()
    expect(
      "$.id: expected a key that is free or the object's own, 5 is another object's (line 1, column 8)"
    ) { try fill(other, store, #"{"id": 5, "title": "b"}"#) }
    #expect(other.title == nil)
  }

  // FEM-149
  @Test("in a store of values a stored object keeps its key")
  func keptKey() throws {
    let store = try StoreKind.lmdb.make()
    let book = Book()
    try fill(book, store, #"{"id": 3, "title": "a"}"#)
    expect(
      "$.id: expected 3, the key that the instance has in the store, found 5 (line 1, column 8)"
    ) { try fill(book, store, #"{"id": 5, "title": "b"}"#) }
    #expect(book.id == 3 && book.title == "a")
    #expect(try store.read { try $0.count(Book.plain) } == 1)
  }

  // FEM-171, FEM-173
  @Test("finds and makes related objects, and meets itself in the payload", arguments: StoreKind.allCases)
  func related(_ kind: StoreKind) throws {
    let store = try kind.make()
    let ada = try #require(
      try Mapper(store).object(from: Array(#"{"id": 1, "name": "Ada"}"#.utf8), as: Author.mapping))
    let book = Book()
    try fill(book, store, #"{"id": 1, "author": {"id": 1}, "tags": [{"id": 1}, {"id": 2}]}"#)
    #expect((book.author === ada) == (kind == .memory))
    #expect(book.author?.name == "Ada")
    #expect(book.tags.map(\.id) == [1, 2])
  }

  // FEM-170
  @Test("the instance's own relationships are the old value of its policies", arguments: StoreKind.allCases)
  func policies(_ kind: StoreKind) throws {
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
    _ = try Mapper(store).importJSON(Array(#"{"id": 1, "tags": [{"id": 6}]}"#.utf8), as: merge)
    let tags = kind == .memory ? [7, 8, 9, 6] : [7, 8, 6, 9]
    try fill(book, store, #"{"id": 1, "tags": [{"id": 8}]}"#, Book.mapping(.merge))
    #expect(book.tags.map(\.id) == tags)
    #expect(book.tags[0] === mine)
    #expect(book.tags.contains { $0 === later })
    #expect(try stored(1, store)?.tags.map(\.id) == tags)
    try fill(book, store, #"{"id": 1, "tags": [{"id": 8}]}"#, Book.mapping(.replace))
    #expect(book.tags.map(\.id) == [8])
    #expect(try store.read { try $0.object(Tag.mapping, key: 7) } == nil)
  }

  // FEM-170
  @Test("what a draft was given by hand is stored with the payload", arguments: StoreKind.allCases)
  func draft(_ kind: StoreKind) throws {
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
    _ = try Mapper(store).importJSON(Array(#"{"id": 4, "name": "Ada L."}"#.utf8), as: Plan(Author.mapping))
    #expect(try stored(12, store)?.author?.name == "Ada L.")
    #expect(try store.read { try $0.count(Author.mapping) } == 1)
  }

  // FEM-170
  @Test(
    "the payload's missing members leave alone the instance and the object", arguments: StoreKind.allCases)
  func missingMembers(_ kind: StoreKind) throws {
    let store = try kind.make()
    let json = #"{"id": 1, "title": "Dune", "year": 1965, "author": {"id": 2}, "tags": [{"id": 3}]}"#
    let book = try #require(try Mapper(store).object(from: Array(json.utf8), as: Book.plain))
    book.title = "Dune Messiah"
    let report = try Mapper(store).fill(book, from: Array(#"{"id": 1, "year": 1969}"#.utf8), as: Book.plain)
    #expect(report["Book"] == .init(updated: 1))
    #expect(book.title == "Dune Messiah" && book.year == 1969)
    #expect(book.author?.id == 2 && book.tags.map(\.id) == [3])
    let found = try #require(try stored(1, store))
    // A copy's change is the copy's: where both have a value, each keeps its own.
    #expect(found.title == (kind == .memory ? "Dune Messiah" : "Dune"))
    #expect(found.year == 1969 && found.author?.id == 2 && found.tags.map(\.id) == [3])
  }

  @Test("the report counts a draft as inserted, and a dry run leaves no trace", arguments: StoreKind.allCases)
  func report(_ kind: StoreKind) throws {
    let store = try kind.make()
    let book = Book()
    book.id = 1
    book.title = "Dune"
    var options = ImportOptions()
    options.isDryRun = true
    let json = Array(#"{"year": 1965, "tags": [{"id": 3}]}"#.utf8)
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
  @Test(
    "becomes an object of the store: it meets itself in the payload, by its own key or the payload's",
    arguments: StoreKind.allCases, ["", #""id": 3, "#])
  func meetsItself(_ kind: StoreKind, _ key: String) throws {
    let store = try kind.make()
    let person = Person()
    if key.isEmpty { person.id = 3 }
    person.name = "Ada"
    let json =
      #"{\#(key)"friends": [{"id": 3, "name": "Ada L."}, {"id": 4, "friends": [{"id": 3}]}]}"#
    try Mapper(store).fill(person, from: Array(json.utf8), as: Person.mapping)
    #expect(person.id == 3)
    #expect(person.friends.map(\.id) == [3, 4])
    #expect(person.friends.first === person)
    #expect(person.friends.last?.friends.first === person)
    #expect(person.name == "Ada L.")
    #expect(try store.read { try $0.count(Person.mapping) } == 2)
    let again = try store.read { try $0.object(Person.mapping, key: 3) }
    #expect(again?.name == "Ada L." && again?.friends.map(\.id) == [3, 4])
  }

  @Test("a circle of drafts goes into the store as it is", arguments: StoreKind.allCases)
  func circle(_ kind: StoreKind) throws {
    let store = try kind.make()
    let people = (1...50).map { id in
      let person = Person()
      person.id = 100 - id
      return person
    }
    for (index, person) in people.enumerated() { person.friends = [people[(index + 1) % 50], people[0]] }
    people[49].name = "last"
    try Mapper(store).fill(people[0], from: Array(#"{"name": "first"}"#.utf8), as: Person.mapping)
    let found = try store.read { try $0.objects(Person.mapping) }
    #expect(found.map(\.id) == Array(50...99))
    #expect(found.last?.friends.map(\.id) == [98, 99])
    #expect(found.first?.name == "last")
    #expect(found.last?.name == "first")
  }

  @Test("without a key, a store of values cannot tell which object it is, and says so")
  func keyless() throws {
    let store = try StoreKind.lmdb.make()
    let contact = try #require(
      try Mapper(store).object(
        from: Array(#"{"name": "Ada", "email": "a@b.c", "phones": [{"number": "1"}]}"#.utf8),
        as: Contact.mapping))
    expect(
      "$: expected a mapping with a primary key, Contact has none: a store of values cannot tell "
        + "which object the instance is (line 1, column 1)"
    ) { try Mapper(store).fill(contact, from: Array(#"{"name": "B"}"#.utf8), as: Contact.mapping) }
    #expect(contact.email == "a@b.c" && contact.phones.count == 1)
    #expect(try store.read { try $0.count(Contact.mapping) } == 1)
    expect(
      "$.id: expected a key, neither the payload nor the instance has one (line 1, column 1)"
    ) { try fill(Book(), store, #"{"title": "b"}"#) }
  }

  @Test("without a key, in a store of instances the instance says which object it is")
  func keylessInstance() throws {
    let store = MemoryStore()
    let contact = try #require(
      try Mapper(store).object(
        from: Array(#"{"name": "Ada", "email": "a@b.c", "phones": [{"number": "1"}]}"#.utf8),
        as: Contact.mapping))
    try Mapper(store).fill(contact, from: Array(#"{"name": "Other", "car": null}"#.utf8), as: Contact.mapping)
    #expect(contact.name == "Other" && contact.email == "a@b.c" && contact.phones.count == 1)
    #expect(try store.read { try $0.count(Contact.mapping) } == 1)
  }

  @Test("a related instance that has no key is refused; one that belongs to its owner needs none")
  func relatedWithoutKey() throws {
    let store = try StoreKind.lmdb.make()
    let book = Book()
    book.id = 1
    book.tags = [Tag()]
    expect(
      "$: expected keys of the instances in Book.tags, found one without (line 1, column 1)"
    ) { try fill(book, store, #"{"title": "a"}"#) }
    #expect(book.title == nil)
    #expect(try store.read { try $0.count(Book.plain) } == 0)

    let owner = Owner()
    owner.id = 1
    let phone = Phone()
    phone.number = "1"
    owner.phones = [phone, Phone()]
    try Mapper(store).fill(owner, from: Array("{}".utf8), as: Owner.mapping)
    try Mapper(store).fill(owner, from: Array(#"{"name": "a"}"#.utf8), as: Owner.mapping)
    let found = try #require(try store.read { try $0.object(Owner.mapping, key: 1) })
    #expect(found.phones.map(\.number) == ["1", nil])
    #expect(owner.phones.first === phone)
    try Mapper(store).fill(owner, from: Array(#"{"phones": [{"number": "2"}]}"#.utf8), as: Owner.mapping)
    #expect(owner.phones.map(\.number) == ["2"])
    #expect(try store.read { try $0.count(Phone.mapping) } == 1)
  }

  // FEM-132, BUG-11
  @Test("honours the root path, and refuses an array", arguments: StoreKind.allCases)
  func rootPath(_ kind: StoreKind) throws {
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
  @Test(
    "an import that fails late gives it its old values back, known to the store or not",
    arguments: [false, true])
  func failsLate(isKnown: Bool) throws {
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
    let json = Array(#"{"id": 2, "title": "x", "author": {"id": 1}, "tags": [{"id": 9}]}"#.utf8)
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
    #expect(try store.read { try $0.object(Book.plain, key: 2) } == nil)
  }

  // FEM-172
  @Test("in a store of values it shows what the store has and it has not")
  func values() throws {
    let store = try StoreKind.lmdb.make()
    _ = try Mapper(store).importJSON(
      Array(#"{"id": 1, "title": "Dune", "tags": [{"id": 3}]}"#.utf8), as: Book.plain)
    let book = Book()
    let report = try Mapper(store).fill(
      book, from: Array(#"{"id": 1, "year": 1965}"#.utf8), as: Book.plain)
    #expect(report["Book"] == .init(updated: 1))
    #expect(book.title == "Dune")
    #expect(book.year == 1965)
    #expect(book.tags.map(\.id) == [3])
  }

  // FEM-174, FEM-175
  @Test("one object comes from one object", arguments: StoreKind.allCases)
  func oneObject(_ kind: StoreKind) throws {
    let store = try kind.make()
    let book = try Mapper(store).object(from: Array(#"{"id": 1}"#.utf8), as: Book.plain)
    #expect(book?.id == 1)
    #expect(throws: MappingError.self) {
      try Mapper(store).object(from: Array("[]".utf8), as: Book.plain)
    }
    #expect(try Mapper(store).objects(from: Array("[]".utf8), as: Book.plain).isEmpty)
  }
}
