import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import Testing

/// A store without unique indexes, and the mappings that declare one.
@Suite struct UniqueRefusalTests {
  private final class Member {
    var id = 0
    var mail = ""

    static let mapping = Mapping(Member.self, "Member", primaryKey: "id", make: { Member() }) {
      Attribute("id", \.id)
      Attribute("mail", \.mail)
      Index("mail", isUnique: true)
    }
  }

  private static let reason =
    #"$.mappings.Member.indexes[0]: the store keeps no unique indexes, found "mail"; expected an index without "unique", "#
    + "or a store that keeps them"

  private func store(_ capabilities: StoreCapabilities = StoreCapabilities()) -> some Store {
    ObservedStore(MemoryStore(), capabilities: capabilities) { _ in }
  }

  @Test(arguments: [false, true])
  func anImportIsRefused(_ isDryRun: Bool) throws {
    let store = store()
    let error = #expect(throws: MappingDefinitionError.self) {
      try Mapper(store).importJSON(
        #"[{"id":1,"mail":"a"},{"id":2,"mail":"a"}]"#, as: Member.mapping,
        options: ImportOptions(isDryRun: isDryRun))
    }
    #expect(error?.description == Self.reason)
    #expect(try store.read { try $0.count(Member.mapping) } == 0)
  }

  @Test func aSaveIsRefused() throws {
    let store = store()
    let error = #expect(throws: MappingDefinitionError.self) {
      try store.withContext(for: Member.mapping) { context in
        try context.insert(Member(), as: Member.mapping)
        try context.save()
      }
    }
    #expect(error?.description == Self.reason)
  }

  @Test func aStoreThatSaysThatItKeepsThemIsAsked() throws {
    let store = store(StoreCapabilities(keepsUniqueIndexes: true))
    _ = try Mapper(store).importJSON(#"[{"id":1,"mail":"a"}]"#, as: Member.mapping)
    #expect(throws: MappingError.self) {
      try Mapper(store).importJSON(#"[{"id":2,"mail":"a"}]"#, as: Member.mapping)
    }
  }
}
