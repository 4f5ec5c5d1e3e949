import FastMapCore
import TestSupport
import Testing

@testable import FastMapContexts

/// Imports that return records or fill one, on every store: they act as with instances.
@Suite struct ContextRecordImportTests {
  /// The call without `await`, and the call with it.
  enum Call: CaseIterable {
    case here, awaiting

    func fill(
      _ record: EditableRecord, from json: String, as mapping: some PlanSource, _ context: ObjectContext
    ) async throws -> ImportReport {
      func fill() throws -> ImportReport { try context.fill(record, from: json, as: mapping) }
      return switch self {
      case .here: try fill()
      case .awaiting: try await context.fill(record, from: json, as: mapping)
      }
    }

    func records(
      from json: String, as mapping: some PlanSource, _ context: ObjectContext,
      including paths: [String] = []
    ) async throws -> [EditableRecord] {
      func records() throws -> [EditableRecord] {
        try context.records(from: json, as: mapping, including: paths)
      }
      return switch self {
      case .here: try records()
      case .awaiting: try await context.records(from: json, as: mapping, including: paths)
      }
    }

    /// The message of an error that `fill` throws.
    func refusal(
      _ record: EditableRecord, from json: String, as mapping: some PlanSource, _ context: ObjectContext
    ) async -> String? {
      do {
        _ = try await fill(record, from: json, as: mapping, context)
        return nil
      } catch {
        return "\(error)"
      }
    }
  }

  private static func dune(_ context: ObjectContext) throws -> EditableRecord {
    try #require(try context.record("Book", key: 1, including: ["author", "editors"]))
  }

  @Test(arguments: StoreKind.allCases, Call.allCases)
  func theRootObjectsAreReturnedWithTheirIncludes(_ kind: StoreKind, _ call: Call) async throws {
    let (world, context) = try Library.recordWorld(kind)
    let dune = try Self.dune(context)
    try dune.set("editors", to: [])
    let found = try await call.records(
      from: #"[\#(Library.Book.update), {"id":3}, {"id":50,"author":{"id":60,"name":"new"}}]"#,
      as: world.plan(), context, including: ["author.books"])
    #expect(found.map(\.key) == [1, 3, 50])
    #expect(found[0] === dune)
    #expect(dune["title"] == "Dune!")
    #expect(try dune.keys("editors") == [], "it is edited")
    #expect(try found[1].target("author") === dune.target("author"))
    #expect(try found[1].target("author")?.keys("books") == [1, 2, 3])
    #expect(try found[2].target("author")?["name"] == "new")
    #expect(try found[2].target("author")?.targets("books").first === found[2])
    #expect(message { _ = try found[1].targets("shops") }?.contains("is not loaded") == true)
    _ = try await context.save(onConflict: .theirs)
    #expect(try dune.keys("editors") == [9, 12])
    #expect(try context.hasChanges() == false)
  }

  @Test(arguments: StoreKind.allCases, Call.allCases)
  func aNewRecordIsFilledFromTheAnswer(_ kind: StoreKind, _ call: Call) async throws {
    let (world, context) = try Library.recordWorld(kind)
    let author = try #require(try context.record("Author", key: 9, including: ["books"]))
    let draft = try context.insert("Book", ["title": "Sanditon", "rating": 3])
    try draft.set("author", to: author)
    #expect(draft.key == nil)
    let answer = #"{"id":40,"title":"Sanditon (draft)","price":2,"author":9,"notes":[{"text":"x"}]}"#
    let report = try await call.fill(draft, from: answer, as: world.plan(), context)
    #expect(report["Book"]?.inserted == 1)
    #expect((draft.key, draft["title"], draft["price"]) == (40, "Sanditon (draft)", 2.0))
    #expect(draft["rating"] == 3)
    #expect(try draft.target("author") === author)
    #expect(try draft.texts("notes") == ["x"])
    #expect(try author.keys("books") == [2, 3, 40])
    #expect(try context.record("Book", key: 40) === draft)
    let saved = try await context.save()
    #expect(summary(saved) == "Book ~1")
    #expect(
      try world.dump(of: "Book 40")
        == #"Book 40 title="Sanditon (draft)" price=2.0 rating=3 author=9 notes=[#3]"#)
  }

