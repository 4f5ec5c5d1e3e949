import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// JSON as instances of classes, without a store.
@Suite struct InstanceObjectTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let json: String
    /// The graph of the root objects.
    let lines: [String]
    var testDescription: String { name }

    init(_ name: String, _ json: String, _ lines: String...) {
      self.name = name
      self.json = json
      self.lines = lines
    }
  }

  /// A member whose other properties are as in a new one.
  private static func member(
    _ number: Int, _ id: Int, _ name: String = "-", age: Int = 7, _ other: [String: String] = [:]
  ) -> String {
    let names = [
      "boss", "friends", "rivals", "mates", "guests", "idol", "fans", "home", "pets", "toys", "cards",
      "chief",
      "staff",
    ]
    let empty: Set = ["boss", "guests", "idol", "home", "chief"]
    let links = names.map { "\($0)=\(other[$0] ?? (empty.contains($0) ? "-" : "[]"))" }
    return "\(number): Member \(id) \(name) \(age) \(other["role"] ?? "-") \(other["tags"] ?? "[\"new\"]")"
      + " \(other["city"] ?? "-") " + links.joined(separator: " ")
  }

  private static func member(_ number: Int, _ id: Int, _ other: [String: String]) -> String {
    member(number, id, "-", other)
  }

  static let cases = [
    Case(
      "scalars, and members that are missing", #"{"id": 1, "name": "Ada", "age": 36, "role": "admin"}"#,
      "#0", member(0, 1, "Ada", age: 36, ["role": "admin"])),
    Case(
      "nested key paths and lists of scalars", #"{"id": 1, "address": {"city": "c"}, "tags": ["a", "b"]}"#,
      "#0", member(0, 1, ["city": "c", "tags": #"["a", "b"]"#])),
    Case(
      "null clears an optional property and leaves any other alone", #"{"id": 1, "tags": null, "age": null}"#,
      "#0", member(0, 1, ["tags": "-"])),
    Case(
      "an object that is met twice is one instance",
      #"[{"id": 1, "name": "a", "age": 1}, {"id": 1, "name": "b"}]"#,
      "#0 #0", member(0, 1, "b", age: 1)),
    Case(
      "a bare key is an object, which a later occurrence completes",
      #"[{"id": 1, "boss": 2}, {"id": 2, "name": "b"}]"#, "#0 #1", member(0, 1, ["boss": "#1"]),
      member(1, 2, "b")),
    Case("a bare key alone", #"{"id": 1, "boss": 2}"#, "#0", member(0, 1, ["boss": "#1"]), member(1, 2)),
    Case("a null target clears", #"[{"id": 1, "boss": 2}, {"id": 1, "boss": null}]"#, "#0 #0", member(0, 1)),
    Case(
      "a list keeps order and repeats", #"{"id": 1, "friends": [3, 2, 3]}"#, "#0",
      member(0, 1, ["friends": "[#1 #2 #1]"]), member(1, 3), member(2, 2)),
    Case(
      "a set, and an ordered set without repeats", #"{"id": 1, "rivals": [3, 2, 3], "mates": [3, 2, 3]}"#,
      "#0",
      member(0, 1, ["rivals": "[#1 #2]", "mates": "[#2 #1]"]), member(1, 2), member(2, 3)),
    Case(
      "an optional list: missing, empty and null",
      #"[{"id": 1}, {"id": 2, "guests": []}, {"id": 3, "guests": [1]}, {"id": 3, "guests": null}]"#,
      "#0 #1 #2 #2", member(0, 1), member(1, 2, ["guests": "[]"]), member(2, 3)),
    Case(
      "assign replaces an earlier list, merge appends to it",
      #"[{"id": 1, "friends": [2, 3], "mates": [2, 3]}, {"id": 1, "friends": [4], "mates": [4, 2]}]"#,
      "#0 #0", member(0, 1, ["friends": "[#1]", "mates": "[#2 #3 #1]"]), member(1, 4), member(2, 2),
      member(3, 3)),
    Case(
      "a ring", #"{"id": 1, "boss": {"id": 2, "boss": 1, "friends": [2]}}"#, "#0",
      member(0, 1, ["boss": "#1"]), member(1, 2, ["boss": "#0", "friends": "[#1]"])),
    Case(
      "a weak target exists before, later, or not at all",
      #"[{"id": 1, "idol": 2, "fans": [3, 9, 2]}, {"id": 2, "idol": 1}, {"id": 3, "idol": 9}]"#, "#0 #1 #2",
      member(0, 1, ["idol": "#1", "fans": "[#2 #1]"]), member(1, 2, ["idol": "#0"]), member(2, 3)),
    Case(
      "the values of a weak occurrence count where its object exists",
      #"[{"id": 1, "idol": {"id": 2, "name": "a", "boss": 3}}, {"id": 4, "idol": {"id": 5, "boss": 6}}, {"id": 2}]"#,
      "#0 #1 #2", member(0, 1, ["idol": "#2"]), member(1, 4), member(2, 2, "a", ["boss": "#3"]),
      member(3, 3)),
    Case(
      "a to-one target without a key is one object for its owner",
      #"[{"id": 1, "home": {"street": "s"}}, {"id": 1, "home": null}, {"id": 1, "home": {"floor": 2}}]"#,
      "#0 #0 #0", member(0, 1, ["home": "#1"]), "1: Place s 2 owner=- key=-"),
    Case(
      "elements without a key are new objects",
      #"{"id": 1, "pets": [{"name": "p"}, {"name": "p", "friend": 1}, {}]}"#,
      "#0", member(0, 1, ["pets": "[#1 #2 #3]"]), "1: Pet p 4 friend=- home=- parts=[]",
      "2: Pet p 4 friend=#0 home=- parts=[]", "3: Pet - 4 friend=- home=- parts=[]"),
    Case(
      "merged elements are there once",
      #"[{"id": 1, "toys": [{"legs": 4}, {}, {"name": "p", "parts": [{"floor": 2}]}]}, {"id": 1, "toys": [{"name": "p", "parts": [{"floor": 2}]}, {"name": "q"}]}]"#,
      "#0 #0", member(0, 1, ["toys": "[#1 #2 #3]"]), "1: Pet - 4 friend=- home=- parts=[]",
      "2: Pet p 4 friend=- home=- parts=[#4]", "3: Pet q 4 friend=- home=- parts=[]",
      "4: Place - 2 owner=- key=-"),
    Case(
      "a list with and without keys",
      #"{"id": 1, "cards": ["k", {"text": "t"}, {"number": "k", "text": "u"}]}"#,
      "#0", member(0, 1, ["cards": "[#1 #2 #1]"]), "1: Card k u", "2: Card - t"),
    Case(
      "inverses are those of the payload", #"[{"id": 3, "staff": [1, 2]}, {"id": 2, "staff": [1]}]"#, "#0 #1",
      member(0, 3, ["staff": "[#2 #1]"]), member(1, 2, ["chief": "#0", "staff": "[#2]"]),
      member(2, 1, ["chief": "#1"])),
    Case("no objects", "[]", ""),
  ]

  @Test(arguments: cases)
  func thePayloadIsAsInstances(_ wanted: Case) throws {
    let objects = try Member.mapping.objects(from: wanted.json)
    #expect(Graph.text(objects) == wanted.lines.joined(separator: "\n"))
  }

  /// The key is an integer of each width, or a string.
  @Test func keysAreIntegersOrStrings() throws {
    let json =
      #"[{"id": "a", "next": "b"}, {"id": "b", "next": ""}, {"id": "", "next": "a"}, {"id": "é", "next": "e\u0301"}]"#
    let links = try Link.mapping.objects(from: json)
    #expect(links.map(\.id) == ["a", "b", "", "é"])
    #expect(links[0].next === links[1] && links[1].next === links[2] && links[2].next === links[0])
    #expect(links[3].next !== links[3])  // another spelling is another key
  }

  private final class Link {
    var id = ""
    weak var next: Link?

    static let mapping: Mapping<Link> = Mapping(Link.self, "Link", primaryKey: "id", make: Link.init) {
      Attribute("id", \.id)
      ToOne("next", \.next, mapping)
    }
  }

  @Test func theResultHoldsAllInstances() throws {
    var links: MappedObjects<Link>? = try Link.mapping.objects(from: #"[{"id": "a", "next": {"id": "b"}}]"#)
    let first = try #require(links?.first)
    #expect(first.next?.id == "b")
    links = nil
    #expect(first.next == nil)
    // A lone instance keeps only the instances that its properties hold.
    let alone = try #require(try Link.mapping.object(from: #"{"id": "a", "next": {"id": "b"}}"#))
    #expect(alone.id == "a" && alone.next == nil)
  }

  // MARK: Options and inputs

  @Test func aTransformIsForAllPropertiesOfItsType() throws {
    var transforms = Transforms()
    transforms.use(Transform<Int>(reading: { .value(Int($0.integer ?? 0) * 2) }))
    let objects = try Member.mapping.objects(from: #"[{"id": 1, "age": 4}]"#, transforms: transforms)
    #expect(objects[0].id == 2 && objects[0].age == 8)
  }

  // FEM-132
  @Test func aLenientMappingAndARootPath() throws {
    let objects = try Member.mapping.lenient.objects(
      from: #"{"data": [[{"id": "1", "age": "4"}], [{"id": 2}]]}"#,
      options: ImportOptions(rootPath: "data[][]"))
    #expect(objects.map(\.id) == [1, 2] && objects[0].age == 4)
    let lines = try Member.mapping.objects(
      from: "{\"id\": 1}\n{\"id\": 2}\n", options: ImportOptions(format: .ndjson))
    #expect(lines.map(\.id) == [1, 2])
  }

  @Test func bytesTextAndDocumentsAreTheSame() throws {
    let json = #"[{"id": 1, "boss": {"id": 2}}]"#
    let bytes = Array(json.utf8)
    let expected = Graph.text(try Member.mapping.objects(from: json))
    try #expect(Graph.text(Member.mapping.objects(from: bytes)) == expected)
    try #expect(Graph.text(Member.mapping.objects(from: bytes.span.bytes)) == expected)
    let document = try bytes.withUnsafeBytes { try JSONDocument(parsing: $0) }
    try #expect(Graph.text(Member.mapping.objects(from: document)) == expected)
  }

  /// A long text is read ahead on a second thread.
  @Test func aLongTextIsReadAhead() throws {
    let json = "[" + (0..<3000).map { #"{"id": \#($0), "name": "n\#($0 / 2)"}"# }.joined(separator: ",") + "]"
    var options = ImportOptions(batchSize: 100)
    options.alwaysReadsAhead = true
    let links = try Plain.mapping.objects(from: json, options: options)
    #expect((links.map(\.id), links[2999].name) == (Array(0..<3000), "n1499"))
  }

  private final class Plain {
    var id = 0
    var name: String?
    static let mapping = Mapping(Plain.self, "Plain", primaryKey: "id", make: Plain.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
    }
  }

  @Test func progressIsReportedAndCancels() throws {
    let progress = ImportProgress()
    progress.cancel()
    #expect(throws: CancellationError.self) {
      try Member.mapping.objects(from: #"[{"id": 1}]"#, options: ImportOptions(progress: progress))
    }
    let steps = Collector<Int>()
    let options = ImportOptions(onProgress: { steps.add($0.rootObjects) })
    _ = try Member.mapping.objects(from: #"[{"id": 1}, {"id": 2}]"#, options: options)
    #expect(steps.all.last == 2)
  }

  @Test func unseenFieldsAreNamed() throws {
    let objects = try Plain.mapping.objects(from: #"[{"id": 1}]"#)
    #expect(objects.unseen == ["Plain.name"])
  }

  // MARK: Errors

  static let failures = [
    (
      #"[{"id": 1}, {"id": 2, "age": "x"}]"#,
      #"$[1].age: expected an integer, found the string "x" (line 1, column 30)"#
    ),
    (
      #"[{"name": "a"}]"#,
      "$[0].id: expected an integer, the primary key of Member, found nothing (line 1, column 2)"
    ),
    (
      #"{"id": 1, "boss": [2]}"#,
      "$.boss: expected one object or one integer, found an array (line 1, column 19)"
    ),
    (
      #"{"id": 1, "role": "boss"}"#,
      #"$.role: expected a value of Role, found the string "boss" (line 1, column 19)"#
    ),
    (#"[{"id": 1}"#, "line 1, column 11: expected a comma or ']', found the end of the input"),
  ]

  @Test(arguments: failures)
  func faultsEqualAnImports(_ json: String, _ words: String) throws {
    let found = message { _ = try Member.mapping.objects(from: json) }
    let imported = message { _ = try World(.memory, Member.mapping).load(json) }
    #expect((found, found) == (imported, words))
  }

  @Test func faultyObjectsCanBeLeftOut() throws {
    let errors = Collector<String>()
    let objects = try Member.mapping.objects(
      from: #"[{"id": 1, "age": "x"}, {"id": 2, "friends": [{"id": 3, "age": []}, 4]}, {"id": true}]"#,
      options: ImportOptions(faults: .skip, maxErrors: 2, onError: { errors.add("\($0.path)") }))
    #expect((objects.map(\.id), objects[0].friends.map(\.id)) == ([2], [4]))
    #expect(objects.errors.map { "\($0.path)" } == ["$[0].age", "$[1].friends[0].age"])
    #expect(objects.errorCount == 3)
    #expect(errors.all.count == 3)
  }

  // FEM-174
  @Test func oneObjectIsNoArray() throws {
    #expect(
      message { _ = try Member.mapping.object(from: #"[{"id": 1}]"#) }
        == "$: expected one object, found an array (line 1, column 1)")
    let skipped = try Member.mapping.object(from: #"{"id": "x"}"#, options: ImportOptions(faults: .skip))
    #expect(skipped == nil)
  }

  @Test func faultsOfAMappingAreThrown() {
    let mapping = Mapping(Plain.self, "Plain", primaryKey: "key", make: Plain.init) { Attribute("id", \.id) }
    #expect(throws: MappingDefinitionError.self) { try mapping.objects(from: "[]") }
  }

  // MARK: Work

  /// The depth of a payload takes heap, and no stack.
  @Test func deepPayloadsAreRefusedOrRead() throws {
    let depth = 100_000
    let json =
      String(repeating: #"{"id":"a","next":"#, count: depth) + "null" + String(repeating: "}", count: depth)
    #expect(throws: MappingError.self) { try Link.mapping.objects(from: json) }
    try onSmallStack {
      let links = try Link.mapping.objects(from: json, options: ImportOptions(maxDepth: 200_000))
      #expect(links.count == 1 && links[0].next === nil)
    }
  }
}
