import FastMapCore
import FastMapQueries
import Testing

/// Filters written in Swift equal filters written as text.
struct FilterWritingTests {
  enum Status: String, AttributeValue { case open, closed }
  enum Level: Int, OrderedAttributeValue { case low, high }

  final class Author {
    var id = 0
    var name = ""
    var age: Int?
    var boss: Author?
    var books: [Book] = []
  }

  final class Book {
    var id = 0
    var title = ""
    var subtitle: String?
    var pages = 0
    var large: UInt64 = 0
    var price = 0.0
    var weight: Float?
    var isSold = false
    var isOld: Bool?
    var status = Status.open
    var level: Level?
    var posted = Timestamp(seconds: 0)
    var cover: [UInt8] = []
    var thumb: [UInt8]?
    var words: [String] = []
    var marks: [Double] = []
    var notes: [String?] = []
    var codes: Set<Int>?
    var dates: [Timestamp]?
    var author: Author?
    var editor: Author?
    var readers: Set<Reader>?
    var sequels: OrderedObjectSet<Book> = []
    // Properties with the names of things in filters.
    var key = 0
    var path = ""
    var filter = false
    var count = 0
  }

  final class Reader: Hashable {
    var name = ""
    static func == (a: Reader, b: Reader) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let filter: Filter
    let text: String
    var testDescription: String { text }

    init(_ text: String, _ condition: (FilterObject<Book>) -> some FilterConvertible) {
      (self.text, filter) = (text, Filter(Book.self, condition))
    }
  }

  @Test(arguments: [
    Case("@.title == \"Emma\"") { $0.title == "Emma" },
    Case("@.title != \"Emma\"") { $0.title != "Emma" },
    Case("@.title < \"F\"") { $0.title < "F" },
    Case("@.pages <= 18") { $0.pages <= 18 },
    Case("@.pages > 18") { $0.pages > 18 },
    Case("@.pages >= -18") { $0.pages >= -18 },
    Case("@.pages < 18") { $0.pages < 18 },
    Case("@.subtitle == null") { $0.subtitle == nil },
    Case("@.subtitle != null") { $0.subtitle != nil },
    Case("@.title == @.subtitle") { $0.title == $0.subtitle },
    Case("@.subtitle != @.title") { $0.subtitle != $0.title },
    Case("@.pages < @.author.age") { $0.pages < $0.author.age },
    Case("@.pages <= @.author.age") { $0.pages <= $0.author.age },
    Case("@.pages > @.author.age") { $0.pages > $0.author.age },
    Case("@.pages >= @.author.age") { $0.pages >= $0.author.age },
    Case("@.large == 18446744073709551615") { $0.large == .max },
    Case("@.large > 5") { $0.large > 5 },
    Case("@.price < 9.5") { $0.price < 9.5 },
    Case("@.weight > 11.1") { $0.weight > 11.1 },
    Case("@.isSold == true") { $0.isSold },
    Case("@.isOld == true") { $0.isOld },
    Case("!(@.isSold == true)") { !$0.isSold },
    Case("@.isSold == false") { $0.isSold == false },
    Case("@.isOld != true") { $0.isOld != true },
    Case("@.status == \"open\"") { $0.status == .open },
    Case("@.level >= 1") { $0.level >= .high },
    Case("@.level == null") { $0.level == nil },
    Case("@.posted > \"2013-07-01T18:00:00Z\"") { $0.posted > Timestamp(seconds: 1_372_701_600) },
    Case("@.cover == \"AP8=\"") { $0.cover == [0, 255] },
    Case("@.thumb < \"AP8=\"") { $0.thumb < [0, 255] },
    Case("@.thumb == null") { $0.thumb == nil },
    Case("@.key == 1 && @.path == \"a\" && @.filter == true && @.count == 2") {
      $0.key == 1 && $0.path == "a" && $0.filter && $0.count == 2
    },
  ])
  func aComparisonOfAPropertyEqualsItsText(_ example: Case) throws { try check(example) }

  @Test(arguments: [
    Case("@.pages >= 18 && @.pages < 65") { $0.pages.isIn(18..<65) },
    Case("@.author.age >= 18 && @.author.age <= 64") { $0.author.age.isIn(18...64) },
    Case("@.pages == 1 || @.pages == 2") { $0.pages.isIn([1, 2]) },
    Case("@.subtitle == \"a\" || @.subtitle == null") { $0.subtitle.isIn(["a", nil]) },
    Case("@.status == \"open\"") { $0.status.isIn([.open]) },
    Case("true == false") { $0.status.isIn([]) },
    Case("@.pages == 7") { $0.pages.isIn(Set([7])) },
    Case("@.subtitle == \"a\" || @.subtitle == null") { $0.subtitle.isIn(["a", nil].lazy.map { $0 }) },
    Case("match(@.title, \"A[.](.|\\n|\\r)*\")") { $0.title.matches("A[.](.|\n|\r)*") },
    Case("match(@.title, \"A\\\\.(.|\\n|\\r)*\")") { $0.title.hasPrefix("A.") },
    Case("search(@.subtitle, \"A\\\\.\")") { $0.subtitle.contains("A.") },
    Case("search(@.subtitle, \"A.\")") { $0.subtitle.search("A.") },
    Case("search(@.status, \"pe\")") { $0.status.text.contains("pe") },
    Case("count(@.readers[*]) > @.pages && length(@.title) < @.pages") {
      $0.readers.count > $0.pages && $0.title.length < $0.pages
    },
    Case("length(lower(@.subtitle)) == 4 && lower(@.subtitle) == null") {
      $0.subtitle.lowercased.length == 4 && $0.subtitle.lowercased == nil
    },
    Case("length(@.title) > 3 && length(@.subtitle) == 4") { $0.title.length > 3 && $0.subtitle.length == 4 },
  ])
  func aTestOfAPropertyEqualsItsText(_ example: Case) throws { try check(example) }

