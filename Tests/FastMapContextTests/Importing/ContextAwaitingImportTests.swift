import FastMapCore
import TestSupport
import Testing

/// Imports into a context with `await`: as those without.
@Suite struct ContextAwaitingImportTests {
  typealias Book = Library.Book

  private static func dune(_ context: ObjectContext) throws -> Book {
    try #require(try context.object(Book.mapping, key: 1, including: \.author, \.editors))
  }

  @Test(arguments: StoreKind.allCases)
  func theRootObjectsAreReturnedWithTheirIncludes(_ kind: StoreKind) async throws {
    let (_, context) = try Library.open(kind)
    let dune = try Self.dune(context)
    dune.editors = []
    let found = try await context.objects(
      from: "[\(Book.update), {\"id\":3}, {\"id\":50,\"author\":{\"id\":60,\"name\":\"new\"}}]",
      as: Book.mapping, including: \.author.books, \.shops)
    #expect(found.map(\.id) == [1, 3, 50])
    #expect(found[0] === dune)
    #expect(dune.editors.isEmpty, "it is edited")
    #expect(found[1].author === dune.author)
    #expect((found[1].author?.books.map(\.id), found[2].author?.name) == ([1, 2, 3], "new"))
    #expect(found[2].author?.books.first === found[2])
    #expect(found[0].shops.count == 2)
    #expect(try context.isLoaded(\.author.books, of: found[2]))
  }

  @Test(arguments: StoreKind.allCases)
  func aCancelledImportStoresNothing(_ kind: StoreKind) async throws {
    let (store, _) = try Library.open(kind)
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let context = try ObjectContext(store, for: Book.mapping)
      _ = try await context.importJSON(Book.update, as: Book.mapping)
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(try Library.stored(store, 1)?.price == 9.5)
  }

  /// A fill is one transaction.
  @Test(arguments: StoreKind.allCases)
  func anImportMayTakeSeveralCommits(_ kind: StoreKind) async throws {
    let (store, context) = try Library.open(kind)
    let dune = try Self.dune(context)
    dune.title = "mine"
    let options = ImportOptions(commitInterval: 1)
    let found = try await context.objects(
      from: "[{\"id\":2,\"title\":\"stored\"}, \(Book.update)]", as: Book.mapping, options: options)
    #expect(found.map(\.title) == ["stored", "mine"])
    #expect(dune.price == 1)
    await #expect(throws: ContextError.self) {
      try await context.fill(dune, from: #"{"id":2,"title":"x"}"#, as: Book.mapping, options: options)
    }
    #expect(try Library.stored(store, 2)?.title == "stored")
  }
}
