import CFastMapSQLite
import FastMapCore
import FastMapSQLite
import Foundation
import Testing

/// Tests with files. The contract knows no files.
@Suite struct SQLiteStoreTests {
  private static let person: Mapping<Record> = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToMany("friends", person, policy: .merge)
  }
  private let folder: Folder
  private let path: String
  private let plan: Plan

  init() throws {
    folder = try Folder()
    path = folder.newFile()
    plan = try Plan(Self.person)
  }

  private func importJSON(_ json: String) throws -> ImportReport {
    try Mapper(SQLiteStore(at: path)).importJSON(Array(json.utf8), as: plan)
  }

  /// This store keeps no leftovers of an import between its commits.
  @Test func aPartThatOneCommitInsertsAndTheLastOneDeletesIsGone() throws {
    let part: Mapping<Record> = Mapping("Part", primaryKey: .scoped("n")) { Attribute("n", .integer) }
    let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("parts", part)
    }
    let store = try SQLiteStore(at: path)
    for _ in 0..<2 {
      _ = try Mapper(store).importJSON(
        #"[{"id": 1, "parts": [{"n": 2}]}, {"id": 1, "parts": []}]"#, as: item,
        options: ImportOptions(commitInterval: 2))
      #expect(try store.read(item) { try $0.count(of: "Part") } == 0)
    }
  }

  /// Objects of two entities have the same number here.
  @Test func aConflictShowsTheKeyOfEachTarget() throws {
    let seat: Mapping<Record> = Mapping("Seat", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("guest", Mapping<Record>("Guest", primaryKey: "id") { Attribute("id", .integer) })
      ToOne("table", Mapping<Record>("Table", primaryKey: "id") { Attribute("id", .string) })
      Index("guest", "table", isUnique: true)
    }
    let json = #"[{"id": 1, "guest": 7, "table": "a"}, {"id": 2, "guest": 7, "table": "a"}]"#
    let error = #expect(throws: MappingError.self) {
      try Mapper(SQLiteStore(at: path)).importJSON(json, as: seat)
    }
    #expect(error?.description.contains(#"that has 7, "a", as the one with the key 1"#) == true)
  }

  @Test func committedObjectsSurviveReopening() throws {
    let json = #"[{"id": 1, "name": "Ada", "friends": [{"id": 2, "name": "Grace"}]}]"#
    #expect(try importJSON(json)["Person"] == .init(inserted: 2))
    #expect(try importJSON(json)["Person"] == .init(unchanged: 2))
    let ada = try SQLiteStore(at: path).read(plan) { try $0.record("Person", key: 1) }
    #expect(ada?["name"] == .string("Ada"))
    #expect(ada?.targets("friends").count == 1)
  }

  @Test func aCatalogueIsImportedAndUpdated() throws {
    let catalogue = URL(filePath: #filePath).appending(path: "../../../Examples/catalogue").standardized
    let mappings = try Data(contentsOf: catalogue.appending(path: "mappings.json"))
    let books = try MappingSet(file: Array(mappings)).plan(for: "Book")
    let mapper = Mapper(try SQLiteStore(at: path))
    func load(_ name: String) throws -> ImportReport {
      try mapper.importJSON(.file(catalogue.appending(path: name).path(percentEncoded: false)), as: books)
    }
    // The figures of Examples/README.md.
    let first = try load("catalogue.json")
    #expect(first["Book"] == .init(inserted: 123, stubs: 3))
    #expect(first["Edition"] == .init(inserted: 224))
    let later = try load("catalogue-later.json")
    #expect(later["Book"] == .init(inserted: 8, updated: 40, unchanged: 83))
    #expect(later["Edition"] == .init(inserted: 26, updated: 0, unchanged: 207, deleted: 11))
    #expect(later["Review"] == .init(inserted: 7, updated: 1, unchanged: 182, deleted: 9))
    #expect(try load("catalogue-later.json").entities.allSatisfy { $0.counts.updated == 0 })
  }

  @Test func twoStoresOfOneFileTakeTurns() throws {
    let (first, second) = (try SQLiteStore(at: path), try SQLiteStore(at: path))
    for round in 0..<5 {
      _ = try Mapper(first).importJSON(Array("[{\"id\":\(round * 2)}]".utf8), as: plan)
      _ = try Mapper(second).importJSON(Array("[{\"id\":\(round * 2 + 1)}]".utf8), as: plan)
    }
    let keys = try first.read(plan) { try $0.records("Person").map(\.key) }
    #expect(keys == (0..<10).map { .integer($0) })
  }

  @Test func aWriteGoesOnWithASchemaThatTheDatabaseHasNotMet() throws {
    let other = try Plan(Mapping("Car", primaryKey: "id") { Attribute("id", .integer) })
    let first = try SQLiteStore(at: path).write(plan.schema) { writer in
      try writer.use(other.schema)
      return .commit(
        try KeyBatch.lend([]) { keys in
          try writer.reserve([NumberRequest(entity: 0, keys: keys, count: 3)])[0][0]
        })
    }
    #expect(first.rawValue == 1)
  }

  private final class Counter {
    var id = 0
    var count = 0
    static let mapping = Mapping(Counter.self, "Counter", primaryKey: "id", make: { Counter() }) {
      Attribute("id", \.id)
      Attribute("count", \.count)
    }
  }

  @Test func everyIncrementOfEightThreadsCounts() throws {
    let store = try SQLiteStore(at: path)
    _ = try Mapper(store).importJSON(#"{"id": 1}"#, as: Counter.mapping)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<25 { _ = try? store.update(Counter.mapping.keys([1])) { $0.count += 1 } }
    }
    #expect(try store.read { try $0.object(Counter.mapping, key: 1)?.count } == 200)
  }

  @Test func aTransactionIsStoredWholeOrNotAtAll() throws {
    let store = try SQLiteStore(at: path)
    try store.write { transaction in
      try transaction.importJSON(#"{"id": 1, "name": "Ada"}"#, as: Self.person)
      try transaction.importJSON(#"{"id": 1}"#, as: Counter.mapping)
    }
    #expect(throws: SQLiteStoreError.writeInsideWrite) {
      try store.write { transaction in
        try transaction.delete(Self.person)
        try store.delete(Counter.mapping)
      }
    }
    #expect(try store.read { [try $0.count(Self.person), try $0.count(Counter.mapping)] } == [1, 1])
  }

  @Test func aWriteInsideAWriteIsRefusedByName() throws {
    let store = try SQLiteStore(at: path)
    #expect(throws: SQLiteStoreError.writeInsideWrite) {
      try store.write(plan.schema) { _ in .commit(try store.write(plan.schema) { _ in .commit(()) }) }
    }
  }

  @Test func aWriteInsideAWriteOfAnotherStoreOfTheFileIsRefused() throws {
    let (first, second) = (try SQLiteStore(at: path), try SQLiteStore(at: path))
    #expect(throws: SQLiteStoreError.writeInsideWrite) {
      try first.write(plan.schema) { _ in .commit(try second.write(plan.schema) { _ in .commit(()) }) }
    }
  }

  @Test func aLockThatAnotherProgramHoldsIsAConflict() throws {
    let store = try SQLiteStore(at: path, patience: .milliseconds(10))
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    #expect(sqlite3_open(path, &database) == SQLITE_OK)
    #expect(sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
    #expect(throws: ConflictError.self) { try store.write(plan.schema) { _ in .commit(()) } }
    // The other program ends its transaction, and the write succeeds.
    #expect(sqlite3_exec(database, "COMMIT", nil, nil, nil) == SQLITE_OK)
    try store.write(plan.schema) { _ in .commit(()) }
  }

  @Test func otherProgramsReadTheTablesByTheNamesOfTheMappings() throws {
    let friends = #"[{"id": 2, "name": "Grace"}, {"id": 3, "name": "Alan"}]"#
    _ = try importJSON("[{\"id\": 1, \"name\": \"Ada\", \"friends\": \(friends)}]")
    let sql = """
      SELECT Person.name, friend.name FROM Person JOIN Person_friends ON owner = Person.fastmap_id
      JOIN Person AS friend ON target = friend.fastmap_id ORDER BY position
      """
    #expect(try rows(sql) == [["Ada", "Grace"], ["Ada", "Alan"]])
  }

  @Test func namesThatSQLiteTakesForOneAreTwoColumns() throws {
    let mapping = Mapping("select", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("Name", .string)
      Attribute("name", .string)
      Attribute("a 'quoted' one", .string)
    }
    let json = #"[{"id": 1, "Name": "A", "name": "b", "a 'quoted' one": "c"}]"#
    _ = try Mapper(SQLiteStore(at: path)).importJSON(Array(json.utf8), as: mapping)
    #expect(try rows(#"SELECT "Name", name_2, "a 'quoted' one" FROM "select""#) == [["A", "b", "c"]])
  }

  @Test func aListHasTheLastAssignedTargets() throws {
    let mapping = Mapping("List", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("items", Mapping("Item", primaryKey: "id") { Attribute("id", .integer) })
    }
    let mapper = Mapper(try SQLiteStore(at: path))
    for items in [[1, 2, 3], [1, 2, 3, 4], [1, 2], [2, 1], [2, 1, 1], [], [5, 5]] {
      let json = "[{\"id\": 1, \"items\": [\(items.map { "{\"id\": \($0)}" }.joined(separator: ","))]}]"
      _ = try mapper.importJSON(Array(json.utf8), as: mapping)
      let sql = "SELECT Item.id FROM List_items JOIN Item ON target = Item.fastmap_id ORDER BY position"
      #expect(try rows(sql) == items.map { ["\($0)"] })
    }
  }

  @Test func errorsOfSQLiteReachTheCaller() throws {
    let missing = "\(path)/not/there"
    #expect(throws: SQLiteStoreError.sqlite(code: 14, message: "unable to open database file")) {
      try SQLiteStore(at: missing)
    }
    try Data("this is a letter, and long enough for a header of a database. \(path)\(path)".utf8)
      .write(to: URL(filePath: path))
    #expect(throws: SQLiteStoreError.sqlite(code: 26, message: "file is not a database")) {
      try SQLiteStore(at: path)
    }
  }

  @Test(arguments: [
    "DROP TABLE fastmap_field", "UPDATE fastmap_field SET kind = 'colour'",
    "UPDATE Person SET fastmap_key = x'00'",
    "UPDATE Person SET name = x'00'", "UPDATE fastmap_field SET entity = 77",
  ])
  func tablesChangedByOthersAreErrors(_ sql: String) throws {
    _ = try importJSON(#"[{"id": 1, "name": "Ada"}]"#)
    try run(sql)
    #expect(throws: SQLiteStoreError.self) {
      try SQLiteStore(at: path).read(plan) { try $0.records("Person") }
    }
  }

  @Test func objectsAreLentInsideEachOther() throws {
    _ = try importJSON(#"[{"id": 1, "name": "Ada"}, {"id": 2, "name": "Grace"}]"#)
    let names = try SQLiteStore(at: path).read(plan.schema) { reader in
      let ada = try #require(try reader.find(1, of: 0))
      let grace = try #require(try reader.find(2, of: 0))
      var other = reader
      return try reader.withRow(ada, of: 0) { row in
        let inner = try other.withRow(grace, of: 0) { $0[1].value }
        return [row[1].value, inner ?? nil, row[1].value]
      }
    }
    #expect(names == [.string("Ada"), .string("Grace"), .string("Ada")])
  }

  @Test func aDamagedColumnIsAnErrorWhereItIsAskedFor() throws {
    _ = try importJSON(#"[{"id": 1, "name": "Ada"}]"#)
    try run("UPDATE Person SET name = x'00'")
    try SQLiteStore(at: path).read(plan.schema) { reader in
      var lender = reader
      let id = try #require(try lender.find(1, of: 0))
      let key = try lender.withRow(id, of: 0) { $0[0].value }
      #expect(key == .integer(1))
      #expect(throws: SQLiteStoreError.self) { try lender.withRow(id, of: 0) { $0[1].value } }
    }
  }

  @Test func aDatabaseOfSomebodyElseIsLeftAlone() throws {
    try run("CREATE TABLE Person (id)")
    #expect(throws: SQLiteStoreError.notAStore(path: path)) { try SQLiteStore(at: path) }
    try run("INSERT INTO Person VALUES (1)")
  }

  /// Another program that uses the database.
  private func run(_ sql: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    #expect(sqlite3_open(path, &database) == SQLITE_OK)
    #expect(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
  }

  private func rows(_ sql: String) throws -> [[String]] {
    var (database, statement): (OpaquePointer?, OpaquePointer?)
    defer {
      sqlite3_finalize(statement)
      sqlite3_close_v2(database)
    }
    #expect(sqlite3_open(path, &database) == SQLITE_OK)
    #expect(sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK)
    var rows: [[String]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
        })
    }
    return rows
  }
}
