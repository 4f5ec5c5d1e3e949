import FastMapCore
import TestSupport
import Testing

/// Properties with observers that set other properties, or change the new value. Their changes in a read are no edits.
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
    var touched = 0
    var name = "" { didSet { touched += 1 } }
    var count = 0
    /// Shows no hidden tag.
    var items: [Tag] = [] {
      didSet {
        count = items.count
        items.removeAll { $0.isHidden }
      }
    }
    /// Shows its tags by their keys.
    var sorted: [Tag] = [] { didSet { sorted.sort { $0.id < $1.id } } }
    static let mapping = Mapping(Cart.self, "Cart", primaryKey: "id", make: { Cart() }) {
      Attribute("id", \.id)
      Attribute("touched", \.touched)
      Attribute("name", \.name)
      Attribute("count", \.count)
      ToMany("items", \.items, Tag.mapping, policy: .replace)
      ToMany("sorted", \.sorted, Tag.mapping)
    }
  }

  private static let stores: [StoreKind] = StoreKind.allCases
  private static let stored = #"Cart 1 touched=5 name="a" count=9 items=[1 2] sorted=[4 3]"#

  private static func load(_ kind: StoreKind) throws -> (World, ObjectContext) {
    let world = try World(kind, Cart.mapping)
    try world.load(
      #"""
      {"id": 1, "touched": 5, "name": "a", "count": 9, "items": [{"id": 1, "hidden": true}, {"id": 2}],
       "sorted": [{"id": 4}, {"id": 3}]}
      """#)
    return (world, try ObjectContext(world.store, for: Cart.mapping))
  }

  @Test(arguments: stores)
  func observersDoNotEditDuringReads(_ kind: StoreKind) throws {
    let (world, context) = try Self.load(kind)
    let cart = try #require(try context.object(Cart.mapping, key: 1))
    #expect(try !context.hasChanges())
    try context.load(\.items, \.sorted, of: [cart])
    #expect((cart.count, cart.items.map(\.id), cart.sorted.map(\.id)) == (2, [2], [3, 4]))
    #expect(try !context.hasChanges())
    try context.refreshAll()
    try context.rollBack()
    #expect(try !context.hasChanges())
    #expect(try summary(context.save()) == "")
    #expect(try world.dump(of: "Cart 1") == Self.stored)
  }

  @Test(arguments: stores)
  func anEditKeepsTargetsHiddenByTheObserver(_ kind: StoreKind) throws {
    let (world, context) = try Self.load(kind)
    let cart = try #require(try context.object(Cart.mapping, key: 1, including: \.items, \.sorted))
    let new = Tag()
    new.id = 6
    cart.items.append(new)
    #expect(try summary(context.save()) == "Cart ~1, Tag +1")
    #expect(try world.dump(of: "Cart 1")?.contains("items=[2 6 1] sorted=[4 3]") == true)
    #expect(cart.items.map(\.id) == [2, 6])
    #expect(try !context.hasChanges())
    cart.items.removeAll()
    #expect(try summary(context.save()) == "Cart ~1, Tag -2")
    #expect(try world.dump(of: "Cart 1")?.contains("items=[1] sorted=[4 3]") == true)
    #expect(try !context.hasChanges())
  }

  @Test(arguments: stores)
  func observersDoNotEditDuringImportsAndSaves(_ kind: StoreKind) throws {
    let (world, context) = try Self.load(kind)
    let cart = try #require(try context.object(Cart.mapping, key: 1, including: \.items, \.sorted))
    _ = try context.importJSON(
      #"{"id": 1, "name": "b", "items": [{"id": 3}, {"id": 1, "hidden": true}], "sorted": [4, 2]}"#,
      as: Cart.mapping)
    #expect((cart.items.map(\.id), cart.sorted.map(\.id)) == ([3], [2, 4]))
    #expect(try !context.hasChanges())
    try world.load(#"{"id": 1, "name": "theirs", "items": [3, {"id": 8, "hidden": true}], "sorted": [8, 3]}"#)
    cart.count = 33
    #expect(try summary(context.save()) == "Cart ~1")
    #expect((cart.name, cart.items.map(\.id), cart.sorted.map(\.id)) == ("theirs", [3], [3, 8]))
    #expect(try !context.hasChanges())
    #expect(try summary(context.save()) == "")
    #expect(try world.dump(of: "Cart 1")?.hasSuffix("items=[3 8] sorted=[8 3]") == true)
  }

  @Test(arguments: stores)
  func aHiddenTargetThatTheCallerPutsBackIsStoredOnce(_ kind: StoreKind) throws {
    let (world, context) = try Self.load(kind)
    let cart = try #require(try context.object(Cart.mapping, key: 1, including: \.items))
    let hidden = try #require(try context.object(Tag.mapping, key: 1))
    #expect(cart.items.map(\.id) == [2])
    hidden.isHidden = false
    cart.items.append(hidden)
    try context.save()
    #expect(cart.items.map(\.id) == [2, 1])
    #expect(try !context.hasChanges())
    #expect(try summary(context.save()) == "")
    #expect(try world.dump(of: "Cart 1")?.contains("items=[2 1]") == true)
    try context.rollBack()
    #expect(cart.items.map(\.id) == [2, 1])
  }
}
