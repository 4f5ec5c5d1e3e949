import FastMapCore
import TestSupport
import Testing

/// Drafts whose initialisers make targets. These are no edits of the caller.
@Suite struct ContextDraftDefaultTests {
  private final class Cover {
    var alt = ""
    var size = 1
    static let mapping = Mapping(Cover.self, "Cover", make: { Cover() }) {
      Attribute("alt", \.alt)
      Attribute("size", \.size)
    }
  }

  private final class Album {
    var id = 0
    var cover: Cover? = Cover()
    var marks: [Cover] = [Cover(), Cover()]
    static let mapping = Mapping(Album.self, "Album", primaryKey: "id", make: { Album() }) {
      Attribute("id", \.id)
      ToOne("cover", \.cover, Cover.mapping)
      ToMany("marks", \.marks, Cover.mapping)
    }
  }

  private static let stored = #"{"id":1,"cover":{"alt":"stored"},"marks":[{"alt":"one"}]}"#

  @Test(arguments: StoreKind.allCases)
  func storedTargetsReplaceTargetsOfAnInitialiser(_ kind: StoreKind) throws {
    let world = try World(kind, Album.mapping, holding: Self.stored)
    let before = try world.dump()
    try world.store.withContext(for: Album.mapping) { context in
      let draft = Album()
      try context.fill(draft, from: #"{"id":1}"#, as: Album.mapping)
      #expect((draft.cover?.alt, draft.marks.map(\.alt)) == ("stored", ["one"]))
      #expect(try !context.hasChanges())
      #expect(try summary(context.save()) == "")
    }
    #expect(try world.dump() == before)
  }

  @Test(arguments: StoreKind.allCases)
  func payloadTargetsReplaceTargetsOfAnInitialiser(_ kind: StoreKind) throws {
    let world = try World(kind, Album.mapping)
    try world.store.withContext(for: Album.mapping) { context in
      let draft = Album()
      try context.fill(draft, from: Self.stored, as: Album.mapping)
      #expect((draft.cover?.alt, draft.marks.map(\.alt)) == ("stored", ["one"]))
      #expect(try !context.hasChanges())
    }
  }

  /// Also where only a part of it is.
  @Test(arguments: StoreKind.allCases, [0, 1, 2])
  func targetsThatTheCallerChangedStay(_ kind: StoreKind, change: Int) throws {
    let world = try World(kind, Album.mapping)
    try world.store.withContext(for: Album.mapping) { context in
      let draft = Album()
      switch change {
      case 0: draft.marks[1].size = 2
      case 1: draft.marks.append(Cover())
      default: draft.marks.removeLast()
      }
      let count = draft.marks.count
      try context.fill(draft, from: #"{"id":1,"cover":{"alt":"stored"}}"#, as: Album.mapping)
      #expect((draft.marks.count, draft.cover?.alt) == (count, "stored"))
      #expect(try context.hasChanges())
      #expect(try context.save().conflicts.isEmpty)
      #expect(try !context.hasChanges())
    }
  }

  private final class Sheet {
    var id: Int
    var pages: [Sheet]
    var book: Sheet?

    /// Two pages that refer to it, and are the same one.
    init() {
      (id, pages) = (0, [])
      let page = Sheet(in: self)
      pages = [page, page]
    }

    private init(in book: Sheet) { (id, pages, self.book) = (0, [], book) }

    static let mapping: Mapping<Sheet> = Mapping(Sheet.self, "Sheet", primaryKey: "id", make: { Sheet() }) {
      Attribute("id", \.id)
      ToMany("pages", \.pages, Sheet.mapping)
      ToOne("book", \.book, Sheet.mapping)
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func targetsOfAnInitialiserMayReferToTheDraft(_ kind: StoreKind, isChanged: Bool) throws {
    let world = try World(kind, Sheet.mapping)
    try world.store.withContext(for: Sheet.mapping) { context in
      let draft = Sheet()
      // Another page in the second place is one that the caller has set.
      if isChanged { draft.pages[1] = Sheet() }
      let answer = isChanged ? #"{"id":1}"# : #"{"id":1,"pages":[{"id":2,"pages":[],"book":null}]}"#
      try context.fill(draft, from: answer, as: Sheet.mapping)
      #expect(draft.pages.map(\.id) == (isChanged ? [0, 0] : [2]))
      draft.pages = []
    }
  }
}
