import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Another writer changes nothing of a list but its order, or its repeats. An edit of the list would take that back unseen.
@Suite struct ContextReorderTests {
  typealias Author = Library.Author
  typealias Book = Library.Book
  typealias Shop = Library.Shop

  private static let stores: [StoreKind] = StoreKind.allCases

  /// The list has the authors 8, 7 and 9.
  private static func open(_ kind: StoreKind) throws -> (world: World, context: ObjectContext) {
    let world = try World(kind, Book.mapping, holding: Book.payload)
    try world.load(#"{"id":1,"editors":[8,7,9]}"#)
    return (world, try ObjectContext(world.store, for: Book.mapping))
  }

  /// The caller's new lists, as positions in the old one.
  static let edits: [[Int]] = [[], [0, 1], [0, 2], [2, 1, 0], [0, 1, 2, 1]]
  /// The other writer's new lists.
  static let others: [[Int]] = [[9, 8, 7], [8, 7, 9, 9]]

  @Test(arguments: TestSize.onStores(edits, others: 2, stores: stores))
  func anEditOfTheListIsAConflict(_ kind: StoreKind, _ edit: [Int]) throws {
    for theirs in Self.others {
      let (world, context) = try Self.open(kind)
      defer { context.end() }
      let dune = try #require(try context.object(Book.mapping, key: 1, including: \.editors))
      let mine = edit.map { dune.editors[$0] }
      dune.editors = mine
      try world.load(#"{"id":1,"editors":\#(theirs)}"#)
      let stored = try world.dump()
      let list = mine.isEmpty ? "none" : mine.map { "\($0.id)" }.joined(separator: ", ")
      let other = theirs.map { "\($0)" }.joined(separator: ", ")
      let error = #expect(throws: SaveConflictError.self) { try context.save() }
      #expect(
        error?.conflicts.map { "\($0)" } == ["Book 1.editors: read 8, 7, 9, mine \(list), theirs \(other)"])
      #expect(try world.dump() == stored)
      try context.save(onConflict: .theirs)
      #expect(try world.dump() == stored)
      #expect(dune.editors.map(\.id) == theirs)
    }
  }

  /// A set has no order.
  @Test(arguments: stores)
  func anEditOfASetIsNoConflict(_ kind: StoreKind) throws {
    let (world, context) = try Self.open(kind)
    let dune = try #require(try context.object(Book.mapping, key: 1, including: \.shops))
    let shops = dune.shops
    dune.shops = []
    try context.rollBack()
    #expect(dune.shops == shops)
    try world.load(#"{"id":1,"shops":["b","a"]}"#)
    dune.shops = dune.shops.filter { $0.code == "b" }
    #expect(try summary(context.save()) == "Book ~1")
    #expect(try world.dump(of: "Book 1")?.contains(#"shops=["b"]"#) == true)
  }
}
