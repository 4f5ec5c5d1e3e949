import FastMapCore
import FastMapLMDB
import TestSupport
import Testing

/// Unique indexes where no import is.
@Suite struct UniqueIndexTests {
  let scratch = Scratch()

  static func item(_ index: Index) -> Mapping<Record> {
    Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("code", .string)
      index
    }
  }

  private func makeStore(_ codes: [String], _ index: Index = Index("code", isUnique: true)) throws {
    let objects = codes.enumerated().map { #"{"id":\#($0),"code":"\#($1)"}"# }
    try LMDBStore(at: scratch.store).take("[" + objects.joined(separator: ",") + "]", as: Self.item(index))
  }

  @Test func aStoreForReadingDropsNothing() throws {
    try makeStore(["a"])
    let configuration = LMDBStore.Configuration.with { $0.isReadOnly = true }
    let store = try LMDBStore(at: scratch.store, configuration: configuration)
    let error = #expect(throws: LMDBError.self) { try store.dropIndex("code", of: "Item") }
    #expect(error?.reason == .readOnly)
  }

  @Test func aDroppedIndexLeavesNothingAndIsBuiltAgain() throws {
    try makeStore((0..<3000).map { "code \($0)" })
    let store = try LMDBStore(at: scratch.store)
    let before = try store.file.liveBytes
    try store.dropIndex("code", of: "Item")
    try store.expectSound()
    #expect(try store.statistics().entities[0].indexes.isEmpty)
    #expect(try store.file.liveBytes < before - 60_000)
    #expect(throws: UnknownNameError.self) { try store.dropIndex("code", of: "Item") }
    try store.take(#"{"id":0,"code":"another"}"#, as: Self.item(Index("code", isUnique: true)))
    try store.expectSound()
    #expect(try store.statistics().entities[0].indexes.count == 1)
  }
}
