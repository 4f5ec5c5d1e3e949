import FastMapCore
import TestSupport
import Testing

/// `refreshAll` with and without `await`, of classes that belong to no actor.
@Suite struct ContextRefreshAllTests {
  typealias Book = Library.Book

  private static func refreshHere(_ context: ObjectContext) throws -> [AnyObject] { try context.refreshAll() }

  @Test(arguments: StoreKind.allCases, [false, true])
  func refreshAllShowsStoredValuesAndKeepsEdits(_ kind: StoreKind, isAwaited: Bool) async throws {
    let (store, context) = try Library.open(kind)
    let books = try context.objects(Book.mapping, including: \.editors)
    books[0].rating = 1
    _ = try await Mapper(store).importJSON(Book.update, as: Book.mapping)
    try store.delete(Book.mapping.keys(3...3))
    let gone = try isAwaited ? await context.refreshAll() : Self.refreshHere(context)
    #expect(gone.map(ObjectIdentifier.init) == [ObjectIdentifier(books[2])])
    #expect((books[0].title, books[0].rating, books[0].editors.map(\.id)) == ("Dune!", 1, [9, 12]))
  }

  @Test(arguments: StoreKind.allCases)
  func anEndedContextRefusesBoth(_ kind: StoreKind) async throws {
    let (_, context) = try Library.open(kind)
    context.end()
    #expect(throws: ContextError.hasEnded) { try Self.refreshHere(context) }
    await #expect(throws: ContextError.hasEnded) { _ = try await context.refreshAll() }
  }
}
