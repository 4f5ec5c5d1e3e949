import FastMapCore
import FastMapFoundation
import Foundation
import Testing

/// Predicates become filters. They are short, because the compiler takes long for them.
struct PredicateTests {
  final class Author {
    var name = ""
    var isLiving: Bool?
    var books: [Book] = []

    static let mapping = Mapping(Author.self, "Author", make: { Author() }) { Attribute("name", \.name) }
  }

  final class Book {
    var title = ""
    var subtitle: String?
    var pages = 0
    var isSold = false
    var words: [String] = []
    var posted = Date()
    var price = Decimal()
    var author: Author?
  }

  @Test func comparisonsAreTranslated() throws {
    let limit = 18
    let when = Date(timeIntervalSince1970: 0)
    try check(#Predicate { $0.pages >= limit }, "@.pages >= 18")
    try check(#Predicate { $0.pages < 18 && 5 <= $0.pages }, "@.pages < 18 && 5 <= @.pages")
    try check(#Predicate { $0.title == "a" || $0.title != "b" }, "@.title == \"a\" || @.title != \"b\"")
    try check(#Predicate { $0.subtitle == nil }, "@.subtitle == null")
    try check(#Predicate { $0.subtitle == "a" }, "@.subtitle == \"a\"")
    try check(#Predicate { $0.posted > when }, "@.posted > \"1970-01-01T00:00:00Z\"")
    try check(#Predicate { !$0.isSold && $0.isSold == true }, "!(@.isSold == true) && @.isSold == true")
    try check(#Predicate { _ in true }, "true == true")
  }

  @Test func relationshipsAreTranslated() throws {
    try check(#Predicate { $0.author?.name == "Ada" }, "@.author.name == \"Ada\"")
    try check(#Predicate { $0.author!.name == "Ada" }, "@.author.name == \"Ada\"")
    try check(#Predicate { $0.author?.isLiving ?? false }, "@.author.isLiving == true")
    try checkAuthor(#Predicate { $0.books.contains { $0.pages > 5 } }, "@.books[?@.pages > 5]")
    try checkAuthor(#Predicate { $0.books.allSatisfy { $0.isSold } }, "!@.books[?!(@.isSold == true)]")
    try checkAuthor(#Predicate { $0.books.isEmpty }, "count(@.books[*]) == 0")
    try checkAuthor(#Predicate { $0.books.count > 2 }, "count(@.books[*]) > 2")
    try checkAuthor(
      #Predicate { $0.books.filter { $0.isSold }.count > 2 }, "count(@.books[?@.isSold == true]) > 2")
    try checkAuthor(#Predicate { $0.books.first?.title == "a" }, "@.books[0].title == \"a\"")
  }

  @Test func listsAndStringsAreTranslated() throws {
    let pages = [1, 2]
    let range = 18..<65
    try check(#Predicate { pages.contains($0.pages) }, "@.pages == 1 || @.pages == 2")
    try check(#Predicate { range.contains($0.pages) }, "@.pages >= 18 && @.pages < 65")
    try check(#Predicate { (18...64).contains($0.pages) }, "@.pages >= 18 && @.pages <= 64")
    try check(#Predicate { $0.words.contains("a") }, "@.words[?@ == \"a\"]")
    try check(#Predicate { $0.title.contains("a") }, "search(@.title, \"a\")")
    try check(#Predicate { $0.title.starts(with: "a") }, "match(@.title, \"a(.|\\n|\\r)*\")")
    try check(#Predicate { $0.title.isEmpty }, "@.title == \"\"")
  }

  @Test func whatAFilterCannotSayIsAnError() {
    refused(#Predicate { $0.pages + 1 > 5 }, "a filter has no Arithmetic")
    refused(#Predicate { $0.title.count > 5 }, "a filter has no count of a string's characters")
    refused(#Predicate { $0.price > 5 }, "stores do not keep Decimal in order")
    refused(#Predicate { ($0.pages > 5) == $0.isSold }, "a filter compares values, not conditions")
    #expect(throws: PredicateError("a closure about an object uses the object of another closure")) {
      try Filter(#Predicate<Author> { author in author.books.contains { $0.title == author.name } })
    }
  }

  @Test func aPredicateMakesAQuery() throws {
    let query = try Author.mapping.where(#Predicate { $0.name == "Ada" }).where(
      #Predicate { $0.books.isEmpty })
    #expect(query.filter?.description == "@.name == \"Ada\" && count(@.books[*]) == 0")
  }

  private func check(_ predicate: Predicate<Book>, _ text: String) throws {
    #expect(try Filter(predicate).description == text)
  }

  private func checkAuthor(_ predicate: Predicate<Author>, _ text: String) throws {
    #expect(try Filter(predicate).description == text)
  }

  private func refused(_ predicate: Predicate<Book>, _ reason: String) {
    do {
      let filter = try Filter(predicate)
      Issue.record("\(filter) is accepted")
    } catch {
      #expect(error.description.hasPrefix(reason))
    }
  }
}
