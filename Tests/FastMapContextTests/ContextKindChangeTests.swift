import FastMapCore
import TestSupport
import Testing

/// Objects that change their kind while a context has an instance of another class.
@Suite struct ContextKindChangeTests {
  class Pet {
    var id = 0
    var name: String?
    static let mapping: Mapping<Pet> = Mapping(
      Pet.self, "Pet", primaryKey: "id",
      kinds: Kinds("type", ["dog": .mapping(Pet.dog), "cat": .mapping(Pet.cat)]), make: { Pet() }
    ) {
      Attribute("id", \.id)
      Attribute("name", \.name)
    }
    static let dog = Mapping(Dog.self, "Dog", kindOf: Pet.mapping, make: { Dog() }) {
      Attribute("tricks", \.tricks)
    }
    static let cat = Mapping(Cat.self, "Cat", kindOf: Pet.mapping, make: { Cat() }) {
      Attribute("lives", \.lives)
    }
  }
  final class Dog: Pet { var tricks = 0 }
  final class Cat: Pet { var lives = 9 }

  final class Owner {
    var id = 0
    var name: String?
    var pets: [Pet] = []
    var best: Pet?
    static let mapping = Mapping(Owner.self, "Owner", primaryKey: "id", make: { Owner() }) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToMany("pets", \.pets, Pet.mapping)
      ToOne("best", \.best, Pet.mapping)
    }
  }

  private static let payload =
    #"{"id":1,"pets":[{"id":1,"type":"dog","name":"a","tricks":3},{"id":2,"type":"cat"}],"best":1}"#
  private static let change = #"{"id":1,"pets":[{"id":1,"type":"cat","lives":7},2]}"#

  private static func load(_ kind: StoreKind) throws -> (World, ObjectContext, Owner, pet: Pet) {
    let world = try World(kind, Owner.mapping, holding: payload)
    let context = try ObjectContext(world.store, for: Owner.mapping)
    let owner = try #require(try context.object(Owner.mapping, key: 1, including: \.pets, \.best))
    return (world, context, owner, owner.pets[0])
  }

  private static func pet(_ context: ObjectContext) throws -> Pet? { try context.object(Pet.mapping, key: 1) }

  private static func expectCat(_ context: ObjectContext, _ owner: Owner) throws {
    let cat = try #require(try pet(context) as? Cat)
    #expect((cat.name, cat.lives) == ("a", 7))
    #expect(owner.pets[0] === cat && owner.best === cat)
    #expect(owner.pets.map(\.id) == [1, 2])
    #expect(try !context.hasChanges())
    cat.name = "b"
    #expect(try summary(context.save()) == "Pet ~1")
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func aRefreshMakesAnInstanceOfTheNewKind(_ kind: StoreKind, isOfAll: Bool) throws {
    let (world, context, owner, pet) = try Self.load(kind)
    try world.load(Self.change)
    let gone = try isOfAll ? context.refreshAll() : context.refresh([pet])
    #expect(gone.map { ObjectIdentifier($0) } == [ObjectIdentifier(pet)])
    #expect(message { try context.refresh([pet]) }?.contains("Pet 1, which was deleted") == true)
    try Self.expectCat(context, owner)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func anImportMakesAnInstanceOfTheNewKind(_ kind: StoreKind, isAwaited: Bool) async throws {
    let (world, context, owner, _) = try Self.load(kind)
    try world.load(Self.change)
    let json = #"{"id":3,"type":"dog"}"#
    if isAwaited {
      _ = try await context.importJSON(json, as: Pet.mapping)
    } else {
      try Self.importNow(json, context)
    }
    try Self.expectCat(context, owner)
  }

  private static func importNow(_ json: String, _ context: ObjectContext) throws {
    _ = try context.importJSON(json, as: Pet.mapping)
  }

  @Test(arguments: StoreKind.allCases)
  func anEditOfTheOldInstanceIsAConflict(_ kind: StoreKind) throws {
    let (world, context, owner, pet) = try Self.load(kind)
    try world.load(Self.change)
    pet.name = "mine"
    try context.refreshAll()
    #expect(try Self.pet(context) === pet)
    for rule in [ConflictRule.fail, .mine] {
      #expect(message { try context.save(onConflict: rule) } == "Pet 1: not stored any more")
    }
    let report = try context.save(onConflict: .theirs)
    #expect(report.conflicts.map(\.field) == ["name"])
    try context.refreshAll()
    try Self.expectCat(context, owner)
  }

  @Test(arguments: StoreKind.allCases)
  func aRollBackOfTheOldInstanceMakesItLeave(_ kind: StoreKind) throws {
    let (world, context, owner, pet) = try Self.load(kind)
    try world.load(Self.change)
    pet.name = "mine"
    try context.rollBack(pet)
    #expect(try Self.pet(context) is Cat)
    try context.refreshAll()
    try Self.expectCat(context, owner)
  }

  /// An object of which only the key was met is an instance of the base class.
  @Test(arguments: StoreKind.allCases)
  func anObjectGetsItsFirstKind(_ kind: StoreKind) throws {
    let (world, context, owner, _) = try Self.load(kind)
    try world.load(#"{"id":1,"best":{"id":5}}"#)
    try context.refreshAll()
    #expect(owner.best.map { type(of: $0) == Pet.self } == true)
    _ = try context.importJSON(#"{"id":5,"type":"cat"}"#, as: Pet.mapping)
    #expect(owner.best is Cat)
    #expect(try !context.hasChanges())
  }

  /// A record has no class.
  @Test(arguments: StoreKind.allCases)
  func aRecordStays(_ kind: StoreKind) throws {
    let mappings = try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Pet": {"primaryKey": "id", "kinds": {"keyPath": "type", "values": {"dog": "Dog", "cat": "Cat"}}},
          "Dog": {"entity": "Pet", "primaryKey": "id", "attributes": {"id": "integer", "tricks": "integer"}},
          "Cat": {"entity": "Pet", "primaryKey": "id", "attributes": {"id": "integer", "lives": "integer"}}}}
        """#)
    let world = try World(kind, mappings.plan(for: "Pet"), holding: #"{"id":1,"type":"dog","tricks":3}"#)
    let context = try ObjectContext(world.store, for: world.plan())
    let pet = try #require(try context.record("Pet", key: 1))
    _ = try context.importJSON(#"{"id":1,"type":"cat","lives":7}"#, as: world.plan())
    #expect(pet["lives"] == .integer(7))
    #expect(try context.record("Pet", key: 1) === pet)
    #expect(try context.refreshAll().isEmpty)
    #expect(try !context.hasChanges())
  }
}
