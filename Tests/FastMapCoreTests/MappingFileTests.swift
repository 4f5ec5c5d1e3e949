import FastMapCore
import Testing

/// A mapping file that is wrong, and all that is said of it, one fault a line.
struct MappingFileCase: CustomTestStringConvertible, Sendable {
  let name: String
  let file: String
  let faults: [String]

  init(_ name: String, _ file: String, _ faults: String...) {
    (self.name, self.file, self.faults) = (name, file, faults)
  }

  /// A file with one mapping, Person, that has these members.
  init(_ name: String, person: String, _ faults: String...) {
    (self.name, self.faults) = (name, faults)
    file = #"{"fastmap": 1, "mappings": {"Person": {\#(person)}}}"#
  }

  /// A file with one mapping, Person, that has this attribute beside its key.
  init(_ name: String, attribute: String, _ faults: String...) {
    (self.name, self.faults) = (name, faults)
    file =
      #"{"fastmap": 1, "mappings": {"Person": {"primaryKey": "id", "#
      + #""attributes": {"id": "integer", \#(attribute)}}}}"#
  }

  /// A file with two mappings, Person and Car, where Person has this relationship.
  init(_ name: String, relationship: String, _ faults: String...) {
    (self.name, self.faults) = (name, faults)
    file =
      #"{"fastmap": 1, "mappings": {"Person": {"primaryKey": "id", "attributes": {"id": "integer"}, "#
      + #""relationships": {\#(relationship)}}, "Car": {"attributes": {"plate": "string"}}}}"#
  }

  var testDescription: String { name }
}

struct MappingFileTests {
  @Test(arguments: wholeFiles + members + attributes + relationships + meanings + manyFaults)
  func aFaultNamesItsPlaceAndWhatWouldBeRight(_ test: MappingFileCase) throws {
    let error = #expect(throws: MappingFaults.self) { try MappingSet(file: Array(test.file.utf8)) }
    #expect(error?.faults.map(\.description) == test.faults)
  }

