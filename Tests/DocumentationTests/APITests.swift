// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapFoundation
import FastMapMemory
import FastMapQueries
import Foundation
import TestSupport
import Testing

@Suite("API.md")
struct APITests {
  final class Author { var id = 0; var name = ""; var born: Date?; var books: [Book] = [] }
  final class Book { var isbn = ""; var title = ""; var price: Double?; var author: Author? }

  @Test func thePageIsOneProgram() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory { try run() }
    }
  }
}

extension APITests.Author {
  typealias Author = APITests.Author
  typealias Book = APITests.Book
}

extension APITests.Book {
  typealias Author = APITests.Author
  typealias Book = APITests.Book
}

private typealias Author = APITests.Author
private typealias Book = APITests.Book

extension Author {
  static let mapping: Mapping<Author> = Mapping(Author.self, "Author", primaryKey: "id", make: Author.init) {
    Attribute("id", \.id)
    Attribute("name", \.name, at: "names[0].full")
    Attribute("born", \.born, as: .date(.iso8601))
    ToMany("books", \.books, inverseOf: \.author, of: Book.mapping)
  }
}

extension Book {
  static let mapping: Mapping<Book> = Mapping(Book.self, "Book", primaryKey: "isbn", make: Book.init) {
    Attribute("isbn", \.isbn)
    Attribute("title", \.title)
    Attribute("price", \.price).lenient
    ToOne("author", \.author, Author.mapping)
    Index("title")
  }
}

private func run() throws {
  do {
    let books = try Book.mapping.objects(from: #"[{"isbn": "0441", "title": "Dune"}]"#)
    let one = try Book.mapping.object(from: #"{"isbn": "0441"}"#)
    try Book.mapping.fill(books[0], from: #"{"title": "Dune Messiah"}"#)
    let text = try Serializer(Book.mapping).json(of: books[0])

    #expect(one?.isbn == "0441")
    #expect(text == #"{"isbn":"0441","title":"Dune Messiah"}"#)
  }
  let books = try Book.mapping.objects(from: #"[{"isbn": "0441", "title": "Dune"}]"#)

  let store = MemoryStore()
  let mapper = Mapper(store)
  let report = try mapper.importJSON(#"[{"isbn": "0441", "title": "Dune", "author": {"id": 7}}]"#, as: Book.mapping)
  print(report["Book"]?.inserted ?? 0)     // 1

  let cheap = Book.mapping.where { $0.price < 10 && $0.author.name == "Frank" }
  let page = cheap.sorted(by: \.author.name).sorted(by: \.price, descending: true).limit(20)
  let some = Book.mapping.keys(["0441", "0345"])
  let text = try Book.mapping.where(Filter(#"@.price < 10 && @.author.name == "Frank""#))

  #expect(try store.read { try [$0.count(page), $0.count(some), $0.count(text)] } == [0, 1, 0])

  let all = try store.read { try $0.objects(Book.mapping, including: \.author.books) }
  let dune = try store.read { try $0.object(Book.mapping, key: "0441", including: \.author) }
  let count = try store.read { try $0.count(cheap) }

  #expect(all.map { $0.author?.books.map(\.title) } == [["Dune"]])
  #expect(dune?.author?.id == 7 && count == 0)

  try store.delete(Book.mapping, key: "0441")
  let gone = try store.delete(Book.mapping.where { $0.price > 100 })
  print(gone.total)                        // 0

  let serializer = try Serializer(Book.mapping)
  try serializer.exportFile("books.ndjson", from: store)
  try serializer.exportFile("cheap.json", of: cheap, from: store)
  let line = try serializer.json(of: books[0])

  #expect(line == #"{"isbn":"0441","title":"Dune"}"#)

  let context = try ObjectContext(store, for: Book.mapping)
  defer { context.end() }
  _ = try context.importJSON(#"{"isbn": "0441", "title": "Dune", "author": {"id": 7}}"#, as: Book.mapping)
  guard let book = try context.object(Book.mapping, key: "0441", including: \.author) else { return }
  book.title = "Dune Messiah"
  try context.save()

  #expect(try store.read { try $0.object(Book.mapping, key: "0441")?.title } == "Dune Messiah")
}
