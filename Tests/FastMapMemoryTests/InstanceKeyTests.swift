import FastMapCore
import FastMapMemory
import Testing

/// Counts how often the keys of its instances are read.
private final class Item {
  nonisolated(unsafe) static var reads = 0  // one test at a time uses the class: the suite is serialized
  private var stored: Int
  var id: Int {
    get {
      Self.reads += 1
      return stored
    }
    set { stored = newValue }
  }
  var name: String?
  var next: Item?

  init(_ id: Int = 0) { stored = id }

  static let mapping: Mapping<Item> = Mapping(
    Item.self, "Item", primaryKey: "id", missingPrimaryKey: .insert, make: { Item() }
  ) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    ToOne("next", \.next, mapping)
  }
}

private final class Tag {
  var text: String?
  var note: String?

  static let mapping = Mapping(
    Tag.self, "Tag", primaryKey: "text", missingPrimaryKey: .insert, make: Tag.init
  ) {
    Attribute("text", \.text)
    Attribute("note", \.note)
  }
}

/// A memory store finds an instance by the key that it has now.
@Suite(.serialized) struct InstanceKeyTests {
  private func load(_ store: MemoryStore, _ json: String) throws -> [Item] {
    try Mapper(store).objects(from: Array(json.utf8), as: Item.mapping)
  }

  private func item(_ key: PrimaryKey, _ store: MemoryStore) throws -> Item? {
    try store.read { try $0.object(Item.mapping, key: key) }
  }

