// Queries that the compiler must refuse: each case by itself, with its error. See scripts/check-refused.
import FastMapCore
import FastMapFoundation
import FastMapQueries
import Foundation

struct Point { var x = 0 }
enum Status: String, AttributeValue { case open, closed }
enum Level: Int, OrderedAttributeValue { case low, high }

final class Author {
  var id = 0
  var name = ""
  var books: [Book] = []
}

final class Book {
  var id = 0
  var title = ""
  var subtitle: String?
  var pages = 0
  var isSold = false
  var isOld: Bool?
  var price = Decimal()
  var posted: Date?
  var status = Status.open
  var level: Level?
  var words: [String] = []
  var place = Point()
  var author: Author?
  var owner = Author()
  var readers: [Author] = []
}

@MainActor final class Person {
  var id = 0
  var name = ""

  static let mapping = MainActorMapping(Person.self, "Person", primaryKey: "id", make: { Person() }) {
    Attribute("id", \.id)
    Attribute("name", \.name)
  }
}

func isAccepted(_ books: Mapping<Book>, _ people: Plan, _ records: Mapping<Record>) {
  _ = books.where { $0.title == "Emma" && $0.subtitle == nil && $0.pages < 10 && $0.isSold && !$0.isOld }
  _ = books.where {
    $0.price == 10 && $0.price < 12.5 && $0.posted < Date() && $0.status == .open && $0.level >= .low
  }
  _ = books.where { $0.author.name == "Ada" && $0.author != nil && $0.readers.contains { $0.name == "Ada" } }
  _ = books.where { $0.words.contains("a") && $0.readers.count > 1 && $0.title.length == $0.readers.count }
  _ = books.sorted(by: \.price).sorted(by: \.title).sorted(by: \.author.name).sorted(by: \.isOld).sorted(
    by: \.author)
  _ = people.where { $0["age"] >= 18 }.sorted(by: "name")
  _ = records.where { $0["age"] >= 18 && $0["author", "name"] == "Ada" }
}

// The solver's limit in scripts/check-refused is for these.
func isAcceptedQuickly(_ books: Mapping<Book>, _ people: Plan) {
  _ = books.where {
    $0.pages >= 18 && $0.author.name == "Ada" && $0.subtitle != nil && !$0.isSold && $0.title.hasPrefix("E")
      && $0.readers.contains { $0.name == "Ada" }
  }
  _ = books.where {
    ($0.pages >= 18 || $0.author.id == 5) && $0.title.hasPrefix("A") && $0.status == .open && $0.pages <= 18
      && ($0.isOld || !($0.level >= .high)) && $0.pages > -1 && $0.subtitle.isIn(["a", nil])
      && $0.readers.count > 2 && $0.words.contains("a") && $0.author != nil
  }
  _ = people.where {
    $0["age"] >= 18 && $0["author", "name"] == "Ada" && $0["price"] < -9.5 && $0["isSold"] == true
      && $0["email"] != nil && $0["tags"].contains { $0["name"] == "swift" }
  }
}

@MainActor func isAcceptedOnTheMainActor() {
  _ = Person.mapping.where { $0.name == "Ada" }.sorted(by: \.name)
}

