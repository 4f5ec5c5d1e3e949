import FastMapCore
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
    var options = ImportOptions()
    options.maxDepth = 1_000_010
    try world.load(#"{"id": 1, "j": \#(Self.nested(1_000_000)), "j": 1}"#, options: options)
    try #expect(world.dump() == "Note 1 j=1")
  }

  @Test(arguments: StoreKind.allCases)
  func deepValuesAreKeptAsText(_ kind: StoreKind) throws {
    let world = try World(kind, Self.note)
    var options = ImportOptions()
    options.maxDepth = 100_010
    let value = Self.nested(100_000)
    try world.load(#"{"id": 1, "j": \#(value)}"#, options: options)
    try #expect(world.dump() == "Note 1 j=\(value)")
  }
}
