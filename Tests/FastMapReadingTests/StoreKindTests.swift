import FastMapCore
import TestSupport
import Testing

/// The stores that the tests of every store run on.
@Suite struct StoreKindTests {
  /// Without it, the output of the tests says why.
  @Test(.enabled(if: StoreKind.hasPostgres, "\(StoreKind.whyNoPostgres)"))
  func aServerIsAmongThem() throws {
    let world = try World(.postgres, Fixture.book())
    try #expect(world.load(#"{"id": 1, "t": "Dune"}"#) == "Book +1")
    try #expect(world.dump() == "Book 1 title=\"Dune\"")
    #expect(world.store.capabilities.concurrency == .serializable)
  }

  @Test(arguments: StoreKind.allCases)
  func eachStoreIsAnother(_ kind: StoreKind) throws {
    let worlds = try (0..<2).map { _ in try World(kind, Fixture.tag) }
    try worlds[0].load(#"{"id": 1}"#)
    try #expect((worlds[0].dump(), worlds[1].dump()) == ("Tag 1", ""))
  }
}
