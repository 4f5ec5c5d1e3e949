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

  /// A word of three letters.
  private static func word(_ number: Int) -> String {
    let letters = Array("abcdefgh")
    return String([letters[number / 64], letters[number / 8 % 8], letters[number % 8]])
  }

  static let cases = [
    Case(
      name: "the address of a page is outside of its list",
      payload: #"{"href":"https://a/b","items":[{"id":"a"},{"id":"b"}],"limit":2,"next":null}"#,
      lines: [#""rootPath": "items""#]),
    Case(
      name:
        "an object of one type below an object of another is another kind, even if it has most of its members",
      payload: list(12) {
        let members = #""name":"n\#($0)","href":"h\#($0)","uri":"u\#($0)""#
        return
          #"{"n":\#($0),"album":{"id":"x\#($0)","type":"album",\#(members),"artists":[{"id":"y\#($0)","type":"artist",\#(members)}]}}"#
      },
      lines: [#""album": {"mapping": "Album"}"#, #""artists": {"mapping": "Artist", "toMany": true}"#]),
    Case(
      name:
        "fifty members with objects that share a member are a collection, though one member has two forms",
      payload: "{"
        + (0..<60).map {
          #""\#(word($0))":{"id":\#($0),"m\#($0 % 20)":1,"to":\#($0 % 2 == 0 ? "[1]" : "1")}"#
        }.joined(separator: ",") + "}",
      lines: [#""keyedBy": "#]),
    Case(
      name: "a name of single objects is no key, even if equal ones are equal in all",
      payload: list(12) { #"{"id":\#($0),"sponsor":{"name":"n\#($0 % 4)","url":"u\#($0 % 4)"}}"# },
      lines: [#""sponsor": {"mapping": "Sponsor"}"#], absent: [#""primaryKey": "name""#]),
    Case(
      name: "single objects that differ under one name have no key",
      payload: list(12) { #"{"id":\#($0),"sponsor":{"name":"n\#($0 % 4)","url":"u\#($0 % 5)"}}"# },
      lines: [#""sponsor": {"mapping": "Sponsor"}"#],
      absent: [#""primaryKey": "name""#, #""primaryKey": "url""#]),
    Case(
      name: "a name that says nothing is a key at the root from fifty values on",
      payload: list(50) { #"{"slug":"x\#($0)","n":1}"# }, lines: [#""primaryKey": "slug""#]),
    Case(
      name: "forty-nine values are too few", payload: list(49) { #"{"slug":"x\#($0)","n":1}"# },
      lines: [#""slug": "string""#], absent: ["primaryKey"]),
    Case(
      name: "a value that repeats disqualifies", payload: list(60) { #"{"slug":"x\#($0 / 59 * 59)","n":1}"# },
      lines: [#""slug": "string""#], absent: ["primaryKey"]),
    Case(
      name: "times, fractions and texts with spaces are no keys",
      payload: list(60) {
        #"{"code":"7:\#(10 + $0)","symbol":"\#($0).5","name":"a \#($0)","hash":\#($0).5}"#
      },
      lines: [#""name": "string""#], absent: ["primaryKey"]),
    Case(
      name: "words that are met elsewhere are no keys",
      payload: #"{"words":"# + list(60) { #"{"code":"\#(word($0))","n":1}"# }
        + #","uses":[{"id":1,"w":"abc"},{"id":2,"w":"zz"}]}"#,
      lines: [#""code": "string""#], absent: [#""primaryKey": "code""#]),
    Case(
      name: "codes in the lists of one owner are keys within it",
      payload: #"[{"id":1,"lines":"# + list(50) { #"{"sku":"x\#($0)","n":1}"# } + "}]",
      lines: [#""primaryKey": "sku""#, #""keyScope": "parent""#]),
    Case(
      name: "identifiers in the lists of one owner are keys",
      payload: #"[{"id":1,"lines":[{"id":7,"n":1},{"id":8,"n":1}]}]"#,
      lines: ["\"Line\": {\n      \"primaryKey\": \"id\""],
      absent: ["keyScope"]),
    Case(
      name: "a product and its quantity are a line of the owner",
      payload: #"[{"id":1,"products":[{"productId":7,"quantity":1},{"productId":8,"quantity":1}]}]"#,
      lines: [#""primaryKey": "productId""#, #""keyScope": "parent""#]),
    Case(
      name: "numbers in lists are keys within the owner",
      payload: #"[{"id":1,"games":[{"num":1,"w":1},{"num":2,"w":1}]},{"id":2,"games":[{"num":3,"w":1}]}]"#,
      lines: [#""primaryKey": "num""#, #""keyScope": "parent""#]),
    Case(
      name: "one of a hundred repeated authors is renamed",
      payload: list(201) {
        #"{"id":\#($0),"author":{"id":\#($0 % 100),"name":"n\#($0 % 100)\#($0 / 200)"}}"#
      },
      lines: ["\"Author\": {\n      \"primaryKey\": \"id\""]),
    Case(
      name: "two of a hundred repeated authors are others",
      payload: list(202) {
        #"{"id":\#($0),"author":{"id":\#($0 % 100),"name":"n\#($0 % 100)\#($0 / 200)"}}"#
      },
      lines: [], absent: ["\"Author\": {\n      \"primaryKey\""]),
    Case(
      name: "an identifier of the root that differs once is no key",
      payload: list(9000) { #"{"id":\#($0 == 8999 ? 5 : $0),"name":"n \#($0)"}"# },
      lines: [#""id": "integer""#], absent: ["primaryKey"]),
    Case(
      name: "objects at the root differ in anything below them",
      payload: #"[{"id":1,"lines":[{"id":1,"n":1}]},{"id":1,"lines":[{"id":1,"n":2}]}]"#, lines: [],
      absent: ["\"Item\": {\n      \"primaryKey\""]),
    Case(
      name: "the type of JSON:API is a part of the key without a collision",
      payload:
        #"{"data":[{"type":"a","id":"1","attributes":{"n":1}},{"type":"b","id":"2","attributes":{"n":2}}]}"#,
      lines: [#""primaryKey": ["type", "id"]"#]),
    Case(
      name: "an identifier in an object is the key of the object around it",
      payload: #"[{"_id":{"$oid":"a1"},"n":1},{"_id":{"$oid":"a2"},"n":2}]"#,
      lines: [#""primaryKey": "_id""#, #""_id": {"type": "string", "keyPath": "_id.$oid"}"#]),
    Case(
      name: "the only identifier, among data about the object, is its key",
      payload:
        #"[{"meta":{"ID":1,"by":"x","tags":[{"t":"a"}]},"n":1},{"meta":{"ID":2,"by":"y","tags":[]},"n":2}]"#,
      lines: [
        #""ID": {"type": "integer", "keyPath": "meta.ID"}"#,
        #""by": {"type": "string", "keyPath": "meta.by"}"#,
        #""tags": {"mapping": "Tag", "toMany": true, "keyPath": "meta.tags"}"#,
      ]),
    Case(
      name: "the identifier of another thing is no key",
      payload: #"[{"user":{"id":1,"by":"x"},"n":1},{"user":{"id":2,"by":"y"},"n":2}]"#,
      lines: [#""user": {"mapping": "User"}"#], absent: ["\"Item\": {\n      \"primaryKey\""]),
    Case(
      name: "names below an owner are keys within it",
      payload: #"[{"id":1,"stock":{"2026-01-01":{"n":1},"2026-01-02":{"n":2},"2026-01-03":{"n":3}}}]"#,
      lines: [#""primaryKey": "key""#, #""keyScope": "parent""#]),
    Case(
      name: "names of columns with signs and digits are fields",
      payload:
        #"[{"First Name":"a","Zip Code":"b","x1":"c","No. #":"d"},{"First Name":"e","Zip Code":"f","x1":"g","No. #":"h"}]"#,
      lines: [#""Zip Code": "string""#, #""x1": "string""#, #""No. #": "string""#]),
    Case(
      name: "many objects of one form are a collection, whatever their names",
      payload: #"[{"id":1,"all":{"#
        + (0..<60).map { #""\#(word($0))":{"\#(["a", "b", "c"][$0 % 3])":1}"# }.joined(separator: ",")
        + "}}]",
      lines: [#""keyedBy": "key""#]),
    Case(
      name: "lists of keys are references if their name leads to the entity",
      payload: #"{"parts":"# + list(12) { #"{"id":"p\#($0)","n":1}"# } + #","uses":"#
        + list(12) { #"{"id":"u\#($0)","partIds":["p\#($0)"],"needs":["p\#($0)"]}"# } + "}",
      lines: [
        #""parts": {"mapping": "PartRef", "toMany": true, "keyPath": "partIds"}"#, #""needs": ["string"]"#,
      ]),
    Case(
      name: "members that begin with @ are fields",
      payload: #"{"@context":"c","@graph":"# + list(12) { #"{"@id":"p\#($0)","n":1}"# } + "}",
      lines: [#""@graph": {"mapping": "Graph", "toMany": true}"#, #""primaryKey": "@id""#]),
    Case(
      name: "integers that are keys are no references by that alone",
      payload: list(50) { #"{"id":\#($0 * 37),"boss":\#($0 / 2 * 37)}"# }, lines: [#""boss": "integer""#]),
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
