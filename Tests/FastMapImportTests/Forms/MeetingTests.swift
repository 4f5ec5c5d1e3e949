import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Forms that meet in one object: ages, deletions, kinds, scoped and owned objects, weak references, defaults, rest.
@Suite struct MeetingTests {
  struct Meeting: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The first mapping is imported.
    let mappings: String
    let payloads: [String]
    let right: String
    /// Whether the payloads are one payload, too.
    var areOne = true
    /// Whether the last payload changes nothing the second time.
    var isRepeatable = true

    init(
      _ name: String, _ mappings: String, _ payloads: [String], _ right: String, areOne: Bool = true,
      isRepeatable: Bool = true
    ) {
      (testDescription, self.mappings, self.payloads, self.right) = (name, mappings, payloads, right)
      (self.areOne, self.isRepeatable) = (areOne, isRepeatable)
    }
  }

  private static let order = #"""
    "Order": {
      "primaryKey": "id", "newerBy": "v", "attributes": {"id": "integer", "v": "integer", "note": "string"},
      "relationships": {
        "lines": {"mapping": "Line", "toMany": true}, "main": {"mapping": "Line"}, "by": {"mapping": "By"},
        "extras": {"mapping": "Extra", "toMany": true}, "extra": {"mapping": "Extra"}}},
    "Line": {
      "primaryKey": "n", "keyScope": "parent", "attributes": {"n": "integer", "t": "string"},
      "relationships": {
        "subs": {"mapping": "Sub", "toMany": true}, "extras": {"mapping": "Extra", "toMany": true},
        "by": {"mapping": "By"}}},
    "Sub": {"primaryKey": "m", "keyScope": "parent", "attributes": {"m": "integer", "t": "string"}},
    "By": {"primaryKey": "k", "attributes": {"k": "integer", "name": "string"}},
    "Extra": {"attributes": {"t": "string"}}
    """#

  private static let list = #"""
    "A": {
      "primaryKey": "id", "attributes": {"id": "integer"},
      "relationships": {
        "os": {"mapping": "O", "toMany": true, "policy": "merge"}, "asg": {"mapping": "O", "toMany": true},
        "us": {"mapping": "U", "toMany": true, "policy": "merge"}, "u": {"mapping": "U"},
        "weak": {"mapping": "U", "weak": true}}},
    "O": {"attributes": {"t": "string"}, "relationships": {"u": {"mapping": "U"}}},
    "U": {"primaryKey": "k", "deletedBy": "del", "attributes": {"k": "string", "del": "boolean", "t": "string"}}
    """#

  private static func kinds(_ more: String = "", _ members: String = "") -> String {
    #"""
    "E": {"primaryKey": "id", "kinds": {"keyPath": "type", "values": {"p": "P", "q": "Q"}\#(more)}},
    "P": {
      "entity": "E", "primaryKey": "id"\#(members),
      "attributes": {"id": "integer", "v": "integer", "a": "integer", "del": "boolean"},
      "relationships": {"ls": {"mapping": "L", "toMany": true}, "other": {"mapping": "E", "weak": true}}},
    "Q": {
      "entity": "E", "primaryKey": "id"\#(members),
      "attributes": {"id": "integer", "v": "integer", "b": "integer", "del": "boolean"},
      "relationships": {"one": {"mapping": "L"}}},
    "L": {"primaryKey": "n", "attributes": {"n": "integer", "t": "string"}}
    """#
  }

  private static let aged = #", "newerBy": "v""#
  private static let agedOrDeleted = #", "newerBy": "v", "deletedBy": "del""#
  private static let standing = #"""
    "C": {
      "primaryKey": "id", "newerBy": "n",
      "attributes": {"id": "integer", "n": {"type": "integer", "default": 2}, "t": "string"},
      "relationships": {"w": {"mapping": "C", "weak": true}, "s": {"mapping": "C"}}}
    """#
  private static let event = #"""
    "D": {
      "primaryKey": "id", "newerBy": "at", "deletedBy": "del",
      "attributes": {"id": "integer", "at": "integer", "del": "boolean", "t": "string"},
      "relationships": {
        "head": {"mapping": "H"}, "ls": {"mapping": "L", "toMany": true}, "to": {"mapping": "D"},
        "maybe": {"mapping": "D", "weak": true}}},
    "H": {"attributes": {"t": "string", "more": "string"}},
    "L": {"primaryKey": "n", "keyScope": "parent", "attributes": {"n": "integer", "t": "string"}}
    """#

  private static let kept = #"""
    "E": {"primaryKey": "id", "kinds": {"keyPath": "type", "values": {"p": "P", "q": "Q"}}},
    "P": {"entity": "E", "primaryKey": "id", "attributes": {"id": "integer", "a": "integer", "o": "rest"}},
    "Q": {
      "entity": "E", "primaryKey": "id",
      "attributes": {"id": "integer", "b": "integer", "c": {"type": "string", "keyPath": "in.c"}, "o": "rest"}}
    """#

  static let meetings = [
    Meeting(
      "a kind reads a member that the rest has kept", kept,
      [
        #"{"id":1,"type":"p","b":2,"x":1,"in":{"c":"y","d":1}},{"id":2,"type":"p","b":2},{"id":3,"type":"p","b":2}"#,
        #"{"id":1,"type":"q"},{"id":2,"type":"q","b":null},{"id":3,"type":"q","b":7,"x":3},{"id":3,"b":8}"#,
      ],
      #"[{"in":{"d":1,"c":"y"},"x":1,"id":1,"b":2,"type":"q"},{"id":2,"type":"q"},{"x":3,"id":3,"b":8,"type":"q"}]"#
    ),
    Meeting(
      "a stale order leaves its scoped and owned objects alone, and nothing else", order,
      [
        #"{"id":1,"v":3,"note":"new","lines":[{"n":1,"t":"new","subs":[{"m":1,"t":"new"}],"extras":[{"t":"new"}]}],"main":{"n":1},"extra":{"t":"new"}}"#,
        #"{"id":1,"v":1,"note":"old","lines":[{"n":1,"t":"old","subs":[{"m":1,"t":"old"}],"extras":[{"t":"old"}]},{"n":2,"by":{"k":5,"name":"x"}}],"main":{"n":2},"by":{"k":6},"extras":[{"t":"old"}],"extra":{"t":"old"}}"#,
      ],
      #"[{"id":1,"v":3,"note":"new","lines":[{"n":1,"t":"new","subs":[{"m":1,"t":"new"}],"extras":[{"t":"new"}]}],"main":{"n":1},"extra":{"t":"new"}}]"#
    ),
    Meeting(
      "an element names an object that the payload deletes", list,
      [
        #"{"id":1,"os":[{"t":"p","u":"b"},{"t":"p"}],"asg":[{"t":"p","u":{"k":"b"}}],"us":["b",{"k":"c"}],"u":{"k":"b"}},{"id":2,"us":[{"k":"b","del":true}]}"#
      ], #"[{"id":1,"os":[{"t":"p"}],"asg":[{"t":"p"}],"us":[{"k":"c"}]},{"id":2}]"#),
    Meeting(
      "a later element names an object that is deleted", list,
      [
        #"{"id":1,"us":[{"k":"b","t":"x"}],"u":"b","weak":"b"}"#,
        #"{"id":2,"us":[{"k":"b","del":true}]},{"id":3,"os":[{"t":"q","u":"b"}],"us":["b"],"u":"b","weak":{"k":"b","t":"y"}}"#,
      ], #"[{"id":1},{"id":2},{"id":3,"os":[{"t":"q"}]}]"#),
    Meeting(
      "a reference keeps the kind, and brings none", kinds(),
      [
        #"{"id":7,"type":"p","a":3},{"id":8,"type":"p","other":9},{"id":9}"#,
        #"{"id":7},{"id":8,"other":{"id":9}},{"id":9,"type":"q","b":1}"#,
      ],
      #"[{"id":7,"a":3,"type":"p"},{"id":8,"type":"p","other":{"id":9}},{"id":9,"b":1,"type":"q"}]"#
    ),
    Meeting(
      "an occurrence without a kind leaves no age", kinds(#", "otherwise": "skip""#, aged),
      [#"{"id":3,"v":3},{"id":3,"type":"p","v":2,"a":1},{"id":3,"v":1,"a":9},{"id":3,"v":2,"a":4}"#],
      #"[{"id":3,"v":2,"a":4,"type":"p"}]"#, isRepeatable: false),
    Meeting(
      "a stale occurrence brings no kind, and its kind's objects count", kinds("", aged),
      [
        #"{"id":1,"type":"p","v":5,"a":1,"ls":[{"n":1}]}"#,
        #"{"id":1,"type":"q","v":4,"b":1,"one":{"n":2,"t":"x"}},{"id":1,"v":6,"a":2,"b":3}"#,
      ], #"[{"id":1,"v":6,"a":2,"type":"p","ls":[{"n":1}]}]"#),
    Meeting(
      "a deleted object that lives again has another kind and no old values", kinds("", agedOrDeleted),
      [
        #"{"id":1,"type":"p","v":5,"a":1,"ls":[{"n":1}]},{"id":2,"type":"p","other":1}"#,
        #"{"id":1,"type":"p","v":6,"del":true},{"id":1,"type":"q","v":5,"b":1},{"id":1,"type":"q","v":7,"b":2}"#,
      ],
      #"[{"id":1,"v":7,"b":2,"type":"q"},{"id":2,"type":"p","other":{"id":1}}]"#,
      areOne: false),
    Meeting(
      "a reference has no age", standing,
      [
        #"{"id":2,"s":1,"w":5},{"id":1,"n":1,"t":"x"},{"id":5,"n":1,"t":"z"},{"id":1,"n":0,"t":"y"}"#,
        #"{"id":3,"s":{"id":4}},{"id":3},{"id":4,"t":"x"},{"id":4,"n":1,"t":"y"},{"id":3,"n":1,"t":"old"}"#,
      ],
      #"[{"id":1,"n":1,"t":"x"},{"id":2,"n":2,"w":{"id":5},"s":{"id":1}},{"id":3,"n":2,"s":{"id":4}},{"id":4,"n":2,"t":"x"},{"id":5,"n":1,"t":"z"}]"#
    ),
    Meeting(
      "a deletion has an age, also of an object that was never there", event,
      [
        #"{"id":1,"at":5,"del":true},{"id":1,"at":4,"t":"x","head":{"t":"h"},"ls":[{"n":1}],"to":{"id":2,"t":"y"}},{"id":3,"to":1,"maybe":{"id":1,"at":9,"t":"w","to":{"id":9,"t":"v"}}},{"id":4,"to":{"id":1}}"#,
        #"{"id":1,"at":5,"del":true},{"id":1,"at":6,"del":null,"t":"again","head":{"t":"k"}},{"id":5,"to":1}"#,
      ],
      #"[{"id":1,"at":6,"t":"again","head":{"t":"k"}},{"id":2,"t":"y"},{"id":3},{"id":4},{"id":5,"to":{"id":1}}]"#,
      areOne: false),
    Meeting(
      "links before a deletion, one of them in its batch, to an object that lives again", event,
      [
        #"{"id":1,"t":"a"},{"id":3,"to":1},{"id":2,"to":{"id":1},"maybe":{"id":1,"del":true}},{"id":1,"t":"b"}"#
      ],
      #"[{"id":1,"t":"b"},{"id":2,"to":{"id":1}},{"id":3,"to":{"id":1}}]"#),
    Meeting(
      "an object that is lost and got again in one payload has new owned objects", event,
      [
        #"{"id":1,"at":1,"t":"x","head":{"t":"h"},"ls":[{"n":1,"t":"l"},{"n":2}]},{"id":2,"to":1}"#,
        #"{"id":1,"at":2,"del":true},{"id":1,"at":2,"head":{},"ls":[{"n":1}]}"#,
      ],
      #"[{"id":1,"at":2,"head":{},"ls":[{"n":1}]},{"id":2,"to":{"id":1}}]"#, areOne: false,
      isRepeatable: false),
    Meeting(
      "an object that lives again has no owned object of before, in any later occurrence", event,
      [
        #"{"id":1,"at":1,"head":{"t":"h"},"ls":[{"n":1,"t":"l"}]},{"id":1,"at":2,"del":true},{"id":1,"at":3},{"id":1,"at":4,"head":{},"ls":[{"n":1}]}"#
      ],
      #"[{"id":1,"at":4,"head":{},"ls":[{"n":1}]}]"#),
    Meeting(
      "an object that lives again takes no values in the next batch",
      #"""
      "D": {
        "primaryKey": "id", "deletedBy": "del", "attributes": {"id": "integer", "del": "boolean", "t": "string"},
        "relationships": {"head": {"mapping": "H"}, "all": {"mapping": "D", "toMany": true}}},
      "H": {"attributes": {"t": "string"}}
      """#,
      [
        #"{"id":2,"head":{"t":"h"}},{"id":1,"t":"a"}"#,
        #"{"id":5,"all":[{"id":1,"del":true},{"id":1,"t":"b"}]},{"id":6,"head":{},"all":[{"id":2,"head":{}}]}"#,
      ],
      #"[{"id":1,"t":"b"},{"id":2,"head":{"t":"h"}},{"id":5,"all":[{"id":1}]},{"id":6,"head":{},"all":[{"id":2}]}]"#
    ),
    Meeting(
      "an object that lives again twice keeps the values that come later",
      #"""
      "D": {
        "primaryKey": "id", "deletedBy": "del", "attributes": {"id": "integer", "del": "boolean"},
        "relationships": {"head": {"mapping": "H"}, "all": {"mapping": "D", "toMany": true}}},
      "H": {"attributes": {"t": "string"}}
      """#,
      [
        #"{"id":1,"head":{"t":"h"}}"#,
        #"{"id":5,"all":[{"id":1,"del":true},{"id":1,"all":[]}]},{"id":6,"all":[{"id":1,"del":true},{"id":1,"head":{"t":"x"}},{"id":1,"head":{}}]}"#,
      ],
      #"[{"id":1,"head":{"t":"x"}},{"id":5,"all":[{"id":1}]},{"id":6,"all":[{"id":1},{"id":1}]}]"#),
    Meeting(
      "a deleted part of an object that lives again has no age of before",
      #"""
      "D": {
        "primaryKey": "id", "deletedBy": "del", "attributes": {"id": "integer", "del": "boolean"},
        "relationships": {"ps": {"mapping": "P", "toMany": true}}},
      "P": {
        "primaryKey": "n", "keyScope": "parent", "newerBy": "v", "deletedBy": "del",
        "attributes": {"n": "integer", "v": "integer", "del": "boolean"}}
      """#,
      [
        #"{"id":1,"ps":[{"n":1,"v":5}]}"#,
        #"{"id":1,"del":true},{"id":1,"ps":[{"n":1,"v":4,"del":true}]}"#,
      ], #"[{"id":1}]"#),
    Meeting(
      "a weak reference to an object that the payload makes and deletes changes nothing", list,
      [#"{"id":1,"weak":"a"},{"id":2,"u":{"k":"a","t":"x"}},{"id":3,"u":{"k":"a","del":true}}"#],
      #"[{"id":1},{"id":2},{"id":3}]"#),
    Meeting(
      "a key of several parts alone is a reference, also where kinds have a rest",
      #"""
      "E": {"primaryKey": ["n", "s"], "kinds": {"keyPath": "type", "values": {"p": "P"}}},
      "P": {
        "entity": "E", "primaryKey": ["n", "s"],
        "attributes": {"n": "integer", "s": "string", "type": "string", "o": "rest"},
        "relationships": {"to": {"mapping": "E"}}}
      """#,
      [
        #"{"type":"p","n":1,"s":"a","x":2,"to":{"n":2,"s":"a"}},{"type":"p","n":2,"s":"a","y":3},{"n":1,"s":"a"}"#
      ],
      #"[{"x":2,"n":1,"s":"a","type":"p","to":{"n":2,"s":"a"}},{"y":3,"n":2,"s":"a","type":"p"}]"#),
  ]

  private static let options = [
    ImportOptions(), ImportOptions(batchSize: 1), ImportOptions(commitInterval: 1),
    ImportOptions(commitInterval: 2, batchSize: 1),
  ]

  @Test(arguments: TestSize.onStores(meetings, others: 12))
  func theVerdictDependsOnNoBatch(_ kind: StoreKind, _ meeting: Meeting) throws {
    let set = try MappingSet(file: "{\"fastmap\": 1, \"mappings\": {\(meeting.mappings)}}")
    let plan = try set.plan(for: try #require(set.mappings.first).name)
    for (number, options) in Self.options.enumerated() {
      let world = try World(kind, plan)
      for payload in meeting.payloads { try world.load("[\(payload)]", options: options) }
      try #expect(world.export() == meeting.right, "\(number)")
      guard meeting.isRepeatable else { continue }
      let again = try world.report("[\(meeting.payloads[meeting.payloads.count - 1])]", options: options)
      try #expect(world.export() == meeting.right, "again, \(number)")
      if options.commitInterval == nil {
        #expect(!summary(again).contains { "+~-".contains($0) }, "\(number): \(summary(again))")
      }
      let copy = try World(kind, plan)
      try copy.load(meeting.right)
      try #expect(copy.export() == meeting.right, "the export, \(number)")
      guard meeting.areOne else { continue }
      let one = try World(kind, plan)
      try one.load("[\(meeting.payloads.joined(separator: ","))]", options: options)
      try #expect(one.export() == meeting.right, "one payload, \(number)")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anotherMappingReadsAMemberThatTheRestHasKept(_ kind: StoreKind) throws {
    let set = try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "M1": {"entity": "F", "primaryKey": "id", "attributes": {"id": "integer", "o": "rest"}},
          "M2": {"entity": "F", "primaryKey": "id", "attributes": {"id": "integer", "b": "integer", "o": "rest"}}}}
        """#)
    let world = try World(kind, set.plan(for: "M1"), set.plan(for: "M2"))
    try world.load(#"[{"id":1,"b":2},{"id":2,"b":2},{"id":3,"b":"text"}]"#)
    try world.load(#"[{"id":1,"x":1},{"id":2,"b":null},{"id":3,"x":1}]"#, as: "M2")
    try #expect(world.export("M2") == #"[{"x":1,"id":1,"b":2},{"id":2},{"b":"text","x":1,"id":3}]"#)
    // A value of the payload replaces a kept value that the field cannot hold.
    try world.load(#"[{"id":3,"b":4}]"#, as: "M2")
    try #expect(world.export("M2").hasSuffix(#"{"x":1,"id":3,"b":4}]"#))
  }
}
