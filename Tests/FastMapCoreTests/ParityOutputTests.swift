import FastMapCore
import TestSupport
import Testing

/// What stores hold is written as JSON: the same that was read.
@Suite struct ParityOutputTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let mapping: Mapping<Record>
    /// One object, as it is read and as it is written.
    let json: String
  }

  private static let reference = Mapping("AuthorRef", entity: "Author", primaryKey: "authorID") {
    Attribute("authorID", .integer, at: .wholeValue)
  }

  private static let author = Mapping("Author", primaryKey: "authorID") {
    Attribute("authorID", .integer, at: "id")
    Attribute("name", .string, at: "n")
  }

  static let cases: [Case] = [
    // FEM-180, WAM-105: siblings share the object of their path
    Case(
      testDescription: "dotted attributes",
      mapping: Mapping("Book", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute("year", .integer, at: "info.year")
        Attribute("pages", .integer, at: "info.print.pages")
        Attribute("paper", .string, at: "info.print.paper")
      }, json: #"{"id":1,"info":{"year":1965,"print":{"pages":412,"paper":"thin"}}}"#),
    // FEM-187, FEM-188, WAM-109, WAM-110
    Case(
      testDescription: "to-one and to-many",
      mapping: Mapping("Book", primaryKey: "id") {
        Attribute("id", .integer)
        ToOne("author", author, at: "by")
        ToMany("editors", author, at: "eds")
      }, json: #"{"id":1,"by":{"id":9,"n":"A"},"eds":[{"id":3,"n":"B"},{"id":2},{"id":4,"n":"C"}]}"#),
    // FEM-192, WAM-118, BUG-56
    Case(
      testDescription: "dotted relationships beside attributes",
      mapping: Mapping("Book", primaryKey: "id") {
        Attribute("id", .integer)
        ToOne("author", author, at: "info.by")
        Attribute("year", .integer, at: "info.year")
        ToMany("editors", author, at: "info.team.eds")
      }, json: #"{"id":1,"info":{"year":1965,"by":{"id":9},"team":{"eds":[{"id":3},{"id":2}]}}}"#),
    // FEM-190, BUG-57
    Case(
      testDescription: "a relationship without a key path",
      mapping: Mapping("Site", primaryKey: "id") {
        Attribute("id", .integer)
        ToOne(
          "cat",
          Mapping("Cat", primaryKey: "id") {
            Attribute("id", .integer, at: "cat")
            Attribute("color", .string)
          }, at: .wholeValue)
      }, json: #"{"id":3,"cat":4,"color":"red"}"#),
    // FEM-191, BUG-64
    Case(
      testDescription: "bare keys",
      mapping: Mapping("Book", primaryKey: "id") {
        Attribute("id", .integer)
        ToOne("author", reference, at: "by_id")
        ToMany("editors", reference, at: "ids.eds")
      }, json: #"{"id":1,"by_id":2,"ids":{"eds":[3,2]}}"#),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func whatWasImportedIsWrittenTheSame(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, test.mapping)
    try world.load(test.json)
    try #expect(world.export() == "[\(test.json)]")
    try #expect(world.report(world.export()).isUnchanged)
  }

  // FEM-133, FEM-134, FEM-193, BUG-56, BUG-63, WAM-117, WAM-121
  @Test(arguments: StoreKind.allCases)
  func aDocumentIsWhatItsRootPathAndItsCountSay(_ kind: StoreKind) throws {
    for (path, open, close) in [
      (nil, "", ""), ("people", #"{"people":"#, "}"), ("r.all", #"{"r":{"all":"#, "}}"),
    ] {
      let mapping = Mapping("Author", rootPath: path.map { JSONKeyPath($0) } ?? .wholeValue, primaryKey: "id")
      {
        Attribute("id", .integer)
      }
      let world = try World(kind, mapping)
      try #expect(world.export() == "\(open)[]\(close)")
      for (payload, expected) in [(#"{"id":2}"#, #"[{"id":2}]"#), (#"[{"id":1}]"#, #"[{"id":1},{"id":2}]"#)] {
        try world.load("\(open)\(payload)\(close)")
        try #expect(world.export() == "\(open)\(expected)\(close)")
      }
      try #expect(world.exportOne(1) == open + #"{"id":1}"# + close)
    }
  }

  // WAM-114, WAM-115, BUG-61, Q-14: a root object is written in full, and so is what another root has written, unless
  // repeats are asked for
  @Test(arguments: StoreKind.allCases)
  func anExportBeginsAnewWithEachRootObject(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.member)
    try world.load(#"[{"id":1,"club":{"id":5,"name":"Z"}},{"id":2,"club":{"id":5,"members":[2,1]}}]"#)
    func export(_ cycles: SerializerOptions.Cycles?) throws -> String {
      var options = SerializerOptions()
      options.cycles = cycles
      return try world.export(nil, options)
    }
    let club = #"{"id":5,"name":"Z","members":[{"id":2},{"id":1}]}"#
    try #expect(export(nil) == #"[{"id":1,"club":\#(club)},{"id":2,"club":\#(club)}]"#)
    let first = #"{"id":5,"name":"Z","members":[{"id":2,"club":{"id":5}},{"id":1}]}"#
    try #expect(export(.repeatAsKey) == #"[{"id":1,"club":\#(first)},{"id":2,"club":{"id":5}}]"#)
  }

  // WAM-111: absent, not null
  @Test(arguments: StoreKind.allCases)
  func aFilterLeavesRelationshipsOut(_ kind: StoreKind) throws {
    let world = try World(kind, Fixture.book())
    try world.load(#"{"id":1,"a":{"id":2},"tags":[{"id":3}]}"#)
    var options = SerializerOptions()
    options.includesNulls = true
    options.shouldWrite = { mapping, relationship in mapping.name == "Book" && relationship.name == "tags" }
    try #expect(world.export(nil, options) == #"[{"id":1,"t":null,"y":null,"tags":[{"id":3,"t":null}]}]"#)
  }
}

extension World {
  /// The root object with a key, as a document of one.
  fileprivate func exportOne(_ key: PrimaryKey) throws -> String {
    let plan = plan()
    return try store.read(plan) { reader in
      let id = try reader.reader.find(key, of: 0)
      var output = JSONWriter()
      if let id { _ = try Serializer(plan).writeDocument(id, from: &reader.reader, to: &output) }
      return String(decoding: output.bytes, as: UTF8.self)
    }
  }
}
