import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Deep values.
@Suite struct ImportDepthTests {
  private static let note = Mapping("Note", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("j", .json)
  }

  private static func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  /// jansson recurses when it frees a value, which a second member of the same name makes it do.
  @Test(arguments: StoreKind.allCases)
  func deepValuesTakeNoStackWhereALaterMemberReplacesThem(_ kind: StoreKind) throws {
    let world = try World(kind, Self.note)
    let (store, plan) = (world.store, world.plan())
    let depth = TestSize.count(small: 20_000, whole: 1_000_000)
    try onSmallStack {
      let options = ImportOptions(maxDepth: depth + 10)
      _ = try Mapper(store).importJSON(
        #"{"id": 1, "j": \#(Self.nested(depth)), "j": 1}"#, as: plan, options: options)
    }
    try #expect(world.dump() == "Note 1 j=1")
  }

  @Test(arguments: StoreKind.allCases)
  func deepValuesAreKeptAsText(_ kind: StoreKind) throws {
    let world = try World(kind, Self.note)
    var options = ImportOptions()
    let depth = TestSize.count(small: 20_000, whole: 100_000)
    options.maxDepth = depth + 10
    let value = Self.nested(depth)
    try world.load(#"{"id": 1, "j": \#(value)}"#, options: options)
    try #expect(world.dump() == "Note 1 j=\(value)")
  }
}
