import FastMapCore
import TestSupport
import Testing

/// Faults of `kinds` in a mapping file.
@Suite struct KindsFileTests {
  struct FileCase: Sendable, CustomTestStringConvertible {
    var kinds: String
    var fault: String
    var testDescription: String { kinds }
  }

  static let fileCases = [
    FileCase(kinds: "[]", fault: "$.mappings.Any.kinds: expected an object, found an array"),
    FileCase(
      kinds: #"{"keyPath": "type", "values": {}}"#,
      fault: "$.mappings.Any.kinds.values: expected at least one value, found none"),
    FileCase(
      kinds: #"{"values": {"a": "Push"}}"#,
      fault: "$.mappings.Any.kinds.keyPath: expected a string, found nothing"),
    FileCase(
      kinds: #"{"keyPath": "type", "value": {}, "values": {"a": "Push"}}"#,
      fault: #"$.mappings.Any.kinds.value: "kinds" has no member named "value"; did you mean "values"?"#),
    FileCase(
      kinds: #"{"keyPath": "type", "values": {"a": "Pusch"}}"#,
      fault: #"$.mappings.Any.kinds.values.a: no mapping named "Pusch"; did you mean "Push"?"#),
    FileCase(
      kinds: #"{"keyPath": "type", "values": {"a": "Push"}, "otherwise": "Skip"}"#,
      fault: #"$.mappings.Any.kinds.otherwise: no mapping named "Skip""#),
    FileCase(
      kinds: #"{"keyPath": "type", "values": {"a": "Any"}}"#,
      fault:
        #"$.mappings.Any.kinds.values.a: expected a mapping with attributes, found "Any", which has kinds"#),
    FileCase(
      kinds: #"{"keyPath": "type", "values": {"a": "Push", "b": "User"}}"#,
      fault:
        #"$.mappings.Any.kinds.values.b: expected a mapping of the entity "Event", found "User" of "User""#),
    FileCase(
      kinds: #"{"keyPath": "type", "values": {"a": "Push", "b": "Keyless"}}"#,
      fault:
        #"$.mappings.Any.kinds.values.b: expected a mapping with the primary key "id", found "Keyless" with no primary key"#
    ),
    FileCase(
      kinds: #"{"keyPath": "type", "values": {"a": "Named"}}"#,
      fault: #"$.mappings.Named.attributes.kind: "kind" is the name of the chosen mapping"#),
    FileCase(
      kinds: #"{"keyPath": "id", "values": {"a": "Push"}}"#,
      fault: #"$.mappings.Push.attributes.id: the value at "id" by which "Any" chooses is stored as "id""#),
    FileCase(
      kinds: #"{"keyPath": "a[]", "values": {"a": "Push"}}"#,
      fault:
        #"$.mappings.Any.kinds.keyPath: expected the key path of a string inside the object, found "a[]""#),
    FileCase(
      kinds: #"{"keyPath": "type", "values": {"a": "Push"}}, "attributes": {}"#,
      fault: #"$.mappings.Any.attributes: "attributes" is refused beside "kinds""#),
    FileCase(
      kinds: #"{"keyPath": "type", "values": {"a": "Push"}}, "newerBy": "size""#,
      fault: #"$.mappings.Push.newerBy: no attribute named "size""#),
  ]

  @Test(arguments: fileCases)
  func aChoiceThatCannotBeMadeIsRefused(_ example: FileCase) {
    let found = message {
      _ = try MappingSet(
        file: #"""
          {"fastmap": 1, "mappings": {
            "Any": {"kinds": \#(example.kinds)},
            "Push": {"entity": "Event", "primaryKey": "id", "attributes": {"id": "integer"}},
            "Keyless": {"entity": "Event", "attributes": {"id": "integer"}},
            "Named": {"entity": "\#(example.kinds.contains("Named") ? "Event" : "Named")", "primaryKey": "id", "attributes": {"id": "integer", "kind": "string"}},
            "User": {"primaryKey": "id", "attributes": {"id": "integer"}}}}
          """#)
    }
    #expect(found?.contains(example.fault) == true, "\(found ?? "no fault")")
  }
}
