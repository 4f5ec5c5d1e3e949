import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// A list that one root object merges into in many places is made once.
@Suite struct ImportMergeWorkTests {
  private static let tag = Mapping("Tag", primaryKey: "id") { Attribute("id", .integer, at: .wholeValue) }
  private static let book = Mapping("Book", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("tags", tag, policy: .merge)
  }
  private static let shelf = Mapping("Shelf", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("books", book)
  }

  // A list anew in each place would take the square of their number
  @Test(arguments: StoreKind.allCases)
  func manyPlacesMergeIntoOneList(_ kind: StoreKind) throws {
    let large = TestSize.count(kind, small: 3200, others: 160, whole: 24_000)
    let times = try growth(from: large / 8, to: large) { count, measure in
      let world = try World(kind, Self.shelf, Self.book)
      let books = (0..<count).map { "{\"id\":7,\"tags\":[\($0 / 2)]}" }.joined(separator: ",")
      let payload = "{\"id\":1,\"books\":[\(books)]}"
      try measure { try #expect(world.load(payload) == "Shelf +1, Book +1, Tag +\(count / 2)") }
      let tags = (0..<count / 2).map { "\($0)" }.joined(separator: " ")
      try #expect(world.dump(of: "Book 7", as: "Book") == "Book 7 tags=[\(tags)]")
    }
    #expect(times < 24 || kind != .lmdb)
  }

  @Test func anObjectIsDeletedAndMadeAgainOftenInLinearTime() throws {
    let large = TestSize.count(small: 40_000, whole: 160_000)
    let item = Mapping("Item", primaryKey: "id", deletedBy: "gone") {
      Attribute("id", .integer)
      Attribute("gone", .boolean)
      ToOne("note", Mapping("Note") { Attribute("text", .string) })
    }
    let list = Mapping("List", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("items", item)
    }
    let times = try growth(from: large / 8, to: large) { count, measure in
      let world = try World(.memory, list, item)
      let pair = #"{"id":7,"gone":true},{"id":7,"note":{}},"#
      let payload = #"{"id":1,"items":[\#(String(repeating: pair, count: count / 2))7]}"#
      try measure { try world.load(payload) }
      #expect(try world.dump(of: "Item 7", as: "Item") != nil)
    }
    #expect(times < 20)
  }

  @Test(arguments: StoreKind.allCases)
  func mergesBeforeAndBehindOtherValuesKeepTheirOrder(_ kind: StoreKind) throws {
    let world = try World(kind, Self.shelf, Self.book)
    func books(_ lists: String...) -> String {
      "{\"id\":1,\"books\":[\(lists.map { "{\"id\":7,\"tags\":\($0)}" }.joined(separator: ","))]}"
    }
    try world.load(books("[3,1]", "[2,3]", "null", "[1,5,5]", "[4]"))
    try #expect(world.dump(of: "Book 7", as: "Book") == "Book 7 tags=[3 1 2 5 4]")
  }
}
