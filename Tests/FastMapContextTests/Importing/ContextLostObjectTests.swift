import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapContexts

/// Objects of a context that an import or another writer has deleted. No store brings them back, also not one that keeps
/// instances.
@Suite struct ContextLostObjectTests {
  typealias Person = People.Person

  private static func load(_ kind: StoreKind, _ json: String) throws -> (any Store, ObjectContext) {
    let store = try kind.make()
    try store.importPeople(json)
    return (store, try ObjectContext(store, for: Person.mapping))
  }

  private static func all(_ context: ObjectContext) throws -> [Person] {
    try context.objects(Person.mapping, including: \.friends, \.kids, \.cards, \.boss)
  }

  @Test(arguments: StoreKind.allCases)
  func aSaveDoesNotRestoreObjectsDeletedByAnImport(_ kind: StoreKind) throws {
    let (store, context) = try Self.load(
      kind,
      #"[{"id":1,"kids":[{"id":3,"cards":[{"text":"a"}]}]},{"id":2,"cards":[{"text":"b"}]}]"#)
    let all = try Self.all(context)
    _ = try context.importJSON(#"{"id":1,"kids":[]}"#, as: Person.mapping)
    #expect(try store.people() == [1, 2])
    #expect(try !context.hasChanges())
    all[1].cards = []
    #expect(try context.save()["Card"] == .init(deleted: 1))
    #expect(try !context.hasChanges())
    #expect(try context.save().entities.isEmpty)
    #expect(try store.people() == [1, 2])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func aRollbackBringsNothingBack(_ kind: StoreKind, isImport: Bool) throws {
    let (store, context) = try Self.load(
      kind, #"[{"id":1,"kids":[{"id":3}]},{"id":2,"friends":[{"id":3},{"id":4}]}]"#)
    let all = try Self.all(context)
    all[1].friends.removeFirst()
    if isImport { _ = try context.importJSON(#"{"id":1,"kids":[]}"#, as: Person.mapping) }
    // A list that refers to it has kept it.
    try store.delete(Person.mapping, key: 3)
    try context.rollBack()
    #expect(all[1].friends.map(\.id) == [3, 4])
    #expect(try !context.hasChanges())
    all[1].name = "x"
    #expect(try context.save()["Person"] == .init(updated: 1))
    #expect(try store.people() == [1, 2, 4])
    _ = try context.importJSON(#"{"id":2,"name":"y"}"#, as: Person.mapping)
    #expect(all[1].friends.map(\.id) == [4])
    #expect(try store.people() == [1, 2, 4])
    #expect(try !context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func aDeletionInTheContextBringsNothingBack(_ kind: StoreKind, isImport: Bool) throws {
    let (store, context) = try Self.load(
      kind, #"[{"id":1,"kids":[{"id":3,"friends":[{"id":5}]}]},{"id":2,"friends":[{"id":5}]}]"#)
    let all = try Self.all(context)
    if isImport {
      _ = try context.importJSON(#"{"id":1,"kids":[]}"#, as: Person.mapping)
    } else {
      try store.delete(Person.mapping, key: 3)
    }
    try context.delete(try #require(all.first { $0.id == 5 }))
    #expect(try context.save()["Person"]?.deleted == 1)
    #expect(try store.people() == [1, 2])
    #expect(try !context.hasChanges())
    all[0].name = "y"
    #expect(try context.save()["Person"] == .init(updated: 1))
    #expect(try store.people() == [1, 2])
  }
}
