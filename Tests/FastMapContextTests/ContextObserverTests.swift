import FastMapCore
import TestSupport
import Testing

/// Properties with observers that set other properties, or change the new value. Whatever they set is an edit.
@Suite struct ContextObserverTests {
  final class Tag {
    var id = 0
    var isHidden = false
    static let mapping = Mapping(Tag.self, "Tag", primaryKey: "id", make: { Tag() }) {
      Attribute("id", \.id)
      Attribute("hidden", \.isHidden)
    }
  }

  final class Cart {
    var id = 0
    var name = "" { didSet { changes += 1 } }
    var changes = 0
    /// At most ten.
    var size = 0 { didSet { size = min(size, 10) } }
    /// Shows no hidden tag.
    var items: [Tag] = [] { didSet { items.removeAll { $0.isHidden } } }
    var best: Tag? { didSet { best?.isHidden = true } }
    static let mapping = Mapping(Cart.self, "Cart", primaryKey: "id", make: { Cart() }) {
      Attribute("id", \.id)
      Attribute("changes", \.changes)
      Attribute("name", \.name)
      Attribute("size", \.size)
      ToMany("items", \.items, Tag.mapping, policy: .replace)
      ToOne("best", \.best, Tag.mapping)
    }
  }

  private static let tags =
    #"[{"id": 1, "hidden": true}, {"id": 2, "hidden": false}, {"id": 3, "hidden": false}]"#

  private static func load(_ kind: StoreKind) throws -> (World, ObjectContext) {
    let world = try World(kind, Cart.mapping)
    try world.load(#"{"id": 1, "changes": 5, "name": "a", "size": 8, "items": \#(tags), "best": 3}"#)
    return (world, try ObjectContext(world.store, for: Cart.mapping))
  }

  @Test(arguments: StoreKind.allCases)
  func changesByAnObserverDuringAReadAreEdits(_ kind: StoreKind) throws {
    let (world, context) = try Self.load(kind)
    let cart = try #require(try context.object(Cart.mapping, key: 1))
    #expect(cart.changes == 6)
    #expect(try context.hasChanges())
    #expect(try summary(context.save()) == "Cart ~1")
    #expect(try world.dump(of: "Cart 1") == #"Cart 1 changes=6 name="a" size=8 items=[1 2 3] best=3"#)
    #expect(try !context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases)
  func aTargetThatAnObserverTakesOutLeavesTheRelationship(_ kind: StoreKind) throws {
    let (world, context) = try Self.load(kind)
    let cart = try #require(try context.object(Cart.mapping, key: 1, including: \.items))
    #expect(cart.items.map(\.id) == [2, 3])
    #expect(try summary(context.save()) == "Cart ~1, Tag -1")
    #expect(try world.dump(of: "Cart 1")?.contains("items=[2 3]") == true)
    #expect(try world.dump(of: "Tag 1") == nil)
    #expect(try !context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases)
  func changesOfOtherObjectsByAnObserverAreEdits(_ kind: StoreKind) throws {
    let (world, context) = try Self.load(kind)
    let cart = try #require(try context.object(Cart.mapping, key: 1, including: \.best))
    #expect(cart.best?.isHidden == true)
    #expect(try summary(context.save()) == "Cart ~1, Tag ~1")
    #expect(try world.dump(of: "Tag 3") == "Tag 3 hidden=true")
  }

  /// As a property shows a stored number that it rounds.
  @Test(arguments: StoreKind.allCases)
  func aValueThatAnObserverChangesInItsOwnPropertyIsShown(_ kind: StoreKind) throws {
    let (world, context) = try Self.load(kind)
    try world.load(#"{"id": 1, "size": 12}"#)
    let cart = try #require(try context.object(Cart.mapping, key: 1))
    try context.save()
    #expect(cart.size == 10)
    #expect(try world.dump(of: "Cart 1")?.contains("size=12") == true)
    cart.size = 4
    try context.save()
    #expect(try world.dump(of: "Cart 1")?.contains("size=4") == true)
  }

  @Test(arguments: StoreKind.allCases)
  func aRollBackTakesChangesByAnObserverBack(_ kind: StoreKind) throws {
    let (_, context) = try Self.load(kind)
    let cart = try #require(try context.object(Cart.mapping, key: 1))
    try context.rollBack()
    #expect(cart.changes == 5)
    #expect(try !context.hasChanges())
  }
}
