import FastMapCore
import FastMapMemory
import Testing

/// Numbers of ``ImportOptions`` out of their range.
@Suite struct ImportOptionTests {
  private final class Item {
    var id = 0

    static let mapping = Mapping(Item.self, "Item", primaryKey: "id", make: { Item() }) {
      Attribute("id", \.id)
    }
  }

  private static let wrong: [(options: ImportOptions, reason: String)] = [
    (ImportOptions(commitInterval: -1), "commitInterval: expected at least 1, found -1"),
    (ImportOptions(commitInterval: 0), "commitInterval: expected at least 1, found 0"),
    (ImportOptions(batchSize: -1), "batchSize: expected at least 1, found -1"),
    (ImportOptions(batchSize: 0), "batchSize: expected at least 1, found 0"),
    (ImportOptions(maxErrors: -1), "maxErrors: expected at least 0, found -1"),
    (ImportOptions(maxDepth: -1), "maxDepth: expected at least 0, found -1"),
  ]

  @Test(arguments: wrong.indices)
  func aNumberOutOfItsRangeIsRefused(_ number: Int) throws {
    let (options, reason) = Self.wrong[number]
    let store = MemoryStore()
    let error = #expect(throws: ImportOptionError.self) {
      try Mapper(store).importJSON(#"[{"id":1}]"#, as: Item.mapping, options: options)
    }
    #expect(error?.description == reason)
    #expect(try store.read { try $0.count(Item.mapping) } == 0)
  }

  @Test func theSmallestNumbersAreTaken() throws {
    let store = MemoryStore()
    let options = ImportOptions(maxErrors: 0, commitInterval: 1, batchSize: 1)
    #expect(
      try Mapper(store).importJSON(#"[{"id":1},{"id":2}]"#, as: Item.mapping, options: options).rootObjects
        == 2)
  }
}