  /// The error that two instances have one key.
  private func twoInstances(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return error is MemoryStoreError ? "\(error)" : "another error: \(error)"
    }
  }

  /// As many others as make a look at all keys dear, and none.
  private static let sizes = [0, 200]

  private func others(_ count: Int) -> String { (0..<count).map { #",{"id":\#($0 + 1000)}"# }.joined() }

  @Test(arguments: sizes)
  func aKeyThatWasSetByHandIsFoundAndTheOldOneIsFree(count: Int) throws {
    let store = MemoryStore()
    let x = try load(store, #"[{"id": 1, "name": "x"}\#(others(count))]"#)[0]
    x.id = 5
    #expect(try item(5, store) === x)
    #expect(try item(1, store) == nil)
    #expect(try load(store, #"{"id": 5, "name": "y"}"#)[0] === x)
    #expect(x.name == "y")
    let new = try load(store, #"{"id": 1}"#)[0]
    #expect(new !== x && x.id == 5)
    #expect(try store.read { try $0.count(Item.mapping) } == count + 2)
  }

  @Test(arguments: sizes, 0..<6)
  func aKeyThatWasSetByHandIsFoundWhicheverWayIsAskedFirst(count: Int, question: Int) throws {
    let store = MemoryStore()
    let x = try load(store, #"[{"id": 1, "name": "x"}, {"id": 7}\#(others(count))]"#)[0]
    x.id = 5
    switch question {
    case 0: #expect(try load(store, #"{"id": 5}"#)[0] === x)
    case 1: #expect(try load(store, #"{"id": 1}"#)[0] !== x)
    case 2: #expect(try load(store, #"{"id": 7, "next": {"id": 5}}"#)[0].next === x)
    case 3:
      let keys = KeyRange(from: 2, to: 6)
      #expect(try store.read { try $0.objects(Item.mapping, keys: keys) }.map(\.id) == [5])
    case 4: #expect(try store.read { try $0.objects(Item.mapping, limit: 2) }.map(\.id) == [5, 7])
    default: #expect(try store.read { try $0.objects(Item.mapping, keys: [1, 5]) }.map(\.id) == [5])
    }
    #expect(try item(5, store) === x)
    #expect(x.name == "x")
  }

  @Test(arguments: sizes)
  func twoInstancesThatExchangeTheirKeysAreEachFoundByTheNewOne(count: Int) throws {
    let store = MemoryStore()
    let loaded = try load(store, #"[{"id": 1}, {"id": 2}\#(others(count))]"#)
    (loaded[0].id, loaded[1].id) = (2, 1)
    #expect(try item(1, store) === loaded[1])
    #expect(try load(store, #"{"id": 2, "name": "z"}"#)[0] === loaded[0])
  }

  @Test func aDraftWithoutAKeyIsFoundByTheOneThatItReceives() throws {
    let store = MemoryStore()
    let draft = try load(store, #"{"name": "draft"}"#)[0]
    let second = try load(store, #"{"name": "second"}"#)[0]
    #expect(try store.read { try $0.count(Item.mapping) } == 2)
    draft.id = 7
    #expect(try load(store, #"{"id": 7, "name": "stored"}"#)[0] === draft)
    #expect(draft.name == "stored" && second.name == "second")

    let tags = try Mapper(store).objects(
      from: Array(#"[{"note": "a"}, {"text": "b"}]"#.utf8), as: Tag.mapping)
    tags[0].text = "new"
    tags[1].text = nil
    #expect(try store.read { try $0.object(Tag.mapping, key: "new") } === tags[0])
    #expect(try store.read { try $0.object(Tag.mapping, key: "b") } == nil)
    #expect(try store.read { try $0.objects(Tag.mapping).map(\.note) } == ["a", nil])
  }

  // BUG-43
  @Test func twoInstancesWithOneKeyAreAnErrorThatNamesBothAndChangesNothing() throws {
    let store = MemoryStore()
    let loaded = try load(store, #"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]"#)
    loaded[1].id = 1
    let expected =
      "expected each instance of Item to have its own key, but two have 1: "
      + "one that had it before and one that had 2"
    #expect(twoInstances { _ = try item(1, store) } == expected)
    #expect(twoInstances { _ = try item(2, store) } == expected)
    #expect(twoInstances { _ = try load(store, #"{"id": 1, "name": "c"}"#) } == expected)
    #expect(twoInstances { _ = try load(store, #"{"id": 3}"#) } == expected)
    #expect(twoInstances { _ = try store.read { try $0.objects(Item.mapping) } } == expected)
    #expect(loaded.map(\.name) == ["a", "b"])
    loaded[0].id = 2
    #expect(try load(store, #"{"id": 1, "name": "c"}"#)[0] === loaded[1])
    #expect(try item(2, store) === loaded[0])
    #expect(try store.read { try $0.count(Item.mapping) } == 2)
  }

  // BUG-43
  @Test func aLinkedInstanceWithTheKeyOfAnotherIsAnError() throws {
    let store = MemoryStore()
    let loaded = try load(store, #"[{"id": 1}, {"id": 2}]"#)
    loaded[0].next = Item(2)
    let message = twoInstances { _ = try load(store, #"{"id": 1, "next": {"id": 3}}"#) }
    #expect(
      message == "expected each instance of Item to have its own key, but two have 2: "
        + "one that had it before and one that had none")
    #expect(try store.read { try $0.count(Item.mapping) } == 2)
  }

  @Test func aRolledBackWriteAndAReadKeepWhatTheyFoundOut() throws {
    let store = MemoryStore()
    let x = try load(store, #"[{"id": 1}\#(others(200))]"#)[0]
    x.id = 5
    #expect(throws: MappingError.self) { try load(store, #"[{"id": 1}, {"id": "x"}]"#) }
    #expect(try item(5, store) === x)
    Item.reads = 0
    for _ in 0..<10 { #expect(try item(5, store) === x) }
    #expect(Item.reads <= 10)
  }

  @Test func aFindLooksAtOneKeyAndAWriteAtAllOfThemOnce() throws {
    let store = MemoryStore()
    let count = 2_000
    let json = #"[{"id": 1}\#(others(count - 1))]"#
    let loaded = try load(store, json)
    Item.reads = 0
    for key in 1000..<1100 { _ = try item(.integer(Int64(key)), store) }
    #expect(Item.reads == 100)
    Item.reads = 0
    _ = try load(store, json)  // each is found, looked at once more in the comparison of its properties
    #expect(Item.reads <= 3 * count + 100)
    Item.reads = 0
    let new = (0..<500).map { #"{"id":\#(5000 + $0)}"# }.joined(separator: ",")
    _ = try load(store, "[\(new)]")
    #expect(Item.reads <= count + 500)
    loaded[0].id = 2
    Item.reads = 0
    for _ in 0..<100 { _ = try item(2, store) }
    #expect(Item.reads <= count + 500 + 200)
  }
}
