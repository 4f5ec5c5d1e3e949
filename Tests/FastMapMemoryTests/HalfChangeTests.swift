import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import Testing

private final class Item {
  var id = 0
  var name: String?
  var next: Item?

  static let mapping: Mapping<Item> = Mapping(Item.self, "Item", primaryKey: "id", make: Item.init) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    ToOne("next", \.next, mapping)
  }
}

/// A change that fails midway is never stored, even if the body of the write catches its error.
@Suite struct HalfChangeTests {
  @Test func aBatchThatFailsMidwayIsNotCommitted() throws {
    let store = MemoryStore()
    let items = try Mapper(store).objects(
      from: #"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]"#, as: Item.mapping)
    // The caller links a new instance with the key of another one: an error after the names are set.
    items[0].next = Item()
    items[0].next?.id = 2
    let schema = try Item.mapping.plan().schema
    #expect(throws: MemoryStoreError.self) {
      try store.write(schema) { writer in
        let id = try #require(try writer.find(1, of: 0))
        let change = TestChange(
          of: id, isNew: false, values: ["name": .string("new")], targets: ["next": [id]])
        try ChangeBatch.lend([change], in: schema) { batch in
          do {
            try writer.apply(&batch)
            Issue.record("the change did not fail")
          } catch is MemoryStoreError {}
        }
        return .commit(())
      }
    }
    #expect(items[0].name == "a")
    items[0].next = nil
    #expect(try store.read { try $0.objects(Item.mapping).map(\.name) } == ["a", "b"])
  }
}
