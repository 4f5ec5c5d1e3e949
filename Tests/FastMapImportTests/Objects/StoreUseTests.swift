import FastMapCore
import FastMapLMDB
import FastMapMemory
import TestSupport
import Testing

/// The calls of the core to a store, and the objects that a store keeps.
@Suite struct StoreUseTests {
  // MARK: Calls of the core

  struct Failure: Error, Equatable {
    let call: String
  }

  /// The calls since the last time, other than reads of a single object.
  private static func takeCalls(_ store: WatchedStore<MemoryStore>) -> [String] {
    store.takeCalls().filter { !["findOne", "read", "targets", "isChanged"].contains($0.name) }.map(\.text)
  }

  /// The calls of an import, without the calls of the import of `start`.
  private static func calls(
    _ mapping: Mapping<Record>, start: String? = nil, _ payload: String
  ) throws -> [String] {
    let store = WatchedStore(MemoryStore())
    let plan = try Plan(mapping)
    if let start { _ = try Mapper(store).importJSON(Array(start.utf8), as: plan) }
    _ = store.takeCalls()
    _ = try Mapper(store).importJSON(Array(payload.utf8), as: plan)
    return takeCalls(store)
  }

  private static let manyNodes = "[" + (1...300).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"

  // FEM-127, FEM-151, FEM-152, FEM-210, FEM-211, WAM-128, WAM-138, Q-23, Q-32
  @Test func aNewObjectIsLookedUpThenReservedThenInsertedAndTheStoreCommitsOnce() throws {
    let payload = #"{"id":1,"t":"Dune","a":{"id":9}}"#
    #expect(
      try Self.calls(Fixture.book(.replace), payload) == [
        "begin", "find Book [1]", "find Author [9]", "reserve 1 Book", "reserve 1 Author",
        "apply +Book 1, +Author 9", "commit",
      ])
    #expect(
      try Self.calls(Fixture.book(.replace), start: payload, #"{"id":1,"t":"Emma","a":{"id":9}}"#) == [
        "begin", "find Book [1]", "find Author [9]", "apply ~Book 1, ~Author 9", "commit",
      ], "what is found is neither reserved nor inserted")
    #expect(
      try Self.calls(Fixture.book(.replace), start: payload, #"{"id":1,"a":{"id":8}}"#) == [
        "begin", "find Book [1]", "find Author [8]", "reserve 1 Author", "apply ~Book 1, +Author 8",
        "references Author", "delete Author", "commit",
      ], "what a replace lets go is deleted at the end")
    #expect(
      try Self.calls(Fixture.book(.assign), start: payload, #"{"id":1,"a":{"id":8}}"#) == [
        "begin", "find Book [1]", "find Author [8]", "reserve 1 Author", "apply ~Book 1, +Author 8", "commit",
      ], "an assignment asks nothing more")
  }

  // FEM-153, FEM-154, FEM-155, FEM-156, FEM-157, FEM-158, FEM-159, WAM-05, WAM-45, Q-23, FEM-211
  @Test(arguments: [
    (Fixture.thread, #"{"id":1,"last":{"id":300,"thread":{"id":1}}}"#, ["Thread [1]", "Post [300]"]),
    (Fixture.book(), #"[{"id":2,"a":null,"tags":[]},{"id":1}]"#, ["Book [1 2]"]),
    (Fixture.book(), #"[{"id":2,"tags":[7,{"id":5},7]},{"id":1,"tags":[5]}]"#, ["Book [1 2]", "Tag [5 7]"]),
    (
      Fixture.book(isWeak: true), #"{"id":2,"a":{"id":4},"tags":[3]}"#, ["Book [2]", "Author [4]", "Tag [3]"]
    ),
    (
      Mapping("Rooted", rootPath: "r", primaryKey: "id") { Attribute("id", .integer) },
      #"{"id":9,"r":[{"id":4},{"id":2}]}"#, ["Rooted [2 4]"]
    ),
    (Mapping("Keyless") { Attribute("x", .integer) }, #"[{"x":1},{"x":2}]"#, []),
    (
      Mapping("Lax", primaryKey: "id", missingPrimaryKey: .insert) { Attribute("id", .integer) },
      #"[{"id":null},{},{"id":3}]"#, ["Lax [3]"]
    ),
    (Fixture.book(), "[]", []),
  ])
  func theKeysOfAPayloadAreLookedUpOnceForEachEntity(
    _ mapping: Mapping<Record>, _ payload: String, _ expected: [String]
  ) throws {
    let finds = try Self.calls(mapping, payload).filter { $0.hasPrefix("find ") }
    #expect(finds == expected.map { "find \($0)" })
  }

  // FEM-161, FEM-176, FEM-214, WAM-08, WAM-137: nothing is remembered from one call to the next, and nothing is gone over
  @Test func everyCallIsATransactionOfItsOwn() throws {
    let store = WatchedStore(MemoryStore())
    let plan = try Plan(Fixture.tag)
    for _ in 1...2 { _ = try Mapper(store).importJSON(Array(#"[{"id":5}]"#.utf8), as: plan) }
    #expect(
      Self.takeCalls(store) == [
        "begin", "find Tag [5]", "reserve 1 Tag", "apply +Tag 5", "commit", "begin", "find Tag [5]",
        "apply ~Tag 5", "roll back",
      ])
  }

  // WAM-45, Q-23, FEM-158: in proportion to the batches, not to the objects
  @Test func manyObjectsAreLookedUpInBatches() throws {
    let finds = try Self.calls(Fixture.node, Self.manyNodes).filter { $0.hasPrefix("find ") }
    #expect(finds.count <= 6)
    #expect(finds.flatMap { $0.dropFirst(11).dropLast().split(separator: " ") }.count == 300)
  }

  // FEM-213, BUG-49, BUG-50: an error of the store reaches the caller as it is, and nothing is kept
  @Test(arguments: ["find", "reserve", "apply", "commit"])
  func everyErrorOfAStoreReachesTheCaller(_ call: String) throws {
    let store = MemoryStore()
    let plan = try Plan(Fixture.tag)
    _ = try Mapper(store).importJSON(Array(#"[{"id":1}]"#.utf8), as: plan)
    let failing = WatchedStore(store) { if $0.name == call { throw Failure(call: call) } }
    #expect(throws: Failure(call: call)) {
      try Mapper(failing).importJSON(Array(#"[{"id":1},{"id":2}]"#.utf8), as: plan)
    }
    let keys = try store.read(plan) { try $0.records("Tag").map(\.key) }
    #expect(keys == [1])
  }

  // MARK: Kept objects

  private static func load(_ store: LMDBStore, _ json: String) throws -> String {
    summary(try Mapper(store).importJSON(Array(json.utf8), as: Fixture.club))
  }

  /// The members of club 1; nil where there is no club.
  private static func members(_ store: LMDBStore) throws -> [PrimaryKey?]? {
    try store.read(Fixture.club.plan()) { reader in
      try reader.record("Club", key: 1).map { try reader.records("members", of: $0).map(\.key) }
    }
  }

  // FEM-177, FEM-215, WAM-131, WAM-132, WAM-133, WAM-135, WAM-137, BUG-65, BUG-67, Q-22
  @Test func importedObjectsSurviveReopening() throws {
    let folder = Scratch()
    do {
      let store = try LMDBStore(at: folder.path("store"))
      #expect(try Self.members(store) == nil, "a fresh store has nothing")
      #expect(try Self.load(store, #"{"id":1,"members":[{"id":1,"n":"M"},2]}"#) == "Club +1, Member +2")
    }
    do {
      let store = try LMDBStore(at: folder.path("store"))
      #expect(try Self.members(store) == [1, 2])
      let plan = try Fixture.club.plan()
      try store.write(plan.schema) { writer in
        let entity = try #require(plan.schema.entity(named: "Member"))
        let member = try #require(try writer.reader.find(1, of: entity))
        let isGone = try writer.delete(member, of: entity)
        #expect(isGone)
        return .commit(())
      }
      #expect(try Self.members(store) == [2], "no link is left to what was deleted")
    }
    let store = try LMDBStore(at: folder.path("store"))
    #expect(try Self.members(store) == [2])
    #expect(try Self.load(store, #"{"id":1,"members":[{"id":1},2]}"#) == "Club ~1, Member +1 =1")
    let first = try store.read(Fixture.club.plan()) { try $0.record("Member", key: 1)?["first"] }
    #expect(first == nil, "a new object, not the old one")
  }

}
