import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapContexts

/// Imports into a context: payloads meet edits.
@Suite struct ContextImportTests {
  typealias Book = Library.Book
  typealias Author = Library.Author

  @Test(arguments: StoreKind.allCases)
  func instancesShowThePayloadAndKeepTheirIdentity(_ kind: StoreKind) throws {
    let (_, context) = try Library.open(kind)
    let dune = try #require(try context.object(Book.mapping, key: 1, including: \.author, \.editors))
    let jane = try #require(try context.object(Author.mapping, key: 9, including: \.books))
    let found = try context.objects(
      from: "[\(Book.update),{\"id\":4}]", as: Book.mapping, including: \.author)
    #expect(found[0] === dune)
    #expect(found.map(\.id) == [1, 4])
    #expect(dune.title == "Dune!")
    #expect(dune.author === jane)
    #expect(dune.editors.map(\.id) == [9, 12])
    #expect((jane.country, jane.books.map(\.id)) == ("UK", [1, 2, 3]))
    #expect(try !context.hasChanges())
  }

  private static let conflicts = [
    "Book 1.author: read 7, mine none, theirs 9",
    "Book 1.editors: read 8, 7, mine 7, 8, theirs 9, 12",
    #"Book 1.title: read "Dune", mine "mine", theirs "Dune!""#,
  ]

