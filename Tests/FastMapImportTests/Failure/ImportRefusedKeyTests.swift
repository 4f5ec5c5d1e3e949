import FastMapCore
import FastMapMemory
import TestSupport
import Testing

/// Keys that a store cannot hold: an error like any other of the data.
@Suite struct ImportRefusedKeyTests {
  private static let person = Mapping("Person", primaryKey: "id") {
    Attribute("id", .string)
    Attribute("name", .string)
    ToOne("team", Mapping("Team", primaryKey: "id") { Attribute("id", .string) })
    ToMany("friends", friend, at: "f")
  }
  private static let friend = Mapping("Friend", entity: "Person", primaryKey: "id") {
    Attribute("id", .string)
  }

  /// A memory store that refuses persons whose keys have more than six bytes.
  private static func pickyStore() -> WatchedStore<MemoryStore> {
    WatchedStore(MemoryStore()) { call in
      guard call.name == "find", call.entity == "Person" else { return }
      let reasons = call.keys.enumerated().compactMap { index, key -> (Int, String)? in
        guard case .string(let text)? = key, text.utf8.count > 6 else { return nil }
        return (index, "the key is too long")
      }
      if !reasons.isEmpty { throw RefusedKeys(reasons: Dictionary(uniqueKeysWithValues: reasons)) }
    }
  }

  private static func run(_ json: String, _ options: ImportOptions = ImportOptions()) throws -> (
    String, [String], String
  ) {
    let plan = try Plan(person)
    let store = pickyStore()
    let report = try Mapper(store).importJSON(Array(json.utf8), as: plan, options: options)
    let names = try store.read(plan) { reader in
      try plan.schema.entities.map { entity in
        try reader.records(entity.name).map { "\($0.key.map { "\($0)" } ?? "-")" }.joined(separator: " ")
      }
    }
    return (summary(report), report.errors.map { "\($0)" }, names.joined(separator: "; "))
  }

  @Test func aRefusedKeyAborts() {
    let error = #expect(throws: MappingError.self) {
      try Self.run(#"[{"id":"a"},{"id":"b","f":[{"id":"c"},{"id":"too long"}]}]"#)
    }
    #expect(error.map { "\($0)" } == "$[1].f[1].id: the key is too long (line 1, column 45)")
  }

  @Test func aRefusedKeyIsSkippedWhereverItIsMet() throws {
    let (report, errors, keys) = try Self.run(
      #"[{"id":"too long","f":["x"]},{"id":"a","f":[{"id":"much too long"},{"id":"b"},"too long"]},{"id":"z"}]"#,
      .skipping)
    #expect(keys == #""a" "b" "z"; "#)
    #expect(report == "Person +3 !3")
    #expect(
      errors == [
        "$[0].id: the key is too long (line 1, column 8)",
        "$[1].f[0].id: the key is too long (line 1, column 51)",
        "$[1].f[2]: the key is too long (line 1, column 79)",
      ], "in payload order")
  }

  // Places are counted on from the last one, and keys are refused in their own order
  @Test func placesAreRightInAnyOrderOfFaults() throws {
    let lines = (0..<500).map { number in
      switch number % 50 {
      case 10: "{\"id\":\"too long \(1000 - number)\"}"
      case 20: "{\"name\":\"é\",\"f\":[{\"id\":true}],\"id\":\"\(number)\"}"
      default: "{\"id\":\"\(number)\"}"
      }
    }
    let plan = try Plan(Self.person)
    let text = "\u{FEFF}[" + lines.joined(separator: ",\n") + "]"
    let report = try Mapper(Self.pickyStore()).importJSON(Array(text.utf8), as: plan, options: .skipping)
    #expect(report.errors.count == 20)
    for (index, error) in report.errors.enumerated() {
      let number = index / 2 * 50 + (index % 2 == 0 ? 10 : 20)
      let column = index % 2 == 0 ? 7 : 24
      #expect(error.location == TextLocation(line: number + 1, column: column), "\(error)")
    }
  }

  @Test func aKeyRefusedForOneEntityIsAKeyOfAnother() throws {
    // Only persons are refused: the team of that name stays, with its link.
    let (report, errors, keys) = try Self.run(
      #"[{"id":"a","team":{"id":"too long"}},{"id":"too long","name":"x"},{"id":"b"}]"#, .skipping)
    #expect(keys == #""a" "b"; "too long""#)
    #expect(report == "Person +2 !1, Team +1")
    #expect(errors == ["$[1].id: the key is too long (line 1, column 44)"])
  }

  // In one root, so that they are in one batch
  @Test func manyRefusedKeysAreAskedForTwice() throws {
    let store = Self.pickyStore()
    let friends = (0..<5000).map { $0 % 5 == 4 ? "\"\($0)\"" : "\"too long \($0)\"" }
    let text = "{\"id\":\"a\",\"f\":[\(friends.joined(separator: ","))]}"
    let report = try Mapper(store).importJSON(Array(text.utf8), as: Plan(Self.person), options: .skipping)
    #expect(summary(report) == "Person +1001 !4000")
    #expect(report.errors.first?.path == JSONPath([.member("f"), .index(0)]))
    let asked = store.takeCalls().filter { $0.name == "find" && $0.entity == "Person" }
    #expect(asked.map(\.count) == [5001, 1001])
  }

  @Test func refusedKeysAreFoundAmongMany() throws {
    let people = (0..<300).map {
      #"{"id":"\#($0 % 3 == 0 ? "too long \($0)" : "\($0)")","team":{"id":"t\#($0 % 7)"}}"#
    }
    let (report, errors, _) = try Self.run("[\(people.joined(separator: ","))]", .skipping)
    #expect(report == "Person +200 !100, Team +7")
    #expect(errors.count == 100)
  }
}
