import FastMapCore
import FastMapLMDB

/// FastMap: each key in a context of its own, with two relationships.
struct FastMapContexts: Subject {
  let stored: StoredLibrary

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: stored.fastMap)
    return try checked(stored) { key in
      try store.withContext(for: LibraryBook.mapping) { context in
        let book = try context.object(
          LibraryBook.mapping, key: key, including: \.author, \.tags)
        return try book.map { ($0.tags.count, try stored.check($0, key)) }?.0 ?? 0
      }
    }
  }
}

/// FastMap: all keys in one context and one call, with two relationships.
struct FastMapContextOfMany: Subject {
  let stored: StoredLibrary

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: stored.fastMap)
    let keys = stored.keys.map { PrimaryKey($0) }
    let keysInOrder = stored.keys.sorted()  // as the query gives its objects
    let work = {
      try store.withContext(for: LibraryBook.mapping) { context in
        let books = try context.objects(LibraryBook.mapping.keys(keys), including: \.author, \.tags)
        for (book, key) in zip(books, keysInOrder) { try stored.check(book, key) }
        return books.count
      }
    }
    // The first access of a process to a page of a file is a page fault.
    _ = try work()
    return work
  }
}

/// SQLite, as a careful user would write it: prepared selects of the book with its author and of the tags, one transaction for each
/// key, an instance for each row.
struct SQLiteBooks: Subject {
  let stored: StoredLibrary
  /// Whether all keys are read in one transaction, with one instance for each object.
  var isOneTransaction = false

  func prepare() throws -> () throws -> Int {
    let sqlite = try stored.database()
    let book = try sqlite.prepare(
      "SELECT b.title, b.pages, a.id, a.name FROM book b LEFT JOIN author a ON a.id = b.author WHERE b.id = ?"
    )
    let tags = try sqlite.prepare(
      "SELECT t.id, t.name FROM book_tag l JOIN tag t ON t.id = l.tag WHERE l.book = ? ORDER BY l.place")
    let (begin, commit) = (try sqlite.prepare("BEGIN"), try sqlite.prepare("COMMIT"))
    if isOneTransaction {
      let work = {
        try begin.run()
        var known = KnownObjects()
        var books: [LibraryBook] = []
        for key in stored.keys {
          if let book = Self.read(key, book, tags, &known) { books.append(book) }
        }
        try commit.run()
        for (book, key) in zip(books, stored.keys) { try stored.check(book, key) }
        return books.count
      }
      _ = try work()
      return work
    }
    return try checked(stored) { key in
      try begin.run()
      var known = KnownObjects()
      let found = Self.read(key, book, tags, &known)
      try commit.run()
      return try found.map { ($0.tags.count, try stored.check($0, key)) }?.0 ?? 0
    }
  }

  /// One instance for each object.
  private struct KnownObjects {
    var authors: [Int64: LibraryAuthor] = [:]
    var tags: [Int64: LibraryTag] = [:]
  }

  private static func read(
    _ key: Int, _ select: SQLiteStatement, _ tags: SQLiteStatement, _ known: inout KnownObjects
  ) -> LibraryBook? {
    select.bind(Int64(key), at: 1)
    guard select.step() else { return nil }
    let book = LibraryBook()
    book.id = key
    book.title = String(decoding: select.bytes(0), as: UTF8.self)
    book.pages = Int(select.integer(1))
    let id = select.integer(2)
    if let author = known.authors[id] {
      book.author = author
    } else if id != 0 {
      let author = LibraryAuthor()
      author.id = Int(id)
      author.name = String(decoding: select.bytes(3), as: UTF8.self)
      known.authors[id] = author
      book.author = author
    }
    select.reset()
    tags.bind(Int64(key), at: 1)
    while tags.step() {
      let id = tags.integer(0)
      if let tag = known.tags[id] {
        book.tags.append(tag)
      } else {
        let tag = LibraryTag()
        tag.id = Int(id)
        tag.name = String(decoding: tags.bytes(1), as: UTF8.self)
        known.tags[id] = tag
        book.tags.append(tag)
      }
    }
    return book
  }
}

/// Reads all keys once before it is measured, one after the other.
private func checked(_ stored: StoredLibrary, _ read: @escaping (Int) throws -> Int) throws -> () throws ->
  Int
{
  let work = {
    var count = 0
    for key in stored.keys where try read(key) == 3 { count += 1 }
    return count
  }
  // The first access of a process to a page of a file is a page fault.
  _ = try work()
  return work
}

extension StoredLibrary {
  fileprivate func check(_ book: LibraryBook, _ key: Int) throws(WrongOutcome) {
    try WrongOutcome.check(book.id == key && isRight(book), "book \(key), found \(book.id)")
  }
}
