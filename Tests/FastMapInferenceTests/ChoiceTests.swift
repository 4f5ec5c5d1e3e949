import FastMapCore
import FastMapInference
import FastMapMemory
import TestSupport
import Testing

/// Choices of a person in public payloads, in small.
@Suite struct ChoiceTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let payload: String
    let lines: [String]
    var absent: [String] = []
    var testDescription: String { name }
  }

  /// Objects, made from their numbers.
  private static func list(_ count: Int, _ make: (Int) -> String) -> String {
    "[" + (0..<count).map(make).joined(separator: ",") + "]"
  }

  static let cases = [
    Case(
      name: "equal single objects have their name as the key",
      payload: list(12) { #"{"id":\#($0),"sponsor":{"name":"n\#($0 % 4)","url":"u\#($0 % 4)"}}"# },
      lines: [#""primaryKey": "name""#]),
    Case(
      name: "single objects that differ under one name have no key",
      payload: list(12) { #"{"id":\#($0),"sponsor":{"name":"n\#($0 % 4)","url":"u\#($0 % 5)"}}"# },
      lines: [#""sponsor": {"mapping": "Sponsor"}"#],
      absent: [#""primaryKey": "name""#, #""primaryKey": "url""#]),
    Case(
      name: "people have their address as the key",
      payload: list(12) { #"{"id":\#($0),"author":{"name":"n\#($0 % 4)","email":"e\#($0 % 4)"}}"# },
      lines: [#""primaryKey": "email""#]),
    Case(
      name: "an unnamed key is the one that lists refer to",
      payload: list(12) { #"{"aa":"x\#($0)","bb":"y\#($0)","next":["y\#(($0 + 1) % 12)"]}"# },
      lines: [#""primaryKey": "bb""#, #""next": {"mapping": "ItemRef", "toMany": true, "weak": true}"#]),
    Case(
      name: "elements of a list have their number as the key",
      payload: #"[{"id":1,"games":[{"num":1,"w":1},{"num":2,"w":1}]},{"id":2,"games":[{"num":3,"w":1}]}]"#,
      lines: [#""primaryKey": "num""#]),
    Case(
      name: "lists of many keys are references",
      payload: #"{"parts":"# + list(12) { #"{"id":"p\#($0)","n":1}"# } + #","uses":"#
        + list(12) { #"{"id":"u\#($0)","needs":["p\#($0)"]}"# } + "}",
      lines: [#""needs": {"mapping": "PartRef", "toMany": true"#]),
    Case(
      name: "members that begin with @ are fields",
      payload: #"{"@context":"c","@graph":"# + list(12) { #"{"@id":"p\#($0)","n":1}"# } + "}",
      lines: [#""@graph": {"mapping": "Graph", "toMany": true}"#, #""primaryKey": "@id""#]),
    Case(
      name: "a single string that is unique refers to nothing",
      payload: #"{"parts":"# + list(12) { #"{"id":"p\#($0)","n":1}"# } + #","uses":"#
        + list(12) { #"{"id":"u\#($0)","same":"p\#($0)"}"# } + "}", lines: [#""same": "string""#]),
    Case(
      name: "many integers that are keys with gaps are references, whatever their name",
      payload: list(50) { #"{"id":\#($0 * 37),"boss":\#($0 / 2 * 37)}"# },
      lines: [#""boss": {"mapping": "ItemRef", "weak": true}"#]),
    Case(
      name: "integers without gaps are numbers", payload: list(50) { #"{"id":\#($0),"size":\#($0 / 2)}"# },
      lines: [#""size": "integer""#]),
    Case(
      name: "small integers are numbers, although one key is far from the others",
      payload: list(40) { #"{"id":\#($0 == 39 ? 1000 : $0 + 1),"size":\#($0 % 20 + 1)}"# },
      lines: [#""size": "integer""#]),
    Case(
      name: "integers that are keys of two entities are numbers",
      payload: #"{"men":"# + list(50) { #"{"id":\#($0 * 37),"a":1}"# } + #","cars":"#
        + list(50) { #"{"id":\#($0 * 37),"b":1,"c":2}"# } + #","uses":"#
        + list(90) { #"{"id":\#($0),"size":\#($0 / 2 * 37)}"# } + "}", lines: [#""size": "integer""#]),
    Case(
      name: "many strings that are keys of their own entity are references",
      payload: list(50) { #"{"id":"k\#($0)","boss":"k\#($0 / 2)"}"# },
      lines: [#""boss": {"mapping": "ItemRef", "weak": true}"#]),
    Case(
      name: "a list with null is JSON, whatever it refers to",
      payload:
        #"{"tags":[{"id":"a"},{"id":"b"}],"posts":[{"id":"x","tagIds":["a",null]},{"id":"y","tagIds":["b"]}]}"#,
      lines: [#""tagIds": "json""#]),
    Case(
      name: "identifiers refer to a collection of names",
      payload:
        #"{"topicNames":{"1001":"a","1002":"b"},"kindNames":{"2001":"x"},"events":[{"id":1,"topicIds":[1001]},{"id":2,"topicIds":[1002]}]}"#,
      lines: [
        #""kindNames": {"mapping": "KindName", "toMany": true, "keyedBy": "key"}"#,
        #""topics": {"mapping": "TopicNameRef", "toMany": true, "keyPath": "topicIds""#,
      ]),
    Case(
      name: "an object that says something about its place is no short form of another",
      payload:
        #"[{"id":1,"user":{"id":200001,"name":"a","login":"a","bio":"x","size":1},"mentions":[{"id":200002,"name":"b","login":"b","indices":[0,3]}]},{"id":2,"user":{"id":200002,"name":"b","login":"b","bio":"y","size":2},"mentions":[]}]"#,
      lines: [#""mentions": {"mapping": "Mention", "toMany": true}"#]),
    Case(
      name: "a short form of an object is the object",
      payload:
        #"[{"id":1,"user":{"id":200001,"name":"a","login":"a","bio":"x","size":1},"actors":[{"id":200002,"name":"b"}]},{"id":2,"user":{"id":200002,"name":"b","login":"b","bio":"y","size":2},"actors":[]}]"#,
      lines: [#""actors": {"mapping": "User", "toMany": true}"#]),
    Case(
      name: "objects below others of their kind are values, because an export nests values in full",
      payload:
        #"{"about":"x","groups":[{"name":"a","groups":[{"name":"b","groups":[{"name":"c","n":1}]},{"name":"d"}]},{"name":"e"}]}"#,
      lines: [#""groups": {"mapping": "Group", "toMany": true}"#], absent: [#""primaryKey": "name""#]),
    Case(
      name: "numbered places have one entity",
      payload: #"[{"id":1,"goals1":[{"minute":1,"by":"a"}],"goals2":[{"minute":2,"by":"b"}]}]"#,
      lines: [
        #""goals1": {"mapping": "Goal", "toMany": true}"#, #""goals2": {"mapping": "Goal", "toMany": true}"#,
      ]),
    Case(
      name: "a place with an adjective has the entity of the noun",
      payload:
        #"[{"id":1,"mainView":{"name":"a","link":"x"},"views":[{"name":"a","link":"x"},{"name":"b","link":"y"}]}]"#,
      lines: [#""mainView": {"mapping": "View"}"#, #""views": {"mapping": "View", "toMany": true}"#]),
  ]

  @Test(arguments: cases)
  func aMappingHasTheChoice(_ test: Case) throws {
    var inference = Inference()
    try inference.add(text: test.payload)
    let result = try inference.result()
    let text = result.file.fileText
    for line in test.lines { #expect(text.contains(line), "\(text)") }
    for line in test.absent { #expect(!text.contains(line), "\(text)") }
    #expect(result.unread == [])
  }

  @Test(arguments: cases)
  func anImportReadsThePayloadWithTheChoice(_ test: Case) throws {
    var inference = Inference()
    try inference.add(text: test.payload)
    let result = try inference.result()
    let set = try Array(result.file.fileText.utf8).withUnsafeBytes { try MappingSet(file: $0) }
    let store = MemoryStore()
    for root in result.roots {
      let report = try Mapper(store).importJSON(test.payload, as: try set.plan(for: root))
      #expect(report.errorCount == 0 && report.rootObjects > 0)
    }
  }
}
