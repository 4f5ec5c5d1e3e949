import FastMapCore
import TestSupport
import Testing

/// A line of NDJSON is one object, whatever root path its mapping has.
@Suite struct NDJSONRootPathTests {
  private static let person = Mapping("Person", rootPath: "result.people", primaryKey: "id") {
    Attribute("id", .integer)
  }

  @Test(arguments: StoreKind.allCases, [nil, 1, 7])
  func theMappingsOwnRootPathDoesNotApply(_ kind: StoreKind, _ size: Int?) throws {
    let world = try World(kind, Self.person)
    var options = ImportOptions(format: .ndjson)
    _ = try world.report("{\"id\":1}\n{\"id\":2}\n", inChunksOf: size, options: options)
    try #expect(world.dump() == "Person 1\nPerson 2")
    options.format = .json
    _ = try world.report(#"{"result":{"people":[{"id":3}]}}"#, inChunksOf: size, options: options)
    try #expect(world.dump() == "Person 1\nPerson 2\nPerson 3")
  }

  @Test(arguments: StoreKind.allCases, [nil, 1, 7])
  func oneThatIsAskedForApplies(_ kind: StoreKind, _ size: Int?) throws {
    let world = try World(kind, Self.person)
    let options = ImportOptions(format: .ndjson, rootPath: "a")
    _ = try world.report("{\"a\":{\"id\":1}}\n{\"a\":{\"id\":2}}\n", inChunksOf: size, options: options)
    try #expect(world.dump() == "Person 1\nPerson 2")
    #expect(world.failure(of: "{\"id\":1}\n", inChunksOf: size, options: options) != nil)
  }
}
