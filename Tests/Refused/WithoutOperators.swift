// A file that does not import FastMapQueries: its own expressions compile as fast as without FastMap, and its
// filters have no operators. See scripts/check-refused.
import FastMapCore

final class Book {
  var id = 0
  var title = ""
  var isSold = false
}

func isTrue(_ condition: Bool, _ comments: [String]) -> Bool { condition }

// With one operator more that does not return Bool, this takes 57 000 scopes of the solver instead of 270.
func isAcceptedQuickly(_ own: [String], _ person: [String]) {
  print(isTrue(person == (own + ["text"]).map { "Note.\($0)" } + (own + person).map { "Person.\($0)" }, []))
}

func isAccepted(_ books: Mapping<Book>) throws {
  _ = books.where { $0.title.hasPrefix("E") }.sorted(by: \.title)
  _ = books.where { $0.isSold }
  _ = try books.where(.all([Filter("@.id >= 5"), Filter(Book.self) { $0.id.isIn(5...9) }]))
}

func refused(_ books: Mapping<Book>) {
  #if CASE_1  // refused: requires that 'Bool' conform to 'FilterConvertible'
    _ = books.where { $0.title == "Emma" }
  #elseif CASE_2  // refused: requires that 'Bool' conform to 'FilterConvertible'
    _ = books.where { $0.id >= 5 }
  #endif
}
