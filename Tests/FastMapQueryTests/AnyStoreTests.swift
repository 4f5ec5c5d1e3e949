import FastMapCore
import TestSupport
import Testing

private final class Node {
  var id = 0
  var next: Node?

  static let mapping: Mapping<Node> = Mapping(Node.self, "Node", primaryKey: "id", make: Node.init) {
    Attribute("id", \.id)
    ToOne("next", \.next, Node.mapping)
  }
}

/// A store whose type is chosen at run time.
@Suite struct AnyStoreTests {
  private static let text = #"[{"id": 1, "next": {"id": 2}}, {"id": 2, "next": {"id": 3}}]"#

  @Test(arguments: StoreKind.allCases)
  func isImportedReadDeletedAndExported(_ kind: StoreKind) throws {
    let store: any Store = try kind.make()
    let mapper = Mapper(store)
    let plan = try Node.mapping.plan()
    let nodes = try mapper.roundTrip(Self.text, as: Node.mapping, depth: .max)
    #expect(nodes.first?.next?.next?.id == 3)
    #expect(try store.read { try $0.object(Node.mapping, key: 1, depth: .max)?.next?.id } == 2)
    #expect(try store.read(plan) { try $0.records("Node").compactMap(\.key) } == [1, 2, 3])

    let serializer = try Serializer(Node.mapping)
    var output = JSONWriter()
    try store.read(plan) { reader in
      let id = try #require(try reader.reader.find(2, of: 0))
      try serializer.write(id, from: &reader.reader, to: &output)
    }
    #expect(output.withBytes { String(decoding: $0, as: UTF8.self) } == #"{"id":2,"next":{"id":3}}"#)

    #expect(try store.delete(Node.mapping.keys(2...)).total == 2)
    #expect(try written(to: store) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func isImportedWithAwait(_ kind: StoreKind) async throws {
    let store: any Store = try kind.make()
    let report = try await Mapper(store).importJSON(Self.text, as: Node.mapping)
    #expect(report.entities.first?.counts.inserted == 3)
  }

  @Test(arguments: StoreKind.allCases)
  func isReadAndDeletedByTheNamesOfAMapping(_ kind: StoreKind) throws {
    let store: any Store = try kind.make()
    _ = try Mapper(store).importJSON(Self.text, as: Node.mapping)
    #expect(
      try store.read(Node.mapping) {
        try $0.records(Node.mapping.query(of: "Node").keys(2...)).compactMap(\.key)
      } == [2, 3])
    #expect(try store.delete(Node.mapping.query(of: "Node").keys([3])).total == 1)
    #expect(try store.delete(Node.mapping.query(of: "Node").keys([2])).total == 1)
    #expect(try store.delete(Node.mapping.query(of: "Node").keys(2..<4)).total == 0)
    #expect(try store.delete(Node.mapping.query(of: "Node")).total == 1)
  }

  /// Opened by a function of `some Store`, whose body has the writer's own type.
  private func written(to store: some Store) throws -> Int {
    try store.write(Node.mapping.plan().schema) { writer in .rollBack(try writer.reader.count(of: 0)) }
  }
}
