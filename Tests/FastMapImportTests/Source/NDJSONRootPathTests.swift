import FastMapCore
import TestSupport
import Testing

/// A line of NDJSON is one object, whatever root path its mapping has. A root path that is asked for leads from each line to its
/// objects.
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

  private static let pages =
    "{\"a\":[{\"id\":1},{\"id\":2}]}\n\n{}\n{\"a\":null}\n{\"a\":[]}\n{\"a\":{\"id\":3}}\n{\"a\":[{\"id\":4},{\"id\":5}]}"

  @Test(arguments: StoreKind.allCases, ["a", "a[]"] as [JSONKeyPath])
  func eachLineIsAPage(_ kind: StoreKind, _ path: JSONKeyPath) throws {
    for size in [nil, 1, 7] {
      for interval in [nil, 1, 3] {
        let world = try World(kind, Self.person)
        let options = ImportOptions(format: .ndjson, rootPath: path, commitInterval: interval)
        // `[]` asks for an array.
        let text = path == "a" ? Self.pages : Self.pages.replacing(#"{"id":3}"#, with: #"[{"id":3}]"#)
        let report = try world.report(text, inChunksOf: size, options: options)
        #expect((report.rootObjects, summary(report)) == (5, "Person +5"), "\(size ?? 0) \(interval ?? 0)")
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aLineWithoutThePathDeletesNothing(_ kind: StoreKind) throws {
    let world = try World(kind, Self.person, holding: #"{"result":{"people":[{"id":8}]}}"#)
    var options = ImportOptions(format: .ndjson, rootPath: "a", replaces: .all)
    let report = try world.report(Self.pages, options: options)
    #expect(
      report.notes == ["no missing objects were deleted, because the key of 1 root object could not be read"])
    try #expect(world.load("{\"a\":[{\"id\":1}]}\n{\"a\":[]}", options: options) == "Person =1 -5")
    options.rootPath = "b"
    #expect(
      world.failure(of: Self.pages, options: options)
        == "$[0].b: expected the objects to map at this root path, found nothing (line 1, column 1)")
  }

  @Test(arguments: [nil, 1, 7])
  func faultsNameTheLineAndTheObject(_ size: Int?) throws {
    let world = try World(.memory, Self.person)
    let options = ImportOptions(format: .ndjson, rootPath: "a", faults: .skip)
    let text =
      "{\"a\":[{\"id\":1}]}\n{\"a\":[{\"id\":2},{\"id\":\"x\"}]}\noops\n\n{\"a\":[{\"id\":3},7]}\n{\"a\":[{\"id\":4}]}"
    let report = try world.report(text, inChunksOf: size, options: options)
    #expect(
      report.errors.map(\.description) == [
        #"$[1].a[1].id: expected an integer, found the string "x" (line 2, column 22)"#,
        #"$[2]: expected a value, found "o" (line 3, column 1)"#,
        "$[3].a[1]: expected an object, found the number 7 (line 5, column 16)",
      ])
    try #expect(world.dump() == "Person 1\nPerson 2\nPerson 3\nPerson 4")
  }
}
