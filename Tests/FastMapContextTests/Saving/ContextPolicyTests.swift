import FastMapCore
import TestSupport
import Testing

@testable import FastMapContexts

/// A save stores a list as the caller has set it, whatever the policy of an import.
@Suite struct ContextPolicyTests {
  private static let track = Mapping("Track", primaryKey: "id") { Attribute("id", .integer) }
  private static let album = Mapping("Album", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("added", track, policy: .merge)
    ToMany("chosen", track, policy: .custom("none") { _ in [] })
  }

  @Test(arguments: StoreKind.allCases)
  func aSaveNeitherMergesNorAsksTheClosure(_ kind: StoreKind) throws {
    let world = try World(kind, Self.album)
    try world.load(#"{"id": 1, "added": [{"id": 5}, {"id": 6}], "chosen": [7]}"#)
    let context = try ObjectContext(world.store, for: world.plan())
    let album = try #require(try context.record("Album", key: 1, including: ["added", "chosen"]))
    #expect(try album.targets("chosen").isEmpty, "an import asks it")
    let tracks = try album.targets("added")
    try album.set("added", to: [tracks[1]])
    try album.set("chosen", to: tracks)
    _ = try context.save()
    #expect(try world.dump(of: "Album 1") == "Album 1 added=[6] chosen=[5 6]")
    try world.load(#"{"id": 1, "added": [5], "chosen": [6]}"#)
    #expect(try world.dump(of: "Album 1") == "Album 1 added=[6 5]")
  }
}
