import FastMapCore
import FastMapMemory
import Testing

/// Numbers of options out of their range.
@Suite struct OptionTests {
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
    let error = #expect(throws: OptionError.self) {
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

  /// As text, as a document, as a file, and without any object.
  @Test(arguments: [
    (-1, 1, "depth: expected at least 0, found -1"), (0, -1, "maxObjectBytes: expected at least 0, found -1"),
    (0, -5, "maxObjectBytes: expected at least 0, found -5"),
  ])
  func aNumberOfAnExportOutOfItsRangeIsRefused(_ depth: Int, _ bytes: Int, _ reason: String) throws {
    var options = SerializerOptions()
    (options.depth, options.maxObjectBytes) = (depth, bytes)
    let serializer = try Serializer(Item.mapping, options: options)
    let store = MemoryStore()
    for json in ["[]", #"[{"id":1}]"#] {
      _ = try Mapper(store).importJSON(json, as: Item.mapping)
      let calls: [() throws -> Void] = [
        { _ = try serializer.json(of: Item()) }, { _ = try serializer.json(of: [Item()]) },
        { _ = try serializer.export([Item()]) { _ in Issue.record("written") } },
        { try store.read { _ = try serializer.export(from: &$0.reader) { _ in Issue.record("written") } } },
      ]
      for (number, call) in calls.enumerated() {
        let error = #expect(throws: OptionError.self, "call \(number)") { try call() }
        #expect(error?.description == reason)
      }
    }
  }

  @Test func aNegativeDepthOfAReadIsRefused() throws {
    let store = MemoryStore()
    _ = try Mapper(store).importJSON(#"{"id":1}"#, as: Item.mapping)
    try store.read { snapshot in
      for call in 0..<4 {
        let error = #expect(throws: OptionError.self, "call \(call)") {
          switch call {
          case 0: _ = try snapshot.object(Item.mapping, key: 1, depth: -1)
          case 1: _ = try snapshot.objects(Item.mapping, depth: -1)
          case 2: _ = try snapshot.first(Item.mapping, depth: -1)
          default: _ = try snapshot.page(Item.mapping, depth: -1)
          }
        }
        #expect(error?.description == "depth: expected at least 0, found -1")
      }
    }
  }
}