  @Test(arguments: StoreKind.allCases, Call.allCases)
  func recordsOfOthersAreRefused(_ kind: StoreKind, _ call: Call) async throws {
    let (world, context) = try Library.recordWorld(kind)
    let dune = try Self.dune(context)
    let author = try Library.records().plan(for: "Author")
    let entity = await call.refusal(dune, from: #"{"id":7}"#, as: author, context)
    #expect(entity == "expected an object of Author, found Book 1")
    let further = Mapping("Book", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("pages", .integer)
    }
    let field = await call.refusal(dune, from: #"{"id":1,"pages":2}"#, as: further, context)
    #expect(field?.hasPrefix("expected a mapping that the context was made for, found Book") == true)
    let unknown = Mapping("Map", primaryKey: "id") { Attribute("id", .integer) }
    await #expect(throws: UnknownNameError.self) {
      _ = try await call.records(from: #"{"id":1}"#, as: unknown, context)
    }
    let otherContext = try ObjectContext(world.store, for: world.plan())
    let stranger = try otherContext.insert("Book", ["id": 70])
    let foreign = await call.refusal(stranger, from: #"{"id":70}"#, as: world.plan(), context)
    #expect(
      foreign
        == "expected an instance that this context has read or inserted, found another one of EditableRecord")
    otherContext.end()
    #expect(try world.dump().contains("70") == false)
    try context.delete(dune)
    _ = try await context.save()
    let gone = await call.refusal(dune, from: #"{"id":1}"#, as: world.plan(), context)
    #expect(gone == "expected an object that is stored, found Book 1, which was deleted")
    #expect(try world.dump(of: "Book 1") == nil)
  }

  @Test(arguments: StoreKind.allCases, Call.allCases)
  func anEntityWithAClassHasNoRecords(_ kind: StoreKind, _ call: Call) async throws {
    let store = try kind.make()
    _ = try await Mapper(store).importJSON(Library.Book.payload, as: Library.Book.mapping)
    let context = try ObjectContext(store, for: Library.Book.mapping)
    let error = await #expect(throws: ContextError.self) {
      _ = try await call.records(from: #"{"id":60}"#, as: Library.Book.mapping, context)
    }
    #expect(error == .otherClass(entity: "Book", expected: "Book", found: "a record"))
    #expect(try Library.stored(store, 60) == nil)
  }

  @Test(arguments: StoreKind.allCases, Call.allCases)
  func aDraftThatWasDeletedIsNewAgainIfItIsStored(_ kind: StoreKind, _ call: Call) async throws {
    let (world, context) = try Library.recordWorld(kind)
    let dune = try Self.dune(context)
    let draft = try context.insert("Author", ["name": "Ann"])
    try dune.set("author", to: draft)
    try context.delete(draft)
    let author = try Library.records().plan(for: "Author")
    let refusal = await call.refusal(draft, from: #"{"id":7}"#, as: author, context)
    #expect(refusal == "expected a new object, the context has another instance for Author 7")
    #expect(throws: ContextError.newInstance(entity: "Author")) { try context.refresh([draft]) }
    _ = try await call.fill(draft, from: #"{"id":70}"#, as: author, context)
    #expect(draft.key == 70)
    #expect(try await summary(context.save()) == "Book ~1, Author ~1")
    #expect(try world.dump(of: "Author 70") == #"Author 70 name="Ann""#)
    #expect(try world.dump(of: "Book 1")?.contains(" author=70 ") == true)
  }

  @Test(arguments: StoreKind.allCases, Call.allCases)
  func aDryRunAndAnEndedContextStoreNothing(_ kind: StoreKind, _ call: Call) async throws {
    let (world, context) = try Library.recordWorld(kind)
    let before = try world.dump()
    let draft = try context.insert("Book", ["title": "new"])
    let options = ImportOptions(isDryRun: true)
    let report = try await context.fill(draft, from: #"{"id":40}"#, as: world.plan(), options: options)
    #expect(report["Book"]?.inserted == 1)
    #expect(draft.key == nil)
    context.end()
    #expect(
      await call.refusal(draft, from: #"{"id":40}"#, as: world.plan(), context) == "the context has ended")
    await #expect(throws: ContextError.hasEnded) {
      _ = try await call.records(from: #"{"id":40}"#, as: world.plan(), context)
    }
    #expect(try world.dump() == before)
  }
}
