import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Semantics 9: a related object whose mapping has no primary key belongs to its owner.
@Suite struct ImportOwnedTests {
  private static let line = Mapping("Line") {
    Attribute("text", .string)
    ToMany("words", word)
  }
  private static let word = Mapping("Word") { Attribute("w", .string) }
  private static let stamp = Mapping("Stamp") { Attribute("at", .integer) }

  private static func page(_ policy: RelationshipPolicy = .assign) -> Mapping<Record> {
    Mapping("Page", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("lines", line, policy: policy)
      ToOne("stamp", stamp, policy: policy)
    }
  }

  private static let start =
    #"{"id":1,"lines":[{"text":"a","words":[{"w":"p"},{"w":"q"}]},{"text":"b"}],"stamp":{"at":5}}"#
  private static let startDump = """
    Page 1 lines=[#1 #2] stamp=#1
    Line #1 text="a" words=[#1 #2]
    Line #2 text="b"
    Stamp #1 at=5
    Word #1 w="p"
    Word #2 w="q"
    """

  typealias Case = ImportCase

  static let cases: [Case] = [
    Case(
      testDescription: "the same again", policies: [.assign, .replace, .merge], payload: start,
      report: "Page =1, Line =2, Stamp =1, Word =2", dump: startDump),
    Case(testDescription: "missing", payload: #"{"id":1}"#, report: "Page =1", dump: startDump),
    Case(
      testDescription: "another value is another object",
      payload: #"{"id":1,"lines":[{"text":"x"},{"words":[{"w":"r"}]}],"stamp":{"at":6}}"#,
      report: "Page ~1, Line +2 -2, Stamp ~1, Word +1 -2",
      dump: """
        Page 1 lines=[#1 #2] stamp=#1
        Line #1 text="x"
        Line #2 words=[#1]
        Stamp #1 at=6
        Word #1 w="r"
        """),
    Case(
      testDescription: "null takes all with it", payload: #"{"id":1,"lines":null,"stamp":null}"#,
      report: "Page ~1, Line -2, Stamp -1, Word -2", dump: "Page 1"),
    Case(
      testDescription: "null among the elements is passed over",
      payload: #"{"id":1,"lines":[null,{"text":"b"},null,{"text":"c"}]}"#,
      report: "Page ~1, Line +1 =1 -1, Word -2",
      dump: """
        Page 1 lines=[#1 #2] stamp=#1
        Line #1 text="b"
        Line #2 text="c"
        Stamp #1 at=5
        """),
    Case(
      testDescription: "merge adds each value once", policies: [.merge],
      payload: #"{"id":1,"lines":[{},null,{},{"text":"c"},{"text":"b"}]}"#, report: "Page ~1, Line +2 =1",
      dump: startDump.replacing("[#1 #2] stamp", with: "[#1 #2 #3 #4] stamp")
        .replacing("Stamp #1 at", with: "Line #3\nLine #4 text=\"c\"\nStamp #1 at")),
    Case(
      testDescription: "merge keeps all for an empty list", policies: [.merge],
      payload: #"[{"id":1,"lines":[]},{"id":1,"lines":null}]"#, report: "Page =1", dump: startDump),
    Case(
      testDescription: "merge keeps to-one over null, and updates it", policies: [.merge],
      payload: #"[{"id":1,"stamp":null},{"id":1,"stamp":{"at":7}}]"#, report: "Page =1, Stamp ~1",
      dump: startDump.replacing("at=5", with: "at=7")),
  ]

  @Test(arguments: TestSize.onStores(cases, on: .memory, others: 4))
  func anElementIsItsValueAndAToOneTargetItself(_ kind: StoreKind, _ test: Case) throws {
    for policy in test.policies ?? [.assign, .replace] {
      let world = try World(kind, Self.page(policy))
      try #expect(world.load(Self.start) == "Page +1, Line +2, Stamp +1, Word +2")
      try #expect(world.dump() == Self.startDump)
      try #expect(world.load(test.payload) == test.report, "\(policy)")
      try #expect(world.dump() == test.dump, "\(policy)")
    }
  }

  // An object that has no line of its own in an export stands in one of the lines that refer to it, or in several.
  @Test(arguments: StoreKind.allCases)
  func aListThatStandsInSeveralLinesOfAnExportIsThereOnce(_ kind: StoreKind) throws {
    for (choice, key) in [(MissingPrimaryKey.error, nil), (.owned, "n")] as [(MissingPrimaryKey, String?)] {
      let note = Mapping("Note", primaryKey: key.map { KeyFields($0) }, missingPrimaryKey: choice) {
        Attribute("n", .integer)
        Attribute("t", .string)
      }
      let car = Mapping("Car", primaryKey: "id") {
        Attribute("id", .integer)
        ToMany("notes", note, policy: .merge)
      }
      let person = Mapping("Person", primaryKey: "id") {
        Attribute("id", .integer)
        ToOne("car", car)
      }
      let payload = #"[{"id":1,"car":{"id":5,"notes":[{"t":"x"},{"t":"y"}]}},{"id":2,"car":5}]"#
      let (world, other) = (try World(kind, person), try World(kind, person))
      try world.load(payload)
      try #expect(world.load(payload) == "Person =2, Car =1, Note =2")
      let export = try world.export()
      for summary in ["Person +2, Car +1, Note +2", "Person =2, Car =1, Note =2"] {
        try #expect(other.load(export) == summary)
        try #expect(other.dump() == world.dump())
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func ownedObjectsGoWithTheirOwner(_ kind: StoreKind) throws {
    let book = Mapping("Book", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("pages", Self.page(), policy: .replace)
    }
    let world = try World(kind, book)
    try world.load(#"{"id":1,"pages":[\#(Self.start),{"id":2,"lines":[{"words":[{"w":"z"}]}]}]}"#)
    try #expect(
      world.load(#"{"id":1,"pages":[{"id":2}]}"#) == "Book ~1, Page =1 -1, Line -2, Stamp -1, Word -2")
    try #expect(world.dump() == "Book 1 pages=[2]\nPage 2 lines=[#1]\nLine #1 words=[#1]\nWord #1 w=\"z\"")
  }

  @Test(arguments: StoreKind.allCases)
  func anOwnedObjectMayReferToItsOwnerAndToObjectsWithKeys(_ kind: StoreKind) throws {
    let world = try World(kind, OwnedFixture.order)
    let payload =
      #"[{"id":1,"items":[{"n":1,"order":1,"product":7},{"n":2,"product":8}]},{"id":2,"items":[{"product":7}]}]"#
    try #expect(world.load(payload) == "Order +2, Item +3, Product +2")
    try #expect(world.load(payload) == "Order =2, Item =3, Product =2")
    try #expect(world.load(#"{"id":1,"items":[{"product":8}]}"#) == "Order ~1, Item +1 -2, Product =1")
    try #expect(
      world.dump() == """
        Order 1 items=[#2]
        Order 2 items=[#1]
        Item #1 product=7
        Item #2 product=8
        Product 7
        Product 8
        """)
  }

  // An owned object read from its owner's own representation
  @Test(arguments: StoreKind.allCases)
  func anOwnedObjectMayReadItsOwnersRepresentation(_ kind: StoreKind) throws {
    let address = Mapping("Address") { Attribute("city", .string) }
    let person = Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("address", address, at: .wholeValue)
    }
    let world = try World(kind, person)
    try #expect(world.load(#"{"id":1,"city":"C"}"#) == "Person +1, Address +1")
    try #expect(world.load(#"{"id":1,"city":"D"}"#) == "Person =1, Address ~1")
    try #expect(world.dump() == "Person 1 address=#1\nAddress #1 city=\"D\"")
  }

  // Nobody would find it again.
  @Test(arguments: StoreKind.allCases)
  func anImportThatEndsBetweenCommitsLeavesNothingWithoutAnOwner(_ kind: StoreKind) throws {
    let world = try World(kind, Self.page(.replace))
    _ = try world.load(Self.start)
    let faulty = #"[{"id":1,"lines":[{"words":[{"w":"q"}]}],"stamp":null},{"id":2},{"lines":[]}]"#
    #expect(throws: MappingError.self) { try world.load(faulty, options: .committing(every: 1)) }
    try #expect(
      world.dump() == """
        Page 1 lines=[#1]
        Page 2
        Line #1 words=[#1]
        Word #1 w="q"
        """)
  }
}

private enum OwnedFixture {
  static let order: Mapping<Record> = Mapping("Order", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("items", item)
  }
  static let item: Mapping<Record> = Mapping("Item") {
    Attribute("n", .integer)
    ToOne("order", order)
    ToOne("product", product)
  }
  static let product = Mapping("Product", primaryKey: "id") { Attribute("id", .integer) }
}
