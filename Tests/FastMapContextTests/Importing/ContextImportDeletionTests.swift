import FastMapCore
import TestSupport
import Testing

@testable import FastMapContexts

/// Edits of objects that an import into the context deletes, and edits that refer to such objects.
@Suite struct ContextImportDeletionTests {
  typealias Author = Library.Author
  typealias Book = Library.Book
  typealias Shop = Library.Shop
  typealias Note = Library.Note
  typealias Tag = Passes.Tag
  typealias Pass = Passes.Pass

  private static let values = StoreKind.allCases

  private static func codes(_ book: Book) -> [String] { book.shops.map(\.code).sorted() }

  @Test(arguments: values)
  func anImportRemovesDeletedUneditedObjectsFromTheContext(_ kind: StoreKind) throws {
    let (_, context, dune) = try Library.dune(kind)
    let b = try #require(dune.shops.first { $0.code == "b" })
    _ = try context.importJSON(#"{"id":1,"shops":["a"],"notes":[{"text":"long"}]}"#, as: Book.mapping)
    #expect(Self.codes(dune) == ["a"])
    #expect(dune.notes.map(\.text) == ["long"])
    #expect(try !context.hasChanges())
    #expect(
      message { try context.refresh([b]) }
        == #"expected an object that is stored, found Shop "b", which was deleted"#)
    #expect(try summary(context.save()) == "")
  }

  @Test(arguments: values)
  func anEditOfAnObjectDeletedByTheImportMakesTheNextSaveFail(_ kind: StoreKind) throws {
    for isRolledBack in [false, true] {
      let (world, context, dune) = try Library.dune(kind)
      let b = try #require(dune.shops.first { $0.code == "b" })
      b.city = "Arrakeen"
      dune.notes[1].text = "edited"
      let note = dune.notes[1]
      _ = try context.importJSON(
        #"{"id":1,"title":"x","shops":["a"],"notes":[{"text":"long"}]}"#, as: Book.mapping)
      #expect(dune.title == "x")
      #expect(Self.codes(dune) == ["a"])
      #expect(b.city == "Arrakeen")
      for rule in [ConflictRule.fail, .mine] {
        #expect(
          message { _ = try context.save(onConflict: rule) }?.split(separator: "\n").sorted()
            == ["Book 1.notes[1]: not stored any more", #"Shop "b": not stored any more"#])
      }
      if isRolledBack {
        try context.rollBack()
      } else {
        try context.delete(b)
        try context.delete(note)
        #expect(try summary(context.save()) == "")
      }
      #expect(try !context.hasChanges())
      #expect(try world.dump(of: #"Shop "b""#) == nil)
    }
  }

  /// The payload has none of the fields that refer to the shop.
  @Test(arguments: values)
  func anEditThatRefersToADeletedObjectMakesTheNextSaveFail(_ kind: StoreKind) throws {
    let (world, context, dune) = try Library.dune(kind)
    let emma = try #require(try context.object(Book.mapping, key: 2, including: \.shops))
    let b = try #require(dune.shops.first { $0.code == "b" })
    let new = Book()
    new.id = 40
    new.shops = [b]
    try context.insert(new, as: Book.mapping)
    emma.shops.insert(b)
    _ = try context.importJSON(#"{"id":1,"shops":["a"]}"#, as: Book.mapping)
    #expect(Self.codes(dune) == ["a"])
    #expect(emma.shops.contains(b) && new.shops.contains(b))
    #expect(message { _ = try context.save() } == #"Shop "b": not stored any more"#)
    emma.shops.remove(b)
    new.shops = []
    #expect(try summary(context.save()) == "Book +1")
    #expect(try world.dump(of: "Book 2")?.contains(#"shops=["a"]"#) == true)
  }

  @Test(arguments: values)
  func anEditedListIsAConflictEvenIfItsElementsAreDeleted(_ kind: StoreKind) throws {
    let (world, context, dune) = try Library.dune(kind)
    let note = Note()
    note.text = "new"
    dune.notes.append(note)
    _ = try context.importJSON(#"{"id":1,"notes":[{"text":"only"}]}"#, as: Book.mapping)
    #expect(dune.notes.map(\.text) == ["long", "dry", "new"])
    dune.notes = [note]
    #expect(message { _ = try context.save() } == "Book 1.notes: read none, mine new, theirs new")
    try context.save(onConflict: .mine)
    #expect(try world.dump().split(separator: "\n").count { $0.hasPrefix("Note") } == 1)
    #expect(try !context.hasChanges())
  }

  // MARK: Targets that are deleted although others refer to them

  private static let passes =
    #"[{"id":1,"bag":[{"id":3},{"id":4},{"id":5}]},{"id":2,"cover":3,"tags":[3,4]}]"#

  @Test(arguments: values, [true, false])
  func anOldTargetThatTheImportDeletesIsNoConflictIfItIsLoaded(_ kind: StoreKind, isLoaded: Bool) throws {
    let world = try World(kind, Pass.mapping, holding: Self.passes)
    let context = try ObjectContext(world.store, for: Pass.mapping)
    let pass = try #require(try context.object(Pass.mapping, key: 2))
    if isLoaded { try context.load(\.cover, of: [pass]) }
    pass.cover = try context.object(Tag.mapping, key: 5)
    _ = try context.importJSON(#"{"id":1,"bag":[4,5]}"#, as: Pass.mapping)
    if !isLoaded {
      #expect(message { _ = try context.save() } == "Pass 2.cover: read [0], mine 5, theirs none")
    }
    #expect(try summary(context.save(onConflict: isLoaded ? .fail : .mine)) == "Pass ~1")
    #expect(try world.dump(of: "Pass 2") == "Pass 2 cover=5 tags=[4]")
  }

  @Test(arguments: values)
  func aRollBackDoesNotRestoreObjectsDeletedByTheImport(_ kind: StoreKind) async throws {
    for isAwaiting in [false, true] {
      let world = try World(kind, Pass.mapping, holding: Self.passes)
      let context = try ObjectContext(world.store, for: Pass.mapping)
      let pass = try #require(try Self.pass(context))
      let three = pass.tags.removeFirst()
      pass.cover = nil
      if isAwaiting {
        _ = try await context.importJSON(#"{"id":1,"bag":[4,5]}"#, as: Pass.mapping)
      } else {
        try Self.importNow(#"{"id":1,"bag":[4,5]}"#, context)
      }
      #expect(try !Self.hasChanges(context), "the import has done the same")
      try Self.rollBack(context)
      #expect(pass.tags.map(\.id) == [4])
      #expect(pass.cover == nil)
      pass.name = "x"
      #expect(try await summary(context.save()) == "Pass ~1")
      #expect(try world.dump(of: "Pass 2") == #"Pass 2 name="x" tags=[4]"#)
      #expect(
        message { try Self.refresh(three, context) }
          == "expected an object that is stored, found Tag 3, which was deleted")
    }
  }

  // A call without `await`, from a test with it.
  private static func pass(_ context: ObjectContext) throws -> Pass? {
    try context.object(Pass.mapping, key: 2, including: \.cover, \.tags)
  }
  private static func importNow(_ json: String, _ context: ObjectContext) throws {
    _ = try context.importJSON(json, as: Pass.mapping)
  }
  private static func hasChanges(_ context: ObjectContext) throws -> Bool { try context.hasChanges() }
  private static func rollBack(_ context: ObjectContext) throws { try context.rollBack() }
  private static func refresh(_ tag: Tag, _ context: ObjectContext) throws { _ = try context.refresh([tag]) }
}
