import TestSupport
import Testing

@testable import FastMapCore

/// Edits of objects that an import into the context deletes, and edits that refer to such objects.
@Suite struct ContextImportDeletionTests {
  typealias Author = Library.Author
  typealias Book = Library.Book
  typealias Shop = Library.Shop
  typealias Note = Library.Note

  private static let rules: [ConflictRule] = [.mine, .theirs]
  private static let values = StoreKind.allCases

  private static func load(_ kind: StoreKind) throws -> (World, ObjectContext, Book) {
    let world = try World(kind, Book.mapping)
    try world.load(Book.payload)
    let context = try ObjectContext(world.store, for: Book.mapping)
    let dune = try #require(
      try context.object(Book.mapping, key: 1, including: \.author, \.editors, \.shops, \.notes))
    return (world, context, dune)
  }

  private static func shop(_ code: String) -> Shop {
    let shop = Shop()
    shop.code = code
    return shop
  }

  private static func codes(_ book: Book) -> [String] { book.shops.map(\.code).sorted() }

  @Test(arguments: values)
  func aKeptListHasAllButWhatTheImportHasDeleted(_ kind: StoreKind) throws {
    let (world, context, dune) = try Self.load(kind)
    dune.shops.insert(Self.shop("c"))
    let report = try context.importJSON(#"{"id":1,"shops":["a"]}"#, as: Book.mapping)
    #expect(report.conflicts.count == 1)
    #expect(report["Shop"]?.deleted == 1)
    #expect(Self.codes(dune) == ["a", "c"])
    try context.save()
    #expect(try world.dump(of: "Book 1")?.contains(#"shops=["a" "c"]"#) == true)
    #expect(try world.dump(of: #"Shop "b""#) == nil)
    #expect(try !context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases)
  func aKeptListOfOwnedObjectsHasThoseThatAreLeft(_ kind: StoreKind) throws {
    let (world, context, dune) = try Self.load(kind)
    let note = Note()
    note.text = "new"
    dune.notes.append(note)
    let report = try context.importJSON(#"{"id":1,"notes":[{"text":"only"}]}"#, as: Book.mapping)
    #expect(
      report.conflicts.map { "\($0)" } == ["Book 1.notes: read [0], [1], mine [0], [1], new, theirs new"])
    #expect(dune.notes.map(\.text) == ["new"])
    try context.save()
    #expect(try world.dump().split(separator: "\n").count { $0.hasPrefix("Note") } == 1)
    #expect(try !context.hasChanges())
  }

  @Test(arguments: StoreKind.allCases)
  func anEditOfWhatTheImportDeletesIsAConflict(_ kind: StoreKind) throws {
    for rule in Self.rules {
      let (world, context, dune) = try Self.load(kind)
      let b = try #require(dune.shops.first { $0.code == "b" })
      b.city = "Arrakeen"
      dune.notes[1].text = "edited"
      let json = #"{"id":1,"shops":["a"],"notes":[{"text":"long"}]}"#
      let failure = message { _ = try context.importJSON(json, as: Book.mapping, onConflict: .fail) }
      let expected = [
        #"Book 1.notes[1].text: read "dry", mine "edited", theirs deleted"#,
        #"Shop "b".city: read no value, mine "Arrakeen", theirs deleted"#,
      ]
      #expect(failure?.split(separator: "\n").map(String.init).sorted() == expected)
      #expect(try world.dump(of: #"Shop "b""#) != nil)
      let report = try context.importJSON(json, as: Book.mapping, onConflict: rule)
      #expect(report.conflicts.map { "\($0)" }.sorted() == expected)
      #expect(Self.codes(dune) == ["a"])
      #expect(dune.notes.map(\.text) == ["long"])
      #expect(try !context.hasChanges())
      #expect(try summary(context.save()) == "")
    }
  }

  /// The payload has none of the fields that refer to the shop.
  @Test(arguments: values)
  func anEditThatRefersToWhatTheImportDeletesIsAConflict(_ kind: StoreKind) throws {
    for rule in Self.rules {
      let (world, context, dune) = try Self.load(kind)
      let emma = try #require(try context.object(Book.mapping, key: 2, including: \.shops))
      let b = try #require(dune.shops.first { $0.code == "b" })
      let new = Book()
      new.id = 40
      new.shops = [b]
      try context.insert(new, as: Book.mapping)
      emma.shops.insert(b)
      let json = #"{"id":1,"shops":["a"]}"#
      #expect(throws: SaveConflictError.self) {
        try context.importJSON(json, as: Book.mapping, onConflict: .fail)
      }
      #expect(emma.shops.contains(b))
      let report = try context.importJSON(json, as: Book.mapping, onConflict: rule)
      #expect(
        report.conflicts.map { "\($0)" }.sorted() == [
          #"Book 2.shops: read "a", mine "a", "b", theirs "a""#,
          #"Book 40.shops: read none, mine "b", theirs none"#,
        ])
      #expect(Self.codes(emma) == ["a"])
      #expect(new.shops.isEmpty)
      #expect(try summary(context.save()) == "Book +1")
      #expect(try world.dump(of: "Book 2")?.contains(#"shops=["a"]"#) == true)
      #expect(try !context.hasChanges())
    }
  }

  // MARK: Targets that are deleted although others refer to them

  private final class Tag {
    var id = 0
    var name: String?

    static let mapping = Mapping(Tag.self, "Tag", primaryKey: "id", make: { Tag() }) {
      Attribute("id", \.id)
      Attribute("name", \.name)
    }
  }

  private final class Pass {
    var id = 0
    var name: String?
    var cover: Tag?
    var bag: [Tag] = []
    var tags: [Tag] = []

    static let mapping = Mapping(Pass.self, "Pass", primaryKey: "id", make: { Pass() }) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToOne("cover", \.cover, Tag.mapping)
      ToMany("bag", \.bag, Tag.mapping, policy: .replace(deletesShared: true))
      ToMany("tags", \.tags, Tag.mapping)
    }

    static let payload =
      #"[{"id":1,"bag":[{"id":3},{"id":4},{"id":5}]},{"id":2,"cover":3,"tags":[3,4]}]"#
  }

  @Test(arguments: values, [true, false])
  func anOldTargetThatTheImportDeletesIsNoConflict(_ kind: StoreKind, isLoaded: Bool) throws {
    let world = try World(kind, Pass.mapping)
    try world.load(Pass.payload)
    let context = try ObjectContext(world.store, for: Pass.mapping)
    let pass = try #require(try context.object(Pass.mapping, key: 2))
    if isLoaded { try context.load(\.cover, of: [pass]) }
    pass.cover = try context.object(Tag.mapping, key: 5)
    let report = try context.importJSON(#"{"id":1,"bag":[4,5]}"#, as: Pass.mapping)
    #expect(report.conflicts.isEmpty)
    #expect(try summary(context.save()) == "Pass ~1")
    #expect(try world.dump(of: "Pass 2") == "Pass 2 cover=5 tags=[4]")
  }

  /// The import drops the edit, and does not clear the relationship in its place.
  @Test(arguments: values, [true, false])
  func aToOneThatRefersToWhatTheImportDeletesShowsWhatIsStored(_ kind: StoreKind, isMet: Bool) throws {
    for isLoaded in [true, false] {
      let world = try World(kind, Pass.mapping)
      try world.load(#"[{"id":1,"bag":[{"id":3},{"id":4}]},{"id":2,"cover":{"id":9}}]"#)
      let context = try ObjectContext(world.store, for: Pass.mapping)
      let pass = try #require(try context.object(Pass.mapping, key: 2))
      if isLoaded { try context.load(\.cover, of: [pass]) }
      pass.cover = try context.object(Tag.mapping, key: 3)
      let json = #"[{"id":1,"bag":[4]}\#(isMet ? #",{"id":2,"cover":9}"# : "")]"#
      let report = try context.importJSON(json, as: Pass.mapping)
      #expect(report.conflicts.map { "\($0)" } == ["Pass 2.cover: read 9, mine 3, theirs 9"])
      #expect(try !context.hasChanges())
      try context.load(\.cover, of: [pass])
      #expect(pass.cover?.id == 9)
      #expect(try summary(context.save()) == "")
      #expect(try world.dump(of: "Pass 2") == "Pass 2 cover=9")
    }
  }

  @Test(arguments: values)
  func aRollBackDoesNotBringBackWhatTheImportHasDeleted(_ kind: StoreKind) async throws {
    for isAwaiting in [false, true] {
      let world = try World(kind, Pass.mapping)
      try world.load(Pass.payload)
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
          == "expected an object that is stored, found Tag 3, which this context has deleted")
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
