import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapContexts

/// Reads outside a context: the relationships that `including:` names and no more, and nothing stays in memory.
///
/// It counts instances, so it runs after the other suites that do.
extension ContextEndTests {
  @Suite(.serialized) struct WithoutContext {
    typealias Node = Library.Node
    typealias Book = Library.Book

    private static func ring(_ kind: StoreKind, _ count: Int) throws -> any Store {
      let store = try kind.make()
      let nodes = (0..<count).map { #"{"id":\#($0),"next":\#(($0 + 1) % count)}"# }
      _ = try Mapper(store).importJSON("[\(nodes.joined(separator: ","))]", as: Node.mapping)
      return store
    }

    @Test(arguments: ContextEndTests.stores)
    func aReadOfOneOfARingMakesOneInstance(_ kind: StoreKind) throws {
      let count = TestSize.count(kind, small: 1000, others: 100, whole: 10_000)
      let store = try Self.ring(kind, count)
      let before = Node.liveCount
      do {
        let one = try #require(try store.read { try $0.object(Node.mapping, key: 7) })
        #expect(one.next == nil)
        #expect(Node.liveCount == before + 1)
        let two = try #require(try store.read { try $0.object(Node.mapping, key: 7, including: \.next) })
        #expect(two.next?.id == 8)
        #expect(two.next?.next == nil)
        #expect(Node.liveCount == before + 3)
        let back = try #require(
          try store.read { try $0.object(Node.mapping, key: 7, including: \.next.referrers) })
        #expect(back.next?.referrers.map(\.id) == [7])
      }
      #expect(Node.liveCount == before)
    }

    @Test(arguments: StoreKind.allCases)
    func eachReadIncludesItsNamedRelationships(_ kind: StoreKind) throws {
      let store = try kind.make(Book.payload, as: Book.mapping)
      let imported = try store.read { try $0.objects(Book.mapping, including: \.author) }
      #expect(imported.map { $0.author?.name } == ["Frank", "Jane", "Jane"])
      #expect(imported[1].author === imported[2].author)
      try store.read { snapshot in
        let all = try snapshot.objects(
          Book.mapping.keys(1...2).limit(5), including: \.author.books, \.shops, \.notes)
        #expect(all.map { $0.author?.books.map(\.id) } == [[1], [2, 3]])
        #expect((all.map(\.shops.count), all[0].notes.map(\.text)) == ([2, 1], ["long", "dry"]))
      }
      let some = try store.read { try $0.objects(Book.mapping.keys([3, 1]), including: \.editors) }
      #expect(some.map { $0.editors.map(\.id) } == [[8, 7], []])
      let query = try Book.mapping.where(Filter("@.id > 1"))
      let found = try store.read { try $0.objects(query, including: \.author) }
      #expect(found.map { $0.author?.id } == [9, 9])
      #expect(try store.read { try $0.first(query, including: \.author.books)?.author?.books.count } == 2)
      #expect(try store.read { try $0.first(query)?.author } == nil)
      #expect(try Mapper(store).roundTrip(#"{"id":1}"#, as: Book.mapping).first?.author == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func instancesOfAnotherEntityAreRefusedAndRecordsAreNot(_ kind: StoreKind) throws {
      let store = try kind.make(Book.payload, as: Book.mapping)
      let authors = Book.mapping.query(of: "Author")
      #expect(throws: FilterError.self) { try store.read { try $0.objects(authors) } }
      #expect(throws: FilterError.self) { try store.read { try $0.first(authors) } }
      #expect(throws: FilterError.self) { try store.read { try $0.page(authors) } }
      let context = try ObjectContext(store, for: Book.mapping)
      defer { context.end() }
      #expect(throws: FilterError.self) { try context.objects(authors) }
      #expect(throws: FilterError.self) { try context.first(authors.limit(1)) }
      let records = try store.read { try $0.records(authors.sorted(by: "name")) }
      #expect(records.allSatisfy { $0.entity == "Author" } && records.count > 1)
      #expect(try store.read { try $0.count(authors) } == records.count)
    }

    @Test func aPathThatIsNoRelationshipIsRefused() throws {
      let store = try StoreKind.lmdb.make()
      let narrow: Mapping<Book> = Mapping(Book.self, "Book", primaryKey: "id", make: { Book() }) {
        Attribute("id", \.id)
      }
      #expect(throws: ContextError.self) {
        try store.read { try $0.object(narrow, key: 1, including: \.author) }
      }
      #expect(throws: ContextError.self) {
        try store.read { try $0.objects(narrow, including: \.author) }
      }
      #expect(try store.read { try $0.count(narrow) } == 0)
    }
  }
}
