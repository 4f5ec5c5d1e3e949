import FastMapCore
import TestSupport
import Testing

/// Fields that cannot share a member.
@Suite struct SharedMemberFaultTests {
  static let refused = [
    (
      #""a": "string", "b": {"type": "integer", "keyPath": "id.x"}"#, "",
      #"attributes.b.keyPath: leads through "id", which is the value of "id": a primary key has a member for itself"#
    ),
    (
      #""t": {"type": "boolean", "keyPath": "id"}"#, "",
      #"attributes.id.keyPath: "id" is the value of "t" too: a primary key has a member for itself"#
    ),
    (
      #""a": {"type": "string", "default": "x"}, "b": {"type": "integer", "keyPath": "a.x"}"#, "",
      #"attributes.b.keyPath: leads through "a", which is the value of "a": "a" must not have a default, as either of them may be without a value"#
    ),
    (
      #""a": "string", "b": {"type": "integer", "keyPath": "a.x"}, "more": "rest""#, "",
      #"attributes.b.keyPath: leads through "a", which is the value of "a": "more" cannot have the rest of a member that is not always an object"#
    ),
    (
      #""a": {"type": "json", "keyPath": "l[].a"}, "b": {"type": "json", "keyPath": "l[].a.b"}"#, "",
      #"attributes.b.keyPath: leads through "l[].a", which is the value of "a": a list of values has one field"#
    ),
    (
      #""a": "json", "b": {"type": ["string"], "keyPath": "a.l[].b"}"#, "",
      #"attributes.b.keyPath: leads through "a", which is the value of "a": a list inside of JSON that is kept could not be written back"#
    ),
    (
      #""a": "json""#, #""r": {"mapping": "B", "keyPath": "a.r"}"#,
      #"relationships.r.keyPath: leads through "a", which is the value of "a": objects inside of JSON that is kept could not be written back"#
    ),
    (
      #""a": {"type": "integer", "keyPath": "r.a"}"#, #""r": {"mapping": "B"}"#,
      #"attributes.a.keyPath: leads through "r", which is the value of "r": both take objects, and only one of them could be written"#
    ),
    (
      #""a": "string""#, #""r": {"mapping": "B", "keyPath": "a"}, "s": {"mapping": "B", "keyPath": "a"}"#,
      #"relationships.s.keyPath: "a" is the value of "r" too: only one of them could be written"#
    ),
    (
      #""a": "string""#, #""r": {"mapping": "A", "keyPath": "a", "toMany": true, "policy": "merge"}"#,
      #"relationships.r.keyPath: "a" is the value of "a" too: the policy of "r" must be assign or replace, as either of them may be without a value"#
    ),
    (
      #""a": "string", "b": {"type": "boolean", "keyPath": "@parent.b"}, "c": {"type": "string", "keyPath": "b"}"#,
      "",
      #"attributes.b.keyPath: "b" is the value of "c" too: "b" has its value outside of the object, and needs a name for itself"#
    ),
  ]

  // BUG-58
  @Test(arguments: refused)
  func fieldsThatCannotShareAMemberAreRefused(_ attributes: String, _ relationships: String, _ reason: String)
  {
    let found = message {
      _ = try MappingSet(
        file: #"""
          {"fastmap": 1, "mappings": {
            "A": {"primaryKey": "id", "attributes": {"id": "integer", \#(attributes)}, "relationships": {\#(relationships)}},
            "B": {"attributes": {"x": "integer"}}}}
          """#)
    }
    #expect(found == "$.mappings.A.\(reason)")
  }
}
