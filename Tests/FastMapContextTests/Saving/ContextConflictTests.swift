import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapContexts

/// Saves after another writer's changes since the read. A store that keeps instances has no conflicts: the instances
/// are the objects.
@Suite struct ContextConflictTests {
  typealias Author = Library.Author
  typealias Book = Library.Book

  private static let stores: [StoreKind] = StoreKind.allCases

  private static func load(_ kind: StoreKind) throws -> (World, ObjectContext, Book) {
    let world = try World(kind, Book.mapping, holding: Book.payload)
    let context = try ObjectContext(world.store, for: Book.mapping)
    let dune = try #require(
      try context.object(Book.mapping, key: 1, including: \.author, \.editors, \.shops))
    _ = try context.objects(Author.mapping)
    return (world, context, dune)
  }

  @Test(arguments: stores)
  func aFieldThatBothHaveChangedIsAnErrorWithItsThreeValues(_ kind: StoreKind) throws {
    let (world, context, dune) = try Self.load(kind)
    dune.title = "mine"
    dune.price = nil
    dune.author = dune.editors[0]
    dune.editors.removeAll()
    dune.rating = 1
    try world.load(
      #"{"id":1,"title":"theirs","price":3,"author":9,"editors":[9,7],"rating":1,"tags":["new"]}"#)
    let stored = try world.dump()
    do {
      _ = try context.save()
      Issue.record("the save succeeds")
    } catch let error as SaveConflictError {
      #expect(
        error.description == """
          Book 1.title: read "Dune", mine "mine", theirs "theirs"
          Book 1.price: read 9.5, mine no value, theirs 3.0
          Book 1.author: read 7, mine 8, theirs 9
          Book 1.editors: read 8, 7, mine none, theirs 9, 7
          """)
      #expect(error.conflicts[0].theirs == .value(.string("theirs")))
      #expect(error.conflicts[3].read == .targets([8, 7]))
    }
    #expect(try world.dump() == stored)
    #expect((dune.title, dune.tags) == ("mine", ["sand", "spice"]))
    let rule = ConflictRule.fields(["Book.title": .theirs, "Book.editors": .theirs], otherwise: .mine)
    #expect(try summary(context.save(onConflict: rule)) == "Book ~1")
    #expect(
      try world.dump(of: "Book 1")?.hasPrefix(#"Book 1 title="theirs" rating=1 tags=["new"] author=8"#)
        == true)
    #expect(try world.dump(of: "Book 1")?.contains("editors=[9 7]") == true)
    // The instance shows the stored values.
    #expect((dune.title, dune.price, dune.tags) == ("theirs", nil, ["new"]))
    #expect((dune.author?.id, dune.editors.map(\.id)) == (8, [9, 7]))
    #expect(try !context.hasChanges())
  }

  @Test(arguments: stores)
  func theSameChangeIsNoConflict(_ kind: StoreKind) throws {
    let (world, context, dune) = try Self.load(kind)
    dune.title = "both"
    dune.editors.reverse()
    try world.load(#"{"id":1,"title":"both","editors":[7,8]}"#)
    #expect(try summary(context.save()) == "Book =1")
    #expect(try !context.hasChanges())
  }

  @Test(arguments: stores)
  func aRuleMayAskAClosure(_ kind: StoreKind) throws {
    struct Stop: Error {}
    let (world, context, dune) = try Self.load(kind)
    (dune.title, dune.rating) = ("mine", 2)
    try world.load(#"{"id":1,"title":"theirs","rating":4}"#)
    #expect(throws: Stop.self) { try context.save(onConflict: .custom { _ in throw Stop() }) }
    let rule = ConflictRule.custom { conflict in
      guard case .value(.integer(let mine)) = conflict.mine,
        case .value(.integer(let theirs)) = conflict.theirs
      else { return .mine }
      return mine > theirs ? .mine : .theirs
    }
    _ = try context.save(onConflict: rule)
    #expect((dune.title, dune.rating) == ("mine", 4))
    #expect(try world.dump(of: "Book 1")?.hasPrefix(#"Book 1 title="mine" price=9.5 rating=4"#) == true)
  }

  @Test(arguments: StoreKind.allCases)
  func aRuleWithAnUnknownNameIsRefusedBeforeAnythingIsStored(_ kind: StoreKind) throws {
    let world = try World(kind, Book.mapping, holding: Book.payload)
    let context = try ObjectContext(world.store, for: Book.mapping)
    let shop = Library.Shop()
    shop.code = "new"
    try context.insert(shop, as: Library.Shop.mapping)
    let stored = try world.dump()
    for (name, expected) in [
      ("Book.tilte", #"Book has no field named "tilte"; did you mean "title"?"#),
      ("Shop.x", #"Shop has no field named "x"; there are "code", "city" and "best""#),
      ("Bok.title", #"no entity named "Bok"; did you mean "Book"?"#),
      ("Book", #"expected "Entity.field" in a conflict rule, found "Book""#),
      ("Author.books", #""Author.books" is an inverse, which has no conflicts"#),
    ] {
      let rule = ConflictRule.fields([name: .mine, "Book.title": .mine])
      #expect(message { try context.save(onConflict: rule) } == expected)
    }
    #expect(try world.dump() == stored)
    #expect(try summary(context.save(onConflict: .fields(["Book.editors": .mine]))) == "Shop +1")
  }

  @Test(arguments: StoreKind.allCases)
  func anAwaitedUseRefusesSuchARuleToo(_ kind: StoreKind) async throws {
    let world = try World(kind, Book.mapping)
    let context = try ObjectContext(world.store, for: Book.mapping)
    let rule = ConflictRule.fields(["Book.tilte": .mine])
    await #expect(throws: UnknownNameError.self) { try await context.save(onConflict: rule) }
    #expect(try world.dump() == "")
  }

  @Test(arguments: stores)
  func anObjectThatIsGoneIsAnError(_ kind: StoreKind) throws {
    let (world, context, dune) = try Self.load(kind)
    dune.title = "mine"
    try world.store.delete(Book.mapping, key: 1)
    #expect(message { _ = try context.save(onConflict: .mine) } == "Book 1: not stored any more")
    try context.delete(dune)
    #expect(try summary(context.save()) == "")
    let emma = try #require(try context.object(Book.mapping, key: 2, including: \.author))
    emma.author = try context.object(Author.mapping, key: 8)
    try world.store.delete(Author.mapping, key: 8)
    #expect(message { _ = try context.save() } == "Author 8: not stored any more")
    try context.rollBack()
    #expect(emma.author?.id == 9)
  }

  /// Nothing that is saved refers to them.
  @Test(arguments: stores)
  func newObjectsOfAListThatStaysTheOthersAreNotStored(_ kind: StoreKind) throws {
    let store = try kind.make(Book.payload, as: Book.mapping)
    let context = try ObjectContext(store, for: Book.mapping)
    let dune = try #require(try context.object(Book.mapping, key: 1, including: \.notes, \.editors))
    let (note, editor, given) = (Library.Note(), Author(), Author())
    (note.text, editor.id, given.id) = ("new", 70, 71)
    dune.notes.append(note)
    dune.editors += [editor, given]
    try context.insert(given, as: Author.mapping)
    _ = try Mapper(store).importJSON(#"{"id":1,"notes":[{"text":"theirs"}],"editors":[9]}"#, as: Book.mapping)
    try context.save(onConflict: .theirs)
    #expect((dune.notes.count, dune.editors.map(\.id)) == (1, [9]))
    let stored = try store.read(Book.mapping) { snapshot in
      let authors = try [70, 71].map { try snapshot.record("Author", key: $0) != nil }
      return (notes: try snapshot.records("Note").count, authors: authors)
    }
    #expect((stored.notes, stored.authors) == (1, [false, true]))
    #expect(try !context.hasChanges())
    // It is new again.
    dune.editors.append(editor)
    try context.save()
    #expect(try context.object(Author.mapping, key: 70) === editor)
  }

  /// Each conflict names its new targets. The time does not grow with the square of their number.
  @Test(arguments: stores)
  func manyConflictsNameTheirNewTargets(_ kind: StoreKind) throws {
    if kind != .lmdb { return try conflictOfMany(kind, 20) { try $0() } }
    let large = TestSize.count(small: 400, whole: 6400)
    let times = try growth(from: large / 8, to: large) { count, measure in
      try conflictOfMany(kind, count, measure)
    }
    #expect(times < 24)
  }

  private func conflictOfMany(
    _ kind: StoreKind, _ count: Int, _ measure: (() throws -> Void) throws -> Void
  ) throws {
    let world = try World(kind, Book.mapping)
    func books(_ author: Int) -> String {
      "[\((0..<count).map { #"{"id":\#($0),"author":\#(author)}"# }.joined(separator: ","))]"
    }
    try world.load(books(7))
    let context = try ObjectContext(world.store, for: Book.mapping)
    for book in try context.objects(Book.mapping, including: \.author) {
      let author = Author()
      author.id = 100_000 + book.id
      book.author = author
    }
    try world.load(books(8))
    var error: SaveConflictError?
    try measure { error = #expect(throws: SaveConflictError.self) { try context.save() } }
    let mine = Dictionary(uniqueKeysWithValues: error?.conflicts.map { ($0.key, $0.mine) } ?? [])
    let expected = (0..<count).map {
      (PrimaryKey($0), ObjectConflict.State.targets([PrimaryKey(100_000 + $0)]))
    }
    #expect(mine == Dictionary(uniqueKeysWithValues: expected))
  }

  /// The instance shows the stored target, even if it was not loaded.
  @Test(arguments: stores, [false, true])
  func aToOneThatStaysTheirsIsShown(_ kind: StoreKind, isImported: Bool) throws {
    let world = try World(kind, Book.mapping, holding: Book.payload)
    let context = try ObjectContext(world.store, for: Book.mapping)
    let dune = try #require(try context.object(Book.mapping, key: 1))
    dune.author = try context.object(Author.mapping, key: 8)
    let theirs = #"{"id":1,"author":9}"#
    if isImported { _ = try context.importJSON(theirs, as: Book.mapping) } else { try world.load(theirs) }
    let report = try context.save(onConflict: .theirs)
    #expect(report.conflicts.map { "\($0)" } == ["Book 1.author: read 7, mine 8, theirs 9"])
    #expect(dune.author?.id == 9)
    #expect(try context.isLoaded(\.author, of: dune))
    #expect(try !context.hasChanges())
    #expect(try world.dump(of: "Book 1")?.contains("author=9") == true)
  }

  /// Otherwise each is a round trip to a server.
  @Test func theQuestionsOfASaveDoNotGrowWithItsConflicts() throws {
    func questions(_ count: Int) throws -> Int {
      let counter = TripCounter()
      let store = counter.store(on: try ScratchStore())
      func load(_ author: Int) throws {
        let books = (1...count).map { #"{"id":\#($0),"author":{"id":\#(author)}}"# }
        _ = try Mapper(store).importJSON("[\(books.joined(separator: ","))]", as: Book.mapping)
      }
      try load(1)
      let context = try ObjectContext(store, for: Book.mapping)
      let author = try #require(try context.object(Author.mapping, key: 1, including: \.books.author))
      for book in author.books { book.author = nil }
      try load(2)
      _ = counter.take()
      try context.save(onConflict: .theirs)
      return counter.take().count
    }
    #expect(try questions(40) == questions(4))
  }
}
