import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Objects that are arrays: key paths that begin with an index.
@Suite struct RowTests {
  private static let state = Mapping("State", rootPath: "states", primaryKey: "id") {
    Attribute("id", .string, at: "[0]")
    Attribute("call", .string, at: "[1]")
    Attribute("name", .string, at: "[3].name")
    ToOne("owner", owner, at: "[2]")
    ToMany("stops", stop, at: "[4]")
  }
  private static let owner: Mapping<Record> = Mapping("Owner", primaryKey: "id") {
    Attribute("id", .integer, at: "[1]")
    Attribute("title", .string, at: "[0]")
    ToOne("boss", owner, at: "[2]")
  }
  private static let stop = Mapping("Stop") {
    Attribute("at", .integer, at: "[0]")
    Attribute("where", .string, at: "[1]")
  }

  private static let text =
    #"{"time":1,"states":[["ab1","X",["T",7,[null,8]],{"name":"n","more":1},[[5,"x"],[6]]],["ab2",null,9],["ab3"]]}"#
  private static let dump = """
    State "ab1" call="X" name="n" owner=7 stops=[#1 #2]
    State "ab2" owner=9
    State "ab3"
    Owner 7 title="T" boss=8
    Owner 8
    Owner 9
    Stop #1 at=5 where="x"
    Stop #2 at=6
    """

  @Test(arguments: StoreKind.allCases)
  func arraysAreObjects(_ kind: StoreKind) throws {
    for size in [nil, 1, 7] {
      let world = try World(kind, Self.state)
      _ = try world.report(Self.text, inChunksOf: size)
      try #expect(world.dump() == Self.dump)
      #expect(try world.report(Self.text, inChunksOf: size).isUnchanged)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func arraysAreWrittenUpToTheirLastValue(_ kind: StoreKind) throws {
    let world = try World(kind, Self.state, holding: Self.text)
    let export = try world.export()
    #expect(
      export
        == #"{"states":[["ab1","X",["T",7,[null,8]],{"name":"n"},[[5,"x"],[6]]],["ab2",null,[null,9]],["ab3"]]}"#
    )
    let copy = try World(kind, Self.state, holding: export)
    try #expect(copy.dump() == Self.dump)
    let lines = try world.store.exported(Self.state, as: .ndjson)
    #expect(lines.hasPrefix(#"["ab1","X","#))
    let other = try World(kind, Self.state)
    try other.load(lines, options: .ndjson)
    try #expect(other.dump() == Self.dump)
  }