  /// The rule of the next save decides.
  @Test(arguments: StoreKind.allCases, [false, true])
  func anEditStaysAndIsAConflictOfTheNextSave(_ kind: StoreKind, isMine: Bool) throws {
    let (store, context) = try Library.open(kind)
    let dune = try #require(try context.object(Book.mapping, key: 1, including: \.author, \.editors))
    (dune.title, dune.rating, dune.author) = ("mine", 1, nil)
    dune.editors.reverse()
    let report = try context.importJSON(Book.update, as: Book.mapping)
    #expect(report.conflicts.isEmpty)
    #expect(try Library.stored(store, 1)?.title == "Dune!")
    #expect((dune.title, dune.rating, dune.price) == ("mine", 1, 1))
    #expect(dune.author == nil)
    #expect(dune.editors.map(\.id) == [7, 8])
    let error = #expect(throws: SaveConflictError.self) { try context.save() }
    #expect(error?.conflicts.map { "\($0)" }.sorted() == Self.conflicts)
    #expect(try Library.stored(store, 1)?.rating == 5)
    let saved = try context.save(onConflict: isMine ? .mine : .theirs)
    #expect(saved.conflicts.map { "\($0)" }.sorted() == Self.conflicts)
    #expect(try !context.hasChanges())
    let found = try store.read { try $0.object(Book.mapping, key: 1, including: \.author, \.editors) }
    for book in [dune, try #require(found)] {
      #expect((book.title, book.rating, book.price) == (isMine ? "mine" : "Dune!", 1, 1))
      #expect(book.author?.id == (isMine ? nil : 9))
      #expect(book.editors.map(\.id) == (isMine ? [7, 8] : [9, 12]))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aDraftIsFilledFromTheAnswer(_ kind: StoreKind) throws {
    let (store, context) = try Library.open(kind)
    let author = try #require(try context.object(Author.mapping, key: 9, including: \.books))
    let draft = Book()
    draft.title = "Sanditon"
    draft.rating = 3
    draft.author = author
    draft.notes = [Library.Note()]
    let answer = #"{"id":40,"title":"Sanditon (draft)","price":2,"author":9,"notes":[{"text":"n"}]}"#
    let report = try context.fill(draft, from: answer, as: Book.mapping)
    #expect(report["Book"]?.inserted == 1)
    #expect((draft.id, draft.title, draft.price, draft.rating) == (40, "Sanditon (draft)", 2, 3))
    #expect(draft.author === author)
    #expect(draft.notes.map(\.text) == ["n"])
    #expect(try context.object(Book.mapping, key: 40) === draft)
    #expect(try context.save().conflicts.isEmpty)
    let found = try #require(try Library.stored(store, 40))
    #expect((found.rating, found.title) == (3, "Sanditon (draft)"))
  }

  @Test(arguments: StoreKind.allCases)
  func aNewInstanceBecomesTheObjectOfItsKey(_ kind: StoreKind) throws {
    let (store, context) = try Library.open(kind)
    let draft = Book()
    draft.id = 40
    draft.title = "mine"
    try context.insert(draft, as: Book.mapping)
    _ = try context.importJSON(
      #"{"id":40,"title":"theirs","price":2,"notes":[{"text":"x"}]}"#, as: Book.mapping)
    #expect((draft.title, draft.price) == ("mine", 2))
    #expect(draft.notes.map(\.text) == ["x"])
    #expect(message { _ = try context.save() } == #"Book 40.title: read "", mine "mine", theirs "theirs""#)
    #expect(try context.save(onConflict: .mine)["Book"] == .init(updated: 1))
    #expect(try Library.stored(store, 40)?.title == "mine")
    try context.rollBack()
    #expect(draft.title == "mine")
  }

  /// Another writer has stored the key. Its values are not overwritten unseen.
  @Test(arguments: StoreKind.allCases)
  func aNewInstanceWithTheKeyOfAnotherWriterIsAConflict(_ kind: StoreKind) throws {
    let (store, context) = try Library.open(kind)
    let draft = Book()
    (draft.id, draft.title, draft.rating) = (40, "mine", 1)
    try context.insert(draft, as: Book.mapping)
    _ = try Mapper(store).importJSON(#"{"id":40,"title":"theirs","price":2}"#, as: Book.mapping)
    _ = try context.importJSON(#"{"id":2,"title":"x"}"#, as: Book.mapping)
    #expect((draft.title, draft.rating, draft.price) == ("mine", 1, 2))
    #expect(message { _ = try context.save() } == #"Book 40.title: read "", mine "mine", theirs "theirs""#)
    #expect(try Library.stored(store, 40)?.title == "theirs")
    try context.save(onConflict: .theirs)
    let found = try #require(try Library.stored(store, 40))
    #expect((found.title, found.rating, found.price) == ("theirs", 1, 2))
  }

  @Test(arguments: StoreKind.allCases)
  func aPayloadOfAnotherObjectIsRefused(_ kind: StoreKind) throws {
    let (store, context) = try Library.open(kind)
    let dune = try #require(try context.object(Book.mapping, key: 1))
    let other = message { try context.fill(dune, from: #"{"id":2,"title":"x"}"#, as: Book.mapping) }
    #expect(other == "expected a payload for Book 1, found one for Book 2")
    let again = message { try context.fill(Book(), from: #"{"id":1,"title":"x"}"#, as: Book.mapping) }
    #expect(again == "expected a new object, the context has another instance for Book 1")
    let draft = Book()
    draft.id = 70
    let wrong = message { try context.fill(draft, from: #"{"id":80}"#, as: Book.mapping) }
    #expect(wrong == "expected a payload for Book 70, found one for Book 80")
    #expect(try Library.stored(store, 80) == nil)
    #expect(try Library.stored(store, 2)?.title == "Emma")
    #expect(try Library.stored(store, 1)?.title == "Dune")
    try context.fill(dune, from: #"{"id":1,"title":"x"}"#, as: Book.mapping)
    #expect(dune.title == "x")
  }

  @Test(arguments: StoreKind.allCases)
  func aDryRunChangesNothing(_ kind: StoreKind) throws {
    let (_, context) = try Library.open(kind)
    let dune = try #require(try context.object(Book.mapping, key: 1))
    dune.title = "mine"
    let options = ImportOptions(isDryRun: true)
    #expect(try context.importJSON(Book.update, as: Book.mapping, options: options)["Book"]?.updated == 1)
    #expect((dune.title, dune.price) == ("mine", 9.5))
    #expect(try context.save().conflicts.isEmpty)
  }

  /// Commits before a fault stay, and edits stay in any case.
  @Test(arguments: StoreKind.allCases)
  func anImportMayTakeSeveralCommits(_ kind: StoreKind) throws {
    let (store, context) = try Library.open(kind)
    let dune = try #require(try context.object(Book.mapping, key: 1))
    dune.rating = 1
    let options = ImportOptions(commitInterval: 1)
    let found = try context.objects(
      from: #"[\#(Book.update),{"id":60,"title":"new"}]"#, as: Book.mapping, options: options)
    #expect(found.map(\.title) == ["Dune!", "new"])
    #expect(found[0] === dune && dune.rating == 1)
    #expect(throws: MappingError.self) {
      try context.importJSON(#"[{"id":2,"title":"x"},{"id":"bad"}]"#, as: Book.mapping, options: options)
    }
    #expect(try Library.stored(store, 2)?.title == "x")
    #expect(try summary(context.save()) == "Book ~1")
  }
}

/// Imports into a context whose instances refer to each other, and the state after a fill.
@Suite struct ContextDraftTests {
  typealias Book = Library.Book
  typealias Author = Library.Author

  private static let values = StoreKind.allCases

  @Test(arguments: values)
  func newInstancesThatReferToEachOtherBecomeTheObjectsOfTheirKeys(_ kind: StoreKind) throws {
    let (_, context) = try Library.open(kind)
    let (book, author) = (Book(), Author())
    (book.id, author.id) = (40, 77)
    book.author = author
    try context.insert(book, as: Book.mapping)
    _ = try context.importJSON(#"{"id":40,"author":{"id":77,"name":"X"}}"#, as: Book.mapping)
    #expect(book.author === author)
    #expect(author.name == "X")
    #expect(try context.object(Author.mapping, key: 77) === author)
    #expect(try context.save().conflicts.isEmpty, "both say the same")
    #expect(try !context.hasChanges())
  }

  /// An object that refers to another may be shown before it.
  @Test(arguments: values)
  func anEditOfANewTargetIsSavedAfterAnImportHasInsertedBoth(_ kind: StoreKind) throws {
    let (store, context) = try Library.open(kind)
    let (book, author) = (Book(), Author())
    (book.id, author.id) = (40, 77)
    (book.author, author.country) = (author, "UK")
    try context.insert(book, as: Book.mapping)
    _ = try context.importJSON(#"{"id":40,"author":{"id":77,"name":"X"}}"#, as: Book.mapping)
    #expect(author.country == "UK")
    try context.refreshAll()
    #expect(try context.save()["Author"] == .init(updated: 1))
    #expect(try store.read { try $0.object(Author.mapping, key: 77)?.country } == "UK")
  }

  @Test(arguments: values)
  func aFillThatStoresNothingLeavesNothing(_ kind: StoreKind) throws {
    let (_, context) = try Library.open(kind)
    let draft = Book()
    try context.fill(draft, from: #"{"id":50}"#, as: Book.mapping, options: ImportOptions(isDryRun: true))
    #expect(try !context.hasChanges())
    let dune = try #require(try context.object(Book.mapping, key: 1))
    try context.delete(dune)
    try context.fill(dune, from: #"{"id":1,"price":3}"#, as: Book.mapping)
    #expect(try context.hasChanges(), "it stays marked")
    try context.save()
    #expect(try context.object(Book.mapping, key: 1) == nil)
  }

  /// Every book has the same author, who has all the books.
  @Test func nestedPathsMeetEachObjectOnce() throws {
    let store = try StoreKind.lmdb.make()
    let count = TestSize.count(small: 500, whole: 4000)
    let books = (1...count).map { #"{"id":\#($0),"author":{"id":1}}"# }.joined(separator: ",")
    _ = try Mapper(store).importJSON("[\(books)]", as: Book.mapping)
    try store.withContext(for: Book.mapping) { context in
      let found = try context.objects(Book.mapping, including: \.author.books.author.books.author)
      #expect(found.count == count)
      #expect(try context.isLoaded(\.author.books.author.books, of: found[0]))
    }
  }

  /// Half of the books are edited, and half are new instances. The payload has all of them, with authors that are not loaded.
  @Test func theTripsOfAnImportDoNotGrowWithTheObjectsThatItMeets() throws {
    func trips(_ count: Int) throws -> Trips {
      let (counter, base) = (TripCounter(), try ScratchStore())
      let old = (1...count).map { #"{"id":\#($0),"title":"a","author":{"id":\#($0)},"editors":[\#($0)]}"# }
      _ = try Mapper(base).importJSON("[\(old.joined(separator: ","))]", as: Book.mapping)
      let context = try ObjectContext(counter.store(on: base), for: Book.mapping)
      for book in try context.objects(Book.mapping, including: \.author, \.editors) {
        (book.title, book.author, book.editors) = ("mine", nil, [])
      }
      for number in 1...count {
        let draft = Book()
        (draft.id, draft.title) = (1000 + number, "mine")
        try context.insert(draft, as: Book.mapping)
      }
      let payload = (Array(1...count) + (1001...1000 + count)).map {
        #"{"id":\#($0),"title":"b","author":{"id":\#($0 + 5000)},"editors":[\#($0 + 7000)]}"#
      }
      _ = counter.take()
      _ = try context.importJSON("[\(payload.joined(separator: ","))]", as: Book.mapping)
      let trips = counter.take()
      let report = try context.save(onConflict: .mine)
      #expect(report.conflicts.count == 4 * count)
      #expect(summary(report) == "Book ~\(2 * count)")
      return trips
    }
    let (few, many) = try (trips(10), trips(TestSize.count(small: 60, whole: 200)))
    // The import itself has one batch more.
    let reads = { (trips: Trips) in trips.questions.count { [.read, .targets].contains($0.kind) } }
    #expect(reads(many) == reads(few), "\(few); \(many)")
    #expect(many.count <= 28, "\(many)")
  }

  @Test func aRecordOfAnObjectThatIsAnInstanceIsACopy() throws {
    let store = try StoreKind.memory.make()
    _ = try Mapper(store).importJSON(Book.payload, as: Book.mapping)
    let record: Mapping<Record> = Mapping("Book", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("title", .string)
    }
    let context = try ObjectContext(store, for: record)
    #expect(try context.record("Book", key: 1)?["title"] == "Dune")
  }
}
