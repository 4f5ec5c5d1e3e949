import FastMapCore
import FastMapInference
import FastMapMemory
import TestSupport
import Testing

/// Members that choose the other members of their objects.
@Suite struct KindTests {
  /// A payload with a list of objects.
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let payload: String
    var lines: [String] = []
    var testDescription: String { name }
  }

  /// Objects of kinds in turn, each with the members of its kind.
  private static func objects(
    count: Int = 24, by member: String = "type", _ kinds: KeyValuePairs<String, (Int) -> String>
  ) -> String {
    let texts = (0..<count).map { number in
      let kind = kinds[number % kinds.count]
      return #"{"id":\#(number),"\#(member)":"\#(kind.key)",\#(kind.value(number))}"#
    }
    return "[" + texts.joined(separator: ",") + "]"
  }

  static let shapes = objects([
    "circle": { #""x":\#($0),"y":2,"radius":1.5"# }, "square": { #""x":\#($0),"y":2,"side":3"# },
    "line": { #""x":\#($0),"y":2,"length":4,"dashed":true"# },
  ])

  static let events = objects([
    "PushEvent": { #""payload":{"size":\#($0),"head":"h"}"# },
    "ForkEvent": { #""payload":{"forkee":"f\#($0)"}"# },
    "WatchEvent": { #""payload":{"action":"started","by":\#($0)}"# },
  ])

  static let withKinds = [
    Case(
      name: "a type chooses the members", payload: shapes,
      lines: [
        #""values": {"circle": "Circle", "line": "Line", "square": "Square"}"#, #""otherwise": "OtherItem""#,
        "\"Circle\": {\n      \"entity\": \"Item\",\n      \"primaryKey\": \"id\"", #""keyPath": "type""#,
      ]),
    Case(
      name: "a type chooses the members of an object beside it", payload: events,
      lines: [
        #""payload": {"mapping": "PushEventPayload"}"#,
        "\"ForkEventPayload\": {\n      \"entity\": \"Payload\",\n      \"attributes\": {\n        \"forkee\": \"string\",\n",
      ]),
    Case(
      name: "a member without a telling name chooses",
      payload: objects(by: "quux", ["alpha": { #""one":\#($0),"two":2"# }, "beta": { #""three":\#($0)"# }]),
      lines: [#""keyPath": "quux""#]),
    Case(
      name: "a member called kind is stored under another name",
      payload: objects(by: "kind", ["alpha": { #""one":\#($0)"# }, "beta": { #""three":\#($0)"# }]),
      lines: [#""kindName": {"type": "string", "keyPath": "kind"}"#, #""keyPath": "kind""#]),
    Case(
      name: "another member called kind is stored under another name",
      payload: objects(["alpha": { #""one":\#($0),"kind":[1]"# }, "beta": { #""three":\#($0)"# }]),
      lines: [#""kindName": {"type": ["integer"], "keyPath": "kind"}"#]),
    Case(
      name: "objects without a key have kinds",
      payload: #"[{"id":1,"parts":"#
        + objects(["text": { #""text":"t\#($0)""# }, "image": { #""url":"u\#($0)""# }]).replacing(
          #""id":"#, with: #""size":"#)
        + "}]",
      lines: [#""parts": {"mapping": "Part", "toMany": true}"#, #""Text": {"#]),
    Case(
      name: "values that are names of entities, and values that are no names",
      payload: objects([
        "item": { #""one":\#($0)"# }, "1": { #""three":\#($0)"# }, "a-b c": { #""four":\#($0)"# },
      ]),
      lines: [#""values": {"1": "Item1", "a-b c": "ABC", "item": "ItemItem"}"#]),
    Case(
      name: "objects without the value have the members of all kinds",
      payload: objects(count: 40, ["alpha": { #""one":\#($0)"# }, "beta": { #""three":\#($0)"# }])
        .replacing(#"{"id":7,"type":"beta","three":7}"#, with: #"{"id":7}"#),
      lines: [#""keyPath": "type""#]),
  ]

  static let withoutKinds = [
    Case(
      name: "members are missing with any type",
      payload: objects([
        "a": { $0 % 3 == 0 ? #""one":1"# : #""two":2"# }, "b": { $0 % 5 < 3 ? #""one":1"# : #""two":2"# },
      ])),
    Case(
      name: "most members are in all kinds",
      payload: objects([
        "a": { #""m":\#($0),"n":1,"o":1,"p":1,"q":1,"r":1,"one":1"# },
        "b": { #""m":\#($0),"n":1,"o":1,"p":1,"q":1,"r":1,"two":1"# },
      ])),
    Case(
      name: "one kind has all members of the other",
      payload: objects(["blob": { #""size":\#($0),"sha":"s""# }, "tree": { #""mode":\#($0)"# }])
        .replacing("\"mode\"", with: "\"size\"")),
    Case(
      name: "a state changes",
      payload: objects(by: "state", ["open": { #""due":\#($0)"# }, "closed": { #""closed":\#($0)"# }])),
    Case(
      name: "an object is met with two types",
      payload: objects(["alpha": { #""one":\#($0)"# }, "beta": { #""three":\#($0)"# }])
        .replacing(#"{"id":7,"#, with: #"{"id":6,"#)),
    Case(
      name: "a few objects",
      payload: objects(count: 6, ["alpha": { #""one":\#($0)"# }, "beta": { #""three":\#($0)"# }])),
    Case(
      name: "a type has a value for each object",
      payload: "["
        + (0..<24).map { #"{"id":\#($0),"type":"t\#($0)","\#($0 % 2 == 0 ? "one" : "two")":1}"# }
        .joined(separator: ",") + "]"),
    Case(
      name: "objects without the value have a member of one kind",
      payload: objects(count: 40, ["alpha": { #""one":\#($0)"# }, "beta": { #""three":\#($0)"# }])
        .replacing(#""id":7,"type":"beta","#, with: #""id":7,"#)),
  ]

  private static func infer(_ payload: String, overrides: String? = nil) throws -> Inference.Result {
    var inference = Inference()
    try inference.add(text: payload)
    return try inference.result(
      overrides: try overrides.map { try Array($0.utf8).withUnsafeBytes { try JSONTree(parsing: $0) } })
  }

  @Test(arguments: withKinds)
  func aMemberChoosesKinds(_ test: Case) throws {
    let result = try Self.infer(test.payload)
    let text = result.file.fileText
    for line in test.lines { #expect(text.contains(line), "\(text)") }
    #expect(result.unread == [])
  }

  @Test(arguments: withoutKinds)
  func noMemberChoosesKinds(_ test: Case) throws {
    let text = try Self.infer(test.payload).file.fileText
    #expect(!text.contains("\"kinds\""), "\(text)")
  }

  @Test(arguments: withKinds)
  func kindsLoseNothing(_ test: Case) throws {
    let kinds = try Self.infer(test.payload)
    let root = try #require(kinds.roots.first)
    let plain = try Self.infer(
      test.payload, overrides: #"{"mappings":{"Item":{"kinds":null},"Part":{"kinds":null}}}"#)
    #expect(!plain.file.fileText.contains("\"kinds\""))
    #expect(kinds.roots == plain.roots)
    let exports = try [kinds, plain].map { try Self.exported(test.payload, $0, root) }
    #expect(exports[0] == exports[1])
    // The export is imported as the payload is.
    #expect(try Self.exported(exports[0], kinds, root) == exports[0])
  }

  private static func exported(_ payload: String, _ result: Inference.Result, _ root: String) throws -> String
  {
    let set = try Array(result.file.fileText.utf8).withUnsafeBytes { try MappingSet(file: $0) }
    let plan = try set.plan(for: root)
    let store = MemoryStore()
    let report = try Mapper(store).importJSON(payload, as: plan)
    #expect(report.errorCount == 0 && report.rootObjects > 0)
    return try store.exported(plan)
  }

  // MARK: Notes and overrides

  @Test func theNoteHasCounts() throws {
    #expect(
      try Self.infer(Self.shapes).notes.contains(
        "Item.kinds: type chooses the members of 3 kinds; 4 of 4 members that vary are in each object of their kind, "
          + "and 3 of 3 kinds have members of their own"))
  }

  @Test func overridesTurnKindsOn() throws {
    let payload = Self.withoutKinds[3].payload
    let result = try Self.infer(payload, overrides: #"{"mappings":{"Item":{"kinds":{"keyPath":"state"}}}}"#)
    #expect(result.file.fileText.contains(#""values": {"closed": "Closed", "open": "Open"}"#))
    let none = try Self.infer(payload, overrides: #"{"mappings":{"Item":{"kinds":{"keyPath":"id"}}}}"#)
    #expect(!none.file.fileText.contains("\"kinds\""))
    #expect(
      none.notes.contains(
        "Item.kinds: id cannot choose: expected at most 64 different strings, in all objects or nearly all, "
          + "found 24 numbers in 24 objects"))
  }

  @Test func overridesOfFieldsApplyToTheKindsThatHaveThem() throws {
    let changes = #"{"mappings":{"Item":{"attributes":{"x":"number","side":null,"more":"json"}}}}"#
    let result = try Self.infer(Self.shapes, overrides: changes)
    let text = result.file.fileText
    #expect(text.split(separator: #""x": "number""#).count == 5)
    #expect(text.split(separator: #""more": "json""#).count == 5)
    #expect(result.unread == ["$[].side: 8 values that no field reads"])
    let set = try Array(text.utf8).withUnsafeBytes { try MappingSet(file: $0) }
    _ = try set.plan(for: "Item")
  }

  @Test(arguments: [(64, true), (65, false)])
  func aMemberWithTooManyValuesChoosesNothing(_ count: Int, _ chooses: Bool) throws {
    let kinds = (0..<count * 3).map {
      #"{"id":\#($0),"type":"t\#($0 % count)","member\#($0 % count)":1,"x":2}"#
    }
    let text = try Self.infer("[" + kinds.joined(separator: ",") + "]").file.fileText
    #expect(text.contains("\"kinds\"") == chooses)
  }
}
