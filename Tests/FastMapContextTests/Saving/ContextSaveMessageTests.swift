import FastMapCore
import FastMapStoreTesting
import Synchronization
import TestSupport
import Testing

/// The messages of a save, and a save in a cancelled task.
@Suite struct ContextSaveMessageTests {
  typealias Author = Library.Author
  typealias Book = Library.Book

  private static let values = StoreKind.allCases

  private static func load(_ kind: StoreKind) throws -> (World, ObjectContext, Book) {
    let world = try World(kind, Book.mapping, holding: Book.payload)
    let context = try ObjectContext(world.store, for: Book.mapping)
    let dune = try context.object(Book.mapping, key: 1, including: \.author.books, \.editors)
    return (world, context, try #require(dune))
  }

  @Test(arguments: values)
  func aNewObjectThatOnlyAnInverseHasIsToBeInserted(_ kind: StoreKind) throws {
    let (world, context, dune) = try Self.load(kind)
    let before = try world.dump()
    let new = Book()
    new.id = 50
    new.author = dune.author
    dune.author?.books.append(new)
    #expect(
      message { try context.save() }
        == "Author 7.books has a new object, and it is an inverse, which inserts nothing; "
        + "insert the object, and set its Book.author")
    #expect(try world.dump() == before)
    try context.insert(new, as: Book.mapping)
    #expect(try summary(context.save()) == "Book +1")
  }

  @Test(arguments: values)
  func aTakenKeyIsNamedWithItsPlace(_ kind: StoreKind) throws {
    let (world, context, dune) = try Self.load(kind)
    let before = try world.dump()
    let new = Author()
    new.id = 9
    dune.editors.append(new)
    #expect(
      message { try context.save() }
        == "Book 1.editors[2], a new object of Author: expected a new key, 9 is taken; "
        + "read that object and change it")
    #expect(try world.dump() == before)
  }

  @Test(arguments: StoreKind.allCases)
  func aReportOfASaveNamesChangedObjectsAndNoBytes(_ kind: StoreKind) throws {
    let (_, context, dune) = try Self.load(kind)
    dune.title = "Other"
    let report = try context.save()
    #expect("\(report)".split(separator: "\n").last?.hasPrefix("1 changed object, 0.") == true, "\(report)")
  }

  @Test func aReportOfATreeHasNoBytes() throws {
    let world = try World(.memory, Book.mapping)
    let text = #"{"id":1}"#
    try #expect("\(world.report(text))".contains("1 root object, 8 bytes, 0."))
    let report = try Array(text.utf8).withUnsafeBytes { bytes in
      try Mapper(world.store).importJSON(JSONDocument(parsing: bytes), as: world.plan())
    }
    #expect("\(report)".contains("1 root object, 0."))
  }

  @Test(arguments: values)
  func aConflictOfALongListIsShort(_ kind: StoreKind) throws {
    let (world, context, dune) = try Self.load(kind)
    let count = TestSize.count(small: 300, whole: 5000)
    func editors(_ first: Int) -> String {
      "[\((first..<first + count).map { "\($0)" }.joined(separator: ","))]"
    }
    try world.load(#"{"id":1,"editors":\#(editors(1000))}"#)
    try context.refresh([dune])
    dune.editors.reverse()
    try world.load(#"{"id":1,"editors":\#(editors(1001))}"#)
    let text = try #require(message { try context.save() })
    #expect(text.hasPrefix("Book 1.editors: read 1000, 1001, "))
    #expect(text.hasSuffix(" and \(count - 11) more"))
    #expect(text.utf8.count < 400)
  }

  /// A query asks the store; the page about contexts says so.
  @Test(arguments: values)
  func aQueryDoesNotSeeEditsBeforeTheyAreSaved(_ kind: StoreKind) throws {
    let (_, context, dune) = try Self.load(kind)
    dune.price = 1
    let cheap = try Book.mapping.where(Filter("@.price < 5"))
    #expect(try context.objects(cheap).isEmpty)
    try context.save()
    #expect(try context.objects(cheap).first === dune)
  }

  // MARK: Cancellation

  @Test(arguments: StoreKind.allCases)
  func aSaveOfACancelledTaskSavesNothing(_ kind: StoreKind) async throws {
    let store = try Library.open(kind).store
    let saved = Task {
      let context = try ObjectContext(store, for: Book.mapping)
      defer { context.end() }
      let dune = try Self.dune(context)
      dune.title = "Other"
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) { try await context.save() }
      #expect(try Self.hasChanges(context))
      #expect(dune.title == "Other")
    }
    try await saved.value
    #expect(try Library.stored(store, 1)?.title == "Dune")
  }

  private static func store() throws -> ScratchStore {
    let store = try ScratchStore()
    _ = try Mapper(store).importJSON(Book.payload, as: Book.mapping)
    return store
  }

  private static func dune(_ context: ObjectContext) throws -> Book {
    try #require(try context.object(Book.mapping, key: 1))
  }

  private static func hasChanges(_ context: ObjectContext) throws -> Bool { try context.hasChanges() }

  /// The task is cancelled when the transaction has written, and before it commits.
  @Test func aSaveThatIsCancelledOnItsWaySavesNothing() async throws {
    let base = try Self.store()
    let running = Mutex<Task<Void, any Error>?>(nil)
    let hasBegun = Mutex(false)
    let store = ObservedStore(base) { question in
      guard question.kind == .apply else { return }
      hasBegun.withLock { $0 = true }
      running.withLock { $0?.cancel() }
    }
    let task = Task {
      // The task is known before it saves.
      while running.withLock({ $0 == nil }) { await Task.yield() }
      let context = try ObjectContext(store, for: Book.mapping)
      defer { context.end() }
      let dune = try Self.dune(context)
      dune.title = "Other"
      await #expect(throws: CancellationError.self) { try await context.save() }
      #expect(try Self.hasChanges(context))
    }
    running.withLock { $0 = task }
    try await task.value
    #expect(hasBegun.withLock { $0 })
    #expect(try Library.stored(base, 1)?.title == "Dune")
  }

  @Test(arguments: values)
  func aReadOfACancelledTaskThrows(_ kind: StoreKind) async throws {
    let store = try Library.open(kind).store
    let task = Task {
      let context = try ObjectContext(store, for: Book.mapping)
      defer { context.end() }
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await context.importJSON(Book.update, as: Book.mapping)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try Library.stored(store, 1)?.title == "Dune")
  }
}
