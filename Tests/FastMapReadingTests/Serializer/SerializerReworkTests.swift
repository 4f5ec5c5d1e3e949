import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

/// Objects whose text is put together at its end: attributes that keep the whole object, and arrays on key paths.
@Suite struct SerializerReworkTests {
  /// The export of a store, an object a line.
  private func export(_ world: World) throws -> String { try lines(world.store, world.plan()) }

  private func lines(_ store: any Store, _ plan: Plan) throws -> String {
    String(try store.exported(plan, as: .ndjson).dropLast())
  }

  /// An export, imported into an empty store, must give the same store and the same export.
  private func expectSame(
    _ kind: StoreKind, _ mapping: Mapping<Record>, _ world: World,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let text = try export(world)
    let copy = try World(kind, mapping)
    try copy.load(text, options: ImportOptions(format: .ndjson))
    try #expect(copy.dump() == world.dump(), sourceLocation: location)
    try #expect(export(copy) == text, sourceLocation: location)
  }

  // MARK: The whole object

  private static let person = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    Attribute("zip", .string, at: "address.zip")
    Attribute("born", .date(.iso8601))
    Attribute("size", .number, at: "sizes[1]")
    Attribute("raw", .json, at: .wholeValue)
  }

  @Test(arguments: StoreKind.allCases)
  func fieldsOutsideAPartialPayloadAreWrittenBesideKeptJSON(_ kind: StoreKind) throws {
    let world = try World(kind, Self.person)
    try world.load(
      #"{"id":1,"name":"a","address":{"zip":"8001","city":"Z"},"born":"2020-01-01T10:00:00+02:00","sizes":[1,2.5],"x":[1]}"#
    )
    // As it came: no value differs from the kept text.
    try #expect(
      export(world)
        == #"{"id":1,"name":"a","address":{"zip":"8001","city":"Z"},"born":"2020-01-01T10:00:00+02:00","sizes":[1,2.5],"x":[1]}"#
    )
    try expectSame(kind, Self.person, world)

    try world.load(#"{"id":1,"name":"b","address":{"city":"B"},"more":true}"#)
    try #expect(
      export(world) == #"{"id":1,"name":"b","address":{"city":"B","zip":"8001"},"more":true,"#
        + #""born":"2020-01-01T08:00:00Z","sizes":[null,2.5]}"#)
    try world.load(#"{"id":1,"address":null,"name":"c"}"#)
    try #expect(
      export(world) == #"{"id":1,"address":null,"name":"c","born":"2020-01-01T08:00:00Z","sizes":[null,2.5]}"#
    )
    try expectSame(
      kind, Self.person,
      try {
        let copy = try World(kind, Self.person)
        try copy.load(try export(world), options: ImportOptions(format: .ndjson))
        return copy
      }())
  }

  @Test(arguments: StoreKind.allCases)
  func keptJSONIsWrittenOnceWithTheDataOfRelatedObjects(_ kind: StoreKind) throws {
    let tag = Mapping("Tag", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string, at: "info.name")
    }
    let post = Mapping("Post", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("raw", .json, at: .wholeValue)
      ToMany("tags", tag)
      ToOne("main", tag)
    }
    let world = try World(kind, post, tag)
    try world.load(
      #"{"id":1,"main":{"id":2,"info":{"name":"x"},"color":"red"},"tags":[{"id":3,"info":{"name":"y","size":1}},{"id":2}]}"#
    )
    // Another payload renames a tag: the kept members beside its name stay, and the name is the new one.
    try world.load(#"[{"id":3,"info":{"name":"new"}}]"#, as: "Tag")
    try #expect(
      export(world)
        == #"{"id":1,"main":{"id":2,"color":"red"},"tags":[{"id":3,"info":{"name":"new","size":1}},"#
        + #"{"id":2,"info":{"name":"x"}}]}"#)
    try expectSame(
      kind, post,
      try {
        try World(kind, post, holding: try export(world))
      }())
  }

  @Test func aMergeWithKeptJSONIsIndentedToo() throws {
    let graph = Graph {
      $0.add(1, "Person", ["id": 1, "zip": "8001", "raw": .init(.json(#"{"id":1,"a":[1]}"#))])
    }
    let plan = try Plan(Self.person)
    var reader = try GraphReader(graph, plan.schema)
    var output = JSONWriter(isPretty: true)
    output.beginArray()
    try Serializer(plan).write(reader[1], from: &reader, to: &output)
    output.endArray()
    #expect(
      String(decoding: output.bytes, as: UTF8.self) == """
        [
          {
            "id": 1,
            "a": [
              1
            ],
            "address": {
              "zip": "8001"
            }
          }
        ]
        """)
  }

  /// A value that is no object stands for the object as long as there is nothing else.
  @Test(arguments: [
    (#"{"a":1}"#, true, #"{"a":1,"id":1,"name":"n"}"#), (#"{"a":1}"#, false, #"{"a":1,"id":1}"#),
    ("[1,2]", true, #"{"id":1,"name":"n"}"#), ("[1,2]", false, "[1,2]"), ("1", false, "1"),
  ])
  func keptJSONIsAnyValue(_ raw: String, _ hasName: Bool, _ expected: String) throws {
    let graph = Graph {
      $0.add(1, "Person", ["id": 1, "raw": .init(.json(raw)), "name": hasName ? "n" : .null])
    }
    #expect(try serialized(Self.person, graph) == expected)
  }

  @Test func textThatIsNoJSONIsAnError() throws {
    let graph = Graph { $0.add(1, "Person", ["id": 1, "name": "n", "raw": .init(.json(#"{"a""#))]) }
    #expect(throws: MappingError.self) { try serialized(Self.person, graph) }
  }

  // MARK: Keys of the whole object

  private final class Reading {
    var key = ""
    var station: String?
    var hour: Int?
    var value: Double?
    var before: Reading?

    init() {}

    static func mapping(readsItself: Bool) -> Mapping<Reading> {
      let key = Transform<String>(reading: { json in
        if readsItself, let text = json.string { return .value(text) }
        let members = Dictionary(uniqueKeysWithValues: json.members ?? [])
        guard let station = members["station"]?.string, let hour = members["hour"]?.integer else {
          throw TransformError("expected a station and an hour")
        }
        return .value("\(station)/\(hour)")
      })
      func mapping(_ name: String, _ before: Mapping<Reading>?) -> Mapping<Reading> {
        Mapping(Reading.self, name, entity: "Reading", primaryKey: "key", make: { Reading() }) {
          Attribute("key", \.key, at: .wholeValue, transform: key)
          Attribute("station", \.station)
          Attribute("hour", \.hour)
          Attribute("value", \.value)
          if let before { ToOne("before", \.before, before) }
        }
      }
      return mapping("Reading", mapping("Before", nil))
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func aKeyMadeOfTheWholeObjectIsWrittenAsItsMembers(_ kind: StoreKind, _ readsItself: Bool) throws {
    let (store, copy) = (try kind.make(), try kind.make())
    let plan = try Plan(Reading.mapping(readsItself: readsItself))
    let json =
      #"[{"station":"A","hour":1,"value":0.5},"#
      + #"{"station":"A","hour":2,"before":{"station":"A","hour":1,"value":0.5}}]"#
    let report = try Mapper(store).importJSON(Array(json.utf8), as: plan)
    #expect(report["Reading"]?.inserted == 2)
    let text = try lines(store, plan)
    let before = readsItself ? #""A/1""# : #"{"station":"A","hour":1,"value":0.5}"#
    #expect(
      text == #"{"station":"A","hour":1,"value":0.5}"# + "\n"
        + #"{"station":"A","hour":2,"before":\#(before)}"#)
    _ = try Mapper(copy).importJSON(Array(text.utf8), as: plan, options: ImportOptions(format: .ndjson))
    try #expect(lines(copy, plan) == text)
  }

  // MARK: Arrays

  private static let friend = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }

  private static let place = Mapping("Place", primaryKey: "id") {
    Attribute("id", .integer, at: "ids[1]")
    Attribute("longitude", .number, at: "position[2]")
    Attribute("latitude", .number, at: "position[0]")
    Attribute("deep", .string, at: "a.b[1][0].c")
    Attribute("plain", .string, at: "a.d")
    Attribute("names", .json, at: "tags[].n")
    Attribute("firsts", .json, at: "tags[].list[0]")
    Attribute("bracket", .string, at: #"x\[0]"#)
    ToMany("people", friend, at: "staff[].person")
    ToOne("boss", friend, at: "bosses[1]")
    ToMany(
      "near", Mapping("Near", entity: "Place", primaryKey: "id") { Attribute("id", .integer, at: "ids[1]") })
  }

  @Test(arguments: StoreKind.allCases)
  func indexedValuesAreWrittenAsArrays(_ kind: StoreKind) throws {
    let cases = [
      (#"{"ids":[7,1],"position":[1.5,0,2]}"#, #"{"ids":[null,1],"position":[1.5,null,2]}"#),
      (#"{"ids":[7,1],"position":[null,1,3]}"#, #"{"ids":[null,1],"position":[null,null,3]}"#),
      (
        #"{"ids":[0,1],"a":{"b":[0,[{"c":"x"}]],"d":"y"},"x[0]":"z"}"#,
        #"{"ids":[null,1],"a":{"b":[null,[{"c":"x"}]],"d":"y"},"x[0]":"z"}"#
      ),
      (
        #"{"ids":[0,1],"tags":[{"n":"a","list":[7,8]},{},{"n":null,"list":[]},null]}"#,
        #"{"ids":[null,1],"tags":[{"n":"a","list":[7]},null,null,null]}"#
      ),
      (
        #"{"ids":[0,1],"tags":[{"n":{"a":[1,"],"]}},{"n":[2]}]}"#,
        #"{"ids":[null,1],"tags":[{"n":{"a":[1,"],"]}},{"n":[2]}]}"#
      ),
      (#"{"ids":[0,1],"tags":[]}"#, #"{"ids":[null,1],"tags":[]}"#),
      (
        #"{"ids":[0,1],"staff":[{"person":{"id":2,"name":"B"}},{},{"person":3}],"bosses":[0,{"id":2}]}"#,
        #"{"ids":[null,1],"staff":[{"person":{"id":2,"name":"B"}},{"person":{"id":3}}],"bosses":[null,{"id":2}]}"#
      ),
      (
        #"{"ids":[0,1],"near":[{"ids":[0,2]},{"ids":[0,1]}]}"#,
        #"{"ids":[null,1],"near":[{"ids":[null,2]},{"ids":[null,1]}]}"# + "\n" + #"{"ids":[null,2]}"#
      ),
    ]
    for (json, expected) in cases {
      let world = try World(kind, Self.place, holding: json)
      try #expect(export(world) == expected, "\(json)")
      try expectSame(kind, Self.place, world)
    }
  }

  @Test func nullsAreWrittenIntoArraysOnDemand() throws {
    #expect(
      try serialized(Self.place, Graph { $0.add(1, "Place", ["id": 1]) }) { $0.includesNulls = true }
        == #"{"ids":[null,1],"position":[null,null,null],"a":{"b":[null,[{"c":null}]],"d":null},"#
        + #""tags":null,"x[0]":null,"staff":[],"bosses":[null,null],"near":[]}"#)
  }

  @Test func listsOfPropertiesAreWrittenBack() throws {
    final class Post {
      var id = 0
      var tags: [String] = []
      var numbers: [Int]?
      var first: String?
    }
    let mapping = Mapping(Post.self, "Post", primaryKey: "id", make: { Post() }) {
      Attribute("id", \.id)
      Attribute("tags", \.tags, at: "meta.tags[].name")
      Attribute("numbers", \.numbers, at: "meta.tags[].n")
      Attribute("first", \.first, at: "meta.tags[0].name")
    }
    let post = Post()
    (post.id, post.tags, post.numbers, post.first) = (1, ["a", "b"], [1, 2, 3], "a")
    #expect(
      try Serializer(mapping).json(of: post)
        == #"{"id":1,"meta":{"tags":[{"name":"a","n":1},{"name":"b","n":2},{"n":3}]}}"#)
  }

  @Test func aTransformThatMakesNoListOnItsWayOutIsAnError() throws {
    final class Post {
      var tags: String?
    }
    func mapping(_ writing: (@Sendable (String) -> Value)?) -> Mapping<Post> {
      Mapping(Post.self, "Post", make: { Post() }) {
        Attribute(
          "tags", \.tags, at: "tags[].name",
          transform: Transform<String>(
            reading: { .value(($0.elements ?? []).compactMap(\.string).joined(separator: " ")) },
            writing: writing))
      }
    }
    let post = Post()
    post.tags = "a b"
    #expect(
      try Serializer(mapping { _ in .json(#"["a","b"]"#) }).json(of: post)
        == #"{"tags":[{"name":"a"},{"name":"b"}]}"#)
    let error = #expect(throws: MappingError.self) { try Serializer(mapping(nil)).json(of: post) }
    #expect(error?.description.contains("expected a list for a key path with []") ?? false)
  }

  @Test func aRootPathThroughAnArrayIsWritten() throws {
    let mapping = Mapping("Person", rootPath: "pages[1].people", primaryKey: "id") {
      Attribute("id", .integer)
    }
    let plan = try Plan(mapping)
    var reader = try GraphReader(Graph { $0.add(1, "Person", ["id": 1]) }, plan.schema)
    var output = JSONWriter()
    try Serializer(plan).writeDocument([reader[1]], from: &reader, to: &output)
    #expect(String(decoding: output.bytes, as: UTF8.self) == #"{"pages":[null,{"people":[{"id":1}]}]}"#)
  }

  // MARK: Random mappings

  /// Attributes and relationships at paths of every kind, some of them beside an attribute that keeps the whole object.
  @Test(arguments: TestSize.onStores((0..<60).map { $0 as UInt64 }, small: 15, others: 4))
  func anExportGivesTheSameStore(_ kind: StoreKind, _ seed: UInt64) throws {
    var random = Random(seed: seed)
    func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }
    let paths: [[JSONKeyPath]] = [
      ["a", "x.a", "l[0]", "x.l[2].a", #"a\.b"#], ["b", "x.b", "l[2]", "x.l[1][0]", "x.l[2].b"],
      ["c", "y.c[1]", "m[].c", "x.m[].c.d", "m[].n[1]"],
    ]
    let chosen = paths.map { pick($0) }
    let keyPath: JSONKeyPath = pick(["id", "key.id", "k[1]"])
    let keeps = Bool.random(using: &random)
    let relations: [JSONKeyPath] = [pick(["r", "x.r", "q[1]"]), pick(["s", "z.s", "t[].s"])]
    let part = Mapping("Part") { Attribute("n", .integer, at: pick(["n", "ns[1]"])) }
    let other = Mapping("Other", primaryKey: "id") {
      Attribute("id", .integer, at: keyPath)
      Attribute("name", .string)
    }
    let mapping = Mapping("Thing", primaryKey: "id") {
      Attribute("id", .integer, at: keyPath)
      Attribute("a", .string, at: chosen[0])
      Attribute("b", .number, at: chosen[1])
      Attribute("c", .json, at: chosen[2])
      if keeps { Attribute("raw", .json, at: .wholeValue) }
      ToOne("one", other, at: relations[0])
      ToMany("parts", part, at: relations[1])
    }
    // The objects are made as a graph, and their text by the serializer. An import of this text is the start.
    let graph = Graph {
      for id in 1...4 as ClosedRange<UInt64> {
        var values: [String: Graph.Content] = ["id": .init(.integer(Int64(id)))]
        if Bool.random(using: &random) { values["a"] = "text" }
        if Bool.random(using: &random) { values["b"] = .init(.number(0.5)) }
        if Bool.random(using: &random) { values["c"] = .init(.json(#"[1,{"x":"]"},null]"#)) }
        $0.add(
          id, "Thing", values, one: Bool.random(using: &random) ? ["one": 10 + id % 2] : [:],
          many: ["parts": Bool.random(using: &random) ? [20 + id, 30 + id] : []])
        $0.add(10 + id % 2, "Other", ["id": .init(.integer(Int64(id % 2))), "name": "o"])
        $0.add(20 + id, "Part", ["n": .init(.integer(Int64(id)))])
        $0.add(30 + id, "Part", ["n": 7])
      }
    }
    let json = try (1...4).map { try serialized(mapping, graph, $0, in: [kind]) }.joined(separator: ",")
    let world = try World(kind, mapping, holding: "[\(json)]")
    try #expect(export(world).split(separator: "\n").joined(separator: ",") == json, "\(chosen) \(relations)")
    try expectSame(kind, mapping, world)
  }
}
