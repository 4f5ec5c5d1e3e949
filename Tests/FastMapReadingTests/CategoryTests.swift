import FastMapCore
import TestSupport
import Testing

@testable import FastMapReading

/// Categories and websites, as in the predecessors' tests: a website has a category, and a category its websites.
@Suite struct CategoryTests {
  final class Category {
    var cid = 0
    var name: String?
    var websites: Set<Website> = []

    static let mapping: Mapping<Category> = Mapping(
      Category.self, "Category", primaryKey: "cid", make: Category.init
    ) {
      Attribute("cid", \.cid, at: "id")
      Attribute("name", \.name)
      ToMany("websites", \.websites, inverseOf: \.category, of: Website.mapping)
    }
  }

  final class Website: Hashable {
    var wid = 0
    var category: Category?

    static let mapping: Mapping<Website> = Mapping(
      Website.self, "Website", primaryKey: "wid", make: Website.init
    ) {
      Attribute("wid", \.wid, at: "id")
      ToOne("category", \.category, Category.mapping)
    }

    static func == (a: Website, b: Website) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  @Test(arguments: StoreKind.allCases)
  func aCategoryHasItsWebsites(_ kind: StoreKind) throws {
    let world = try World(kind, Website.mapping)
    try world.load(
      #"[{"id":1,"category":{"id":7,"name":"news"}},{"id":2,"category":7},{"id":3,"category":8}]"#)
    func websites(_ key: PrimaryKey) throws -> [Int]? {
      try world.instance(Category.mapping, key).map { $0.websites.map(\.wid).sorted() }
    }
    try #expect(websites(7) == [1, 2])
    try #expect(websites(8) == [3])
    // Moved, unlinked, deleted.
    try world.load(#"[{"id":1,"category":8},{"id":2,"category":null}]"#)
    try #expect(websites(7) == [])
    try #expect(websites(8) == [1, 3])
    _ = try world.store.delete(Website.mapping.query(of: "Website").keys([3]))
    try #expect(websites(8) == [1])
    _ = try world.store.delete(Website.mapping.query(of: "Category").keys([8]))
    try #expect(world.instance(Website.mapping, 1)?.category == nil)
  }
}
