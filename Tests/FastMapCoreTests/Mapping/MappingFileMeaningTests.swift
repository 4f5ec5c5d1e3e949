import FastMapCore
import Testing

/// Faults between the mappings of a file: relationships, names and cycles.
@Suite struct MappingFileMeaningTests {
  // FEM-100, FEM-148, WAM-37, BUG-26, BUG-29, BUG-39, BUG-58
  @Test(arguments: relationships + meanings + manyFaults)
  func aFaultNamesItsPlaceAndTheExpectation(_ test: MappingFileCase) throws { try test.check() }

  static let relationships: [MappingFileCase] = MappingFileCase.table(
    .relationship,
    #"""
    a relationship that is a name │ "car": "Car" → $.mappings.Person.relationships.car: expected an object, found the string "Car"
    no mapping │ "car": {} → $.mappings.Person.relationships.car.mapping: expected the name of a mapping, found nothing
    a mapping that is no string │ "car": {"mapping": true} → $.mappings.Person.relationships.car.mapping: expected a string, found true
    a misspelt mapping │ "car": {"mapping": "Cars"} → $.mappings.Person.relationships.car.mapping: no mapping named "Cars"; did you mean "Car"?
    an unknown mapping │ "car": {"mapping": "Vehicle"} → $.mappings.Person.relationships.car.mapping: no mapping named "Vehicle"; there are "Person" and "Car"
    to-many as a word │ "car": {"mapping": "Car", "toMany": "yes"} → $.mappings.Person.relationships.car.toMany: expected a boolean, found the string "yes"
    weak as a number │ "car": {"mapping": "Car", "weak": 1} → $.mappings.Person.relationships.car.weak: expected a boolean, found the number 1
    an unknown policy │ "car": {"mapping": "Car", "policy": "append"} → $.mappings.Person.relationships.car.policy: no policy named "append"; there are "assign", "merge" and "replace"
    a misspelt policy │ "car": {"mapping": "Car", "policy": "replaced"} → $.mappings.Person.relationships.car.policy: no policy named "replaced"; did you mean "replace"?
    a key path that is no string │ "car": {"mapping": "Car", "keyPath": {}} → $.mappings.Person.relationships.car.keyPath: expected a string or null, found an object
    a member of an attribute │ "car": {"mapping": "Car", "type": "json"} → $.mappings.Person.relationships.car.type: a relationship has no member named "type"; there are "mapping", "toMany", "keyPath", "context", "policy", "weak", "keyedBy", "lenient", "inverseOf" and "was"
    links that wait │ "car": {"mapping": "Car", "weak": true, "waits": true} → $.mappings.Person.relationships.car.waits: no link waits for a missing object; remove "waits" and "weak", since a relationship that is not weak keeps a missing target as a stub
    a misspelt member │ "car": {"mapping": "Car", "tomany": true} → $.mappings.Person.relationships.car.tomany: a relationship has no member named "tomany"; did you mean "toMany"?
    """#)

  static let meanings: [MappingFileCase] =
    MappingFileCase.table(
      .person,
      #"""
      a primary key that is no attribute │ "primaryKey": "ident", "attributes": {"id": "integer"} → $.mappings.Person.primaryKey: no attribute named "ident"; there is "id"
      a primary key that is a date │ "primaryKey": "born", "attributes": {"born": "date"} → $.mappings.Person.primaryKey: expected an attribute of type integer or string, "born" is a date
      a key path through the value of another │ "attributes": {"info": "string", "age": {"type": "integer", "keyPath": "info.age", "default": 1}} → $.mappings.Person.attributes.age.keyPath: leads through "info", which is the value of "info": "age" must not have a default, as either of them may be without a value
      an element of the value of another │ "attributes": {"first": {"type": "number", "keyPath": "place[0]"}, "place": ["number"]} → $.mappings.Person.attributes.first.keyPath: leads through "place", which is the value of "place": both take arrays, and only one of them could be written
      a bracket that is no step │ "attributes": {"last": {"type": "number", "keyPath": "place[-1]"}} → $.mappings.Person.attributes.last.keyPath: expected [], or an index between brackets, found "[-1]"; a bracket of a name is written \[
      """#)
    + MappingFileCase.table(
      .relationship,
      #"""
      a name twice │ "id": {"mapping": "Car"} → $.mappings.Person.relationships.id: "id" is declared twice
      a weak relationship to objects without a key │ "car": {"mapping": "Car", "weak": true} → $.mappings.Person.relationships.car.weak: a weak relationship needs objects with a primary key; the mapping "Car" has none
      a cycle of one whole-representation relationship │ "self": {"mapping": "Person", "keyPath": null} → $.mappings.Person.relationships.self.keyPath: a cycle of relationships that read the same representation would never end: Person → Person
      """#)
    + [
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
        "two relationships that read one value",
        """
        {"fastmap": 1, "mappings": {
          "Person": {"relationships": {"car": {"mapping": "Car"}, "boat": {"mapping": "Boat", "keyPath": "car"}}},
          "Car": {}, "Boat": {}}}
        """,
        #"$.mappings.Person.relationships.boat.keyPath: "car" is the value of "car" too: only one of them could be written"#
      ),
      MappingFileCase(
        "another primary key in another mapping of the entity",
        """
        {"fastmap": 1, "mappings": {
          "Person": {"primaryKey": "id", "attributes": {"id": "integer"}},
          "Citizen": {"entity": "Person", "primaryKey": "nr", "attributes": {"nr": "integer"}}}}
        """,
        #"$.mappings.Citizen.primaryKey: the primary key of Person is "nr" here and "id" in the mapping "Person""#
      ),
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
      "$.mappings.Person.attributes.born.format: expected a string or an array of strings, found the number 1",
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
      "$.mappings.Person.primaryKey: expected a string or an array of strings, found the number 7"),
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
