import FastMapCore
import TestSupport
import Testing

/// What goes in at the root, and what a call gives back.
@Suite struct ParityRootTests {
  // FEM-174, FEM-175, WAM-01, WAM-02, WAM-05, WAM-09
  @Test(
    arguments: StoreKind.allCases,
    [
      (#"{"id":1,"n":"a"}"#, "1"), (#"[{"id":2},{"id":1,"kids":[{"id":9}]},{"id":2},{"id":3}]"#, "2 1 2 3"),
      (#"[{"id":7}]"#, "7"), ("[]", ""),
    ])
  func theResultHasTheRootObjectsInTheirOrder(
    _ kind: StoreKind, _ test: (payload: String, keys: String)
  ) throws {
    let world = try World(kind, TypedFixture.Node.mapping)
    let nodes = try world.instances(test.payload, as: TypedFixture.Node.mapping)
    #expect(nodes.map { "\($0.nodeID)" }.joined(separator: " ") == test.keys)
    #expect(try world.report(test.payload).rootObjects == nodes.count)
  }

  // FEM-131, FEM-133, FEM-134, WAM-10, FEM-197
  @Test(arguments: StoreKind.allCases)
  func theResultComesFromTheRootPath(_ kind: StoreKind) throws {
    let mapping = Mapping(
      TypedFixture.Author.self, "Author", rootPath: "r.authors", primaryKey: "authorID",
      make: TypedFixture.Author.init
    ) {
      Attribute("authorID", \.authorID, at: "id")
    }
    let world = try World(kind, mapping)
    #expect(
      try world.instances(#"{"r":{"authors":[{"id":2},{"id":1}]}}"#, as: mapping).map(\.authorID) == [2, 1])
    #expect(try world.instances(#"{"r":{"authors":{"id":3}}}"#, as: mapping).map(\.authorID) == [3])
    try #expect(world.export() == #"{"r":{"authors":[{"id":1},{"id":2},{"id":3}]}}"#)
  }

  // WAM-03, WAM-04, WAM-06, WAM-07, BUG-12, BUG-13, BUG-09, Q-28
  @Test(
    arguments: StoreKind.allCases,
    [
      ("", "line 1, column 1: expected a value, found the end of the input"),
      ("null", "$: expected an object or an array of objects, found null (line 1, column 1)"),
      ("[null]", "$[0]: expected an object, found null (line 1, column 2)"),
      ("7", "$: expected an object, found the number 7 (line 1, column 1)"),
      ("true", "$: expected an object, found true (line 1, column 1)"),
      (#""x""#, #"$: expected an object, found the string "x" (line 1, column 1)"#),
      ("[[1]]", "$[0]: expected an object, found an array (line 1, column 2)"),
    ])
  func whatIsNoObjectAtTheRootIsAnErrorAndMakesNothing(
    _ kind: StoreKind, _ test: (payload: String, expected: String)
  ) throws {
    let world = try World(kind, Fixture.node)
    #expect(world.failure(of: test.payload) == test.expected)
    try #expect(world.dump() == "")
  }

  // FEM-176, WAM-08, WAM-137: everything is done when the call returns, and the mapper serves the next one
  @Test(arguments: StoreKind.allCases)
  func aMapperServesAnyNumberOfCalls(_ kind: StoreKind) throws {
    let store = try kind.make()
    let mapper = Mapper(store)
    let plan = try Plan(Fixture.tag)
    for number in 1...3 {
      let report = try mapper.importJSON(
        Array(#"[{"id":\#(number)},{"id":\#(number + 1)}]"#.utf8), as: plan)
      #expect(report["Tag"]?.inserted == (number == 1 ? 2 : 1))
      let count = try store.read(plan) { try $0.count(of: "Tag") }
      #expect(count == number + 1)
    }
  }

  // FEM-217: parents with children, ten attributes each, in small; the benchmarks have it in large
  @Test(arguments: StoreKind.allCases, [0, 10])
  func theBenchmarksWorkloadIsInsertedAndFoundUnchanged(_ kind: StoreKind, _ children: Int) throws {
    func body(_ id: Int) -> String {
      """
      "id":\(id),"boolean":\(id % 2 == 0),"int16":-7,"int32":70000,"int64":9007199254740993,"float":1.5,\
      "double":\(id).25,"string":"s\(id)","date":"2014-05-01T12:00:00Z","data":"AP8=","decimal":"12.34"
      """
    }
    let parents = (1...50).map { parent in
      let inner = (0..<children).map { "{\(body(parent * 100 + $0))}" }
      return "{\(body(parent)),\"children\":[\(inner.joined(separator: ","))]}"
    }
    let payload = "[\(parents.joined(separator: ","))]"
    let world = try World(kind, RootFixture.parent)
    let both = children == 0 ? "" : ", Child +\(50 * children)"
    try #expect(world.load(payload) == "Parent +50\(both)")
    try #expect(world.load(payload) == "Parent =50\(both.replacing("+", with: "="))")
    try #expect(
      world.dump(of: "Parent 50")?.hasPrefix(
        #"Parent 50 boolean=true int16=-7 int32=70000 int64=9007199254740993 float=1.5 double=50.25 string="s50""#
      )
        == true)
  }
}

private enum RootFixture {
  static let child = Mapping("Child", primaryKey: "id") { for attribute in attributes { attribute } }
  static let parent = Mapping("Parent", primaryKey: "id") {
    for attribute in attributes { attribute }
    ToMany("children", child)
  }
  private static var attributes: [Attribute<Record>] {
    [
      Attribute("id", .integer), Attribute("boolean", .boolean), Attribute("int16", .integer),
      Attribute("int32", .integer), Attribute("int64", .integer), Attribute("float", .number),
      Attribute("double", .number), Attribute("string", .string), Attribute("date", .date(.iso8601)),
      Attribute("data", .data), Attribute("decimal", .string),
    ]
  }
}
