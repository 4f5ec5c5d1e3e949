import FastMapCore
import Testing

/// What is wrong with a mapping file as a whole, its mappings and their attributes.
@Suite struct MappingFileFaultTests {
  @Test(arguments: wholeFiles + members + attributes)
  func aFaultNamesItsPlaceAndWhatWouldBeRight(_ test: MappingFileCase) throws { try test.check() }

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
      "$.mappings.Person.attributes.born.format: expected a string or an array of strings, found the number 8601"
    ),
    MappingFileCase(
      "a list of formats with one that is none",
      attribute: #""born": {"type": "date", "format": ["iso8601", 7]}"#,
      "$.mappings.Person.attributes.born.format[1]: expected a string, found the number 7"),
    MappingFileCase(
      "a list of formats with an unknown directive",
      attribute: #""born": {"type": "date", "format": ["iso8601", "%Y-%Q"]}"#,
      #"$.mappings.Person.attributes.born.format[1]: the date pattern "%Y-%Q" has the unknown directive "%Q""#
    ),
    MappingFileCase(
      "no format in a list", attribute: #""born": {"type": "date", "format": []}"#,
      "$.mappings.Person.attributes.born.format: expected at least one date format, found none"),
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
}
