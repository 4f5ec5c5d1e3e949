import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapContexts

/// Edits of objects that are not stored any more, and links to them: the rule `.theirs` and `rollBack(_:)` drop them.
@Suite struct ContextGoneEditTests {
  typealias Person = People.Person

  private static let payload = #"""
    [{"id":1,"name":"a","friends":[{"id":2},{"id":3}],"cards":[{"text":"x"},{"text":"y"}]},
     {"id":4,"boss":{"id":5}},{"id":6,"name":"f"}]
    """#

  private static func load(_ kind: StoreKind) throws -> (
    store: any Store, context: ObjectContext, [Int: Person]
  ) {
    let store = try kind.make()
    try store.importPeople(payload)
    let context = try ObjectContext(store, for: Person.mapping)
    let all = try context.objects(Person.mapping, including: \.friends, \.kids, \.cards, \.boss, \.staff)
    return (store, context, Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) }))
  }

  private static func texts(_ report: ImportReport) -> [String] { report.conflicts.map { "\($0)" }.sorted() }

  private static func delete(_ key: Int, _ store: any Store) throws {
    try store.delete(Person.mapping, key: key)
  }

  private static func saveTheirs(_ context: ObjectContext, _ isAwaited: Bool) async throws -> ImportReport {
    isAwaited ? try await context.save(onConflict: .theirs) : try saveTheirs(context)
  }

  @discardableResult
  private static func saveTheirs(_ context: ObjectContext) throws -> ImportReport {
    try context.save(onConflict: .theirs)
  }

  private static func expectOthersToFail(_ text: String, _ context: ObjectContext) {
    for rule in [ConflictRule.fail, .mine] {
      #expect(message { _ = try context.save(onConflict: rule) } == text)
    }
  }

  private static func expectNoChanges(_ context: ObjectContext) throws {
    #expect(try !context.hasChanges())
    #expect(try context.save().entities.isEmpty)
  }

  private static func hasLeft(_ person: Person, _ context: ObjectContext) -> Bool {
    message { _ = try context.refresh([person]) }?.contains("Person \(person.id), which was deleted") ?? false
  }

  private static func person(_ key: Int, _ store: any Store) throws -> Person? {
    try store.read { try $0.object(Person.mapping, key: key, including: \.boss) }
  }

  private static func friends(_ store: any Store) throws -> [Int: [Int]] {
    try store.read { snapshot in
      let all = try snapshot.objects(Person.mapping, including: \.friends)
      return Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.friends.map(\.id)) })
    }
  }

  // MARK: The rule

  @Test(arguments: StoreKind.allCases, [false, true])
  func theirsDropsTheEditsOfAnObject(_ kind: StoreKind, isAwaited: Bool) async throws {
    let (store, context, all) = try Self.load(kind)
    let ann = try #require(all[1])
    (ann.name, ann.boss) = ("mine", all[6])
    ann.friends.append(Person.new(9))
    all[6]?.name = "saved"
    try Self.delete(1, store)
    Self.expectOthersToFail("Person 1: not stored any more", context)
    let report = try await Self.saveTheirs(context, isAwaited)
    #expect(
      Self.texts(report) == [
        "Person 1.boss: read none, mine 6, theirs none",
        "Person 1.friends: read 2, 3, mine 2, 3, 9, theirs none",
        #"Person 1.name: read "a", mine "mine", theirs no value"#,
      ])
    #expect(report["Person"] == .init(updated: 1))
    try Self.expectNoChanges(context)
    // Only the lost list refers to the new object.
    #expect(try Self.friends(store) == [2: [], 3: [], 4: [], 5: [], 6: []])
    #expect(try Self.person(6, store)?.name == "saved")
    #expect(Self.hasLeft(ann, context))
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func theirsDropsTheLinksToAnObject(_ kind: StoreKind, isAwaited: Bool) async throws {
    let (store, context, all) = try Self.load(kind)
    let (ann, gone, new) = (try #require(all[1]), try #require(all[6]), Person.new(9))
    ann.friends.insert(gone, at: 0)
    ann.friends.append(try #require(all[4]))
    all[4]?.boss = gone
    (new.boss, new.friends) = (gone, [gone, ann])
    try context.insert(new, as: Person.mapping)
    try Self.delete(6, store)
    Self.expectOthersToFail("Person 6: not stored any more", context)
    let report = try await Self.saveTheirs(context, isAwaited)
    #expect(
      Self.texts(report) == [
        "Person 1.friends: read 2, 3, mine 6, 2, 3, 4, theirs 2, 3",
        "Person 4.boss: read 5, mine 6, theirs 5",
        "Person 9.boss: read none, mine 6, theirs none",
        "Person 9.friends: read none, mine 6, 1, theirs none",
      ])
    #expect(ann.friends.map(\.id) == [2, 3, 4])
    #expect(all[4]?.boss === all[5])
    #expect(new.boss == nil && new.friends.map(\.id) == [1])
    try Self.expectNoChanges(context)
    #expect(try Self.friends(store) == [1: [2, 3, 4], 2: [], 3: [], 4: [], 5: [], 9: [1]])
    #expect(try Self.person(4, store)?.boss?.id == 5)
    #expect(Self.hasLeft(gone, context))
  }

  /// The rule decides about each field of it.
  @Test(arguments: StoreKind.allCases)
  func otherRulesDropItIfTheyAnswerTheirsForEachField(_ kind: StoreKind) throws {
    let (store, context, all) = try Self.load(kind)
    let ann = try #require(all[1])
    (ann.name, ann.boss) = ("mine", all[6])
    try store.delete(Person.mapping, key: 1)
    let one = ConflictRule.fields(["Person.name": .theirs], otherwise: .mine)
    #expect(message { _ = try context.save(onConflict: one) } == "Person 1: not stored any more")
    let custom = ConflictRule.custom { $0.key == 1 ? .theirs : .fail }
    #expect(try context.save(onConflict: custom).conflicts.map(\.field).sorted() == ["boss", "name"])
    #expect(try !context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases)
  func bothSidesOfADroppedLinkMayBeSet(_ kind: StoreKind) throws {
    let (store, context, all) = try Self.load(kind)
    let (four, five, six) = (try #require(all[4]), try #require(all[5]), try #require(all[6]))
    // The owner is gone, and so is the target of another owner.
    six.boss = five
    five.staff = [six]
    four.boss = all[1]
    all[1]?.staff = [four]
    try store.delete(Person.mapping, key: 6)
    try store.delete(Person.mapping, key: 1)
    try context.save(onConflict: .theirs)
    #expect(four.boss === five)
    #expect(five.staff.map(\.id) == [4])
    #expect(try !context.hasChanges())
  }

  /// The owner is stored, and keeps the other writer's target.
  @Test(arguments: StoreKind.allCases)
  func bothSidesOfALinkThatStaysTheirsMayBeSet(_ kind: StoreKind) throws {
    let (store, context, all) = try Self.load(kind)
    let (two, four, six) = (try #require(all[2]), try #require(all[4]), try #require(all[6]))
    four.boss = six
    six.staff = [four]
    all[5]?.staff = []
    try store.importPeople(#"{"id":4,"boss":2}"#)
    try context.save(onConflict: .theirs)
    #expect(four.boss === two && two.staff.map(\.id) == [4])
    #expect(six.staff.isEmpty && all[5]?.staff.isEmpty == true)
    try Self.expectNoChanges(context)
  }

  // MARK: One object

  @Test(arguments: StoreKind.allCases)
  func rollBackOfOneObjectUndoesItsEdits(_ kind: StoreKind) throws {
    let (store, context, all) = try Self.load(kind)
    let ann = try #require(all[1])
    (ann.name, ann.boss) = ("mine", all[6])
    ann.friends.removeFirst()
    ann.cards[0].text = "mine"
    all[4]?.name = "kept"
    // It shows the values read, and no others.
    try store.importPeople(#"{"id":1,"name":"theirs"}"#)
    try context.rollBack(ann)
    #expect(ann.name == "a" && ann.boss == nil)
    #expect((ann.friends.map(\.id), ann.cards[0].text) == ([2, 3], "mine"))
    #expect(all[4]?.name == "kept")
    #expect(try context.save()["Person"] == .init(updated: 1))
    try context.delete(ann)
    try context.rollBack(ann)
    #expect(try !context.hasChanges())
    #expect(throws: ContextError.self) { try context.rollBack(Person()) }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func rollBackOfAnObjectThatIsGoneDropsTheLinksToIt(_ kind: StoreKind, isImport: Bool) throws {
    let (store, context, all) = try Self.load(kind)
    let (ann, gone) = (try #require(all[1]), try #require(all[6]))
    if !isImport { gone.name = "mine" }
    ann.friends.append(gone)
    ann.name = "b"
    all[4]?.boss = gone
    let (new, reached) = (Person.new(9), Person.new(10))
    (new.boss, new.friends, new.staff, reached.friends) = (gone, [reached], [gone], [gone])
    try context.insert(new, as: Person.mapping)
    try store.delete(Person.mapping, key: 6)
    // It has left the context, and the edited links stay.
    if isImport { _ = try context.importJSON(#"{"id":4,"name":"x"}"#, as: Person.mapping) }
    #expect(message { _ = try context.save(onConflict: .mine) } == "Person 6: not stored any more")
    try context.rollBack(gone)
    #expect(ann.friends.map(\.id) == [2, 3])
    #expect(all[4]?.boss == nil)
    #expect(throws: ContextError.self) { try context.refresh([gone]) }
    try context.rollBack(gone)
    #expect(new.boss == nil && new.staff.isEmpty && reached.friends.isEmpty)
    #expect(try context.save()["Person"] == .init(inserted: 2, updated: 2))
    #expect(try !context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases)
  func rollBackOfANewObjectForgetsIt(_ kind: StoreKind) throws {
    let (store, context, all) = try Self.load(kind)
    let new = Person.new(9)
    try context.insert(new, as: Person.mapping)
    all[1]?.friends.append(new)
    try context.rollBack(new)
    #expect(try !context.hasChanges())
    try context.save()
    #expect(all[1]?.friends.map(\.id) == [2, 3])
    #expect(try store.people() == [1, 2, 3, 4, 5, 6])
  }
}
