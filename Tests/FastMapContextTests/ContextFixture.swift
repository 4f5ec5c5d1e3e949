import FastMapCore
import Synchronization
import TestSupport
import Testing

/// Classes for tests of contexts.
enum Library {
  /// Books, their authors, publishers and notes, for tests of contexts.
  final class Author {
    var id = 0
    var name: String?
    var country: String?
    var books: [Book] = []

    static let mapping: Mapping<Author> = Mapping(Author.self, "Author", primaryKey: "id", make: { Author() })
    {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("country", \.country)
      ToMany("books", \.books, inverseOf: \.author, of: Book.mapping)
    }
  }

  final class Book {
    var id = 0
    var title = ""
    var price: Double?
    var rating: Int8?
    var tags: Set<String> = []
    var author: Author?
    var editors: [Author] = []
    var shops = Set<Shop>()
    var notes: [Note] = []

    static let mapping: Mapping<Book> = Mapping(Book.self, "Book", primaryKey: "id", make: { Book() }) {
      Attribute("id", \.id)
      Attribute("title", \.title)
      Attribute("price", \.price)
      Attribute("rating", \.rating)
      Attribute("tags", \.tags)
      ToOne("author", \.author, Author.mapping)
      ToMany("editors", \.editors, Author.mapping)
      ToMany("shops", \.shops, Shop.mapping, policy: .replace)
      ToMany("notes", \.notes, Note.mapping)
    }

    static let payload = """
      [{"id": 1, "title": "Dune", "price": 9.5, "rating": 5, "tags": ["sand", "spice"],
        "author": {"id": 7, "name": "Frank"}, "editors": [{"id": 8, "name": "Sterling"}, 7],
        "shops": [{"code": "a"}, {"code": "b"}], "notes": [{"text": "long"}, {"text": "dry"}]},
       {"id": 2, "title": "Emma", "author": {"id": 9, "name": "Jane", "country": "England"}, "shops": [{"code": "a"}]},
       {"id": 3, "title": "Persuasion", "author": {"id": 9}}]
      """

    /// Other values for the first one, with an author that there is and an editor that there is not.
    static let update =
      #"{"id":1,"title":"Dune!","price":1,"author":{"id":9,"country":"UK"},"editors":[9,12]}"#
  }

  final class Shop: Hashable {
    var code = ""
    var city: String?
    var best: Book?

    static let mapping: Mapping<Shop> = Mapping(Shop.self, "Shop", primaryKey: "code", make: { Shop() }) {
      Attribute("code", \.code)
      Attribute("city", \.city)
      ToOne("best", \.best, Book.mapping)
    }

    static func == (a: Shop, b: Shop) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// It has no key, so it belongs to its book.
  final class Note {
    var text: String?

    static let mapping = Mapping(Note.self, "Note", make: { Note() }) { Attribute("text", \.text) }
  }

  /// A node of any graph. It counts its instances.
  final class Node {
    static let live = Atomic<Int>(0)

    var id = 0
    var next: Node?
    var parent: Node?
    var children: [Node] = []
    var friends: [Node]?
    var referrers: [Node] = []

    init() { Self.live.add(1, ordering: .relaxed) }
    deinit { Self.live.subtract(1, ordering: .relaxed) }

    static let mapping: Mapping<Node> = Mapping(Node.self, "Node", primaryKey: "id", make: { Node() }) {
      Attribute("id", \.id)
      ToOne("next", \.next, Node.mapping)
      ToOne("parent", \.parent, Node.mapping)
      ToMany("children", \.children, Node.mapping)
      ToMany("friends", \.friends, Node.mapping)
      ToMany("referrers", \.referrers, inverseOf: \.next, of: Node.mapping)
    }

    static var liveCount: Int { live.load(ordering: .relaxed) }
  }
}

extension Library {
  /// A store with the books, and a context of it.
  static func open(_ kind: StoreKind) throws -> (store: any Store, context: ObjectContext) {
    let store = try kind.make(Book.payload, as: Book.mapping)
    return (store, try ObjectContext(store, for: Book.mapping))
  }

  /// A store with the books, a context of it, and the first book with all that it refers to.
  static func dune(_ kind: StoreKind) throws -> (World, ObjectContext, Book) {
    let world = try World(kind, Book.mapping, holding: Book.payload)
    let context = try ObjectContext(world.store, for: Book.mapping)
    let dune = try context.object(Book.mapping, key: 1, including: \.author, \.editors, \.shops, \.notes)
    return (world, context, try #require(dune))
  }

  /// The attributes of a stored book.
  static func stored(_ store: any Store, _ key: PrimaryKey) throws -> Book? {
    try store.withContext(for: Book.mapping) { try $0.object(Book.mapping, key: key) }
  }
}
