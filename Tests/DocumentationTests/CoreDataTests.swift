// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapLMDB
import FastMapQueries
import TestSupport
import Testing

@Suite("ComingFromCoreData.md")
struct CoreDataTests {
  final class Book {
    var isbn = ""
    var title = ""
    var year: Int?
    var author: Author?
    var chapters: [Chapter] = []

    static let mapping: Mapping<Book> = Mapping(Book.self, "Book", primaryKey: "isbn", make: Book.init) {
      Attribute("isbn", \.isbn)
      Attribute("title", \.title)
      Attribute("year", \.year)
      ToOne("author", \.author, Author.mapping)
      ToMany("chapters", \.chapters, Chapter.mapping)
      Index("year")
    }
  }

  final class Author {
    var id = 0
    var name: String?
    var books: [Book] = []

    static let mapping: Mapping<Author> = Mapping(Author.self, "Author", primaryKey: "id", make: Author.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToMany("books", \.books, inverseOf: \.author, of: Book.mapping)
    }
  }

  final class Chapter {
    var title = ""

    static let mapping = Mapping(Chapter.self, "Chapter", make: Chapter.init) { Attribute("title", \.title) }
  }

  @Test func theWordsOfOthersHaveOnesHere() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let store = try LMDBStore(at: "books.db")
        let json = #"""
          [{"isbn": "0441", "title": "Dune", "year": 1990, "author": {"id": 7, "name": "Frank"}, "chapters": [{"title": "1"}]},
           {"isbn": "0001", "title": "Emma", "year": 1815}]
          """#
        _ = try Mapper(store).importJSON(json, as: Book.mapping)

        let context = try ObjectContext(store, for: Book.mapping)
        defer { context.end() }
        let recent = try context.objects(
          Book.mapping.where { $0.year >= 1990 }.sorted(by: \.title).limit(20), including: \.author)
        let book = try context.object(Book.mapping, key: "0441", including: \.chapters, \.author.books)
        #expect(recent.map(\.isbn) == ["0441"])
        #expect(book === recent[0])
        #expect(book?.chapters.count == 1)
        #expect(book?.author?.books.count == 1)

        for book in recent where try !context.isLoaded(\.chapters, of: book) {
          try context.load(\.chapters, of: recent)     // of all of them, in one go
        }

        guard let book, let author = book.author else { return }
        book.title = "Dune Messiah"
        book.chapters.removeAll()
        let sequel = Book()
        sequel.isbn = "0442"
        sequel.author = author
        try context.insert(sequel, as: Book.mapping)
        try context.save()
        print(author.books.map(\.isbn))     // ["0441", "0442"]
        #expect(Printed.takeLines() == [#"["0441", "0442"]"#])
        #expect(try store.read { try $0.count(Chapter.mapping) } == 0)

        _ = try Mapper(store).importJSON(#"{"isbn": "0441", "year": 1969, "author": 7}"#, as: Book.mapping)
        let gone = try context.refresh([book])
        _ = try store.delete(Book.mapping.where { $0.year < 1900 })
        #expect(gone.isEmpty)
        #expect(book.year == 1969)
        #expect(try store.read { try $0.count(Book.mapping) } == 2)
      }
    }
  }
}
