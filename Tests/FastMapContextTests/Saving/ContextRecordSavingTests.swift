import FastMapCore
import TestSupport
import Testing

@testable import FastMapContexts

/// Values of records in saves, on every store. The model of contexts has the saves themselves.
@Suite struct ContextRecordSavingTests {
  @Test(arguments: StoreKind.allCases)
  func aSaveWritesChangedFieldsAlone(_ kind: StoreKind) throws {
    let (world, context) = try Library.recordWorld(kind)
    let dune = try #require(try context.record("Book", key: 1, including: ["author"]))
    dune["price"] = nil
    dune["tags"] = .json(#"[ "spice" ]"#)
    #expect(try summary(context.save()) == "Book ~1")
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

  // MARK: Unique indexes

  @Test(arguments: StoreKind.allCases)
  func aUniqueIndexHoldsForRecords(_ kind: StoreKind) throws {
    let user = Mapping("User", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("mail", .string)
      Index("mail", isUnique: true)
    }
    let world = try World(kind, user, holding: #"[{"id": 1, "mail": "a"}, {"id": 2, "mail": "b"}]"#)
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
}
