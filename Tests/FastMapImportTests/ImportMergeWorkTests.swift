import FastMapCore
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

  // A list anew in each place would take 8 bytes · 30 000² / 2
  @Test(arguments: StoreKind.allCases)
  func manyPlacesMergeIntoOneList(_ kind: StoreKind) throws {
    let world = try World(kind, Self.shelf, Self.book)
    let books = (0..<30_000).map { "{\"id\":7,\"tags\":[\($0 / 2)]}" }.joined(separator: ",")
    try #expect(world.load("{\"id\":1,\"books\":[\(books)]}") == "Shelf +1, Book +1, Tag +15000")
    let tags = (0..<15_000).map { "\($0)" }.joined(separator: " ")
    try #expect(world.dump(of: "Book 7", as: "Book") == "Book 7 tags=[\(tags)]")
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
