import FastMapCore
import TestSupport
import Testing

/// Another writer changes the very instances of a store that keeps them.
@Suite struct ContextKeptRefreshTests {
  typealias City = ContextNewTargetTests.City

  @Test(arguments: [false, true])
  func aRefreshDoesNotTellOthersChangesFromYours(_ refreshesAll: Bool) throws {
    let store = try StoreKind.memory.make()
    _ = try Mapper(store).importJSON(#"{"name":"London","people":1}"#, as: City.mapping)
    let context = try ObjectContext(store, for: City.mapping)
    let london = try #require(try context.object(City.mapping, key: "London"))
    _ = try Mapper(store).importJSON(#"{"name":"London","people":2}"#, as: City.mapping)
    if refreshesAll { try context.refreshAll() } else { try context.refresh(london) }
    #expect(london.people == 2)
    #expect(try context.hasChanges)
    try context.rollBack()
    #expect(london.people == 1)
    // A save takes over what is there.
    _ = try Mapper(store).importJSON(#"{"name":"London","people":3}"#, as: City.mapping)
    try context.save()
    try context.rollBack()
    #expect(london.people == 3)
    #expect(try !context.hasChanges)
  }
}
