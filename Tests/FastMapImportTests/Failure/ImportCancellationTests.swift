import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// The state after a cancelled import, and the counts of each run.
@Suite struct ImportCancellationTests {
  private static func options(_ progress: ImportProgress) -> ImportOptions {
    ImportOptions(progress: progress)
  }

  // WAM-96, BUG-52, WAM-98: cancelling ends one run, not the mapper
  @Test(arguments: StoreKind.allCases)
  func eachRunHasItsOwnProgress(_ kind: StoreKind) throws {
    let store = try kind.make()
    let mapper = Mapper(store)
    let plan = try Plan(Fixture.tag)
    let cancelled = ImportProgress()
    cancelled.cancel()
    #expect(throws: CancellationError.self) {
      try mapper.importJSON(Array(#"[{"id":1}]"#.utf8), as: plan, options: Self.options(cancelled))
    }
    for _ in 1...2 {
      let progress = ImportProgress()
      _ = try mapper.importJSON(
        Array(#"[{"id":1},{"id":2}]"#.utf8), as: plan, options: Self.options(progress))
      #expect(progress.current.rootObjects == 2)
    }
    #expect(cancelled.current.rootObjects == 0)
    let count = try store.read(plan) { try $0.count(of: "Tag") }
    #expect(count == 2)
  }

  // WAM-98, WAM-99, WAM-101, WAM-102, BUG-51, Q-21: a cancelled list is never assigned, and replaces nothing
  @Test(arguments: StoreKind.allCases, [nil, 64])
  func cancellingNeitherCutsAListNorDeletesMissingObjects(_ kind: StoreKind, _ interval: Int?) throws {
    let world = try World(kind, Fixture.book(.replace))
    let count = TestSize.count(kind, small: 300, others: 200, whole: 1000)
    let books = (0..<count).map { #"{"id":\#($0),"a":\#($0),"tags":[\#($0),\#($0 + 5000)]}"# }
    let payload = "[\(books.joined(separator: ","))]"
    try world.load(payload)
    let before = try world.dump()
    let progress = ImportProgress()
    var options = Self.options(progress)
    options.batchSize = count * 3 / 2
    options.commitInterval = interval
    options.onProgress = { if $0.rootObjects >= 100 { progress.cancel() } }
    let emptied = payload.replacing(#""tags":["#, with: #""tags":[9999,"#)
    #expect(world.failure(of: emptied, options: options) == "CancellationError()")
    #expect(progress.current.rootObjects >= 100 && progress.current.rootObjects < count)
    let after = try world.dump()
    if interval == nil {
      #expect(after == before)
    } else {
      let changed = after.split(separator: "\n").count { $0.hasPrefix("Book") && $0.contains("[9999 ") }
      #expect(changed >= 64 && changed < count && changed % 64 == 0)
      #expect(after.split(separator: "\n").count == before.split(separator: "\n").count + 1)
    }
  }

  // WAM-100, Q-21: until the import is committed it can be cancelled, and not after that
  @Test(arguments: StoreKind.allCases)
  func cancellingInTheLastObjectRollsBackAndLaterDoesNothing(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.tag)
    let progress = ImportProgress()
    var options = Self.options(progress)
    options.onProgress = { if $0.rootObjects == 3 { progress.cancel() } }
    #expect(world.failure(of: #"[{"id":1},{"id":2},{"id":3}]"#, options: options) == "CancellationError()")
    try #expect(world.dump() == "")
    let late = ImportProgress()
    try #expect(world.load(#"[{"id":1},{"id":2},{"id":3}]"#, options: Self.options(late)) == "Tag +3")
    late.cancel()
    try #expect(world.keys(of: "Tag") == "1 2 3")
  }

  // WAM-104: from another thread, or from a transform
  @Test(arguments: StoreKind.allCases)
  func aTransformMayCancel(_ kind: StoreKind) throws {
    let progress = ImportProgress()
    let mapping = Mapping(TypedFixture.Tag.self, "Tag", primaryKey: "tagID", make: TypedFixture.Tag.init) {
      Attribute("tagID", \.tagID, at: "id")
      Attribute(
        "text", \.text, at: "t",
        transform: Transform(reading: { value in
          progress.cancel()
          return .value(value.string ?? "")
        }))
    }
    let world = try World(kind, mapping)
    let tags = (1...500).map { #"{"id":\#($0)\#($0 == 300 ? #","t":"x""# : "")}"# }
    let payload = "[\(tags.joined(separator: ","))]"
    #expect(world.failure(of: payload, options: Self.options(progress)) == "CancellationError()")
    try #expect(world.dump() == "")
  }

}
