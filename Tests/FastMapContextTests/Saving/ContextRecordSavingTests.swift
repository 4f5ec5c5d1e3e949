import FastMapCore
import TestSupport
import Testing

@testable import FastMapContexts

/// Saves of records, on every store: they write the same as saves of instances.
@Suite struct ContextRecordSavingTests {
  @Test(arguments: StoreKind.allCases)
  func aSaveWritesChangedFieldsAlone(_ kind: StoreKind) throws {
    let (world, context) = try Library.recordWorld(kind)
    let dune = try #require(try context.record("Book", key: 1, including: ["author", "notes"]))
    #expect(try !context.hasChanges())
    #expect(try summary(context.save()) == "")
    dune["title"] = "Dune Messiah"
    dune["price"] = nil
    dune["tags"] = .json(#"[ "spice" ]"#)
    try dune.targets("notes")[1]["text"] = "wet"
    #expect(try context.hasChanges())
    #expect(try summary(context.save()) == "Book ~1, Note ~1")
    #expect(try !context.hasChanges())
    #expect(
      try world.dump(of: "Book 1")
        == #"Book 1 title="Dune Messiah" rating=5 tags=["spice"] author=7 editors=[8 7] shops=["a" "b"] notes=[#1 #2]"#
    )
    #expect(try world.dump(of: "Note #2") == #"Note #2 text="wet""#)
    // The same value, written otherwise.
    dune["tags"] = .json(#"["spice"]"#)
    dune["rating"] = .unsigned(5)
    dune["price"] = .null
    #expect(try !context.hasChanges())
    dune["price"] = 7
    #expect(dune["price"] == 7.0)
    #expect(try summary(context.save()) == "Book ~1")
    #expect(try world.dump(of: "Book 1")?.contains("price=7.0") == true)
  }

  @Test(arguments: StoreKind.allCases)
  func relationshipsAreClearedReorderedAndMoved(_ kind: StoreKind) throws {
    let (world, context) = try Library.recordWorld(kind)
    let books = try context.records("Book", including: ["author", "editors", "shops", "notes"])
    let (dune, emma) = (books[0], books[1])
    try dune.set("author", to: nil)
    try dune.set("editors", to: dune.targets("editors").reversed())
    let notes = try dune.targets("notes")
    try dune.set("notes", to: [notes[1]])
    try emma.set("notes", to: [notes[0]])
    try dune.set("shops", to: emma.targets("shops"))
    let report = try context.save()
    #expect(report["Book"] == .init(updated: 2))
    #expect(report["Shop"]?.deleted == 1)
    #expect(
      try world.dump(of: "Book 1")
        == #"Book 1 title="Dune" price=9.5 rating=5 tags=["sand","spice"] editors=[7 8] shops=["a"] notes=[#2]"#
    )
    #expect(try world.dump(of: "Book 2")?.hasSuffix(#" author=9 shops=["a"] notes=[#1]"#) == true)
    #expect(try world.dump(of: #"Shop "b""#) == nil)
    try emma.set("notes", to: [])
    try dune.set("editors", to: [])
    #expect(try summary(context.save()) == "Book ~2, Note -1")
    #expect(try world.dump(of: "Book 1")?.contains("editors") == false)
    #expect(throws: ContextError.deletedInstance(entity: "Note", key: nil)) {
      try context.refresh([notes[0]])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func newRecordsAreInsertedWithTheirTargets(_ kind: StoreKind) throws {
    let (world, context) = try Library.recordWorld(kind)
    let dune = try #require(try context.record("Book", key: 1, including: ["author.books", "shops"]))
    let book = try context.insert("Book", ["id": 20, "title": "New", "price": 3])
    let author = try context.insert("Author", ["id": 21, "name": "Ann"])
    let shop = try context.insert("Shop", ["code": "z"])
    try book.set("author", to: author)
    try book.set("notes", to: [context.insert("Note", ["text": "fresh"])])
    try shop.set("best", to: book)
    try dune.set("shops", to: dune.targets("shops") + [shop])
    let other = try context.insert("Book", ["id": 22])
    try other.set("author", to: dune.target("author"))
    #expect(other.key == 22)
    #expect(try author.targets("books").isEmpty)
    #expect(try summary(context.save()) == "Book +2 ~1, Author +1, Shop +1, Note +1")
    #expect(try world.dump(of: "Book 20") == #"Book 20 title="New" price=3.0 author=21 notes=[#3]"#)
    #expect(try world.dump(of: "Book 22") == "Book 22 author=7")
    #expect(try world.dump(of: #"Shop "z""#) == #"Shop "z" best=20"#)
    #expect(try dune.target("author")?.keys("books") == [1, 22])
    // They are objects of the context now.
    #expect(try context.record("Book", key: 20) === book)
    try context.load(["books"], of: [author])
    #expect(try author.targets("books")[0] === book)
    book["title"] = "Newer"
    #expect(try summary(context.save()) == "Book ~1")
    #expect(try context.refreshAll().isEmpty)
    #expect(try book.texts("notes") == ["fresh"])
  }

  @Test(arguments: StoreKind.allCases)
  func objectsAreDeletedWithTheirOwnedObjects(_ kind: StoreKind) throws {
    let (world, context) = try Library.recordWorld(kind)
    let dune = try #require(try context.record("Book", key: 1, including: ["author", "shops"]))
    let emma = try #require(
      try context.record("Book", key: 2, including: ["author.books", "shops", "editors"]))
    let frank = try #require(try dune.target("author"))
    try emma.set("editors", to: [frank])
    try context.delete(dune)
    try context.delete(frank)
    try context.delete(context.insert("Book", ["id": 50]))
    _ = try context.save()
    #expect(try world.dump(of: "Book 1") == nil)
    #expect(try world.dump(of: "Author 7") == nil)
    #expect(try world.dump(of: #"Shop "b""#) == nil)
    #expect(try world.dump(of: #"Shop "a""#) != nil, "another book has it")
    #expect(try world.dump().contains("Note") == false)
    #expect(try world.dump(of: "Book 50") == nil)
    #expect(try context.record("Book", key: 1) == nil)
    #expect(try emma.target("author")?.keys("books") == [2, 3])
    #expect(try emma.targets("editors").isEmpty)
    #expect(try !context.hasChanges())
    #expect(throws: ContextError.deletedInstance(entity: "Book", key: 1)) { try context.delete(dune) }
    // The key may be used again.
    try context.delete(emma)
    let again = try context.insert("Book", ["id": 2, "title": "Emma again"])
    #expect(try summary(context.save()).hasPrefix("Book +1 -1") == true)
    #expect(try context.record("Book", key: 2) === again)
  }

