import FastMapCore
import TestSupport
import Testing

/// Imports into a context with `await`: as those without.
@Suite struct ContextAwaitingImportTests {
  typealias Book = Library.Book
  typealias Author = Library.Author

  private static func dune(_ context: ObjectContext) throws -> Book {
    try #require(try context.object(Book.mapping, key: 1, including: \.author, \.editors))
  }

  @Test(arguments: StoreKind.allCases)
  func instancesShowThePayloadAndKeepEdits(_ kind: StoreKind) async throws {
    let (_, context) = try Library.open(kind)
    let dune = try Self.dune(context)
    let jane = try Self.jane(context)
    dune.title = "mine"
    dune.rating = 1
    _ = try await context.importJSON(Book.update, as: Book.mapping)
    #expect([dune.title, "\(dune.rating ?? 0)", "\(dune.price ?? 0)"] == ["mine", "1", "1.0"])
    #expect(dune.author === jane)
    #expect(dune.editors.map(\.id) == [9, 12])
    #expect(jane.country == "UK")
    #expect(jane.books.map(\.id) == [1, 2, 3])
    let error = await #expect(throws: SaveConflictError.self) { try await context.save() }
    #expect(
      error?.conflicts.map { "\($0)" } == [#"Book 1.title: read "Dune", mine "mine", theirs "Dune!""#])
    #expect(try await summary(context.save(onConflict: .mine)) == "Book ~1")
    #expect(try Self.hasChanges(context) == false)
  }

  private static func jane(_ context: ObjectContext) throws -> Author {
    try #require(try context.object(Author.mapping, key: 9, including: \.books))
  }

  private static func hasChanges(_ context: ObjectContext) throws -> Bool { try context.hasChanges() }

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
    #expect(found[1].author?.books.map(\.id) == [1, 2, 3])
    #expect(found[2].author?.name == "new")
    #expect(found[2].author?.books.first === found[2])
    #expect(found[0].shops.count == 2)
    #expect(try context.isLoaded(\.author.books, of: found[2]))
  }

  @Test(arguments: StoreKind.allCases)
  func aDraftIsFilledAndAnotherObjectRefused(_ kind: StoreKind) async throws {
    let (store, context) = try Library.open(kind)
    let draft = Book()
    draft.rating = 3
    draft.author = try Self.jane(context)
    let answer = #"{"id":40,"title":"Sanditon","price":2,"author":9,"notes":[{"text":"x"}]}"#
    _ = try await context.fill(draft, from: answer, as: Book.mapping)
    #expect([draft.title, "\(draft.rating ?? 0)", "\(draft.price ?? 0)"] == ["Sanditon", "3", "2.0"])
    #expect(draft.notes.map(\.text) == ["x"])
    #expect(try Self.find(context, 40) === draft)
    try await context.save()
    #expect(try Library.stored(store, 40)?.rating == 3)
    let dune = try Self.dune(context)
    let error = await #expect(throws: ContextError.self) {
      try await context.fill(dune, from: #"{"id":2,"title":"x"}"#, as: Book.mapping)
    }
    #expect(error == .otherObject(entity: "Book", expected: 1, found: 2))
    #expect(try Library.stored(store, 2)?.title == "Emma")
    #expect(try Self.hasChanges(context) == false)
  }

  private static func find(_ context: ObjectContext, _ key: PrimaryKey) throws -> Book? {
    try context.object(Book.mapping, key: key)
  }

  @Test(arguments: StoreKind.allCases)
  func recordsMeetAPayloadAsInstancesDo(_ kind: StoreKind) async throws {
    let (world, context) = try Library.recordWorld(kind)
    let dune = try #require(try context.record("Book", key: 1, including: ["author", "editors"]))
    dune["title"] = "mine"
    try dune.set("editors", to: dune.targets("editors").reversed())
    let draft = try context.insert("Book", ["id": 40, "title": "mine"])
    _ = try await context.importJSON(
      #"[\#(Book.update), {"id":40,"title":"theirs","price":2,"author":9}]"#, as: world.plan())
    #expect(dune["title"] == "mine")
    #expect(try dune.keys("editors") == [7, 8])
    #expect(draft["price"] == 2.0)
    #expect(try draft.keys("author") == [9])
    let report = try await context.save(onConflict: .fields(["Book.title": .mine], otherwise: .theirs))
    #expect(report.conflicts.count == 3)
    #expect(summary(report) == "Book ~2")
    #expect(try dune.keys("editors") == [9, 12])
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
    var options = ImportOptions()
    options.commitInterval = 1
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
