import FastMapCore
import FastMapInference
import FastMapMemory
import TestSupport
import Testing

/// A payload, and lines that its mapping file has.
struct InferenceCase: CustomTestStringConvertible, Sendable {
  let payload: String
  let lines: [String]
  var isLines = false
  var testDescription: String { String(payload.prefix(60)) }

  init(_ payload: String, _ lines: String..., isLines: Bool = false) {
    self.payload = payload
    self.lines = lines
    self.isLines = isLines
  }
}

/// Small payloads, and the decisions about them.
@Suite struct InferenceTests {
  static let keys = [
    InferenceCase(
      #"[{"id":1,"name":"Ada"},{"id":2}]"#, #""primaryKey": "id""#, #""id": "integer""#, #""name": "string""#),
    InferenceCase(
      #"{"users":[{"uuid":"a","n":1},{"uuid":"b","n":2}]}"#, #""rootPath": "users""#, #""User": {"#,
      #""primaryKey": "uuid""#),
    InferenceCase(
      #"[{"id":1,"author":{"id":7,"name":"a"}},{"id":2,"author":{"id":7,"name":"a"},"editor":{"id":7,"name":"a"}}]"#,
      #""author": {"mapping": "Author"}"#, #""editor": {"mapping": "Author"}"#),
    InferenceCase(
      #"[{"repo":"a","number":1,"t":"x"},{"repo":"a","number":2,"t":"x"},{"repo":"b","number":1,"t":"x"}]"#,
      #""primaryKey": ["repo", "number"]"#),
    InferenceCase(
      #"[{"id":1,"lines":[{"id":1,"q":2},{"id":2,"q":3}]},{"id":2,"lines":[{"id":1,"q":9},{"id":2,"q":8}]}]"#,
      #""keyScope": "parent""#),
    // Null would clear the value of the other object.
    InferenceCase(
      #"[{"id":1,"user":{"id":9,"a":"x"}},{"id":2,"user":{"id":9,"a":null}}]"#,
      "\"User\": {\n      \"attributes\""),
    // An owner without a key has no scope.
    InferenceCase(
      #"[{"tagIds":{"k-1":"17"}},{"id":1,"tagIds":{"k-6":"85","k-5":"82","k-1":"74"}}]"#, #""tagIds": "json""#
    ),
    InferenceCase(#"[{"":[1]},{"":[2,3]}]"#, #""_": {"type": ["integer"], "keyPath": ""}"#),
  ]

  static let references = [
    InferenceCase(
      #"{"users":[{"id":1,"n":"a"},{"id":2,"n":"b"}],"posts":[{"id":10,"user_id":1},{"id":11,"user_id":2}]}"#,
      #""user": {"mapping": "UserRef", "keyPath": "user_id"}"#,
      #""id": {"type": "integer", "keyPath": null}"#),
    InferenceCase(
      #"[{"id":1,"parent_id":null},{"id":2,"parent_id":1},{"id":3,"parent_id":2}]"#,
      #""parent": {"mapping": "ItemRef", "keyPath": "parent_id"}"#),
    InferenceCase(
      #"{"tags":[{"id":"a","n":1},{"id":"b","n":2}],"posts":[{"id":"x","tagIds":["a","b"]},{"id":"y","tagIds":["b"]}]}"#,
      #""tags": {"mapping": "TagRef", "toMany": true, "keyPath": "tagIds"}"#),
  ]

  static let types = [
    InferenceCase(
      #"[{"id":1,"d":"2020-01-01T00:00:00Z"},{"id":2,"d":"2020-01-01T00:00:00.5Z"}]"#, #""d": "date""#),
    InferenceCase(
      #"[{"id":1,"d":"2020-01-01"},{"id":2,"d":null}]"#, #""d": {"type": "date", "format": "%Y-%m-%d"}"#),
    InferenceCase(#"[{"id":1,"d":"2020-01-01T00:00:00+02:00"}]"#, #""d": "string""#),
    InferenceCase(#"[{"id":1,"d":"2020-01-01"},{"id":2,"d":"soon"}]"#, #""d": "string""#),
    InferenceCase(
      #"[{"id":1,"created_at":1372701600000}]"#, #""created_at": {"type": "date", "format": "epoch-ms"}"#),
    InferenceCase(#"[{"id":1,"d":"02/01/2020"}]"#, #""d": "string""#),
    InferenceCase(#"[{"id":1,"image":"SGVsbG8sIGFsbCB5b3UgYnl0ZXMhIQ=="}]"#, #""image": "data""#),
    InferenceCase(#"[{"id":1,"n":1},{"id":2,"n":1.5}]"#, #""n": "number""#),
    InferenceCase(#"[{"id":1,"n":1},{"id":2,"n":"x"}]"#, #""n": "json""#),
    InferenceCase(#"[{"id":1,"n":0.1234567890123456789}]"#, #""n": "decimal""#),
    InferenceCase(#"[{"id":1,"n":99999999999999999999}]"#, #""n": "decimal""#),
    InferenceCase(
      #"[{"id":1,"l":["a","b"],"m":[[1],[2]],"n":null}]"#, #""l": ["string"]"#, #""m": "json""#,
      #""n": "json""#),
    InferenceCase(#"[{"id":1,"a":{"b":1}},{"id":2,"a":"x"}]"#, #""a": "json""#),
    InferenceCase(#"[{"id":1,"own":{"id":5,"x":1}},{"id":2,"own":5}]"#, #""own": {"mapping": "Own"}"#),
    InferenceCase(#"[{"id":1,"a.b":1,"c.d":{"e.f":2}}]"#, #""a.b": "integer""#, #""c.d": {"mapping": "CD"}"#),
  ]

  static let collections = [
    InferenceCase(
      #"{"a1":{"x":1,"y":2},"b2":{"x":1,"y":3},"c3":{"x":2,"y":2}}"#, #""keyedBy": "key""#,
      #""key": "string""#),
    InferenceCase(
      #"{"events":{"11":{"id":11,"n":"a"},"12":{"id":12,"n":"b"},"13":{"id":13,"n":"c"}}}"#,
      #""rootPath": "events""#,
      #""keyedBy": "id""#, #""id": "integer""#),
    InferenceCase(
      #"[{"id":1,"sizes":{"small":{"w":1,"h":1},"large":{"w":2,"h":2}}},{"id":2,"sizes":{"small":{"w":1,"h":1},"large":{"w":2,"h":2}}}]"#,
      #""small": {"mapping": "Small"}"#, #""large": {"mapping": "Large"}"#),
    InferenceCase(
      #"{"rates":{"USD":1.1,"EUR":1.0,"CHF":0.9,"GBP":1.2,"SEK":11,"NOK":12,"DKK":7,"PLN":4}}"#,
      #""rates": {"mapping": "Rate", "toMany": true, "keyedBy": "key"}"#,
      #""value": {"type": "number", "keyPath": null}"#),
    InferenceCase(
      "[\"a\",1,0]\n[\"b\",2,0]\n", #""column2": {"type": "integer", "keyPath": "[1]"}"#, isLines: true),
    InferenceCase(
      #"{"statuses":[{"id":1},{"id":2}],"count":2}"#, #""rootPath": "statuses""#, #""Document": {"#),
    InferenceCase(
      #"{"bom":"x","serial":"urn:1","components":[{"name":"a"}]}"#,
      #""components": {"mapping": "Component", "toMany": true}"#),
    InferenceCase(#"["a","b"]"#, #""value": {"type": "string", "keyPath": null}"#),
    InferenceCase(
      #"[{"name":"a","children":[{"name":"b","children":[{"name":"c","children":[]}]}]}]"#,
      #""children": {"mapping": "#),
  ]

  private func infer(_ test: InferenceCase) throws -> Inference.Result {
    var inference = Inference()
    try inference.add(text: test.payload, isLines: test.isLines)
    return try inference.result()
  }

  @Test(arguments: keys + references + types + collections)
  func aMappingHasTheseLines(_ test: InferenceCase) throws {
    let text = try infer(test).file.fileText
    for line in test.lines { #expect(text.contains(line), "\(text)") }
  }

  @Test(arguments: keys + references + types + collections)
  func aMappingImportsItsPayloadAndReadsAllOfIt(_ test: InferenceCase) throws {
    let result = try infer(test)
    #expect(result.unread == [])
    let text = Array(result.file.fileText.utf8)
    let set = try text.withUnsafeBytes { try MappingSet(file: $0) }
    for root in result.roots {
      let plan = try set.plan(for: root)
      let options = ImportOptions(format: test.isLines ? .ndjson : .json)
      let report = try Mapper(MemoryStore()).importJSON(test.payload, as: plan, options: options)
      #expect(report.errorCount == 0 && report.rootObjects > 0, "\(root): \(result.file.fileText)")
    }
  }

  /// Two places have the same keys and members. Their objects are the same ones if at least eight of ten members are equal.
  @Test(arguments: [(0, false), (3, false), (7, false), (8, true), (10, true)])
  func placesWhoseObjectsDifferAreTwoEntities(_ equal: Int, _ isOne: Bool) throws {
    func list(_ place: Int) -> String {
      let objects = (0..<10).map { id in
        let number = id < equal ? id : id + 100 * place
        return #"{"id":\#(id),"name":"n\#(number)","size":\#(number),"colour":"c\#(number)"}"#
      }
      return "[\(objects.joined(separator: ","))]"
    }
    let text = try infer(InferenceCase(#"{"orders":\#(list(1)),"drawings":\#(list(2))}"#)).file.fileText
    #expect(text.contains(#""entity": "Drawing""#) == isOne, "\(text)")
  }

  @Test func theReasonsHaveCounts() throws {
    let result = try infer(Self.keys[0])
    #expect(result.notes.contains("Item.id: the key of 2 of 2 objects in 1 place; unique"))
    let reference = try infer(Self.references[0])
    #expect(
      reference.notes.contains("Post.user_id: refers to User; 2 of 2 different values are existing keys"))
  }

  @Test(arguments: [
    ("", "the payload has no values"), ("[]", "the payload has no values"),
    ("[[1],{}]", "some root elements are arrays and others are not; no mapping reads both"),
  ])
  func aPayloadThatNoMappingReadsIsRefused(_ payload: String, _ reason: String) throws {
    var inference = Inference()
    try inference.add(text: payload)
    do {
      _ = try inference.result()
      Issue.record("expected an error")
    } catch { #expect("\(error)" == reason) }
  }

  @Test(arguments: [
    (
      "id,total\n1,2\n",
      "line 1, column 1: expected a value; this looks like CSV; convert it to JSON first, each row to an object"
    ),
    ("{'id': 1}", #"line 1, column 2: expected a name in quotes or '}', found "'"; JSON has double quotes"#),
    (
      #"{"id": 1, 'b': 2}"#,
      #"line 1, column 11: expected a name in quotes, found "'"; JSON has double quotes"#
    ),
    ("<html>", #"line 1, column 1: expected a value, found "<"; this looks like HTML or XML"#),
    ("Hello, world", "line 1, column 1: expected a value"),
  ])
  func aTextThatIsNoJSONHasAdvice(_ payload: String, _ message: String) {
    for pieceSize in [16, 1 << 18] {
      var inference = Inference()
      let error = #expect(throws: (any Error).self) { try inference.add(text: payload, pieceSize: pieceSize) }
      #expect(error.map { "\($0)" } == message)
    }
  }
}
