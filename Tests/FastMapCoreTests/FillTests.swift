import FastMapCore
import FastMapLMDB
import FastMapMemory
import Testing

private final class Book {
  var id = 0
  var title: String? { didSet { titleWasSet += 1 } }
  var year = 1900
  var author: Author?
  var tags: [Tag] = []
  var titleWasSet = 0

  static func mapping(_ policy: RelationshipPolicy = .assign) -> Mapping<Book> {
    Mapping(Book.self, "Book", rootPath: nil, primaryKey: "id", make: Book.init) {
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

@Suite("Filling an instance that the caller has")
struct FillTests {
  private func fill(
    _ book: Book, _ store: some Store, _ json: String, _ mapping: Mapping<Book> = Book.plain
  ) throws {
    try Mapper(store).fill(book, from: Array(json.utf8), as: mapping)
  }

  // FEM-170, FEM-15, FEM-17, FEM-22, FEM-23
  @Test("applies the payload to it by the rules of any import")
  func rules() throws {
    let store = MemoryStore()
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
    #expect(try store.read { try $0.object(Book.plain, key: 5) } === book)
  }

  // FEM-23, FEM-149
  @Test("never looks it up: the payload's key becomes its key")
  func key() throws {
    let store = MemoryStore()
    let book = Book()
    book.id = 3
    try fill(book, store, #"{"title": "a"}"#)
    #expect(try store.read { try $0.object(Book.plain, key: 3) } === book)
    try fill(book, store, #"{"id": 5}"#)
    #expect(book.id == 5)
    #expect(try store.read { try $0.object(Book.plain, key: 5) } === book)
    #expect(try store.read { try $0.object(Book.plain, key: 3) } == nil)
    let other = Book()
    do {
      try fill(other, store, #"{"id": 5, "title": "b"}"#)
      Issue.record("two objects have one key")
    } catch {
      #expect(
        "\(error)"
          == "$.id: expected a key that is free or the object's own, 5 is another object's (line 1, column 8)"
      )
    }
    #expect(other.title == nil)
  }

  // FEM-171, FEM-173
  @Test("finds and makes related objects, and meets itself in the payload")
  func related() throws {
    let store = MemoryStore()
    let ada = try #require(
      try Mapper(store).object(from: Array(#"{"id": 1, "name": "Ada"}"#.utf8), as: Author.mapping))
    let book = Book()
    try fill(book, store, #"{"id": 1, "author": {"id": 1}, "tags": [{"id": 1}, {"id": 2}]}"#)
    #expect(book.author === ada)
    #expect(ada.name == "Ada")
    #expect(book.tags.map(\.id) == [1, 2])
  }

  // FEM-170
  @Test("the instance's own relationships are the old value of its policies")
  func policies() throws {
    let store = MemoryStore()
    let book = Book()
    let mine = Tag()
    mine.id = 7
    book.tags = [mine]
    try fill(book, store, #"{"id": 1, "tags": [{"id": 8}]}"#, Book.mapping(.merge))
    #expect(book.tags.map(\.id) == [7, 8])
    #expect(book.tags[0] === mine)
    try fill(book, store, #"{"id": 1, "tags": [{"id": 8}]}"#, Book.mapping(.replace))
    #expect(book.tags.map(\.id) == [8])
    #expect(try store.read { try $0.object(Tag.mapping, key: 7) } == nil)
  }

  // FEM-132, BUG-11
  @Test("honours the root path, and refuses an array", arguments: StoreKind.allCases)
  func rootPath(_ kind: StoreKind) throws {
    func run(_ store: some Store) throws {
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
    try run(try kind.make())
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
  @Test("in a store of values it shows what is stored after the import")
  func values() throws {
    func run(_ store: some Store) throws {
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
    try run(try StoreKind.lmdb.make())
  }

  // FEM-174, FEM-175
  @Test("one object comes from one object", arguments: StoreKind.allCases)
  func oneObject(_ kind: StoreKind) throws {
    func run(_ store: some Store) throws {
      let book = try Mapper(store).object(from: Array(#"{"id": 1}"#.utf8), as: Book.plain)
      #expect(book?.id == 1)
      #expect(throws: MappingError.self) {
        try Mapper(store).object(from: Array("[]".utf8), as: Book.plain)
      }
      #expect(try Mapper(store).objects(from: Array("[]".utf8), as: Book.plain).isEmpty)
    }
    try run(try kind.make())
  }
}
