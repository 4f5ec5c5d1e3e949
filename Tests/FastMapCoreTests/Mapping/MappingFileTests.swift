import FastMapCore
import Testing

/// The meaning of mapping files.
@Suite struct MappingFileTests {
  private func read(_ file: String) throws -> MappingSet { try MappingSet(file: Array(file.utf8)) }

  @Test func theExampleOfTheContractReadsAsItIsWritten() throws {
    let set = try read(
      #"""
      {
        "fastmap": 1,
        "mappings": {
          "Person": {
            "entity": "Person", "rootPath": "result.people", "primaryKey": "id", "missingPrimaryKey": "error",
            "attributes": {
              "id":    "integer",
              "name":  "string",
              "email": {"type": "string", "keyPath": "user_email"},
              "city":  {"type": "string", "keyPath": "address.city"},
              "born":  {"type": "date", "format": "%Y-%m-%d"},
              "extra": {"type": "json"}
            },
            "relationships": {
              "car":    {"mapping": "Car"},
              "phones": {"mapping": "Phone", "toMany": true, "policy": "merge"},
              "boss":   {"mapping": "PersonRef", "keyPath": "boss_id", "weak": true},
              "team":   {"mapping": "Team", "keyPath": null}
            }
          },
          "PersonRef": {"entity": "Person", "primaryKey": "id",
            "attributes": {"id": {"type": "integer", "keyPath": null}}},
          "Car": {"attributes": {"plate": "string"}},
          "Phone": {"attributes": {"number": "string"}},
          "Team": {"attributes": {"team": "string"}}
        }
      }
      """#)
    #expect(set.mappings.map(\.name) == ["Person", "PersonRef", "Car", "Phone", "Team"])

    let person = try #require(set["Person"])
    #expect((person.rootPath, person.primaryKey) == ("result.people", "id"))
    #expect(person.attributes.map(\.name) == ["id", "name", "email", "city", "born", "extra"])
    let types: [AttributeType] = [.integer, .string, .string, .string, .date(.pattern("%Y-%m-%d")), .json]
    #expect(person.attributes.map(\.type) == types)
    #expect(
      person.attributes.map(\.keyPath) == ["id", "name", "user_email", "address.city", "born", "extra"])
    #expect(person.relationships.map(\.name) == ["car", "phones", "boss", "team"])
    #expect(person.relationships.map(\.keyPath) == ["car", "phones", "boss_id", .wholeValue])
    #expect(person.relationships.map(\.isToMany) == [false, true, false, false])
    #expect(person.relationships.map(\.policy) == [.assign, .merge, .assign, .assign])
    #expect(person.relationships.map(\.isWeak) == [false, false, true, false])

    let reference = try #require(set["PersonRef"])
    #expect((reference.entity, reference.attributes.map(\.keyPath)) == ("Person", [.wholeValue]))
    #expect(try set.plan(for: "Person").root === person)
  }

  @Test func anEmptyMappingHasDefaults() throws {
    let mapping = try #require(try read(#"{"fastmap": 1, "mappings": {"Dot": {}}}"#)["Dot"])
    #expect(mapping.entity == "Dot")
    #expect(mapping.rootPath == .wholeValue)
    #expect(mapping.primaryKey == nil)
    #expect(mapping.missingPrimaryKey == .error)
    #expect(mapping.attributes.isEmpty)
    #expect(mapping.relationships.isEmpty)
  }

  @Test func everyTypeAndDateFormatHasItsName() throws {
    let set = try read(
      #"""
      {"fastmap": 1, "mappings": {"All": {"attributes": {
        "a": "boolean", "b": "integer", "c": "number", "d": "string", "e": "date", "f": "data", "g": "json",
        "h": {"type": "date"}, "i": {"type": "date", "format": "iso8601"}, "j": {"type": "date", "format": "epoch"},
        "k": {"type": "date", "format": "epoch-ms"}, "l": {"type": "date", "format": "%d.%m.%Y"},
        "m": {"type": "date", "format": ["iso8601", "epoch"]}}}}}
      """#)
    let types: [AttributeType] = [
      .boolean, .integer, .number, .string, .date(.iso8601), .data, .json, .date(.iso8601), .date(.iso8601),
      .date(.epoch), .date(.epochMilliseconds), .date(.pattern("%d.%m.%Y")),
      .date([.iso8601, .epoch]),
    ]
    #expect(set["All"]?.attributes.map(\.type) == types)
  }

  @Test func everyChoiceForAMissingPrimaryKeyHasItsName() throws {
    for choice in MissingPrimaryKey.allCases {
      let set = try read(
        #"{"fastmap": 1, "mappings": {"A": {"missingPrimaryKey": "\#(choice.rawValue)"}}}"#)
      #expect(set["A"]?.missingPrimaryKey == choice)
    }
  }

  /// FEM-03, FEM-05, FEM-07
  @Test func aKeyPathIsReadWithItsDotsAndANameWithout() throws {
    let set = try read(
      #"""
      {"fastmap": 1, "mappings": {"A": {
        "attributes": {
          "a.b": "string",
          "c": {"type": "string", "keyPath": "d.e"},
          "f": {"type": "string", "keyPath": "g\\.h.i"},
          "j": {"type": "string", "keyPath": ""},
          "k": {"type": "json", "keyPath": null}},
        "relationships": {
          "l.m": {"mapping": "B"},
          "n": {"mapping": "B", "keyPath": "o.p"},
          "q": {"mapping": "B", "keyPath": ""},
          "r": {"mapping": "B", "keyPath": null}}},
        "B": {"attributes": {"x": "string"}}}}
      """#)
    let mapping = try #require(set["A"])
    #expect(mapping.attributes.map(\.keyPath) == ["a\\.b", "d.e", "g\\.h.i", "", .wholeValue])
    #expect(mapping.relationships.map(\.keyPath) == ["l\\.m", "o.p", .wholeValue, .wholeValue])
  }

  @Test func aKeyPathLeadsIntoArraysAsInSwift() throws {
    let set = try read(
      #"""
      {"fastmap": 1, "mappings": {"A": {
        "rootPath": "pages[0].items",
        "attributes": {
          "latitude": {"type": "number", "keyPath": "latlng[0]"},
          "names": {"type": "json", "keyPath": "tags[].name"},
          "literal": {"type": "string", "keyPath": "a\\[0]"},
          "b[1]": "string"},
        "relationships": {"heads": {"mapping": "A", "toMany": true, "keyPath": "offices[].head"}}}}}
      """#)
    let mapping = try #require(set["A"])
    #expect(mapping.rootPath.steps == [.member("pages"), .index(0), .member("items")])
    #expect(
      mapping.attributes.map(\.keyPath.steps) == [
        [.member("latlng"), .index(0)], [.member("tags"), .each, .member("name")], [.member("a[0]")],
        [.member("b[1]")],
      ])
    #expect(mapping.relationships.map(\.keyPath.steps) == [[.member("offices"), .each, .member("head")]])
    #expect(throws: MappingDefinitionError.self) {
      try read(#"{"fastmap":1,"mappings":{"A":{"attributes":{"a":{"type":"integer","keyPath":"b[].c"}}}}}"#)
    }
  }

  /// FEM-07
  @Test(arguments: [#""""#, "null"])
  func anEmptyRootPathIsTheRootItself(_ rootPath: String) throws {
    let set = try read(#"{"fastmap": 1, "mappings": {"A": {"rootPath": \#(rootPath)}}}"#)
    #expect(set["A"]?.rootPath == .wholeValue)
    #expect(set.mappings.count == 1)
  }

  @Test func twoMappingsOfOneNameInASetAreRefused() throws {
    let set = MappingSet([Mapping<Record>("A", entity: "X") {}, Mapping<Record>("A", entity: "Y") {}])
    let faults = #expect(throws: MappingDefinitionError.self) { try set.plan(for: "A") }
    #expect(faults?.description == "$.mappings.A: another mapping of the set has this name")
    let one = Mapping<Record>("A") {}
    #expect(try MappingSet([one, one]).plan(for: "A").schema.entities.count == 1)
  }

  @Test(arguments: [
    #"{"fastmap": 0, "fastmap": 1, "mappings": {"A": {}}}"#,
    #"{"fastmap": 1, "mappings": {"A": {"entity": "X", "entity": "Y"}}}"#,
    #"{"fastmap": 1, "mappings": {"A": {}, "A": {"primaryKey": "id", "attributes": {"id": "integer"}}}}"#,
    #"{"fastmap": 1, "mappings": {"A": {"attributes": {"id": "integer", "\u0069d": "string"}}}}"#,
  ])
  func twoMembersOfOneNameAreRefused(_ text: String) throws {
    let error = try #require(throws: JSONSyntaxError.self) { try read(text) }
    #expect(error.description.contains("duplicate name in an object"))
  }

  @Test func aMappingMayReferToItselfAndToLaterOnes() throws {
    let set = try read(
      #"""
      {"fastmap": 1, "mappings": {
        "Node": {"primaryKey": "id", "attributes": {"id": "string"},
          "relationships": {"children": {"mapping": "Node", "toMany": true}, "tag": {"mapping": "Tag"}}},
        "Tag": {"primaryKey": "id", "attributes": {"id": "string"}, "relationships": {"node": {"mapping": "Node"}}}}}
      """#)
    #expect(try set.plan(for: "Node").schema.entities.map(\.name) == ["Node", "Tag"])
    #expect(try set.plan(for: "Tag").schema.entities.map(\.name) == ["Tag", "Node"])
  }

  @Test func aByteOrderMarkIsPassedOver() throws {
    #expect(try read("\u{FEFF}" + #"{"fastmap": 1, "mappings": {"A": {}}}"#).mappings.count == 1)
  }

  @Test func aTextThatIsNotJSONSaysWhere() {
    let error = #expect(throws: JSONSyntaxError.self) { try read("{\n  \"fastmap\": 1,\n  oops\n}") }
    #expect(error?.location.line == 3)
    #expect(throws: JSONSyntaxError.self) { try read("") }
  }

  @Test func anUnknownNameToPlanForSuggestsAnother() throws {
    let set = try read(#"{"fastmap": 1, "mappings": {"Person": {}, "Car": {}}}"#)
    let error = #expect(throws: MappingDefinitionError.self) { try set.plan(for: "Persom") }
    #expect(error?.description == #"$: no mapping named "Persom"; did you mean "Person"?"#)
  }
}
