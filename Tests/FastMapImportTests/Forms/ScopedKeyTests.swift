import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

/// Keys that are unique within one relationship of one owner: `"keyScope": "parent"`.
@Suite struct ScopedKeyTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Order": {
            "primaryKey": "id", "attributes": {"id": "integer"},
            "relationships": {
              "lines": {"mapping": "Line", "toMany": true}, "gifts": {"mapping": "Line", "toMany": true, "policy": "merge"},
              "first": {"mapping": "Line"},
              "names": {"mapping": "Name", "toMany": true, "keyedBy": "code"},
              "before": {"mapping": "Order"}}},
          "Line": {
            "primaryKey": "nr", "keyScope": "parent", "attributes": {"nr": "integer", "text": "string"},
            "relationships": {"notes": {"mapping": "Note", "toMany": true}}},
          "Note": {"primaryKey": "at", "keyScope": "parent", "attributes": {"at": "string", "by": "string"}},
          "Name": {
            "primaryKey": "code", "keyScope": "parent",
            "attributes": {"code": "string", "text": {"type": "string", "keyPath": "t"}}}}}
        """#)
  }

  private func makeWorld(_ kind: StoreKind) throws -> World {
    let file = try Self.file.get()
    return try World(kind, file.plan(for: "Order"))
  }

  private static let orders = #"""
    [{"id":1,"lines":[{"nr":1,"text":"a","notes":[{"at":"x","by":"me"}]},{"nr":2}],"gifts":[{"nr":1,"text":"g"}]},\#
    {"id":2,"lines":[{"nr":1,"text":"b"}],"first":{"nr":1},"names":{"de":{"t":"D"},"en":{"t":"E"}}}]
    """#

  @Test(arguments: StoreKind.allCases)
  func theSameKeyBelowTwoOwnersIsTwoObjects(_ kind: StoreKind) throws {
    let world = try makeWorld(kind)
    try #expect(world.load(Self.orders) == "Order +2, Line +5, Note +1, Name +2")
    try #expect(world.load(Self.orders) == "Order =2, Line =5, Note =1, Name =2")
    let text = try world.export()
    #expect(text == Self.orders)
    let copy = try makeWorld(kind)
    try copy.load(text)
    try #expect(copy.export() == text)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var json: String
    var report: String
    var order: String
    var testDescription: String { json }
  }

  static let cases = [
    // A partial object keeps its other members.
    Case(
      json: #"{"id":1,"lines":[{"nr":2,"text":"t"},{"nr":1}]}"#, report: "Order ~1, Line ~1 =1",
      order:
        #"{"id":1,"lines":[{"nr":2,"text":"t"},{"nr":1,"text":"a","notes":[{"at":"x","by":"me"}]}],"gifts":[{"nr":1,"text":"g"}]}"#
    ),
    // A dropped object is deleted, with all that it owns.
    Case(
      json: #"{"id":1,"lines":[{"nr":2}]}"#, report: "Order ~1, Line =1 -1, Note -1",
      order: #"{"id":1,"lines":[{"nr":2}],"gifts":[{"nr":1,"text":"g"}]}"#),
    Case(
      json: #"[{"id":1,"lines":[{"nr":1}]},{"id":1,"lines":[{"nr":2}]}]"#,
      report: "Order ~1, Line =1 -1, Note -1",
      order: #"{"id":1,"lines":[{"nr":2}],"gifts":[{"nr":1,"text":"g"}]}"#),
    Case(
      json: #"{"id":1,"gifts":[{"nr":2}]}"#, report: "Order ~1, Line +1",
      order:
        #"{"id":1,"lines":[{"nr":1,"text":"a","notes":[{"at":"x","by":"me"}]},{"nr":2}],"gifts":[{"nr":1,"text":"g"},{"nr":2}]}"#
    ),
    Case(
      json: #"{"id":1,"lines":null}"#, report: "Order ~1, Line -2, Note -1",
      order: #"{"id":1,"gifts":[{"nr":1,"text":"g"}]}"#),
    // An object that the same payload brings and drops was never there.
    Case(
      json: #"[{"id":1,"lines":[{"nr":5,"text":"x","notes":[{"at":"q"}]}]},{"id":1,"lines":[{"nr":1}]}]"#,
      report: "Order ~1, Line =1 -1, Note",
      order:
        #"{"id":1,"lines":[{"nr":1,"text":"a","notes":[{"at":"x","by":"me"}]}],"gifts":[{"nr":1,"text":"g"}]}"#
    ),
    // A repeated order is written as its key. Its lines are written where the order is.
    Case(
      json: #"{"id":1,"before":{"id":1,"lines":[{"nr":1,"notes":[]}]}}"#,
      report: "Order ~1, Line ~1 -1, Note -1",
      order: #"{"id":1,"lines":[{"nr":1,"text":"a"}],"gifts":[{"nr":1,"text":"g"}],"before":{"id":1}}"#),
  ]

  @Test(arguments: TestSize.onStores(cases, others: 3))
  func listsOwnTheirObjects(_ kind: StoreKind, _ example: Case) throws {
    let world = try makeWorld(kind)
    try world.load(Self.orders)
    try #expect(world.load(example.json) == example.report)
    let text = try world.export()
    #expect(text.hasPrefix("[" + example.order + ","), "\(text)")
  }

  @Test(arguments: StoreKind.allCases)
  func anOwnerIsDeletedWithItsObjects(_ kind: StoreKind) throws {
    let world = try makeWorld(kind)
    try world.load(Self.orders)
    let report = try world.store.delete(try Self.file.get().plan(for: "Order"), key: 1)
    #expect(report["Order"] == 1 && report["Line"] == 3 && report["Note"] == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func anObjectThatIsDroppedInItsPayloadIsGone(_ kind: StoreKind) throws {
    let world = try makeWorld(kind)
    try world.load(
      #"[{"id":1,"lines":[{"nr":1},{"nr":2,"notes":[{"at":"x"}]}],"first":{"nr":3}},{"id":1,"lines":[{"nr":1}],"first":null}]"#
    )
    let plan = try Self.file.get().plan(for: "Line")
    try world.store.read(plan) { try #expect($0.keys(plan).map { "\($0)" } == ["[1, 1]"]) }
    try #expect(world.load(#"{"id":1,"lines":[{"nr":2}]}"#) == "Order ~1, Line +1 -1")
    try #expect(world.export() == #"[{"id":1,"lines":[{"nr":2}]}]"#)
  }

  @Test func anErrorNamesTheMemberWithTheObject() throws {
    let world = try makeWorld(.memory)
    let error = #expect(throws: MappingError.self) { try world.load(#"{"id":1,"names":{"de":{"t":5}}}"#) }
    #expect(error.map { "\($0.path)" } == "$.names.de.t")
  }

  @Test func aScopedObjectIsNoRootAndNoReference() throws {
    let world = try makeWorld(.memory)
    let plan = try Self.file.get().plan(for: "Line")
    #expect(throws: MappingDefinitionError.self) { try Mapper(world.store).importJSON("[]", as: plan) }
    let error = #expect(throws: MappingError.self) { try world.load(#"{"id":1,"lines":[5]}"#) }
    #expect(error.map { "\($0.path): \($0.message)" } == "$.lines[0]: expected an object, found the number 5")
    try world.load(Self.orders)
    try world.store.read(plan) { snapshot in
      let keys = try snapshot.keys(plan.where(try Filter("@.nr == 2")))
      #expect(keys.map { "\($0)" } == ["[1, 2]"])
    }
  }

  @Test func anOwnerNeedsAKey() throws {
    let file = #"""
      {"fastmap": 1, "mappings": {
        "A": {"attributes": {}, "relationships": {"lines": {"mapping": "Line", "toMany": true}}},
        "B": {"primaryKey": "id", "attributes": {"id": "integer"}, "relationships": {"line": {"mapping": "Line", "weak": true}}},
        "Line": {"primaryKey": "nr", "keyScope": "parents", "attributes": {"nr": "integer"}},
        "C": {"keyScope": "parent", "attributes": {"nr": "integer"}}}}
      """#
    let error = #expect(throws: MappingDefinitionError.self) { try MappingSet(file: file) }
    let faults = error.map { $0.faults.map { "\($0)" }.joined(separator: "\n") } ?? ""
    #expect(
      faults.contains(#"$.mappings.Line.keyScope: no key scope named "parents"; did you mean "parent"?"#))
    #expect(
      faults.contains("$.mappings.C.keyScope: a key scope needs a primary key, and the mapping has none"))
    let sound = file.replacing("parents", with: "parent").replacing(
      #", "C": {"keyScope": "parent", "attributes": {"nr": "integer"}}"#, with: "")
    let other = #expect(throws: MappingDefinitionError.self) { try MappingSet(file: sound) }
    let others = other.map { $0.faults.map { "\($0)" }.joined(separator: "\n") } ?? ""
    #expect(others.contains("$.mappings.A.relationships.lines: the keys of the mapping"))
    #expect(others.contains("$.mappings.B.relationships.line.weak: the objects of the mapping"))
  }
}
