import FastMapCore
import TestSupport
import Testing

/// Semantics 3: `replace` deletes objects to which nothing refers any more, and never others.
@Suite struct ImportDeletionTests {
  private struct Case: Sendable, CustomStringConvertible {
    let description: String
    var books = false
    let loads: [(payload: String, counts: String)]
    let left: String
  }

  private static let cases: [Case] = [
    // Q-32, BUG-44: the target is deleted at the end, only where nothing maps to it again
    Case(
      description: "a child that moves to another parent survives", books: true,
      loads: [
        (#"[{"id":1,"tags":[{"id":5,"t":"x"},6]},{"id":2}]"#, "Book +2, Tag +2"),
        (#"[{"id":1,"tags":[6]},{"id":2,"tags":[5]}]"#, "Book ~2, Tag =2"),
      ], left: "Book 1 tags=[6]\nBook 2 tags=[5]\nTag 5 text=\"x\"\nTag 6"),
    // Q-32, BUG-45, FEM-122
    Case(
      description: "a child that another object refers to survives", books: true,
      loads: [
        (#"[{"id":1,"a":5,"tags":[5,6]},{"id":2,"a":5,"tags":[6]}]"#, "Book +2, Author +1, Tag +2"),
        (#"{"id":1,"a":null,"tags":[]}"#, "Book ~1, Tag -1"),
      ], left: "Book 1\nBook 2 author=5 tags=[6]\nAuthor 5\nTag 6"),
    Case(
      description: "the last that refers to a child takes it along", books: true,
      loads: [
        (#"{"id":2,"a":5,"tags":[6]}"#, "Book +1, Author +1, Tag +1"),
        (#"{"id":2,"a":null,"tags":null}"#, "Book ~1, Author -1, Tag -1"),
      ], left: "Book 2"),
    // Q-32
    Case(
      description: "what the payload speaks of survives",
      loads: [
        (#"[{"id":1,"folders":[{"id":2},{"id":3}]}]"#, "Folder +3"),
        (#"[{"id":1,"folders":[]},{"id":3,"name":"mine"}]"#, "Folder ~2 -1"),
      ], left: "Folder 1\nFolder 3 name=\"mine\""),
    Case(
      description: "a deletion cascades through replace",
      loads: [
        (
          #"{"id":1,"folders":[{"id":2,"folders":[{"id":3,"folders":[4]},5]},{"id":6,"folders":[5]}]}"#,
          "Folder +6"
        ), (#"{"id":1,"folders":[6]}"#, "Folder ~1 =1 -3"),
      ], left: "Folder 1 folders=[6]\nFolder 5\nFolder 6 folders=[5]"),
    Case(
      description: "a cascade reaches what two deleted objects shared",
      loads: [
        (#"{"id":1,"folders":[{"id":2,"folders":[4]},{"id":3,"folders":[4]}]}"#, "Folder +4"),
        (#"{"id":1,"folders":[]}"#, "Folder ~1 -3"),
      ], left: "Folder 1"),
    Case(
      description: "what one candidate refers to goes with it",
      loads: [
        (#"{"id":1,"folders":[{"id":2},{"id":3,"link":2}]}"#, "Folder +3"),
        (#"{"id":1,"folders":[]}"#, "Folder ~1 -2"),
      ], left: "Folder 1"),
    Case(
      description: "a cascade stops at assign",
      loads: [
        (#"{"id":1,"folders":[{"id":2,"link":{"id":3}}]}"#, "Folder +3"),
        (#"{"id":1,"folders":null}"#, "Folder ~1 -1"),
      ], left: "Folder 1\nFolder 3"),
    Case(
      description: "an object in a circle with its former owner goes",
      loads: [
        (#"{"id":1,"folders":[{"id":2,"link":1}]}"#, "Folder +2"),
        (#"{"id":1,"folders":[]}"#, "Folder ~1 -1"),
      ], left: "Folder 1"),
    // It was met: the payload speaks of it.
    Case(
      description: "a new object that is replaced in the same payload stays", books: true,
      loads: [(#"[{"id":1,"a":1},{"id":1,"a":2}]"#, "Book +1, Author +2")],
      left: "Book 1 author=2\nAuthor 1\nAuthor 2"),
    // WAM-130
    Case(
      description: "a deleted key is a new object when it comes back", books: true,
      loads: [
        (#"{"id":1,"a":{"id":1,"n":"old"}}"#, "Book +1, Author +1"),
        (#"{"id":1,"a":null}"#, "Book ~1, Author -1"), (#"{"id":1,"a":1}"#, "Book ~1, Author +1"),
      ], left: "Book 1 author=1\nAuthor 1"),
    // FEM-103, WAM-80: the other side of a link is not touched, and deleted objects leave no link behind
    Case(
      description: "deleting a target leaves no link to it",
      loads: [
        (#"[{"id":1,"folders":[2,3]},{"id":2,"folders":[3]},{"id":3,"link":2}]"#, "Folder +3"),
        (#"{"id":1,"folders":[3]}"#, "Folder ~1 =1"), (#"{"id":3,"link":null}"#, "Folder ~1"),
        (#"[{"id":4,"folders":[2]},{"id":1}]"#, "Folder +1 =2"),
        (#"{"id":4,"folders":[]}"#, "Folder ~1 -1"),
      ], left: "Folder 1 folders=[3]\nFolder 3\nFolder 4"),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  private func aReplacedObjectGoesWhereNothingRefersToIt(_ kind: StoreKind, _ it: Case) throws {
    let world = try World(kind, it.books ? Fixture.book(.replace) : DeletionFixture.folder)
    for (payload, counts) in it.loads { try #expect(world.load(payload) == counts, "\(payload)") }
    try #expect(world.dump() == it.left)
  }

  // Q-32, BUG-44
  @Test(arguments: StoreKind.allCases)
  func aChildThatMovesInALaterBatchSurvives(_ kind: StoreKind) throws {
    let filler = (100..<300).map { "{\"id\":\($0)}," }.joined()
    let world = try World(kind, Fixture.book(.replace), holding: #"[{"id":1,"a":{"id":5,"n":"x"}},{"id":2}]"#)
    try #expect(world.load(#"[{"id":1,"a":null},\#(filler){"id":2,"a":5}]"#) == "Book +200 ~2, Author =1")
    try #expect(world.dump(of: "Author 5") == #"Author 5 name="x""#)
    try #expect(world.dump(of: "Book 2") == "Book 2 author=5")
  }

  @Test(arguments: StoreKind.allCases)
  func aChildThatARelationshipWithAnotherPolicyHasSurvives(_ kind: StoreKind) throws {
    let shelf = Mapping("Shelf", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("mine", Fixture.tag, policy: .replace)
      ToMany("others", Fixture.tag)
    }
    let world = try World(kind, shelf, holding: #"{"id":1,"mine":[1,2],"others":[2]}"#)
    try #expect(world.load(#"{"id":1,"mine":[]}"#) == "Shelf ~1, Tag -1")
    try #expect(world.dump() == "Shelf 1 others=[2]\nTag 2")
  }

  /// The payload has it, so it stays, with the values that it had.
  @Test(arguments: StoreKind.allCases, [nil, 1] as [Int?])
  func faultyObjectsOfThePayloadSurviveUnderSkip(_ kind: StoreKind, _ interval: Int?) throws {
    let release = #"{"id":1,"folders":[]}"#
    for fault in [#"{"id":3,"name":5}"#, #"{"id":3,"name":5,"folders":[],"link":2}"#] {
      for objects in [[release, fault], [fault, release], [release, #"{"id":4,"folders":[\#(fault)]}"#]] {
        for delegate in [nil, Silent()] {
          let world = try World(kind, DeletionFixture.folder)
          try world.load(#"[{"id":1,"folders":[{"id":2},{"id":3,"name":"old"}]},{"id":4}]"#)
          var options = ImportOptions.skipping
          (options.commitInterval, options.delegate, options.batchSize) = (interval, delegate, 1)
          let report = try world.report("[\(objects.joined(separator: ","))]", options: options)
          #expect((report.errorCount, report["Folder"]?.deleted) == (1, 1))
          // Where the payload links it, it is linked.
          let link = objects[1].hasPrefix(#"{"id":4"#) ? " folders=[3]" : ""
          let dump = try world.dump()
          #expect(dump == "Folder 1\nFolder 3 name=\"old\"\nFolder 4\(link)", "\(objects)")
        }
      }
    }
  }

  private final class Silent: ImportDelegate {}

  @Test(arguments: StoreKind.allCases)
  func aFaultyObjectIsNotDeletedByTheReplaceThatNamesIt(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book(.replace))
    try world.load(#"{"id":1,"a":{"id":1,"n":"A"},"tags":[{"id":1,"t":"x"},2]}"#)
    let payload = #"{"id":1,"a":{"id":1,"n":false},"tags":[{"id":1,"t":3}]}"#
    try #expect(world.load(payload, options: .skipping) == "Book ~1, Author !1, Tag -1 !1")
    try #expect(world.dump() == "Book 1 author=1 tags=[1]\nAuthor 1 name=\"A\"\nTag 1 text=\"x\"")
  }
}

private enum DeletionFixture {
  static let folder: Mapping<Record> = Mapping("Folder", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToMany("folders", folder, policy: .replace)
    ToOne("link", folder)
  }
}
