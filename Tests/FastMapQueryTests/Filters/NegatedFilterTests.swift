import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Negated tests of objects that have no value. In SQL, a negation of NULL is NULL, and not true.
@Suite struct NegatedFilterTests {
  private static let row: Mapping<Record> = Mapping("Row", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("a", .string)
    Attribute("n", .integer)
    Attribute("f", .boolean)
    Attribute("r", .number)
    Attribute("d", .decimal)
    Attribute("j", .json)
    ToOne("boss", row)
    ToMany("friends", row)
  }

  private static let payload = """
    [{"id":1,"a":"x","n":1,"f":true,"r":1.5,"d":1.10,"j":{"k":1},"boss":2,"friends":[2,3]},
     {"id":2},
     {"id":3,"a":"y","n":2,"f":false,"r":2.5,"d":2,"j":[1],"boss":1,"friends":[1]}]
    """

  static let cases: [(filter: String, keys: [PrimaryKey])] = [
    (#"!(@.a == "x")"#, [2, 3]), (#"@.a != "x""#, [2, 3]), (#"!(@.a != "x")"#, [1]),
    (#"!(!(@.a == "y"))"#, [3]), (#"!(@.a < "y")"#, [2, 3]), (#"!search(@.a, "x")"#, [2, 3]),
    ("!@.a", [2]), ("!(!@.a)", [1, 3]), ("!(@.a == null)", [1, 3]), ("@.a != null", [1, 3]),
    ("!(@.n > 1)", [1, 2]), ("!(@.n <= 1)", [2, 3]), ("@.n != 2", [1, 2]), ("!(@.n == 1.0)", [2, 3]),
    (#"!(@.n == 1 && @.a == "x")"#, [2, 3]), (#"!(@.n == 1 || @.a == "y")"#, [2]),
    (#"!(@.n == 1) && !(@.a == "y")"#, [2]), (#"@.n != 1 || @.a == "x""#, [1, 2, 3]),
    ("@.f != true", [2, 3]), ("!(@.f == false)", [1, 2]), ("!(@.r > 2)", [1, 2]), ("@.r != 1.5", [2, 3]),
    ("!(@.d == 1.1)", [2, 3]), ("@.d != 2", [1, 2]), ("!@.j", [2]), ("!(@.j.k == 1)", [2, 3]),
    (#"!(@.boss.a == "x")"#, [1, 2]), (#"@.boss.a != "x""#, [1, 2]), ("!@.boss", [2]),
    ("!(!@.boss)", [1, 3]),
    ("!@.boss.a", [1, 2]), (#"!(@.friends[?@.a == "x"])"#, [1, 2]), (#"@.friends[?@.a != "x"]"#, [1]),
    (#"@.friends[?!(@.a == "x")]"#, [1]), (#"!(@.friends[?!(@.a == "x")])"#, [2, 3]),
  ]

  @Test(arguments: StoreKind.allCases)
  func aNegatedTestFindsObjectsWithoutAValue(_ kind: StoreKind) throws {
    let store = try kind.make(Self.payload, as: Self.row)
    try store.read { snapshot in
      for (filter, keys) in Self.cases {
        let query = Self.row.where(try Filter(filter))
        #expect(try snapshot.keys(query) == keys, "\(filter)")
        #expect(try snapshot.count(query) == keys.count, "\(filter)")
      }
    }
  }
}
