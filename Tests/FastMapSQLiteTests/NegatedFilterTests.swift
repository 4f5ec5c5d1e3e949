import FastMapCore
import FastMapSQLite
import Testing

/// Negated tests of objects that have no value. In SQL, a negation of NULL is NULL, and not true.
@Suite struct NegatedFilterTests {
  private static let row: Mapping<Record> = Mapping("Row", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("a", .string)
    Attribute("n", .integer)
    ToOne("boss", row)
    ToMany("friends", row)
  }

  @Test(arguments: [
    (#"!(@.a == "x")"#, [2, 3]), (#"@.a != "x""#, [2, 3]), (#"!(@.a != "x")"#, [1]), ("!@.a", [2]),
    ("!(@.a == null)", [1, 3]), ("!(@.n > 1)", [1, 2]), ("@.n != 2", [1, 2]),
    (#"!(@.n == 1 || @.a == "y")"#, [2]), (#"!(@.boss.a == "x")"#, [1, 2]), (#"@.boss.a != "x""#, [1, 2]),
    ("!@.boss", [2]), (#"!(@.friends[?@.a == "x"])"#, [1, 2]), (#"@.friends[?!(@.a == "x")]"#, [1]),
  ])
  func aNegatedTestFindsObjectsWithoutAValue(_ filter: String, _ keys: [Int64]) throws {
    let folder = try Folder()
    let store = try SQLiteStore(at: folder.newFile())
    let json = """
      [{"id":1,"a":"x","n":1,"boss":2,"friends":[2,3]}, {"id":2}, {"id":3,"a":"y","n":2,"boss":1,"friends":[1]}]
      """
    _ = try Mapper(store).importJSON(json, as: Self.row)
    let query = Self.row.where(try Filter(filter))
    #expect(try store.read { try $0.keys(query) } == keys.map { PrimaryKey.integer($0) })
  }
}
