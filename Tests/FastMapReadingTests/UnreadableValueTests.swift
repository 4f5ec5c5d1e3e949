import FastMapCore
import TestSupport
import Testing

/// Stored values that a property cannot hold: an error of the read, and of nothing else.
@Suite struct UnreadableValueTests {
  /// Beside the table of FastMapParityTests.
  private static let unreadable: [NarrowCase] = [
    .of(UInt64?.none, .integer, "-5", "-5"), .of(Float(0), .number, "1e300", "1e+300"),
    .of(Narrow.Tier?.none, .string, #""""#, #""""#),
    .of(Narrow.Address(), .string, #""nobody""#, #""nobody""#),
    .of(Set([Narrow.Tier.silver]), .json, #"["silver","gold"]"#, #"["silver","gold"]"#),
    .of([Narrow.Tier?](), .json, #"[null,"gold"]"#, #"[null,"gold"]"#),
    .of([[Narrow.Tier]](), .json, #"[["silver"],["gold"]]"#, #"[["silver"],["gold"]]"#),
    .of([Int8](), .json, #"["1"]"#, #"["1"]"#, isLenient: true), .of([Int]?.none, .json, "5", "5"),
    .of(Int8(0), .integer, "300", "300", isLenient: true),
    .of(
      [Narrow.Tier](), .json, "[\"\(String(repeating: "x", count: 200))\"]",
      "[\"\(String(repeating: "x", count: 38))…"),
  ]

  @Test(arguments: StoreKind.allCases, unreadable)
  func aReadOfAValueThatAPropertyCannotHoldThrows(_ kind: StoreKind, _ item: NarrowCase) throws {
    let store = try kind.make()
    try item.store(store)
    for read in item.reads {
      let error = #expect(throws: UnreadableValueError.self) { _ = try read(store) }
      #expect(error?.description == item.message)
      #expect(error?.key == 1 && error?.field == "value" && error?.entity == "Item")
      #expect(error?.report == nil)
    }
    let error = #expect(throws: UnreadableValueError.self) { _ = try item.imports(store) }
    #expect(error?.description == item.message + "; the import is stored")
    #expect(error?.report?["Item"]?.unchanged == 1)
  }

  private final class Node {
    var id = 0
    var size: Int8 = 0
    var next: [Node] = []
    var part: Part?
    var parts: [Part] = []
    static let mapping: Mapping<Node> = Mapping(Node.self, "Node", primaryKey: "id", make: { Node() }) {
      Attribute("id", \.id)
      Attribute("size", \.size)
      ToMany("next", \.next, Node.mapping)
      ToOne("part", \.part, Part.mapping)
      ToMany("parts", \.parts, Part.mapping)
    }
  }

  private final class Part {
    var size: Int8 = 0
    static let mapping = Mapping(Part.self, "Part", make: { Part() }) { Attribute("size", \.size) }
  }

  private static let parts: Mapping<Record> = Mapping("Part") { Attribute("size", .integer) }
  private static let nodes: Mapping<Record> = Mapping("Node", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("size", .integer)
    ToMany("next", nodes)
    ToOne("part", parts)
    ToMany("parts", parts)
  }

  private static func world(_ kind: StoreKind) throws -> World {
    let world = try World(kind, nodes)
    try world.load(
      """
      [{"id":1,"size":1,"next":[2,3]},{"id":2,"size":300,"next":[1]},{"id":3,"size":3,"next":[2,4]},
       {"id":4,"size":4,"part":{"size":400}}]
      """)
    return world
  }

  @Test(arguments: StoreKind.allCases)
  func copiesLackAnUnreadableTargetWhereTheReadSkips(_ kind: StoreKind) throws {
    let store = try Self.world(kind).store
    try store.read { snapshot in
      for depth in [0, 2] {
        let unreadable = UnreadableObjects()
        let found = try snapshot.objects(
          Node.mapping, including: \.next.next, depth: depth, unreadable: .skip(unreadable))
        #expect(found.map(\.id) == [1, 3, 4])
        #expect(found.map { $0.next.map(\.id) } == [[3], [4], []])
        #expect(unreadable.errors.map(\.title) == (depth == 0 ? ["Node 2"] : ["Node 2", "Node 4.part"]))
      }
      // Objects that the read before left out are errors of this read.
      #expect(throws: UnreadableValueError.self) { _ = try snapshot.object(Node.mapping, key: 1, depth: 1) }
      #expect(throws: UnreadableValueError.self) {
        _ = try snapshot.object(Node.mapping, key: 3, including: \.next)
      }
      let one = try snapshot.object(Node.mapping, key: 1)
      #expect(one?.size == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anObjectWithoutAKeyIsNamedByItsPlace(_ kind: StoreKind) throws {
    let store = try Self.world(kind).store
    let expected = "Node 4.part.size: expected a value of Int8, found 400 in the store"
    for depth in [0, 1] {
      let failure = message {
        _ = try store.read { try $0.object(Node.mapping, key: 4, including: \.part, depth: depth) }
      }
      #expect(failure == expected)
    }
    let context = try ObjectContext(store, for: Node.mapping)
    defer { context.end() }
    #expect(message { _ = try context.object(Node.mapping, key: 4, including: \.part) } == expected)
    let four = try context.object(Node.mapping, key: 4)
    #expect(four?.size == 4)
  }

  @Test(arguments: StoreKind.allCases, [0, 1, 2])
  func anElementWithoutAKeyIsNamedByItsPlaceInTheList(_ kind: StoreKind, _ place: Int) throws {
    let world = try World(kind, Self.nodes)
    let sizes = (0..<3).map { $0 == place ? 400 : $0 }
    try world.load(
      #"[{"id":4,"parts":[{"size":1}]},{"id":5,"parts":[\#(sizes.map { #"{"size":\#($0)}"# }.joined(separator: ","))]}]"#
    )
    let expected = "Node 5.parts[\(place)].size: expected a value of Int8, found 400 in the store"
    for depth in [0, 1] {
      let failure = message {
        _ = try world.store.read { try $0.objects(Node.mapping, including: \.parts, depth: depth) }
      }
      #expect(failure == expected)
    }
    let context = try ObjectContext(world.store, for: Node.mapping)
    defer { context.end() }
    #expect(message { _ = try context.object(Node.mapping, key: 5, including: \.parts) } == expected)
  }
}