  @Test(arguments: StoreKind.allCases)
  func aSaveThatFailsChangesNothing(_ kind: StoreKind) throws {
    let (world, context) = try Library.recordWorld(kind)
    let before = try world.dump()
    let dune = try #require(try context.record("Book", key: 1, including: ["author"]))
    dune["title"] = "Other"
    let new = try context.insert("Book", ["id": 3])
    #expect(
      message { try context.save() }
        == "a new object of Book: expected a new key, 3 is taken; read that object and change it")
    new["id"] = nil
    #expect(message { try context.save() } == "a new object of Book: expected a key, found none")
    new["id"] = 4
    let twin = try context.insert("Book", ["id": 4])
    #expect(message { try context.save() } == "two new objects of Book have the key 4")
    try context.delete(twin)
    dune["id"] = 77
    #expect(
      message { try context.save() } == "the primary key of Book 1 was changed; insert a new object instead")
    dune["id"] = 1
    #expect(try world.dump() == before)
    #expect(try summary(context.save()) == "Book +1 ~1")
  }

  @Test(arguments: StoreKind.allCases)
  func aRollbackPutsRecordsBack(_ kind: StoreKind) throws {
    let (world, context) = try Library.recordWorld(kind)
    let before = try world.dump()
    let dune = try #require(
      try context.record("Book", key: 1, including: ["author", "editors", "shops", "notes"]))
    let author = try #require(try dune.target("author"))
    (dune["title"], dune["price"], dune["rating"], dune["tags"]) = ("x", nil, 1, .json("[]"))
    try dune.set("author", to: nil)
    try dune.set("editors", to: [context.insert("Author", ["id": 40])])
    try dune.set("shops", to: [])
    try dune.targets("notes")[0]["text"] = nil
    try dune.set("notes", to: [])
    author["name"] = "y"
    try context.delete(author)
    #expect(try context.hasChanges())
    try context.rollBack()
    #expect(try !context.hasChanges())
    #expect(
      (dune["title"], dune["price"], dune["rating"], dune["tags"])
        == ("Dune", 9.5, 5, .json(#"["sand","spice"]"#)))
    #expect(try dune.target("author") === author)
    #expect(author["name"] == "Frank")
    #expect(try dune.keys("editors") == [8, 7])
    #expect(try dune.keys("shops") == ["a", "b"])
    #expect(try dune.texts("notes") == ["long", "dry"])
    #expect(try summary(context.save()) == "")
    #expect(try world.dump() == before)
  }

  // MARK: Wrong values

  @Test(arguments: StoreKind.allCases)
  func aWrongValueNamesTheObjectByItsStoredKey(_ kind: StoreKind) throws {
    let (_, context) = try Library.recordWorld(kind)
    let dune = try #require(try context.record("Book", key: 1))
    dune["id"] = 2
    #expect(
      message { _ = try dune.targets("notes") }
        == "Book 1.notes is not loaded; load it before you read or change it")
    #expect(
      message { try dune.set("author", to: dune) }
        == "Book 1.author: expected a record of Author, found one of Book")
    dune["rating"] = "x"
    #expect(message { try context.save() } == #"Book 1.rating: expected an integer, found the string "x""#)
    dune["rating"] = 1
    for (key, found) in [("1", #"the string "1""#), (1.0, "the number 1.0")] as [(Value, String)] {
      dune["id"] = key
      #expect(message { try context.save() } == "Book 1.id: expected an integer, found \(found)")
    }
    try context.rollBack()
    let new = try context.insert("Book", ["id": 20])
    new["rating"] = "x"
    #expect(message { try context.save() } == #"Book 20.rating: expected an integer, found the string "x""#)
    new["id"] = "x"
    new["rating"] = nil
    #expect(message { try context.save() } == #"a new Book.id: expected an integer, found the string "x""#)
    let refused = message { try context.insert("Book", ["id": 1.0]) }
    #expect(refused == "a new Book.id: expected an integer, found the number 1.0")
  }

  @Test(arguments: StoreKind.allCases)
  func aWrongValueInAnOwnedRecordHasItsPlace(_ kind: StoreKind) throws {
    let (_, context) = try Library.recordWorld(kind)
    let dune = try #require(try context.record("Book", key: 1, including: ["notes"]))
    try dune.targets("notes")[1]["text"] = 7
    #expect(message { try context.save() } == "Book 1.notes[1].text: expected a string, found the number 7")
    try context.rollBack()
    let note = try context.insert("Note", ["text": "new"])
    note["text"] = 7
    #expect(message { try context.save() } == "a new Note.text: expected a string, found the number 7")
  }

  @Test(arguments: StoreKind.allCases)
  func numbersOfEachKindAreTakenWhereTheyAreTheSame(_ kind: StoreKind) throws {
    let (_, context) = try Library.recordWorld(kind)
    let dune = try #require(try context.record("Book", key: 1))
    let beyond = 1 << 53 + 1
    let cases: [(name: String, value: Value, expected: Value?)] = [
      ("price", .integer(-7), .number(-7)), ("price", .unsigned(7), .number(7)),
      ("price", .number(7), .number(7)),
      ("price", .integer(1 << 60), .number(0x1p60)), ("price", .unsigned(1 << 63), .number(0x1p63)),
      ("price", .integer(Int64(beyond)), nil), ("price", .unsigned(UInt64(beyond)), nil),
      ("rating", .integer(7), .integer(7)), ("rating", .unsigned(7), .integer(7)),
      ("rating", .number(7), nil),
    ]
    for (name, value, expected) in cases {
      dune[name] = value
      if let expected {
        #expect(message { try context.save() } == nil, "\(name) \(value)")
        #expect(dune[name] == expected)
        try context.refresh([dune])
        #expect(dune[name] == expected)
      } else {
        let noun = name == "price" ? "a number that a Double can hold" : "an integer"
        let text = name == "price" ? "\(beyond)" : "7.0"
        #expect(
          message { try context.save() } == "Book 1.\(name): expected \(noun), found the number \(text)")
        dune[name] = nil
      }
    }
  }

  // MARK: Conflicts

  @Test(arguments: StoreKind.allCases)
  func aFieldThatBothHaveChangedIsAnErrorWithItsThreeValues(_ kind: StoreKind) throws {
    let (world, context) = try Library.recordWorld(kind)
    let dune = try #require(try context.record("Book", key: 1, including: ["author", "editors"]))
    _ = try context.records("Author")
    dune["title"] = "mine"
    dune["price"] = nil
    try dune.set("author", to: dune.targets("editors")[0])
    try dune.set("editors", to: [])
    dune["rating"] = 1
    try world.load(
      #"{"id":1,"title":"theirs","price":3,"author":9,"editors":[9,7],"rating":1,"tags":["new"]}"#)
    let stored = try world.dump()
    #expect(
      message { try context.save() } == """
        Book 1.title: read "Dune", mine "mine", theirs "theirs"
        Book 1.price: read 9.5, mine no value, theirs 3.0
        Book 1.author: read 7, mine 8, theirs 9
        Book 1.editors: read 8, 7, mine none, theirs 9, 7
        """)
    #expect(try world.dump() == stored)
    let rule = ConflictRule.fields(["Book.title": .theirs, "Book.editors": .theirs], otherwise: .mine)
    #expect(try summary(context.save(onConflict: rule)) == "Book ~1")
    #expect(
      try world.dump(of: "Book 1")?.hasPrefix(#"Book 1 title="theirs" rating=1 tags=["new"] author=8"#)
        == true)
    #expect((dune["title"], dune["price"], dune["tags"]) == ("theirs", nil, .json(#"["new"]"#)))
    #expect(try dune.target("author")?.key == 8)
    #expect(try dune.keys("editors") == [9, 7])
    #expect(try !context.hasChanges())
    // Editing a deleted object is an error.
    dune["title"] = "again"
    try world.store.delete(world.plan(), key: 1)
    #expect(message { try context.save(onConflict: .mine) } == "Book 1: not stored any more")
  }

  // MARK: Unique indexes

  @Test(arguments: StoreKind.allCases)
  func aUniqueIndexHoldsForRecords(_ kind: StoreKind) throws {
    let user = Mapping("User", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("mail", .string)
      Index("mail", isUnique: true)
    }
    let world = try World(kind, user)
    try world.load(#"[{"id": 1, "mail": "a"}, {"id": 2, "mail": "b"}]"#)
    let context = try ObjectContext(world.store, for: user)
    let users = try context.records("User")
    users[1]["mail"] = "a"
    #expect(throws: UniquenessError.self) { try context.save() }
    #expect(try world.dump(of: "User 2") == #"User 2 mail="b""#)
    // Two may change places.
    users[0]["mail"] = "b"
    #expect(try summary(context.save()) == "User ~2")
  }

  @Test(arguments: StoreKind.allCases)
  func aMisspeltAttributeIsTakenBackWithNil(_ kind: StoreKind) throws {
    let (_, context) = try Library.recordWorld(kind)
    let dune = try #require(try context.record("Book", key: 1))
    let misspelt = #"Book has no attribute named "titel"; did you mean "title"?"#
    (dune["title"], dune["titel"]) = ("new", "x")
    #expect(message { try context.save() } == misspelt)
    dune["titel"] = nil
    #expect(try summary(context.save()) == "Book ~1")
    // Clearing an unknown field is a mistake as well.
    dune["titel"] = nil
    #expect(message { try context.save() } == misspelt)
  }

  @Test(arguments: StoreKind.allCases)
  func aTargetThatWasSetDoesNotLoadTheRelationship(_ kind: StoreKind) throws {
    let (_, context) = try Library.recordWorld(kind)
    let dune = try #require(try context.record("Book", key: 1))
    let expected = "Book 1.author is not loaded; load it before you read or change it"
    try dune.set("author", to: context.record("Author", key: 9))
    #expect(message { try dune.set("author", to: nil) } == expected)
    #expect(try dune.target("author")?.key == 9)
    try context.load(["author"], of: [dune])
    try dune.set("author", to: nil)
    #expect(try summary(context.save()) == "Book ~1")
  }
}
