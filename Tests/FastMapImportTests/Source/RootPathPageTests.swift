import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Root paths that begin with an index or lead to several pages.
@Suite struct RootPathPageTests {
  private static func item(_ rootPath: JSONKeyPath) -> Mapping<Record> {
    Mapping("Item", rootPath: rootPath, primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("n", .integer)
    }
  }

  private static let worldBank = #"[{"page":1,"pages":1},[{"id":1,"n":5},{"id":2}]]"#
  private static let pages =
    #"{"total":4,"pages":[{"items":[{"id":1},{"id":2,"n":3}],"next":"a"},{},{"items":null},null,{"items":[]},"#
    + #"{"items":{"id":3}},{"next":[{"items":[{"id":9}]}],"items":[{"id":4}]}],"more":[{}]}"#

  private static let cases: [(path: JSONKeyPath, json: String, dump: String)] = [
    ("[1]", worldBank, "Item 1 n=5\nItem 2"),
    ("[1][0]", worldBank, "Item 1 n=5"),
    ("pages[].items", pages, "Item 1\nItem 2 n=3\nItem 3\nItem 4"),
    (
      "pages[].items[0]", #"{"pages":[{"items":[{"id":1},{"id":2}]},{"items":[]},{"items":[{"id":3}]}]}"#,
      "Item 1\nItem 3"
    ),
    ("[]", #"[{"id":1},[{"id":2},{"id":3}],null,[]]"#, "Item 1\nItem 2\nItem 3"),
    (
      "[].a[].b", #"[{"a":[{"b":[{"id":1}]},{"b":{"id":2}}]},{},{"a":[]},{"a":[{"b":{"id":3}}]}]"#,
      "Item 1\nItem 2\nItem 3"
    ),
    ("[1][]", #"[0,[[{"id":1}],[{"id":2}]]]"#, "Item 1\nItem 2"),
    ("pages[].items", #"{"pages":[]}"#, ""),
    ("pages[].items", #"{"pages":[{"items":[]}]}"#, ""),
    (#"\[0]"#, #"{"[0]":[{"id":1}],"":[{"id":2}]}"#, "Item 1"),
    ("", #"{"[0]":[{"id":1}],"":[{"id":2}]}"#, "Item 2"),
  ]

  @Test(arguments: StoreKind.allCases)
  func objectsComeFromAllPages(_ kind: StoreKind) throws {
    for test in Self.cases {
      for size in [nil, 1, 7] {
        let world = try World(kind, Self.item(test.path))
        _ = try world.report(test.json, inChunksOf: size)
        try #expect(world.dump() == test.dump, "\(test.path) \(test.json) \(size ?? 0)")
      }
      let world = try World(kind, Self.item(test.path))
      try Array(test.json.utf8).withUnsafeBytes { bytes in
        _ = try Mapper(world.store).importJSON(JSONDocument(parsing: bytes), as: world.plan())
      }
      try #expect(world.dump() == test.dump, "\(test.path) \(test.json) as a tree")
    }
  }

  private static let faults: [(path: JSONKeyPath, json: String, message: String)] = [
    ("[0]", #"{"":[{"id":1}]}"#, "$: expected an array, found an object (line 1, column 1)"),
    (
      "[2]", worldBank,
      "$[2]: expected the objects to map at this root path, found nothing (line 1, column 1)"
    ),
    (
      "pages[].items", "{}",
      "$.pages: expected the objects to map at this root path, found nothing (line 1, column 1)"
    ),
    ("pages[].items", #"{"pages":null}"#, "$.pages: expected an array, found null (line 1, column 10)"),
    ("pages[].items", #"{"pages":{}}"#, "$.pages: expected an array, found an object (line 1, column 10)"),
    (
      "pages[].items", #"{"pages":[{"x":1},{}]}"#,
      "$.pages[0].items: expected the objects to map at this root path, found nothing (line 1, column 11)"
    ),
    (
      "pages[].items", #"{"pages":[{"items":null}]}"#,
      "$.pages[0].items: expected the objects to map at this root path, found nothing (line 1, column 20)"
    ),
    ("[]", "[null]", "$[0]: expected the objects to map at this root path, found nothing (line 1, column 2)"),
    (
      "pages[].items", #"{"pages":[{"items":[]},5]}"#,
      "$.pages[1]: expected an object, found the number 5 (line 1, column 24)"
    ),
    (
      "pages[].items", #"{"pages":[{"items":7}]}"#,
      "$.pages[0].items: expected an object, found the number 7 (line 1, column 20)"
    ),
    (
      "pages[].items", #"{"pages":[{"items":[{"id":1}]},{},{"items":[{"id":"x"}]}]}"#,
      #"$.pages[2].items[0].id: expected an integer, found the string "x" (line 1, column 51)"#
    ),
    (
      "pages[].items", #"{"pages":[{"items":[{"id":1}]},{"items":[{"id":2},{"id":3,"n":[]}]}]}"#,
      "$.pages[1].items[1].n: expected an integer, found an array (line 1, column 63)"
    ),
    (
      "pages[].items", #"{"pages":[{"items":{"id":1}},{"items":{"id":1,"n":"x"}}]}"#,
      #"$.pages[1].items.n: expected an integer, found the string "x" (line 1, column 51)"#
    ),
  ]

  @Test(arguments: StoreKind.allCases)
  func errorsNameThePage(_ kind: StoreKind) throws {
    for test in Self.faults {
      let world = try World(kind, Self.item(test.path))
      for size in [nil, 1, 7] {
        #expect(world.failure(of: test.json, inChunksOf: size) == test.message, "\(test.json) \(size ?? 0)")
      }
      let bare = test.message.replacing(#/ \(line.*/#, with: "")
      try #expect(world.failure(ofTree: test.json) == bare)
      try #expect(world.dump() == "")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func faultyObjectsAreSkippedWithTheirPages(_ kind: StoreKind) throws {
    for size in [nil, 5] {
      for batchSize in [1, 2, 4096] {
        let world = try World(kind, Self.item("pages[].items"))
        let report = try world.report(
          #"{"pages":[{"items":[{"id":1},2]},{"items":{"id":"x"}},{"items":[null,{"id":3}]}]}"#,
          inChunksOf: size, options: ImportOptions(faults: .skip, batchSize: batchSize))
        #expect(
          report.errors.map { "\($0.path)" } == [
            "$.pages[0].items[1]", "$.pages[1].items.id", "$.pages[2].items[0]",
          ])
        try #expect(world.dump() == "Item 1\nItem 3")
        #expect(report.rootObjects == 5)
      }
    }
  }

  @Test(arguments: [nil, 1, 7])
  func aSecondMemberOnTheWayIsRefusedBehindObjectsAndReplacesNothingElse(_ size: Int?) throws {
    let world = try World(.memory, Self.item("pages[].items"))
    let first = #"{"pages":[{"items":[],"items":[{"id":1}]},{"items":null,"items":{"id":2}}]}"#
    _ = try world.report(first, inChunksOf: size)
    try #expect(world.dump() == "Item 1\nItem 2")
    for json in [
      #"{"pages":[{"items":[{"id":3}],"items":[{"id":4}]}]}"#,
      #"{"pages":[{"items":{"id":3},"items":[{"id":4}]}]}"#,
      #"{"pages":[{"items":[{"id":3}]}],"pages":[]}"#,
    ] {
      let message = try #require(world.failure(of: json, inChunksOf: size))
      #expect(message.contains("duplicate") || message.contains("twice"), "\(message)")
    }
    try #expect(world.dump() == "Item 1\nItem 2")
  }

  @Test(arguments: [
    "{\"pages\":[{\"items\":[{\"id\":1}]}", "{\"pages\":[{\"items\":[{\"id\":1}]}]}x", "", "[",
    "{\"pages\":[nul]}",
  ])
  func aTextThatIsNoJSONIsRefused(_ json: String) throws {
    let world = try World(.memory, Self.item("pages[].items"))
    let message = try #require(world.failure(of: json))
    for size in [1, 2, 7] { #expect(world.failure(of: json, inChunksOf: size) == message) }
    try #expect(world.dump() == "")
  }

  /// Batches and commits take no notice of pages.
  @Test func commitsCountAcrossPages() throws {
    var random = Random(seed: 36)
    for round in 0..<TestSize.rounds(small: 30, whole: 300) {
      var json = #"{"a":[0,{"pages":["#
      var (count, faulty) = (0, 0)
      for page in 0..<Int.random(in: 1...6, using: &random) {
        if page > 0 { json += "," }
        json += #"{"x":\#(["1", "[2]", "\"y\""][Int.random(in: 0..<3, using: &random)]),"items":"#
        let items = (0..<Int.random(in: 0...5, using: &random)).map { _ -> String in
          count += 1
          if Int.random(in: 0..<8, using: &random) == 0 {
            faulty += 1
            return #"{"id":"x"}"#
          }
          return "{\"id\":\(count)}"
        }
        json += items.count == 1 ? items[0] : "[\(items.joined(separator: ", "))]"
        json += #", "y":{"items":[{"id":1000}]}}"#
      }
      json += "]}]}"
      let options = ImportOptions(
        faults: .skip, commitInterval: Int.random(in: 1...4, using: &random),
        batchSize: Int.random(in: 1...4, using: &random))
      var outcomes: [String] = []
      for size in [nil, 1, 3, 1000] {
        let world = try World(.memory, Self.item("a[1].pages[].items"))
        let report = try world.report(json, inChunksOf: size, options: options)
        #expect(report.rootObjects == count && report.errors.count == faulty, "\(json)")
        outcomes.append(try world.dump() + report.errors.map(\.description).joined(separator: "\n"))
      }
      #expect(Set(outcomes).count == 1, "round \(round): \(json)")
    }
  }

  /// The text between two pages may be larger than a batch.
  @Test(arguments: [nil, 60_000])
  func pagesMayBeFarApart(_ size: Int?) throws {
    let far = "\"" + String(repeating: "z", count: 5 << 20) + "\""
    let json =
      #"{"pages":[{"a":\#(far),"items":[{"id":1}],"b":\#(far)},{"items":[{"id":2},{"id":"x"}]},{"c":\#(far)}]}"#
    let world = try World(.memory, Self.item("pages[].items"))
    let report = try world.report(json, inChunksOf: size, options: .skipping)
    try #expect(world.dump() == "Item 1\nItem 2")
    #expect(report.errors.map { "\($0.path)" } == ["$.pages[1].items[1].id"])
  }

  @Test(arguments: StoreKind.allCases)
  func anExportIsWrittenOnOnePage(_ kind: StoreKind) throws {
    for (path, text) in [
      ("pages[].items", #"{"pages":[{"items":[{"id":1},{"id":2}]}]}"#), ("[]", #"[[{"id":1},{"id":2}]]"#),
      ("[1]", #"[null,[{"id":1},{"id":2}]]"#),
    ] {
      let world = try World(kind, Self.item(JSONKeyPath(path)), holding: text)
      try #expect((world.dump(), world.export()) == ("Item 1\nItem 2", text))
    }
  }

  @Test func aLineIsOneObjectUnlessAPathIsAskedFor() throws {
    let world = try World(.memory, Self.item("pages[].items"))
    try world.load("{\"id\":1}\n", options: .ndjson)
    try #expect(world.dump() == "Item 1")
    var options = ImportOptions(format: .ndjson, rootPath: "[]")
    try world.load("[{\"id\":2}]\n", options: options)
    options.rootPath = "[1]"
    try world.load("[0,{\"id\":3}]\n", options: options)
    try #expect(world.dump() == "Item 1\nItem 2\nItem 3")
  }
}
