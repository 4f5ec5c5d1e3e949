import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// In a store that keeps instances, a use of a context reads a list as often whether it is short or long.
@Suite struct ContextKeptWorkTests {
  /// It counts how often its list is read.
  final class Node {
    var id = 0
    var owners: [Node] = []
    private(set) var reads = 0
    private var nodes: [Node] = []

    var list: [Node] {
      get {
        reads += 1
        return nodes
      }
      set { nodes = newValue }
    }

    static let mapping: Mapping<Node> = Mapping(Node.self, "Node", primaryKey: "id", make: { Node() }) {
      Attribute("id", \.id)
      ToMany("list", \.list, Node.mapping)
      ToMany("owners", \.owners, inverseOf: \.list, of: Node.mapping)
    }

    static func new(_ ids: Range<Int>) -> [Node] {
      ids.map { id in
        let node = Node()
        node.id = id
        return node
      }
    }
  }

  /// What the caller has done with a long list, and does then.
  enum Use: CaseIterable {
    case saveOfNew, saveOfDeletedNew, saveOfDeleted, rollBack, importOfOthers, importOfNew, refreshAll,
      hasChanges
  }

  private static func reads(_ use: Use, _ count: Int) throws -> (ofOne: Int, ofAll: Int) {
    let store = try StoreKind.memory.make()
    let ids = (0..<count).map { "{\"id\":\(1000 + $0)}" }.joined(separator: ",")
    _ = try Mapper(store).importJSON("{\"id\":1,\"list\":[\(ids)]}", as: Node.mapping)
    let context = try ObjectContext(store, for: Node.mapping)
    let one = try #require(try context.object(Node.mapping, key: 1, including: \.list))
    let old = one.list
    // The inverses of the old ones change, and those of the new ones come.
    one.list = Node.new(2000..<2000 + count)
    let first = one.list
    try context.save()
    let new = Node.new(3000..<3000 + count)
    for node in new { try context.insert(node, as: Node.mapping) }
    one.list += new
    switch use {
    case .saveOfDeletedNew: for node in new { try context.delete(node) }
    case .saveOfDeleted: for node in first { try context.delete(node) }
    default: break
    }
    func reads() -> (Int, Int) { (one.reads, (old + first + new).reduce(one.reads) { $0 + $1.reads }) }
    let before = reads()
    switch use {
    case .saveOfNew, .saveOfDeletedNew, .saveOfDeleted: try context.save()
    case .rollBack: try context.rollBack()
    case .importOfOthers: _ = try context.importJSON("{\"id\":1,\"list\":[\(ids)]}", as: Node.mapping)
    case .importOfNew:
      let ids = new.map { "{\"id\":\($0.id)}" }.joined(separator: ",")
      _ = try context.importJSON("{\"id\":1,\"list\":[\(ids)]}", as: Node.mapping)
    case .refreshAll: try context.refreshAll()
    case .hasChanges: _ = try context.hasChanges
    }
    let after = reads()
    return (after.0 - before.0, after.1 - before.1)
  }

  /// If each of the edited lists took a pass over all objects, it would take minutes.
  @Test func manyEditedListsAreReadInOnePass() throws {
    let count = TestSize.count(small: 500, whole: 10_000)
    let store = try StoreKind.memory.make()
    let ids = (0..<count).map { "{\"id\":\(1000 + $0)}" }.joined(separator: ",")
    let nodes = try Mapper(store).objects(from: "[\(ids)]", as: Node.mapping)
    for node in nodes { node.list = [nodes[0]] }
    let context = try ObjectContext(store, for: Node.mapping)
    let read = try context.objects(Node.mapping, including: \.list, \.owners)
    #expect(read.count == count)
    #expect(try !context.hasChanges)
  }

  @Test(arguments: Use.allCases)
  func aLongListIsReadAsOftenAsAShortOne(_ use: Use) throws {
    let (short, long) = (try Self.reads(use, 10), try Self.reads(use, 40))
    #expect(long.ofOne == short.ofOne)
    #expect(long.ofAll <= short.ofAll * 4)
  }
}
