import FastMapCore
import Testing

/// Faults of a mapping file as a whole, of its mappings and of their attributes.
@Suite struct MappingFileFaultTests {
  @Test(arguments: wholeFiles + members + attributes)
  func aFaultNamesItsPlaceAndTheExpectation(_ test: MappingFileCase) throws { try test.check() }

  static let wholeFiles: [MappingFileCase] =
    MappingFileCase.table(
      .file,
      #"""
      an array │ [] → $: expected a mapping file, an object with "fastmap" and "mappings", found an array
      a string │ "mappings" → $: expected a mapping file, an object with "fastmap" and "mappings", found the string "mappings"
      null │ null → $: expected a mapping file, an object with "fastmap" and "mappings", found null
      a payload in place of a mapping file │ {"people": [], "page": 1} → $: expected a mapping file, an object with "fastmap" and "mappings", found an object without them
      no version │ {"mappings": {"A": {}}} → $.fastmap: expected the version 1, found nothing
      a version in quotes │ {"fastmap": "1", "mappings": {"A": {}}} → $.fastmap: expected the version 1, found the string "1"
      a version with a fraction │ {"fastmap": 1.5, "mappings": {"A": {}}} → $.fastmap: expected the version 1, found the number 1.5
      a version of the future, whose other members nobody knows │ {"fastmap": 2, "maps": {}} → $.fastmap: this version of FastMap reads mapping files of version 1, found version 2
      no mappings │ {"fastmap": 1} → $.mappings: expected an object, found nothing
      empty mappings │ {"fastmap": 1, "mappings": {}} → $.mappings: expected at least one mapping, found none
      an array of mappings │ {"fastmap": 1, "mappings": []} → $.mappings: expected an object, found an array
      a member nobody knows │ {"fastmap": 1, "mappings": {"A": {}}, "$schema": 1} → $["$schema"]: a mapping file has no member named "$schema"; there are "fastmap", "inferred" and "mappings"
      """#)
    + [
      MappingFileCase(
        "a misspelt member", #"{"fastmap": 1, "mapping": {"A": {}}}"#,
        #"$.mapping: a mapping file has no member named "mapping"; did you mean "mappings"?"#,
        "$.mappings: expected an object, found nothing")
    ]

  static let members: [MappingFileCase] =
    MappingFileCase.table(
      .file,
      #"""
      a mapping that is no object │ {"fastmap": 1, "mappings": {"Person": "people"}} → $.mappings.Person: expected an object, found the string "people"
      a mapping that is null │ {"fastmap": 1, "mappings": {"Person": null}} → $.mappings.Person: expected an object, found null
      """#)
    + MappingFileCase.table(
      .person,
      #"""
      a member in other letters │ "primarykey": "id", "attributes": {"id": "integer"} → $.mappings.Person.primarykey: a mapping has no member named "primarykey"; did you mean "primaryKey"?
      an unknown member │ "table": "people" → $.mappings.Person.table: a mapping has no member named "table"; there are "entity", "rootPath", "primaryKey", "keyScope", "missingPrimaryKey", "newerBy", "deletedBy", "keyedBy", "ignores", "lenient", "attributes", "relationships", "indexes", "kinds" and "was"
      an entity that is no string │ "entity": 3 → $.mappings.Person.entity: expected a string, found the number 3
      an empty entity │ "entity": "" → $.mappings.Person.entity: an entity needs a name
      a root path that is no string │ "rootPath": ["result", "people"] → $.mappings.Person.rootPath: expected a string, found an array
      a primary key that is no string │ "primaryKey": true, "attributes": {"id": "integer"} → $.mappings.Person.primaryKey: expected a string or an array of strings, found true
      a key of one part │ "primaryKey": ["id"], "attributes": {"id": "integer"} → $.mappings.Person.primaryKey: expected two to four parts of a key, found 1; one attribute is written without brackets
      a part that is no string │ "primaryKey": ["id", 7], "attributes": {"id": "integer"} → $.mappings.Person.primaryKey[1]: expected a string, found the number 7
      a part that is no field │ "primaryKey": ["id", "nr"], "attributes": {"id": "integer"} → $.mappings.Person.primaryKey[1]: no attribute named "nr"; there is "id"
      a part that is twice │ "primaryKey": ["id", "id"], "attributes": {"id": "integer"} → $.mappings.Person.primaryKey[1]: "id" is a part of the key twice
      a part that is a date │ "primaryKey": ["id", "born"], "attributes": {"id": "integer", "born": "date"} → $.mappings.Person.primaryKey[1]: expected an attribute of type integer or string, "born" is a date
      a part that is the representation │ "primaryKey": ["id", "all"], "attributes": {"id": "integer", "all": {"type": "string", "keyPath": null}} → $.mappings.Person.attributes.all.keyPath: a primary key with several parts needs a member for each attribute; "all" reads the representation itself
      an unknown choice for objects without a key │ "missingPrimaryKey": "skp" → $.mappings.Person.missingPrimaryKey: no choice named "skp"; did you mean "skip"?
      a choice in other letters │ "missingPrimaryKey": "Error" → $.mappings.Person.missingPrimaryKey: no choice named "Error"; did you mean "error"?
      a choice that is no string │ "missingPrimaryKey": false → $.mappings.Person.missingPrimaryKey: expected a string, found false
      leniency that is no boolean │ "lenient": 1 → $.mappings.Person.lenient: expected a boolean, found the number 1
      attributes in an array │ "attributes": ["id"] → $.mappings.Person.attributes: expected an object, found an array
      relationships that are null │ "relationships": null → $.mappings.Person.relationships: expected an object, found null
      """#)
    + [
      MappingFileCase(
        "a mapping without a name", #"{"fastmap": 1, "mappings": {"": {}}}"#,
        #"$.mappings[""]: a mapping needs a name"#,
        #"$.mappings[""].entity: an entity needs a name"#)
    ]

  static let attributes: [MappingFileCase] = MappingFileCase.table(
    .attribute,
    #"""
    a type from elsewhere │ "age": "int" → $.mappings.Person.attributes.age: no type named "int"; did you mean "integer"?
    a type from elsewhere, in an object │ "age": {"type": "Double"} → $.mappings.Person.attributes.age.type: no type named "Double"; did you mean "number"?
    a misspelt type │ "age": "integr" → $.mappings.Person.attributes.age: no type named "integr"; did you mean "integer"?
    an unknown type │ "age": "quaternion" → $.mappings.Person.attributes.age: no type named "quaternion"; there are "boolean", "integer", "number", "decimal", "string", "date", "data", "json" and "rest"
    an empty type │ "age": "" → $.mappings.Person.attributes.age: no type named ""; there are "boolean", "integer", "number", "decimal", "string", "date", "data", "json" and "rest"
    a type that is a number │ "age": 3 → $.mappings.Person.attributes.age: expected a type or an object, found the number 3
    a type that is a number, in an object │ "age": {"type": 3} → $.mappings.Person.attributes.age.type: expected a string, found the number 3
    no type │ "age": {"keyPath": "info.age"} → $.mappings.Person.attributes.age.type: expected a string, found nothing
    an unknown member │ "age": {"type": "integer", "path": "info.age"} → $.mappings.Person.attributes.age.path: an attribute has no member named "path"; there are "type", "keyPath", "context", "format", "lenient", "default" and "was"
    a misspelt member │ "age": {"type": "integer", "keypath": "info.age"} → $.mappings.Person.attributes.age.keypath: an attribute has no member named "keypath"; did you mean "keyPath"?
    leniency that is no boolean │ "age": {"type": "integer", "lenient": "yes"} → $.mappings.Person.attributes.age.lenient: expected a boolean, found the string "yes"
    a key path that is no string │ "age": {"type": "integer", "keyPath": 7} → $.mappings.Person.attributes.age.keyPath: expected a string or null, found the number 7
    a format without a date │ "age": {"type": "integer", "format": "epoch"} → $.mappings.Person.attributes.age.format: only an attribute of type "date" has a format, "age" is an integer
    a format that is no string │ "born": {"type": "date", "format": 8601} → $.mappings.Person.attributes.born.format: expected a string or an array of strings, found the number 8601
    a list of formats with one that is none │ "born": {"type": "date", "format": ["iso8601", 7]} → $.mappings.Person.attributes.born.format[1]: expected a string, found the number 7
    a list of formats with an unknown directive │ "born": {"type": "date", "format": ["iso8601", "%Y-%Q"]} → $.mappings.Person.attributes.born.format[1]: the date pattern "%Y-%Q" has the unknown directive "%Q"; there are %Y, %m, %d, %e, %H, %M, %S, %y, %I, %p, %j, %b, %B, %h, %a, %A, %T, %D, %F, %R, %z, %Z, %s, %f, %n, %t and %%
    no format in a list │ "born": {"type": "date", "format": []} → $.mappings.Person.attributes.born.format: expected at least one date format, found none
    a misspelt format │ "born": {"type": "date", "format": "iso-8601"} → $.mappings.Person.attributes.born.format: no date format named "iso-8601"; did you mean "iso8601"?
    a pattern of another kind │ "born": {"type": "date", "format": "yyyy-MM-dd"} → $.mappings.Person.attributes.born.format: no date format named "yyyy-MM-dd"; there are "iso8601", "epoch" and "epoch-ms", and patterns such as "%Y-%m-%d"
    an empty format │ "born": {"type": "date", "format": ""} → $.mappings.Person.attributes.born.format: expected a date pattern, found an empty string
    an unknown directive │ "born": {"type": "date", "format": "%Y-%Q"} → $.mappings.Person.attributes.born.format: the date pattern "%Y-%Q" has the unknown directive "%Q"; there are %Y, %m, %d, %e, %H, %M, %S, %y, %I, %p, %j, %b, %B, %h, %a, %A, %T, %D, %F, %R, %z, %Z, %s, %f, %n, %t and %%
    an odd name in quotes │ "born on": "day" → $.mappings.Person.attributes["born on"]: no type named "day"; there are "boolean", "integer", "number", "decimal", "string", "date", "data", "json" and "rest"
    """#)
}
