import FastMapCore
import TestSupport
import Testing

/// Stored values that a property cannot hold, in a context: nothing shows them, and nothing replaces them.
@Suite struct ContextUnreadableTests {
  private enum Role: String, AttributeValueWithFallback {
    case admin, guest, other
    static let fallback = Role.other
  }

  private final class Node {
    var id = 0
    var name = ""
    var size: Int8 = 0
    var role = Role.guest
    var roles: [Role] = []
    var next: [Node] = []
    var boss: Node?
    static let mapping: Mapping<Node> = Mapping(Node.self, "Node", primaryKey: "id", make: { Node() }) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("size", \.size)
      Attribute("role", \.role)
      Attribute("roles", \.roles)
      ToMany("next", \.next, Node.mapping)
      ToOne("boss", \.boss, Node.mapping)
    }
  }

  /// The entity as another program has it.
  private static let nodes: Mapping<Record> = Mapping("Node", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    Attribute("size", .integer)
    Attribute("role", .string)
    Attribute("roles", .json)
    ToMany("next", ContextUnreadableTests.nodes)
    ToOne("boss", ContextUnreadableTests.nodes)
  }

  private static func world(_ kind: StoreKind) throws -> (World, ObjectContext) {
    let world = try World(kind, nodes)
    try world.load(
      """
      [{"id":1,"name":"a","size":1,"next":[3]},{"id":2,"name":"b","size":300},
       {"id":3,"name":"c","size":3,"next":[1,2],"boss":2},{"id":4,"name":"d","role":"lost","roles":["guest","lost"]}]
      """)
    return (world, try ObjectContext(world.store, for: Node.mapping))
  }

  private static func failure(_ id: Int, _ found: Int, _ end: String = "") -> String {
    "Node \(id).size: expected a value of Int8, found \(found) in the store\(end)"
  }

  @Test(arguments: StoreKind.allCases)
  func aReadThrowsOrSkipsAsAsked(_ kind: StoreKind) throws {
    let (_, context) = try Self.world(kind)
    defer { context.end() }
    #expect(message { _ = try context.objects(Node.mapping) } == Self.failure(2, 300))
    #expect(message { _ = try context.object(Node.mapping, key: 2) } == Self.failure(2, 300))
    for _ in 0..<2 {
      let unreadable = UnreadableObjects()
      let found = try context.objects(Node.mapping, unreadable: .skip(unreadable))
      #expect(found.map(\.id) == [1, 3, 4])
      #expect(unreadable.errors.map(\.description) == [Self.failure(2, 300)])
      let keyed = try context.objects(Node.mapping.keys([2, 1, 2]), unreadable: .skip(unreadable))
      #expect(keyed.map(\.id) == [1] && unreadable.count == 2)
      let asked = try context.objects(Node.mapping.limit(2), unreadable: .skip(unreadable))
      #expect(asked.map(\.id) == [1])
    }
    try #expect(!context.hasChanges())
  }

  /// A save of a list without the target would lose it.
  @Test(arguments: StoreKind.allCases)
  func aTargetThatCannotBeShownIsAnErrorAlsoWhereTheReadSkips(_ kind: StoreKind) throws {
    let (world, context) = try Self.world(kind)
    defer { context.end() }
    let unreadable = UnreadableObjects()
    #expect(
      message {
        _ = try context.objects(Node.mapping.keys([1, 3]), including: \.next, unreadable: .skip(unreadable))
      } == Self.failure(2, 300))
    #expect(unreadable.count == 0)
    let found = try context.objects(Node.mapping.keys([1, 3]))
    #expect(try context.isLoaded(\.next, of: found[0]))
    #expect(try !context.isLoaded(\.next, of: found[1]))
    #expect(message { try context.load(\.next, of: [found[1]]) } == Self.failure(2, 300))
    #expect(message { try context.load(\.boss, of: [found[1]]) } == Self.failure(2, 300))
    #expect(found[1].next.isEmpty && found[1].boss == nil)
    found[1].name = "C"
    try context.save()
    try #expect(world.dump(of: "Node 3") == #"Node 3 name="C" size=3 next=[1 2] boss=2"#)
    found[1].next = [found[0]]
    #expect(throws: ContextError.self) { try context.save() }
  }

  @Test(arguments: StoreKind.allCases)
  func aRefreshLeavesUnreadableValuesAlone(_ kind: StoreKind) throws {
    let (world, context) = try Self.world(kind)
    defer { context.end() }
    let found = try context.objects(Node.mapping.keys([1, 3]))
    try context.load(\.next, of: [found[0]])
    try world.load(#"[{"id":1,"name":"A","size":200,"next":[2,3]},{"id":3,"name":"C"}]"#)
    #expect(message { _ = try context.refreshAll() } == Self.failure(1, 200))
    #expect((found[0].name, found[0].size, found[0].next.map(\.id)) == ("a", 1, [3]))
    #expect(found[1].name == "C")
    try #expect(!context.hasChanges())
    // The values that were read differ from the stored values.
    found[0].size = 5
    #expect(throws: SaveConflictError.self) { try context.save() }
    try context.rollBack()
    found[0].next = []
    #expect(throws: SaveConflictError.self) { try context.save() }
    try context.rollBack()
    try world.load(#"{"id":1,"size":7}"#)
    #expect(message { _ = try context.refresh([found[0]]) } == Self.failure(2, 300))
    #expect((found[0].name, found[0].size, found[0].next.map(\.id)) == ("A", 7, [3]))
    try world.load(#"{"id":2,"size":30}"#)
    try context.refresh([found[0]])
    #expect(found[0].next.map(\.id) == [2, 3])
    try #expect(!context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases)
  func aSaveThatCannotShowOthersValuesIsStored(_ kind: StoreKind) throws {
    let (world, context) = try Self.world(kind)
    defer { context.end() }
    let one = try #require(try context.object(Node.mapping, key: 1, including: \.next))
    try world.load(#"{"id":1,"size":200,"next":[3,2]}"#)
    one.name = "mine"
    let error = #expect(throws: UnreadableValueError.self) { try context.save() }
    #expect(error?.description == Self.failure(1, 200, "; the save is stored"))
    #expect(error?.report?["Node"]?.updated == 1)
    try #expect(world.dump(of: "Node 1") == #"Node 1 name="mine" size=200 next=[3 2]"#)
    #expect((one.name, one.size, one.next.map(\.id)) == ("mine", 1, [3]))
    try #expect(!context.hasChanges())
    // Each save reads it again.
    one.name = "again"
    #expect(throws: UnreadableValueError.self) { try context.save() }
    one.next = []
    #expect(throws: SaveConflictError.self) { try context.save() }
    try context.rollBack()
    try #expect(world.dump(of: "Node 1") == #"Node 1 name="again" size=200 next=[3 2]"#)
  }

  @Test(arguments: StoreKind.allCases)
  func anImportThatCannotShowStoredValuesIsStored(_ kind: StoreKind) async throws {
    let (world, context) = try Self.world(kind)
    defer { context.end() }
    let one = try #require(try context.object(Node.mapping, key: 1))
    try world.load(#"{"id":1,"size":200}"#)
    let error = #expect(throws: UnreadableValueError.self) {
      _ = try context.importJSON(#"{"id":1,"name":"new"}"#, as: Node.mapping)
    }
    #expect(error?.description == Self.failure(1, 200, "; the import is stored"))
    try #expect(world.dump(of: "Node 1") == #"Node 1 name="new" size=200 next=[3]"#)
    #expect((one.name, one.size) == ("a", 1))
    let shown = #expect(throws: UnreadableValueError.self) {
      _ = try context.objects(from: #"{"id":2,"name":"B"}"#, as: Node.mapping)
    }
    #expect(shown?.report?["Node"]?.updated == 1)
    let apart = await #expect(throws: UnreadableValueError.self) {
      _ = try await context.importJSON(#"{"id":1,"name":"newer"}"#, as: Node.mapping)
    }
    #expect(apart?.report?["Node"]?.updated == 1)
    _ = try await context.importJSON(#"{"id":1,"size":9}"#, as: Node.mapping)
    #expect((one.name, one.size) == ("newer", 9))
    try #expect(!context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases)
  func aSaveKeepsStoredValuesBehindFallbacks(_ kind: StoreKind) throws {
    let (world, context) = try Self.world(kind)
    defer { context.end() }
    let four = try #require(try context.object(Node.mapping, key: 4))
    #expect(four.role == .other && four.roles == [.guest, .other])
    try #expect(!context.hasChanges())
    (four.role, four.roles) = (.other, [.guest, .other])
    try #expect(!context.hasChanges())
    four.name = "D"
    try context.save()
    try #expect(world.dump(of: "Node 4") == #"Node 4 name="D" role="lost" roles=["guest","lost"]"#)
    four.role = .admin
    try context.save()
    four.role = .other
    four.roles.append(.admin)
    try context.save()
    try #expect(
      world.dump(of: "Node 4") == #"Node 4 name="D" role="other" roles=["guest","other","admin"]"#)
  }
}