func refused(_ books: Mapping<Book>, _ people: Plan, _ records: Mapping<Record>) {
  #if CASE_1  // refused: cannot convert value of type 'Int' to expected argument type 'String'
    _ = books.where { $0.title == 5 }
  #elseif CASE_2  // refused: cannot convert value of type 'String' to expected argument type 'Int'
    _ = books.where { $0.pages >= "5" }
  #elseif CASE_3  // refused: stores do not keep such values in order
    _ = books.where { $0.isSold < true }
  #elseif CASE_4  // refused: 'nil' is not compatible with expected argument type 'String'
    _ = books.where { $0.title == nil }
  #elseif CASE_5  // refused: requires that 'Point' conform to 'AttributeValue'
    _ = books.where { $0.place == Point() }
  #elseif CASE_6  // refused: requires the types 'String' and 'Int' be equivalent
    _ = books.where { $0.title == $0.pages }
  #elseif CASE_7  // refused: has no member 'hasPrefix'
    _ = books.where { $0.pages.hasPrefix("5") }
  #elseif CASE_8  // refused: requires the types 'String' and 'Bool' be equivalent
    _ = books.where { $0.title }
  #elseif CASE_9  // refused: operator function '!' requires the types 'String' and 'Bool' be equivalent
    _ = books.where { !$0.title }
  #elseif CASE_10  // refused: 'nil' is not compatible
    _ = books.where { $0.readers == nil }
  #elseif CASE_11  // refused: value of type 'FilterObjects<Author>' has no member 'name'
    _ = books.where { $0.readers.name == "Ada" }
  #elseif CASE_12  // refused: value of type 'FilterObject<Author>' has no dynamic member 'title'
    _ = books.where { $0.author.title == "Emma" }
  #elseif CASE_13  // refused: stores do not keep such values in order
    _ = books.where { $0.isOld < true }
  #elseif CASE_14  // refused: stores do not keep such values in order
    _ = books.where { $0.status < .closed }
  #elseif CASE_15  // refused: stores do not keep such values in order
    _ = books.where { $0.words < ["a"] }
  #elseif CASE_16  // refused: no exact matches in reference to subscript
    _ = books.where { $0.owner.name == "Ada" }
  #elseif CASE_17  // refused: cannot convert value of type 'String' to expected argument type 'Optional<Date>.Unwrapped'
    _ = books.where { $0.posted > "2013-07-01" }
  #elseif CASE_18  // refused: cannot convert value of type 'String' to expected element type 'Int'
    _ = books.where { $0.pages.isIn(["1", "2"]) }
  #elseif CASE_19  // refused: 'nil' is not compatible
    _ = books.where { $0.subtitle > nil }
  #elseif CASE_20  // refused: cannot be applied to operands of type 'FilterObject<Author>' and 'Double'
    _ = books.where { $0.author == 1.5 }
  #elseif CASE_21  // refused: value of type 'FilterObject<Author>' has no dynamic member 'title'
    _ = books.where { $0.readers.contains { $0.title == "Emma" } }
  #elseif CASE_22  // refused: cannot convert value of type 'String' to expected argument type 'Int'
    _ = books.where { $0.readers.count == "2" }
  #elseif CASE_23  // refused: cannot convert value of type 'Int' to expected element type 'Bool'
    _ = books.where { $0.isSold.isIn([1, 2]) }
  #elseif CASE_24  // refused: requires the types 'Array<String>' and 'Bool' be equivalent
    _ = books.sorted(by: \.words)
  #elseif CASE_25  // refused: cannot infer key path type from context
    _ = books.sorted(by: \.missing)
  #elseif CASE_26  // refused: requires that 'FilterNode' conform to 'FilterConvertible'
    _ = people.where { $0["age"] }
  #elseif CASE_27  // refused: 'nil' is not compatible
    _ = records.where { $0["age"] > nil }
  #elseif CASE_30  // refused: cannot convert value of type 'Int' to expected argument type 'String'
    _ = books.where { $0.title == 5 }
  #elseif CASE_31  // refused: cannot convert value of type 'String' to expected argument type 'Int'
    _ = books.where { $0.pages < "5" }
  #elseif CASE_32  // refused: requires that 'FilterValue<Int>' conform to 'PrimaryKeyConvertible'
    _ = books.where { $0.author == $0.pages }
  #elseif CASE_33  // refused: requires that 'FilterObjects<Author>' conform to 'PrimaryKeyConvertible'
    _ = books.where { $0.author == $0.readers }
  #elseif CASE_34  // refused: cannot convert value of type 'Int' to expected argument type 'String'
    _ = books.where { $0.words.contains(5) }
  #elseif CASE_35  // refused: requires the types 'String' and 'Bool' be equivalent
    _ = books.where { $0.pages == 5 && $0.title }
  #elseif CASE_36  // refused: cannot convert value of type 'Int' to expected argument type 'Filter'
    _ = books.where { $0.pages == 5 || 7 }
  #elseif CASE_37  // refused: cannot convert value of type 'Double' to expected element type
    _ = books.where { $0.author.isIn([1.5]) }
  #elseif CASE_38  // refused: requires that 'Status' conform to 'RelatedObjects'
    _ = books.where { $0.status == "open" }
  #elseif CASE_39  // refused: cannot convert value of type 'Double' to expected argument type 'Int'
    _ = books.where { $0.pages == 1.5 }
  #elseif CASE_40  // refused: requires that 'FilterObject<Author>' conform to 'FilterConvertible'
    _ = books.where { !$0.author }
  #elseif CASE_41  // refused: cannot convert value of type 'String' to expected argument type 'Int'
    _ = books.where { $0.pages.isIn(1..<"5") }
  #elseif CASE_42  // refused: requires the types 'String' and 'Int' be equivalent
    _ = books.where { $0.title < $0.pages }
  #elseif CASE_43  // refused: 'nil' is not compatible
    _ = books.where { $0.title.length == nil }
  #elseif CASE_28  // refused: cannot be used in nonisolated context
    _ = Person.mapping.where { $0.name == "Ada" }
  #elseif CASE_29  // refused: cannot form key path to main actor-isolated property 'name'
    _ = Filter(Person.self) { $0.name == "Ada" }
  #endif
}