  static let wholeFiles = [
    MappingFileCase(
      "an array", "[]",
      #"$: expected a mapping file, an object with "fastmap" and "mappings", found an array"#),
    MappingFileCase(
      "a string", #""mappings""#,
      #"$: expected a mapping file, an object with "fastmap" and "mappings", found the string "mappings""#),
    MappingFileCase(
      "null", "null",
      #"$: expected a mapping file, an object with "fastmap" and "mappings", found null"#),
    MappingFileCase(
      "a payload in place of a mapping file", #"{"people": [], "page": 1}"#,
      #"$: expected a mapping file, an object with "fastmap" and "mappings", found an object without them"#),
    MappingFileCase(
      "no version", #"{"mappings": {"A": {}}}"#, "$.fastmap: expected the version 1, found nothing"),
    MappingFileCase(
      "a version in quotes", #"{"fastmap": "1", "mappings": {"A": {}}}"#,
      #"$.fastmap: expected the version 1, found the string "1""#),
    MappingFileCase(
      "a version with a fraction", #"{"fastmap": 1.5, "mappings": {"A": {}}}"#,
      "$.fastmap: expected the version 1, found the number 1.5"),
    MappingFileCase(
      "a version of the future, whose other members nobody knows", #"{"fastmap": 2, "maps": {}}"#,
      "$.fastmap: this version of FastMap reads mapping files of version 1, found version 2"),
    MappingFileCase(
      "no mappings", #"{"fastmap": 1}"#, "$.mappings: expected an object, found nothing"),
    MappingFileCase(
      "empty mappings", #"{"fastmap": 1, "mappings": {}}"#,
      "$.mappings: expected at least one mapping, found none"),
    MappingFileCase(
      "an array of mappings", #"{"fastmap": 1, "mappings": []}"#,
      "$.mappings: expected an object, found an array"),
    MappingFileCase(
      "a misspelt member", #"{"fastmap": 1, "mapping": {"A": {}}}"#,
      #"$.mapping: a mapping file has no member named "mapping"; did you mean "mappings"?"#,
      "$.mappings: expected an object, found nothing"),
    MappingFileCase(
      "a member nobody knows", #"{"fastmap": 1, "mappings": {"A": {}}, "$schema": 1}"#,
      ##"$["$schema"]: a mapping file has no member named "$schema"; there are "fastmap" and "mappings""##),
  ]

  static let members = [
    MappingFileCase(
      "a mapping that is no object", #"{"fastmap": 1, "mappings": {"Person": "people"}}"#,
      #"$.mappings.Person: expected an object, found the string "people""#),
    MappingFileCase(
      "a mapping that is null", #"{"fastmap": 1, "mappings": {"Person": null}}"#,
      "$.mappings.Person: expected an object, found null"),
    MappingFileCase(
      "a mapping without a name", #"{"fastmap": 1, "mappings": {"": {}}}"#,
      #"$.mappings[""]: a mapping needs a name"#,
      #"$.mappings[""].entity: an entity needs a name"#),
    MappingFileCase(
      "a member in other letters", person: #""primarykey": "id", "attributes": {"id": "integer"}"#,
      #"$.mappings.Person.primarykey: a mapping has no member named "primarykey"; did you mean "primaryKey"?"#
    ),
    MappingFileCase(
      "an unknown member", person: #""table": "people""#,
      #"$.mappings.Person.table: a mapping has no member named "table"; there are "entity", "rootPath", "#
        + #""primaryKey", "missingPrimaryKey", "attributes" and "relationships""#),
    MappingFileCase(
      "an entity that is no string", person: #""entity": 3"#,
      "$.mappings.Person.entity: expected a string, found the number 3"),
    MappingFileCase(
      "an empty entity", person: #""entity": """#, "$.mappings.Person.entity: an entity needs a name"),
    MappingFileCase(
      "a root path that is no string", person: #""rootPath": ["result", "people"]"#,
      "$.mappings.Person.rootPath: expected a string, found an array"),
    MappingFileCase(
      "a primary key that is no string", person: #""primaryKey": ["id"], "attributes": {"id": "integer"}"#,
      "$.mappings.Person.primaryKey: expected a string, found an array"),
    MappingFileCase(
      "an unknown choice for objects without a key", person: #""missingPrimaryKey": "skp""#,
      #"$.mappings.Person.missingPrimaryKey: no choice named "skp"; did you mean "skip"?"#),
    MappingFileCase(
      "a choice in other letters", person: #""missingPrimaryKey": "Error""#,
      #"$.mappings.Person.missingPrimaryKey: no choice named "Error"; did you mean "error"?"#),
    MappingFileCase(
      "a choice that is no string", person: #""missingPrimaryKey": false"#,
      "$.mappings.Person.missingPrimaryKey: expected a string, found false"),
    MappingFileCase(
      "attributes in an array", person: #""attributes": ["id"]"#,
      "$.mappings.Person.attributes: expected an object, found an array"),
    MappingFileCase(
      "relationships that are null", person: #""relationships": null"#,
      "$.mappings.Person.relationships: expected an object, found null"),
  ]

  static let attributes = [
    MappingFileCase(
      "a type from elsewhere", attribute: #""age": "int""#,
      #"$.mappings.Person.attributes.age: no type named "int"; did you mean "integer"?"#),
    MappingFileCase(
      "a type from elsewhere, in an object", attribute: #""age": {"type": "Double"}"#,
      #"$.mappings.Person.attributes.age.type: no type named "Double"; did you mean "number"?"#),
    MappingFileCase(
      "a misspelt type", attribute: #""age": "integr""#,
      #"$.mappings.Person.attributes.age: no type named "integr"; did you mean "integer"?"#),
    MappingFileCase(
      "an unknown type", attribute: #""age": "quaternion""#,
      #"$.mappings.Person.attributes.age: no type named "quaternion"; there are "boolean", "integer", "#
        + #""number", "string", "date", "data" and "json""#),
    MappingFileCase(
      "an empty type", attribute: #""age": """#,
      #"$.mappings.Person.attributes.age: no type named ""; there are "boolean", "integer", "#
        + #""number", "string", "date", "data" and "json""#),
    MappingFileCase(
      "a type that is a number", attribute: #""age": 3"#,
      "$.mappings.Person.attributes.age: expected a type or an object, found the number 3"),
    MappingFileCase(
      "a type that is a number, in an object", attribute: #""age": {"type": 3}"#,
      "$.mappings.Person.attributes.age.type: expected a string, found the number 3"),
    MappingFileCase(
      "no type", attribute: #""age": {"keyPath": "info.age"}"#,
      "$.mappings.Person.attributes.age.type: expected a string, found nothing"),
    MappingFileCase(
      "an unknown member", attribute: #""age": {"type": "integer", "path": "info.age"}"#,
      #"$.mappings.Person.attributes.age.path: an attribute has no member named "path"; "#
        + #"there are "type", "keyPath" and "format""#),
    MappingFileCase(
      "a misspelt member", attribute: #""age": {"type": "integer", "keypath": "info.age"}"#,
      #"$.mappings.Person.attributes.age.keypath: an attribute has no member named "keypath"; "#
        + #"did you mean "keyPath"?"#),
    MappingFileCase(
      "a key path that is no string", attribute: #""age": {"type": "integer", "keyPath": 7}"#,
      "$.mappings.Person.attributes.age.keyPath: expected a string or null, found the number 7"),
    MappingFileCase(
      "a format without a date", attribute: #""age": {"type": "integer", "format": "epoch"}"#,
      #"$.mappings.Person.attributes.age.format: only an attribute of type "date" has a format, "#
        + #""age" is an integer"#),
    MappingFileCase(
      "a format that is no string", attribute: #""born": {"type": "date", "format": 8601}"#,
      "$.mappings.Person.attributes.born.format: expected a string, found the number 8601"),
    MappingFileCase(
      "a misspelt format", attribute: #""born": {"type": "date", "format": "iso-8601"}"#,
      #"$.mappings.Person.attributes.born.format: no date format named "iso-8601"; did you mean "iso8601"?"#),
    MappingFileCase(
      "a pattern of another kind", attribute: #""born": {"type": "date", "format": "yyyy-MM-dd"}"#,
      #"$.mappings.Person.attributes.born.format: no date format named "yyyy-MM-dd"; there are "iso8601", "#
        + #""epoch" and "epoch-ms", and patterns such as "%Y-%m-%d""#),
    MappingFileCase(
      "an empty format", attribute: #""born": {"type": "date", "format": ""}"#,
      "$.mappings.Person.attributes.born.format: expected a date pattern, found an empty string"),
    MappingFileCase(
      "an unknown directive", attribute: #""born": {"type": "date", "format": "%Y-%Q"}"#,
      #"$.mappings.Person.attributes.born.format: the date pattern "%Y-%Q" has the unknown directive "%Q""#),
    MappingFileCase(
      "an odd name in quotes", attribute: #""born on": "day""#,
      #"$.mappings.Person.attributes["born on"]: no type named "day"; there are "boolean", "integer", "#
        + #""number", "string", "date", "data" and "json""#),
  ]

  static let relationships = [
    MappingFileCase(
      "a relationship that is a name", relationship: #""car": "Car""#,
      #"$.mappings.Person.relationships.car: expected an object, found the string "Car""#),
    MappingFileCase(
      "no mapping", relationship: #""car": {}"#,
      "$.mappings.Person.relationships.car.mapping: expected the name of a mapping, found nothing"),
    MappingFileCase(
      "a mapping that is no string", relationship: #""car": {"mapping": true}"#,
      "$.mappings.Person.relationships.car.mapping: expected a string, found true"),
    MappingFileCase(
      "a misspelt mapping", relationship: #""car": {"mapping": "Cars"}"#,
      #"$.mappings.Person.relationships.car.mapping: no mapping named "Cars"; did you mean "Car"?"#),
    MappingFileCase(
      "an unknown mapping", relationship: #""car": {"mapping": "Vehicle"}"#,
      #"$.mappings.Person.relationships.car.mapping: no mapping named "Vehicle"; there are "Person" and "Car""#
    ),
    MappingFileCase(
      "to-many as a word", relationship: #""car": {"mapping": "Car", "toMany": "yes"}"#,
      #"$.mappings.Person.relationships.car.toMany: expected a boolean, found the string "yes""#),
    MappingFileCase(
      "weak as a number", relationship: #""car": {"mapping": "Car", "weak": 1}"#,
      "$.mappings.Person.relationships.car.weak: expected a boolean, found the number 1"),
    MappingFileCase(
      "an unknown policy", relationship: #""car": {"mapping": "Car", "policy": "append"}"#,
      #"$.mappings.Person.relationships.car.policy: no policy named "append"; "#
        + #"there are "assign", "merge" and "replace""#),
    MappingFileCase(
      "a misspelt policy", relationship: #""car": {"mapping": "Car", "policy": "replaced"}"#,
      #"$.mappings.Person.relationships.car.policy: no policy named "replaced"; did you mean "replace"?"#),
    MappingFileCase(
      "a key path that is no string", relationship: #""car": {"mapping": "Car", "keyPath": {}}"#,
      "$.mappings.Person.relationships.car.keyPath: expected a string or null, found an object"),
    MappingFileCase(
      "a member of an attribute", relationship: #""car": {"mapping": "Car", "type": "json"}"#,
      #"$.mappings.Person.relationships.car.type: a relationship has no member named "type"; "#
        + #"there are "mapping", "toMany", "keyPath", "policy" and "weak""#),
    MappingFileCase(
      "a misspelt member", relationship: #""car": {"mapping": "Car", "tomany": true}"#,
      #"$.mappings.Person.relationships.car.tomany: a relationship has no member named "tomany"; "#
        + #"did you mean "toMany"?"#),
  ]

  static let meanings = [
    MappingFileCase(
      "a primary key that is no attribute",
      person: #""primaryKey": "ident", "attributes": {"id": "integer"}"#,
      #"$.mappings.Person.primaryKey: no attribute named "ident"; there is "id""#),
    MappingFileCase(
      "a primary key that is a date", person: #""primaryKey": "born", "attributes": {"born": "date"}"#,
      #"$.mappings.Person.primaryKey: expected an attribute of type integer or string, "born" is a date"#),
    MappingFileCase(
      "a name twice", relationship: #""id": {"mapping": "Car"}"#,
      #"$.mappings.Person.relationships.id: "id" is declared twice"#,
      #"$.mappings.Person.relationships.id: "id" of Person is a to-one relationship to Car without a key here "#
        + #"and an integer in the mapping "Person""#),
    MappingFileCase(
      "a weak relationship to objects without a key",
      relationship: #""car": {"mapping": "Car", "weak": true}"#,
      #"$.mappings.Person.relationships.car.weak: a weak relationship needs objects with a primary key; "#
        + #"the mapping "Car" has none"#),
    MappingFileCase(
      "a cycle of one whole-representation relationship",
      relationship: #""self": {"mapping": "Person", "keyPath": null}"#,
      "$.mappings.Person.relationships.self.keyPath: a cycle of relationships that read the same representation "
        + "would never end: Person → Person"),
    MappingFileCase(
      "a cycle of whole-representation relationships",
      """
      {"fastmap": 1, "mappings": {
        "A": {"relationships": {"b": {"mapping": "B", "keyPath": null}}},
        "B": {"relationships": {"a": {"mapping": "A", "keyPath": ""}}}}}
      """,
      "$.mappings.B.relationships.a.keyPath: a cycle of relationships that read the same representation "
        + "would never end: A → B → A"),
    MappingFileCase(
      "one entity with two types of one attribute",
      """
      {"fastmap": 1, "mappings": {
        "Person": {"attributes": {"age": "integer"}},
        "Citizen": {"entity": "Person", "attributes": {"age": "string"}}}}
      """,
      #"$.mappings.Citizen.attributes.age: "age" of Person is a string here and an integer in the mapping "Person""#
    ),
    MappingFileCase(
      "a key path through the value of another",
      person: #""attributes": {"info": "json", "age": {"type": "integer", "keyPath": "info.age"}}"#,
      #"$.mappings.Person.attributes.age.keyPath: leads through "info", which is the value of "info""#),
  ]

  static let manyFaults = [
    MappingFileCase(
      "every fault is found, in the order of the file",
      """
      {"fastmap": "one", "mapings": 0, "mappings": {
        "Person": {"primaryKey": "id", "rootpath": "people",
          "attributes": {"id": "int", "born": {"type": "date", "format": 1}},
          "relationships": {"car": {"mapping": "Cra"}, "boss": {"mapping": "Person", "policy": "mrege"}}},
        "Car": {"primaryKey": "plate", "attributes": {"color": "string"}}}}
      """,
      #"$.fastmap: expected the version 1, found the string "one""#,
      #"$.mapings: a mapping file has no member named "mapings"; did you mean "mappings"?"#,
      #"$.mappings.Person.rootpath: a mapping has no member named "rootpath"; did you mean "rootPath"?"#,
      #"$.mappings.Person.attributes.id: no type named "int"; did you mean "integer"?"#,
      "$.mappings.Person.attributes.born.format: expected a string, found the number 1",
      #"$.mappings.Person.relationships.boss.policy: no policy named "mrege"; did you mean "merge"?"#,
      #"$.mappings.Person.relationships.car.mapping: no mapping named "Cra"; did you mean "Car"?"#,
      #"$.mappings.Car.primaryKey: no attribute named "plate"; there is "color""#),
    MappingFileCase(
      "a fault is not reported again as its consequence",
      """
      {"fastmap": 1, "mappings": {
        "Person": {"primaryKey": 7, "attributes": {"id": "integer"}},
        "Car": {"attributes": {"plate": "string"}, "relationships": {"owner": {"mapping": "Person", "weak": true}}},
        "Fleet": {"relationships": {"cars": {"mapping": "Car", "toMany": true}}}}}
      """,
      "$.mappings.Person.primaryKey: expected a string, found the number 7"),
    MappingFileCase(
      "mappings that nothing refers to are checked too",
      """
      {"fastmap": 1, "mappings": {
        "Person": {"attributes": {"id": "integer"}},
        "Car": {"primaryKey": "id"}}}
      """,
      #"$.mappings.Car.primaryKey: no attribute named "id"; there is no attribute"#),
  ]
}

extension MappingFileTests {
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
    #expect(person.rootPath == "result.people")
    #expect(person.primaryKey == "id")
    #expect(person.attributes.map(\.name) == ["id", "name", "email", "city", "born", "extra"])
    let types: [AttributeType] = [.integer, .string, .string, .string, .date(.pattern("%Y-%m-%d")), .json]
    #expect(person.attributes.map(\.type) == types)
    #expect(
      person.attributes.map(\.keyPath) == ["id", "name", "user_email", "address.city", "born", "extra"])
    #expect(person.relationships.map(\.name) == ["car", "phones", "boss", "team"])
    #expect(person.relationships.map(\.keyPath) == ["car", "phones", "boss_id", nil])
    #expect(person.relationships.map(\.isToMany) == [false, true, false, false])
    #expect(person.relationships.map(\.policy) == [.assign, .merge, .assign, .assign])
    #expect(person.relationships.map(\.isWeak) == [false, false, true, false])

    let reference = try #require(set["PersonRef"])
    #expect(reference.entity == "Person")
    #expect(reference.attributes.map(\.keyPath) == [nil])
    #expect(try set.plan(for: "Person").root === person)
  }

  @Test func whatIsNotWrittenHasADefault() throws {
    let mapping = try #require(try read(#"{"fastmap": 1, "mappings": {"Dot": {}}}"#)["Dot"])
    #expect(mapping.entity == "Dot")
    #expect(mapping.rootPath == nil)
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
        "k": {"type": "date", "format": "epoch-ms"}, "l": {"type": "date", "format": "%d.%m.%Y"}}}}}
      """#)
    let types: [AttributeType] = [
      .boolean, .integer, .number, .string, .date(.iso8601), .data, .json, .date(.iso8601), .date(.iso8601),
      .date(.epoch), .date(.epochMilliseconds), .date(.pattern("%d.%m.%Y")),
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
    #expect(
      mapping.attributes.map { $0.keyPath?.description } == ["a\\.b", "d.e", "g\\.h.i", "", nil])
    #expect(mapping.relationships.map { $0.keyPath?.description } == ["l\\.m", "o.p", nil, nil])
  }

  /// FEM-07
  @Test(arguments: [#""""#, "null"])
  func anEmptyRootPathIsTheRootItself(_ rootPath: String) throws {
    let set = try read(#"{"fastmap": 1, "mappings": {"A": {"rootPath": \#(rootPath)}}}"#)
    #expect(set["A"]?.rootPath == nil)
    #expect(set.mappings.count == 1)
  }

  @Test func ofMembersWithOneNameTheLastCounts() throws {
    let set = try read(
      #"{"fastmap": 0, "fastmap": 1, "mappings": {"A": {"entity": "X", "entity": "Y"}}}"#)
    #expect(set["A"]?.entity == "Y")
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
    let error = #expect(throws: MappingFaults.self) { try set.plan(for: "Persom") }
    #expect(error?.description == #"$: no mapping named "Persom"; did you mean "Person"?"#)
  }
}
