import FastMapCore
import Synchronization
import TestSupport
import Testing

/// Queries that delete, export, and ask in the midst of an import.
extension QueryTests {
  @Test(arguments: StoreKind.allCases)
  func aDeletionFindsAndDeletesInOneTransaction(_ kind: StoreKind) throws {
    let world = try world(kind)
    try #expect(world.store.delete(query("@.price == 4"), isDryRun: true).total == 2)
    try #expect(
      world.store.delete(query("@.price == 4")).description
        == "      deleted\nBook        2\n2 objects deleted")
    try #expect(world.store.read { try $0.keys(Book.mapping.query) } == [1, 4])
    try #expect(world.store.delete(sorted(by: "price", descending: true).limit(1))["Book"] == 1)
    try #expect(world.store.read { try $0.keys(Book.mapping.query) } == [1])
    try #expect(world.store.delete(query("@.title == 'x'")).total == 0)
    // The link is gone with its target.
    try #expect(
      world.store.read(Author.mapping) { try $0.record("Author", key: 7)?.targets("books").count } == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func anExportWritesTheObjectsInTheOrderOfTheQuery(_ kind: StoreKind) throws {
    let world = try world(kind)
    let plan = world.plan()
    let serializer = Serializer(plan)
    var text: [UInt8] = []
    let report = try world.store.read(plan) { snapshot in
      try serializer.export(
        sorted(by: "title", descending: true).limit(2), from: &snapshot.reader,
        options: ExportOptions(format: .ndjson)
      ) { text += $0 }
    }
    #expect(report.objects == 2)
    #expect(
      String(decoding: text, as: UTF8.self) == #"""
        {"id":2,"title":"Emma","price":4,"author":{"id":8,"name":"Jane"}}
        {"id":4,"title":"Dune 2","price":12,"author":{"id":7,"name":"Frank","books":[{"id":1},{"id":2}]}}

        """#)
    let wrong = message {
      try world.store.read(plan) { snapshot in
        _ = try serializer.export(Author.mapping.query, from: &snapshot.reader) { _ in }
      }
    }
    #expect(wrong == "expected a query of Book, found one of Author")
  }

  @Test(arguments: StoreKind.allCases)
  func anExportOfAQueryReplacesItsFile(_ kind: StoreKind) throws {
    let world = try world(kind)
    let scratch = Scratch()
    let path = scratch.path("books.ndjson")
    try Serializer(world.plan()).exportFile(path, of: query("@.id == 3"), from: world.store)
    #expect(String(decoding: try Files.bytes(of: path), as: UTF8.self) == "{\"id\":3,\"price\":4}\n")
  }

  private final class Asking: ImportDelegate {
    private let query: Query<Plan>
    private let counts = Mutex<[Int]>([])

    init(_ query: Query<Plan>) { self.query = query }

    var found: [Int] { counts.withLock { $0 } }

    func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {
      let count = try object.store.count(query)
      counts.withLock { $0.append(count) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aDelegateAsksAboutTheBatch(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.tag)
    let asking = Asking(try world.plan().where(Filter("@.text == 'a'")))
    let options = ImportOptions(batchSize: 2, delegate: asking)
    try world.load(#"[{"id": 1, "t": "a"}, {"id": 2, "t": "b"}, {"id": 3, "t": "a"}]"#, options: options)
    #expect(asking.found.suffix(3) == [1, 1, 2])
  }
}
