import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapContexts

/// New instances, keys and inverses that the caller has set: every store answers alike, also one that keeps instances.
@Suite struct ContextOwnInstanceTests {
  typealias Person = People.Person

  private static func load(
    _ kind: StoreKind, _ json: String = #"[{"id":1,"boss":{"id":7}},{"id":2}]"#
  ) throws -> (any Store, ObjectContext) {
    let store = try kind.make()
    try store.importPeople(json)
    return (store, try ObjectContext(store, for: Person.mapping))
  }

  private static func person(_ key: PrimaryKey, _ context: ObjectContext) throws -> Person {
    try #require(
      try context.object(
        Person.mapping, key: key, including: \.friends, \.kids, \.cards, \.boss, \.staff, \.boss.staff))
  }

  // MARK: New objects

  @Test(arguments: StoreKind.allCases)
  func savedTargetsJoinTheContext(_ kind: StoreKind) throws {
    let (store, context) = try Self.load(kind)
    let ann = try Self.person(1, context)
    let (new, further) = (Person.new(9, "a"), Person.new(10))
    new.boss = further
    ann.friends.append(new)
    #expect(try context.save()["Person"] == .init(inserted: 2, updated: 1))
    #expect(try context.object(Person.mapping, key: 10) === further)
    #expect(try context.isLoaded(\.friends, of: new))
    new.name = "b"
    #expect(try context.hasChanges())
    try context.rollBack()
    #expect(new.name == "a")
    #expect(try context.refresh([new]).isEmpty)
    try context.delete(new)
    try context.save()
    #expect(try store.people() == [1, 2, 7, 10])
    #expect(ann.friends.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func aTakenKeyIsRefused(_ kind: StoreKind) throws {
    let (store, context) = try Self.load(kind)
    let ann = try Self.person(1, context)
    ann.friends.append(Person.new(2))
    #expect(throws: ContextError.keyTaken(entity: "Person", place: "Person 1.friends[0]", key: 2)) {
      try context.save()
    }
    ann.friends = [Person.new(9), Person.new(9)]
    #expect(message { try context.save() } == "two new objects of Person have the key 9")
    ann.friends = []
    try context.save()
    #expect(try store.people() == [1, 2, 7])
  }

  @Test(arguments: StoreKind.allCases, [2, 20])
  func aChangedKeyIsRefused(_ kind: StoreKind, key: Int) throws {
    let (store, context) = try Self.load(kind)
    let ann = try Self.person(1, context)
    ann.id = key
    ann.name = "x"
    #expect(throws: ContextError.keyChanged(entity: "Person", key: 1)) { try context.save() }
    #expect(ann.id == key)
    try context.rollBack()
    #expect(ann.id == 1)
    #expect(ann.name == nil)
    #expect(try store.people() == [1, 2, 7])
    #expect(try !context.hasChanges())
    ann.name = "y"
    try context.save()
    #expect(try store.people() == [1, 2, 7])
  }

  // MARK: Payloads of new objects

  @Test(arguments: StoreKind.allCases, [false, true])
  func aNewInstanceBecomesTheObjectOfThePayload(_ kind: StoreKind, isLinked: Bool) throws {
    let (store, context) = try Self.load(kind)
    let ann = try Self.person(1, context)
    let new = Person.new(70, "mine")
    if isLinked { ann.friends.append(new) } else { try context.insert(new, as: Person.mapping) }
    let report = try context.importJSON(
      #"{"id":70,"name":"theirs","boss":{"id":71},"cards":[{"text":"x"}]}"#, as: Person.mapping)
    #expect(report["Person"] == .init(inserted: 2, stubs: 1))
    #expect((new.name, new.boss?.id, new.cards.map(\.text)) == ("mine", 71, ["x"]))
    #expect(ann.friends.count == (isLinked ? 1 : 0))
    #expect(try context.object(Person.mapping, key: 70) === new)
    let conflict = #"Person 70.name: read no value, mine "mine", theirs "theirs""#
    #expect(message { _ = try context.save() } == conflict)
    #expect(try context.save(onConflict: .mine)["Person"] == .init(updated: isLinked ? 2 : 1))
    #expect(try store.people() == [1, 2, 7, 70, 71])
    #expect(try !context.hasChanges())
    #expect(ann.friends.count == (isLinked ? 1 : 0))
  }

  @Test(arguments: StoreKind.allCases)
  func itMayTakeTargetsOfThePayload(_ kind: StoreKind) throws {
    let (store, context) = try Self.load(kind)
    let new = Person.new(70, "mine")
    new.cards = [People.Card()]
    try context.insert(new, as: Person.mapping)
    _ = try context.importJSON(#"{"id":70,"name":"theirs","cards":[{"text":"x"}]}"#, as: Person.mapping)
    #expect(new.name == "mine" && new.cards.count == 1)
    #expect(try context.save(onConflict: .theirs).conflicts.map(\.field) == ["name", "cards"])
    #expect((new.name, new.cards.map(\.text)) == ("theirs", ["x"]))
    #expect(try !context.hasChanges())
    #expect(try store.read { try $0.count(People.Card.mapping) } == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func aPayloadThatIsRefusedLeavesItNew(_ kind: StoreKind) throws {
    let (store, context) = try Self.load(kind)
    let new = Person.new(70, "mine")
    new.cards = [People.Card()]
    try context.insert(new, as: Person.mapping)
    #expect(throws: MappingError.self) {
      try context.importJSON(#"[{"id":70,"name":"theirs"},{"id":"bad"}]"#, as: Person.mapping)
    }
    let dry = ImportOptions(isDryRun: true)
    _ = try context.importJSON(#"{"id":70,"name":"theirs"}"#, as: Person.mapping, options: dry)
    #expect((new.name, new.cards.count) == ("mine", 1))
    #expect(try store.people() == [1, 2, 7])
    #expect(try context.save()["Person"] == .init(inserted: 1))
    #expect(try store.people() == [1, 2, 7, 70])
  }

  @Test(arguments: StoreKind.allCases)
  func aPayloadWithoutAKeyFillsNothing(_ kind: StoreKind) throws {
    let (store, context) = try Self.load(kind)
    let draft = Person.new(0, "mine")
    let error = message { try context.fill(draft, from: #"{"boss":7}"#, as: Person.mapping) }
    #expect(error?.contains("id") ?? false, "\(error as Any)")
    #expect(draft.name == "mine")
    #expect(draft.boss == nil)
    #expect(try store.people() == [1, 2, 7])
    #expect(try !context.hasChanges())
  }

  // MARK: Lists

  @Test(arguments: StoreKind.allCases, [false, true])
  func aTargetThatThePayloadRemovesIsDeleted(_ kind: StoreKind, isTheirs: Bool) throws {
    let (store, context) = try Self.load(kind, #"[{"id":1,"kids":[{"id":3},{"id":4}]}]"#)
    let ann = try Self.person(1, context)
    ann.kids = []
    _ = try context.importJSON(#"{"id":1,"kids":[4,{"id":5}]}"#, as: Person.mapping)
    #expect(try store.people() == [1, 4, 5])
    #expect(ann.kids.isEmpty)
    #expect(message { _ = try context.save() } == "Person 1.kids: read 4, mine none, theirs 4, 5")
    try context.save(onConflict: isTheirs ? .theirs : .mine)
    #expect(ann.kids.map(\.id) == (isTheirs ? [4, 5] : []))
    #expect(try store.people() == (isTheirs ? [1, 4, 5] : [1]))
    #expect(try !context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases)
  func anInverseIsRolledBack(_ kind: StoreKind) throws {
    let (_, context) = try Self.load(kind)
    let ann = try Self.person(1, context)
    let boss = try #require(ann.boss)
    boss.staff = []
    try context.rollBack()
    #expect(boss.staff.map(\.id) == [1])
    #expect(try !context.hasChanges())
    // The list follows saves.
    ann.boss = try Self.person(2, context)
    try context.save()
    #expect(boss.staff.isEmpty)
    #expect(try !context.hasChanges())
  }
}
