import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapLMDB

/// The bytes that a save writes to the file.
@Suite struct ContextPagesTests {
  private final class Book {
    var id = 0
    var title = ""
    var pages = 0
    var author: Author?
    var tags: [Author] = []

    static let mapping = Mapping(Book.self, "Book", primaryKey: "id", make: { Book() }) {
      Attribute("id", \.id)
      Attribute("title", \.title)
      Attribute("pages", \.pages)
      ToOne("author", \.author, Author.mapping)
      ToMany("tags", \.tags, Author.mapping)
    }
  }

  private final class Author {
    var id = 0
    var name = ""

    static let mapping = Mapping(Author.self, "Author", primaryKey: "id", make: { Author() }) {
      Attribute("id", \.id)
      Attribute("name", \.name)
    }
  }

  /// Makes a store of so many books, and counts the pages of its file that a change makes different.
  private func pages(_ count: Int, changedBy change: (LMDBStore) throws -> Void) throws -> Int {
    let scratch = Scratch()
    let books = (1...count).map {
      #"{"id":\#($0),"title":"title \#($0 &* 7919 % 1000)","pages":\#($0 % 700),"author":{"id":\#($0 % 100 + 1),"name":"a"},"#
        + #""tags":[{"id":\#($0 % 40 + 1)},{"id":\#($0 % 41 + 1)}]}"#
    }
    let store = try LMDBStore(at: scratch.store)
    _ = try Mapper(store).importJSON("[\(books.joined(separator: ","))]", as: Book.mapping)
    let before = try Files.bytes(of: scratch.dataFile)
    try change(store)
    let after = try Files.bytes(of: scratch.dataFile)
    let page = 4096
    return stride(from: 0, to: after.count, by: page).count { start in
      let end = min(start + page, after.count)
      return end > before.count || before[start..<end] != after[start..<end]
    }
  }

  @Test(arguments: [100, TestSize.count(small: 1500, whole: 5000)])
  func aSaveOfOneFieldWritesNoMorePagesThanItsImport(_ count: Int) throws {
    let key = count / 2
    let imported = try pages(count) { store in
      _ = try Mapper(store).importJSON(#"{"id":\#(key),"pages":9999}"#, as: Book.mapping)
    }
    let saved = try pages(count) { store in
      try store.withContext(for: Book.mapping) { context in
        let book = try #require(try context.object(Book.mapping, key: key, including: \.author, \.tags))
        book.pages = 9999
        try context.save()
      }
    }
    // A page of the record, those above it, and the page that says where the tree begins.
    #expect(imported > 0)
    #expect(saved <= imported, "\(saved) and \(imported) pages")
  }

  @Test func aSaveWithoutChangesWritesNoPage() throws {
    let saved = try pages(100) { store in
      try store.withContext(for: Book.mapping) { context in
        _ = try context.objects(Book.mapping, including: \.author, \.tags)
        try context.save()
      }
    }
    #expect(saved == 0)
  }
}