  @Test(arguments: [
    Case("@.author.boss.boss.name == \"Ada\"") { $0.author.boss.boss.name == "Ada" },
    Case("@.author == null") { $0.author == nil },
    Case("@.author.boss != null") { $0.author.boss != nil },
    Case("@.author == 5") { $0.author == 5 },
    Case("@.author != \"ada\"") { $0.author != "ada" },
    Case("@.author == 7") { $0.author == PrimaryKey(7) },
    Case("@.author == @.editor") { $0.author == $0.editor },
    Case("@.author != @.editor.boss") { $0.author != $0.editor.boss },
    Case("@.author == 1 || @.author == \"b\"") { $0.author.isIn([1, "b"] as [PrimaryKey]) },
    Case("@.author == 5 && @.author != \"b\"") { $0.author == Optional(5) && $0.author != Optional("b") },
    Case("@.author == null") { $0.author == Int?.none },
    Case("@.author == 5") { [key = [5]] in $0.author == key[0] },
    Case("@.author == 3") { $0.author.isIn(Set([3])) },
    Case("@.author == 4 || @.author == 5") { $0.author.isIn(4...5) },
    Case("@ == 5") { $0 == 5 },
  ])
  func aToOneRelationshipEqualsItsText(_ example: Case) throws { try check(example) }

  @Test(arguments: [
    Case("@.readers[?@.name == \"Ada\"]") { $0.readers.contains { $0.name == "Ada" } },
    Case("@.sequels[?@.isSold == true && @.pages > 3]") { $0.sequels.contains { $0.isSold && $0.pages > 3 } },
    Case("!@.sequels[?!(@.isSold == true)]") { $0.sequels.allSatisfy { $0.isSold } },
    Case("!@.sequels[?@.isSold == true]") { $0.sequels.allSatisfy { !$0.isSold } },
    Case("!@.readers") { $0.readers.isEmpty },
    Case("@.readers") { !$0.readers.isEmpty },
    Case("count(@.readers[*]) > 2") { $0.readers.count > 2 },
    Case("count(@.readers[*]) <= 2") { $0.readers.count <= 2 },
    Case("count(@.readers[*]) < count(@.sequels[*])") { $0.readers.count < $0.sequels.count },
    Case("count(@.readers[*]) >= 2 && count(@.readers[*]) <= 4") { $0.readers.count.isIn(2...4) },
    Case("count(@.readers[*]) == 2 || count(@.readers[*]) == 4") { $0.readers.count.isIn([2, 4]) },
    Case("count(@.sequels[?@.pages > 5]) != 0") { $0.sequels.count { $0.pages > 5 } != 0 },
    Case("@.sequels[0].title == \"Emma\"") { $0.sequels.first.title == "Emma" },
    Case("@.sequels[-1].author.name == \"Ada\"") { $0.sequels.last.author.name == "Ada" },
    Case("@.sequels[2] == null") { $0.sequels[2] == nil },
    Case("@.author.books[?@.readers[?@.name == \"Ada\"]]") {
      $0.author.books.contains { $0.readers.contains { $0.name == "Ada" } }
    },
    Case("@.sequels[?@ == 5]") { $0.sequels.contains { $0 == 5 } },
    Case("@.words[?@ == \"a\"] && @.codes[?@ == 5]") { $0.words.contains("a") && $0.codes.contains(5) },
    Case("count(@.words[*]) > 2 && count(@.codes[*]) == 0") { $0.words.count > 2 && $0.codes.isEmpty },
  ])
  func aToManyRelationshipEqualsItsText(_ example: Case) throws { try check(example) }

