import FastMapCore
import FastMapMemory
import TestSupport
import Testing

private final class Person {
  var id = 0
  var name: String?
  var boss: Person?
  var reports: [Person] = []

  static let mapping = make(.assign)

  static func make(_ policy: RelationshipPolicy) -> Mapping<Person> {
    Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToOne("boss", \.boss, plain, policy: policy)
      ToMany("reports", \.reports, plain)
    }
  }

  static let plain = Mapping(Person.self, "Person", primaryKey: "id", make: Person.init) {
    Attribute("id", \.id)
    Attribute("name", \.name)
  }
}

/// Gives the object 1 another key.
private final class Renaming: ImportDelegate {
  let key: Int
  let isLinked: Bool

  init(_ key: Int, isLinked: Bool = false) { (self.key, self.isLinked) = (key, isLinked) }

  func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {
    guard let person = object.instance as? Person, person.id == 1 else { return }
    if isLinked { person.reports[0].id = key } else { person.id = key }
  }
}

/// A memory store refuses an import in which an instance gets another's key.
@Suite struct InstanceKeyChangeTests {
  /// As many others as make a look at all keys dear, and none.
  private static let sizes = [0, 200]

  private func load(_ count: Int) throws -> (store: MemoryStore, seven: Person) {
    let store = MemoryStore()
    let others = (0..<count).map { #",{"id":\#($0 + 1000)}"# }.joined()
    let seven = try Mapper(store).objects(from: #"[{"id": 7, "name": "x"}\#(others)]"#, as: Person.mapping)[0]
    return (store, seven)
  }

  private func expectSound(_ store: MemoryStore, _ count: Int) throws {
    #expect(try store.read { try $0.objects(Person.mapping, limit: 1) }.map(\.name) == ["x"])
    #expect(try store.read { try $0.count(Person.mapping) } == count)
    _ = try Mapper(store).importJSON(#"{"id": 9}"#, as: Person.mapping)
    #expect(try store.delete(Person.mapping, key: 7).total == 1)
  }

  // BUG-43
  @Test(arguments: sizes, [false, true])
  func anImportWhoseDelegateGivesAnInstanceAnothersKeyIsRefused(count: Int, isDryRun: Bool) throws {
    let (store, seven) = try load(count)
    var options = ImportOptions(delegate: Renaming(7))
    options.isDryRun = isDryRun
    let found = message {
      _ = try Mapper(store).importJSON(
        #"[{"id": 7, "name": "new"}, {"id": 1}]"#, as: Person.mapping, options: options)
    }
    #expect(
      found == "expected each instance of Person to have its own key, but two have 7: "
        + "one that had it before and one that had 1")
    #expect(seven.name == "x")
    try expectSound(store, count + 1)
  }

  @Test(arguments: sizes)
  func anotherObjectThanTheDelegatesLastMayHaveGotTheKey(count: Int) throws {
    let (store, seven) = try load(count)
    let found = message {
      _ = try Mapper(store).importJSON(
        #"{"id": 1, "name": "new", "reports": [{"id": 2}]}"#, as: Person.mapping,
        options: ImportOptions(delegate: Renaming(7, isLinked: true)))
    }
    #expect(found?.hasSuffix("two have 7: one that had it before and one that had 2") ?? false)
    #expect(seven.name == "x")
    try expectSound(store, count + 1)
  }

  @Test(arguments: sizes)
  func anImportWhoseCustomPolicyGivesAnInstanceAnothersKeyIsRefused(count: Int) throws {
    let (store, _) = try load(count)
    let renaming = RelationshipPolicy.custom("renaming") { change in
      for id in change.new { (try change.store.instance(id, of: "Person") as? Person)?.id = 7 }
      return change.new
    }
    let found = message {
      _ = try Mapper(store).importJSON(#"{"id": 1, "boss": {"id": 2}}"#, as: Person.make(renaming))
    }
    #expect(found?.hasSuffix("two have 7: one that had it before and one that had 2") ?? false)
    try expectSound(store, count + 1)
  }

  @Test(arguments: sizes)
  func aKeyThatIsFreeIsTakenOver(count: Int) throws {
    let (store, _) = try load(count)
    _ = try Mapper(store).importJSON(
      #"{"id": 1, "name": "a"}"#, as: Person.mapping, options: ImportOptions(delegate: Renaming(5)))
    #expect(try store.read { try $0.object(Person.mapping, key: 5) }?.name == "a")
    #expect(try store.read { try $0.object(Person.mapping, key: 1) } == nil)
    #expect(try store.read { try $0.count(Person.mapping) } == count + 2)
  }

  @Test(arguments: sizes)
  func anInstanceThatWasThereBeforeGetsItsKeyBack(count: Int) throws {
    let (store, seven) = try load(count)
    let one = try Mapper(store).objects(from: #"{"id": 1, "name": "y"}"#, as: Person.mapping)[0]
    for isDryRun in [false, true] {
      var options = ImportOptions(delegate: Renaming(7))
      options.isDryRun = isDryRun
      let found = message {
        _ = try Mapper(store).importJSON(#"{"id": 1, "name": "z"}"#, as: Person.mapping, options: options)
      }
      #expect(found?.hasSuffix("two have 7: one that had it before and one that had 1") ?? false)
      #expect(one.id == 1 && one.name == "y" && seven.name == "x")
    }
    #expect(try store.delete(Person.mapping, key: 1).total == 1)
    try expectSound(store, count + 1)
  }
}
