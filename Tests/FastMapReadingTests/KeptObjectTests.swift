import FastMapCore
import TestSupport
import Testing

/// Objects and changes that a delegate or a policy keeps beyond its call.
@Suite struct KeptObjectTests {
  // @unchecked: one thread imports.
  private final class Keeper: ImportDelegate, @unchecked Sendable {
    var objects: [MappedObject] = []
    var changes: [RelationshipChange] = []

    func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {
      _ = try object.record()
      objects.append(object)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func readNothingAfterIt(_ kind: StoreKind) throws {
    let keeper = Keeper()
    let boss = Mapping("Boss", primaryKey: "id") { Attribute("id", .integer) }
    let keeping = RelationshipPolicy.custom { [keeper] change in
      keeper.changes.append(change)
      return change.new
    }
    let person = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("boss", boss, policy: keeping)
    }
    let store = try kind.make()
    _ = try Mapper(store).importJSON(
      #"[{"id":1,"boss":{"id":2}},{"id":3,"boss":{"id":2}}]"#, as: person,
      options: ImportOptions(delegate: keeper))
    #expect(keeper.objects.count >= 3 && keeper.changes.count >= 2)
    for object in keeper.objects {
      #expect(throws: StoreContractError.self) { try object.record() }
      #expect(throws: StoreContractError.self) { try object.store.count(of: "Person") }
      #expect(throws: StoreContractError.self) { try object.store.records(person) }
    }
    for change in keeper.changes {
      #expect(throws: StoreContractError.self) { try change.record(change.new[0]) }
    }
  }
}
