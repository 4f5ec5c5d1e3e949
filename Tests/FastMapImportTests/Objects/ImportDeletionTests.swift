import FastMapCore
import TestSupport
import Testing

/// Semantics 3: `replace` deletes objects to which nothing refers any more, and never others.
@Suite struct ImportDeletionTests {
  // Q-32, BUG-44: the target is deleted at the end, only where nothing maps to it again
  @Test(arguments: StoreKind.allCases)
  func aChildThatMovesToAnotherParentSurvives(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book(.replace))
    try world.load(#"[{"id":1,"tags":[{"id":5,"t":"x"},6]},{"id":2}]"#)
    try #expect(world.load(#"[{"id":1,"tags":[6]},{"id":2,"tags":[5]}]"#) == "Book ~2, Tag =2")
    try #expect(world.dump() == "Book 1 tags=[6]\nBook 2 tags=[5]\nTag 5 text=\"x\"\nTag 6")
  }

  // Q-32, BUG-44
  @Test(arguments: StoreKind.allCases)
  func aChildThatMovesInALaterBatchSurvives(_ kind: StoreKind) throws {
    let filler = (100..<300).map { "{\"id\":\($0)}," }.joined()
    let world = try World(kind, Fixture.book(.replace))
    try world.load(#"[{"id":1,"a":{"id":5,"n":"x"}},{"id":2}]"#)
    try #expect(world.load(#"[{"id":1,"a":null},\#(filler){"id":2,"a":5}]"#) == "Book +200 ~2, Author =1")
    try #expect(world.dump(of: "Author 5") == #"Author 5 name="x""#)
    try #expect(world.dump(of: "Book 2") == "Book 2 author=5")
  }

  // Q-32, BUG-45, FEM-122
  @Test(arguments: StoreKind.allCases)
  func aChildThatAnotherObjectRefersToSurvives(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book(.replace))
    try world.load(#"[{"id":1,"a":5,"tags":[5,6]},{"id":2,"a":5,"tags":[6]}]"#)
    try #expect(world.load(#"{"id":1,"a":null,"tags":[]}"#) == "Book ~1, Tag -1")
    try #expect(world.dump() == "Book 1\nBook 2 author=5 tags=[6]\nAuthor 5\nTag 6")
    try #expect(world.load(#"{"id":2,"a":null,"tags":null}"#) == "Book ~1, Author -1, Tag -1")
  }

  @Test(arguments: StoreKind.allCases)
  func aChildThatARelationshipWithAnotherPolicyHasSurvives(_ kind: StoreKind) throws {
    let shelf = Mapping("Shelf", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("mine", Fixture.tag, policy: .replace)
      ToMany("others", Fixture.tag)
    }
    let world = try World(kind, shelf)
    try world.load(#"{"id":1,"mine":[1,2],"others":[2]}"#)
    try #expect(world.load(#"{"id":1,"mine":[]}"#) == "Shelf ~1, Tag -1")
    try #expect(world.dump() == "Shelf 1 others=[2]\nTag 2")
  }

  /// The payload has it, so it stays, with the values that it had.
  @Test(arguments: StoreKind.allCases, [nil, 1] as [Int?])
  func whatThePayloadSpeaksOfWithAFaultSurvivesUnderSkip(_ kind: StoreKind, _ interval: Int?) throws {
    let release = #"{"id":1,"folders":[]}"#
    for fault in [#"{"id":3,"name":5}"#, #"{"id":3,"name":5,"folders":[],"link":2}"#] {
      for objects in [[release, fault], [fault, release], [release, #"{"id":4,"folders":[\#(fault)]}"#]] {
        for delegate in [nil, Silent()] {
          let world = try World(kind, DeletionFixture.folder)
          try world.load(#"[{"id":1,"folders":[{"id":2},{"id":3,"name":"old"}]},{"id":4}]"#)
          var options = ImportOptions.skipping
          (options.commitInterval, options.delegate, options.batchSize) = (interval, delegate, 1)
          let report = try world.report("[\(objects.joined(separator: ","))]", options: options)
          #expect(report.errorCount == 1)
          #expect(report["Folder"]?.deleted == 1)
          // Where the payload links it, it is linked.
          let link = objects[1].hasPrefix(#"{"id":4"#) ? " folders=[3]" : ""
          let dump = try world.dump()
          #expect(dump == "Folder 1\nFolder 3 name=\"old\"\nFolder 4\(link)", "\(objects)")
        }
      }
    }
  }

  private final class Silent: ImportDelegate {}

  // Q-32
  @Test(arguments: StoreKind.allCases)
  func whatThePayloadSpeaksOfSurvives(_ kind: StoreKind) throws {
    let world = try World(kind, DeletionFixture.folder)
    try world.load(#"[{"id":1,"folders":[{"id":2},{"id":3}]}]"#)
    try #expect(world.load(#"[{"id":1,"folders":[]},{"id":3,"name":"mine"}]"#) == "Folder ~2 -1")
    try #expect(world.dump() == "Folder 1\nFolder 3 name=\"mine\"")
  }

  @Test(arguments: StoreKind.allCases)
  func aDeletionCascadesThroughReplace(_ kind: StoreKind) throws {
    let world = try World(kind, DeletionFixture.folder)
    try world.load(
      #"{"id":1,"folders":[{"id":2,"folders":[{"id":3,"folders":[{"id":4}]},{"id":5}]},{"id":6,"folders":[{"id":5}]}]}"#
    )
    try #expect(world.load(#"{"id":1,"folders":[6]}"#) == "Folder ~1 =1 -3")
    try #expect(world.dump() == "Folder 1 folders=[6]\nFolder 5\nFolder 6 folders=[5]")
  }

  @Test(arguments: StoreKind.allCases)
  func aCascadeReachesWhatTwoDeletedObjectsShared(_ kind: StoreKind) throws {
    let world = try World(kind, DeletionFixture.folder)
    try world.load(#"{"id":1,"folders":[{"id":2,"folders":[{"id":4}]},{"id":3,"folders":[{"id":4}]}]}"#)
    try #expect(world.load(#"{"id":1,"folders":[]}"#) == "Folder ~1 -3")
    try #expect(world.dump() == "Folder 1")
  }

  @Test(arguments: StoreKind.allCases)
  func whatOneCandidateRefersToGoesWithIt(_ kind: StoreKind) throws {
    let world = try World(kind, DeletionFixture.folder)
    try world.load(#"{"id":1,"folders":[{"id":2},{"id":3,"link":2}]}"#)
    try #expect(world.load(#"{"id":1,"folders":[]}"#) == "Folder ~1 -2")
    try #expect(world.dump() == "Folder 1")
  }

  @Test(arguments: StoreKind.allCases)
  func aCascadeStopsAtAssign(_ kind: StoreKind) throws {
    let world = try World(kind, DeletionFixture.folder)
    try world.load(#"{"id":1,"folders":[{"id":2,"link":{"id":3}}]}"#)
    try #expect(world.load(#"{"id":1,"folders":null}"#) == "Folder ~1 -1")
    try #expect(world.dump() == "Folder 1\nFolder 3")
  }

  @Test(arguments: StoreKind.allCases)
  func anObjectInACircleWithItsFormerOwnerGoes(_ kind: StoreKind) throws {
    let world = try World(kind, DeletionFixture.folder)
    try world.load(#"{"id":1,"folders":[{"id":2,"link":1}]}"#)
    try #expect(world.load(#"{"id":1,"folders":[]}"#) == "Folder ~1 -1")
    try #expect(world.dump() == "Folder 1")
  }

  @Test(arguments: StoreKind.allCases)
  func aNewObjectThatIsReplacedInTheSamePayloadStays(_ kind: StoreKind) throws {
    // It was met: the payload speaks of it.
    let world = try World(kind, Fixture.book(.replace))
    try #expect(world.load(#"[{"id":1,"a":1},{"id":1,"a":2}]"#) == "Book +1, Author +2")
    try #expect(world.dump() == "Book 1 author=2\nAuthor 1\nAuthor 2")
  }

  // WAM-130
  @Test(arguments: StoreKind.allCases)
  func aDeletedKeyIsANewObjectWhenItComesBack(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book(.replace))
    try world.load(#"{"id":1,"a":{"id":1,"n":"old"}}"#)
    try world.load(#"{"id":1,"a":null}"#)
    try #expect(world.load(#"{"id":1,"a":1}"#) == "Book ~1, Author +1")
    try #expect(world.dump() == "Book 1 author=1\nAuthor 1")
  }

  @Test(arguments: StoreKind.allCases)
  func aFaultyObjectIsNotDeletedByTheReplaceThatNamesIt(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book(.replace))
    try world.load(#"{"id":1,"a":{"id":1,"n":"A"},"tags":[{"id":1,"t":"x"},2]}"#)
    let payload = #"{"id":1,"a":{"id":1,"n":false},"tags":[{"id":1,"t":3}]}"#
    try #expect(world.load(payload, options: .skipping) == "Book ~1, Author !1, Tag -1 !1")
    try #expect(world.dump() == "Book 1 author=1 tags=[1]\nAuthor 1 name=\"A\"\nTag 1 text=\"x\"")
  }

  // FEM-103, WAM-80: the other side of a link is not touched, and deleted objects leave no link behind
  @Test(arguments: StoreKind.allCases)
  func deletingATargetLeavesNoLinkToIt(_ kind: StoreKind) throws {
    let world = try World(kind, DeletionFixture.folder)
    try world.load(#"[{"id":1,"folders":[2,3]},{"id":2,"folders":[3]},{"id":3,"link":2}]"#)
    try #expect(world.load(#"{"id":1,"folders":[3]}"#) == "Folder ~1 =1", "3 refers to 2")
    try #expect(world.load(#"{"id":3,"link":null}"#) == "Folder ~1")
    try #expect(world.load(#"[{"id":4,"folders":[2]},{"id":1}]"#) == "Folder +1 =2")
    try #expect(world.load(#"{"id":4,"folders":[]}"#) == "Folder ~1 -1", "nothing refers to 2 any more")
    try #expect(world.dump() == "Folder 1 folders=[3]\nFolder 3\nFolder 4")
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
