import FastMapCore
import FastMapLMDB
import Foundation

final class LibraryAuthor {
  var id = 0
  var name = ""

  init() {}

  static let mapping = Mapping(LibraryAuthor.self, "Author", primaryKey: "id", make: LibraryAuthor.init) {
    Attribute("id", \.id)
    Attribute("name", \.name)
  }
}

final class LibraryTag {
  var id = 0
  var name = ""

  init() {}

  static let mapping = Mapping(LibraryTag.self, "Tag", primaryKey: "id", make: LibraryTag.init) {
    Attribute("id", \.id)
    Attribute("name", \.name)
  }
}

final class LibraryBook {
  var id = 0
  var title = ""
  var pages = 0
  var author: LibraryAuthor?
  var tags: [LibraryTag] = []

  init() {}

  static let mapping = Mapping(LibraryBook.self, "Book", primaryKey: "id", make: LibraryBook.init) {
    Attribute("id", \.id)
    Attribute("title", \.title)
    Attribute("pages", \.pages)
    ToOne("author", \.author, LibraryAuthor.mapping)
    ToMany("tags", \.tags, LibraryTag.mapping)
  }
}

/// The books in two closed stores: FastMap's and SQLite's, and the keys to read.
final class StoredLibrary {
  let library: Library
  let keys: [Int]
  let fastMap: String
  private let sqlite: String
  private let folder: Folder
  private var value = 1000

  /// All suites of contexts use the same stores.
  // nonisolated(unsafe): suites run one after the other, on one thread.
  nonisolated(unsafe) private static var last: StoredLibrary?

  static func of(_ bookCount: Int) throws -> StoredLibrary {
    if let last, last.library.bookCount == bookCount { return last }
    let stored = try StoredLibrary(Library(books: bookCount), keyCount: min(10_000, bookCount))
    last = stored
    return stored
  }

  private init(_ library: Library, keyCount: Int) throws {
    self.library = library
    keys = library.keys(keyCount)
    folder = try Folder()
    fastMap = try folder.newPath("library-fastmap")
    sqlite = try folder.newDirectory("library-sqlite") + "/library.sqlite"
    _ = try Mapper(LMDBStore(at: fastMap)).importJSON(library.json, as: LibraryBook.mapping)
    try insertIntoSQLite()
  }

  private func insertIntoSQLite() throws {
    let sqlite = try database()
    try sqlite.execute(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, pages INTEGER, author INTEGER REFERENCES author);
      CREATE TABLE book_tag (book INTEGER, place INTEGER, tag INTEGER, PRIMARY KEY (book, place)) WITHOUT ROWID;
      BEGIN
      """)
    for (table, count, word) in [("author", library.authorCount, "Author"), ("tag", library.tagCount, "tag")]
    {
      let insert = try sqlite.prepare("INSERT INTO \(table) VALUES (?, ?)")
      for id in 1...count {
        insert.bind(Int64(id), at: 1)
        insert.bind("\(word) \(id)", at: 2)
        try insert.run()
      }
    }
    let book = try sqlite.prepare("INSERT INTO book VALUES (?, ?, ?, ?)")
    let link = try sqlite.prepare("INSERT INTO book_tag VALUES (?, ?, ?)")
    for id in 1...library.bookCount {
      book.bind(Int64(id), at: 1)
      book.bind(library.titles[id - 1], at: 2)
      book.bind(Int64(library.pages[id - 1]), at: 3)
      book.bind(Int64(library.authors[id - 1]), at: 4)
      try book.run()
      for (place, tag) in library.tags[id - 1].enumerated() {
        link.bind(Int64(id), at: 1)
        link.bind(Int64(place), at: 2)
        link.bind(Int64(tag), at: 3)
        try link.run()
      }
    }
    try sqlite.execute("COMMIT; ANALYZE")
  }

  func database() throws -> SQLiteDatabase {
    let database = try SQLiteDatabase(at: sqlite)
    try database.configure()
    return database
  }

  /// A number of pages that no book has yet.
  func nextValue() -> Int {
    value += 1
    return value
  }

  /// Whether an instance equals its book.
  func isRight(_ book: LibraryBook) -> Bool {
    let place = book.id - 1
    return book.title == library.titles[place] && book.author?.id == library.authors[place]
      && book.tags.map(\.id) == library.tags[place]
  }
}