  @Test(arguments: StoreKind.allCases)
  func referencesAndRepeatsAreRowsWithTheKeyAlone(_ kind: StoreKind) throws {
    let world = try World(kind, Self.owner)
    let text = #"[["A",1,["B",2,["A",1]]],["B",2]]"#
    try world.load(text)
    try #expect(world.dump() == "Owner 1 title=\"A\" boss=2\nOwner 2 title=\"B\" boss=1")
    try #expect(world.export() == #"[["A",1,[null,2]],["B",2,[null,1]]]"#)
    // A bare key refers, too.
    try world.load(#"[[null,3,1]]"#)
    try #expect(world.dump(of: "Owner 3") == "Owner 3 boss=1")
  }

  @Test(arguments: StoreKind.allCases)
  func aRowThatIsNoArrayIsAFault(_ kind: StoreKind) throws {
    let world = try World(kind, Self.state)
    for (json, message) in [
      (#"{"states":[{"id":"a"}]}"#, "$.states[0]: expected an array, found an object (line 1, column 12)"),
      (#"{"states":{"id":"a"}}"#, "$.states: expected an array, found an object (line 1, column 11)"),
      (#"{"states":["a"]}"#, #"$.states[0]: expected an array, found the string "a" (line 1, column 12)"#),
      (#"{"states":null}"#, "$.states: expected an array of arrays, found null (line 1, column 11)"),
      (
        #"{"states":[["a"],[null]]}"#,
        "$.states[1][0]: expected a string, the primary key of State, found null (line 1, column 19)"
      ),
      (
        #"{"states":[[]]}"#,
        "$.states[0][0]: expected a string, the primary key of State, found nothing (line 1, column 12)"
      ),
      (
        #"{"states":[["a","b",{"id":7}]]}"#,
        "$.states[0][2]: expected an array or an integer, found an object (line 1, column 21)"
      ),
      (
        #"{"states":[["a","b",["t","x"]]]}"#,
        #"$.states[0][2][1]: expected an integer, found the string "x" (line 1, column 26)"#
      ),
      (
        #"{"states":[["a","b",null,7]]}"#,
        "$.states[0][3]: expected an object, found the number 7 (line 1, column 26)"
      ),
      (
        #"{"states":[["a","b",null,null,[{"at":1}]]]}"#,
        "$.states[0][4][0]: expected an array, found an object (line 1, column 32)"
      ),
      (
        #"{"states":[["a","b",null,null,[1,"x"]]]}"#,
        "$.states[0][4][0]: expected an array, found the number 1 (line 1, column 32)"
      ),
    ] {
      #expect(world.failure(of: json) == message)
    }
    try #expect(world.dump() == "")
  }

  @Test func anArrayIsAFaultForEveryOtherMapping() throws {
    let plain = Mapping("Plain", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("one", Self.owner)
      ToMany("many", Self.owner)
    }
    let world = try World(.memory, plain)
    #expect(world.failure(of: "[[1]]") == "$[0]: expected an object, found an array (line 1, column 2)")
    try world.load(#"[{"id":1,"one":["a",5],"many":[["b",6],7]},{"id":2,"one":8}]"#)
    try #expect(
      world.dump() == """
        Plain 1 one=5 many=[6 7]
        Plain 2 one=8
        Owner 5 title="a"
        Owner 6 title="b"
        Owner 7
        Owner 8
        """)
    try #expect(
      world.export() == #"[{"id":1,"one":["a",5],"many":[["b",6],[null,7]]},{"id":2,"one":[null,8]}]"#)
  }

  private final class Point {
    var id = 0
    var x = 0.0
    var y: Double?
    static let mapping = Mapping(Point.self, "Point", primaryKey: "id", make: Point.init) {
      Attribute("id", \.id, at: "[0]")
      Attribute("x", \.x, at: "[1]")
      Attribute("y", \.y, at: "[2]")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func oneArrayIsTheObjectWhereOneIsWanted(_ kind: StoreKind) throws {
    let store = try kind.make()
    let point = try #require(try Point.mapping.object(from: "[7,1.5]"))
    #expect(point.id == 7 && point.x == 1.5 && point.y == nil)
    let all = try Mapper(store).roundTrip("[[7,2.5,3],[8]]", as: Point.mapping)
    #expect(all.map(\.x) == [2.5, 0] && all[0].y == 3)
    let serializer = Serializer(try Plan(Point.mapping))
    #expect(try serializer.json(of: all[0]) == "[7,2.5,3]")
    #expect(try serializer.json(of: all) == "[[7,2.5,3],[8,0]]")
  }

  @Test(arguments: StoreKind.allCases)
  func aMemberMayBeNamedLikeAnIndex(_ kind: StoreKind) throws {
    let mapping = Mapping("B", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("x", .string, at: #"\[0]"#)
      Attribute("y", .json, at: JSONKeyPath([.member(""), .index(1)]))
    }
    let world = try World(kind, mapping, holding: #"[{"id":1,"[0]":"br","":["e0","e1"]}]"#)
    try #expect(world.dump() == #"B 1 x="br" y="e1""#)
    try #expect(world.export() == #"[{"id":1,"[0]":"br","":[null,"e1"]}]"#)
  }

  @Test func aMappingReadsArraysOrObjectsNotBoth() throws {
    let whole = Mapping("W") {
      Attribute("raw", .json, at: .wholeValue)
      ToOne("owner", Self.owner, at: .wholeValue)
    }
    let mixed = Mapping("M") {
      Attribute("a", .integer, at: "[0]")
      Attribute("b", .integer)
      Attribute("c", .json, at: .wholeValue)
      Attribute("d", .json, at: "[]")
    }
    #expect(
      message { _ = try Plan(mixed) } == """
        $.mappings.M.attributes.d.keyPath: expected a key path that begins with a member or an index, found "[]"
        $.mappings.M.attributes.b.keyPath: expected a key path that begins with an index, as for "a"; a bracket of a name is written \\[
        $.mappings.M.attributes.c.keyPath: expected a key path that begins with an index, as the other ones of this mapping, found the whole array
        """)
    #expect(
      message { _ = try Plan(whole) } == """
        $.mappings.W.relationships.owner.keyPath: expected a key path, found the representation of the owner: the objects of "Owner" are arrays
        """)
  }
}