  @Test(arguments: [
    Case("@.pages > 1 && (@.isSold == true || @.isOld == true) && !(@.price < 2.5)") {
      $0.pages > 1 && ($0.isSold || $0.isOld) && !($0.price < 2.5)
    },
    Case("@.pages > 1 && @.pages > 2 && @.pages > 3") { $0.pages > 1 && ($0.pages > 2 && $0.pages > 3) },
    Case("@.pages > 1") { !(!($0.pages > 1)) },
    Case("@.pages > 1 || @.pages > 2") { Filter.any([$0.pages > 1, $0.pages > 2]) },
    Case("@.pages > 1 && @.isSold == true") { Filter.all([$0.pages > 1, $0.isSold.filter]) },
  ])
  func conditionsAreCombinedAsInText(_ example: Case) throws { try check(example) }

  /// The text reads back as a filter that writes the same text.
  private func check(_ example: Case) throws {
    #expect(example.filter.description == example.text)
    let read = try Filter(example.text)
    #expect(read.description == example.text)
    #expect(read.depth == example.filter.depth || example.text.contains("||"))
  }

  @Test(arguments: [
    Case("@.sequels[?@.title == @.title]") { book in book.sequels.contains { $0.title == book.title } },
    Case("@.sequels[?@.title == \"a\"]") { book in book.sequels.contains { _ in book.title == "a" } },
    Case("@.sequels[?match(@.title, \"a\")]") { book in
      book.sequels.contains { _ in !book.title.matches("a") }
    },
    Case("@.author.books[?@.sequels[?@.isSold]]") { book in
      book.author.books.allSatisfy { inner in inner.sequels.contains { $0.isSold && inner.isSold } }
    },
    Case("@.sequels[?@.title == \"a\"]") { book in
      book.sequels.contains { _ in Filter(Book.self) { _ in book.title == "a" } }
    },
  ])
  func aClosureCannotUseTheObjectOfAnother(_ example: Case) {
    #expect(example.filter.description.contains("…"))
  }

  @Test func aFilterMadeBeforeIsAboutTheObjectOfTheClosure() {
    let sold = Filter(Book.self) { $0.isSold }
    let filter = Filter(Book.self) { $0.sequels.contains { _ in sold } && sold }
    #expect(filter.description == "@.sequels[?@.isSold == true] && @.isSold == true")
  }

  @Test func aValueThatNoStoreHasIsRefused() {
    for filter in [
      Filter(Book.self) { $0.price == .nan }, Filter(Book.self) { $0.weight < .nan },
      Filter(Book.self) { $0.price.isIn([1, .nan]) }, Filter(Book.self) { $0.weight == .some(.nan) },
      Filter(Book.self) { $0.marks.contains(.nan) }, Filter(Book.self) { $0.marks.contains(-.nan) },
    ] {
      guard case .refused(let reason) = filter.tree else {
        Issue.record("\(filter) is accepted")
        continue
      }
      #expect(reason.contains("nan"))
    }
  }

  @Test func anElementThatJSONCannotWriteIsRefused() {
    let filter = Filter(Book.self) { $0.marks.contains(.infinity) }
    #expect(
      filter.tree
        == .refused("a filter cannot compare with inf, because a store keeps it as no value, or not at all"))
    #expect(Filter(Book.self) { $0.notes.contains(nil) }.description == "@.notes[?@ == null]")
  }

  /// The elements are as the payload wrote them, and the same moment has many spellings.
  @Test func aDateInAnArrayIsRefused() {
    guard case .refused(let reason) = Filter(Book.self, { $0.dates.contains(Timestamp(seconds: 0)) }).tree
    else {
      Issue.record("accepted")
      return
    }
    #expect(reason.hasPrefix("a filter cannot compare the elements of an array with "))
  }

  /// A value that is written as null.
  private struct Blank: AttributeValue {
    static let attributeType = AttributeType.string
    init() {}
    init?(_ field: Field) { return nil }
    func write(to field: inout FieldWriter) { field.setNull() }
  }

  private final class Form { var blank: Blank?; var must = Blank() }

  @Test func aValueWrittenAsNullIsNoValueWhereThatIsAllowed() {
    #expect(Filter(Form.self) { $0.blank == Blank() }.description == "@.blank == null")
    guard case .refused(let reason) = Filter(Form.self, { $0.must == Blank() }).tree else {
      Issue.record("accepted")
      return
    }
    #expect(reason.hasSuffix("because a store keeps it as no value, or not at all"))
  }

  @Test(arguments: [Int.min, -9_007_199_254_740_992, 9_007_199_254_740_992, .max])
  func aPositionOutsideOfJSONPathIsRefused(_ position: Int) {
    let reason = "an index must be from -9007199254740991 to 9007199254740991"
    for filter in [
      Filter { $0["a"][position] == 1 }, Filter { $0["a"][position].length == 1 },
      Filter(Book.self) { $0.sequels[position] == 5 }, Filter(Book.self) { $0.sequels[position].isSold },
    ] {
      #expect(filter.tree == .refused(reason))
    }
  }

  @Test func anArrayIsNotComparedAsAWhole() {
    let filter = Filter(Book.self) { $0.words == ["a"] }
    #expect(
      filter.tree
        == .refused(
          "a filter cannot compare with [\"a\"], which is stored as JSON; compare a value inside it"))
  }
}
