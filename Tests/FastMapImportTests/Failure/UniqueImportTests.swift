import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

/// Unique indexes in imports: a conflict is a fault of the object that was met last.
@Suite struct UniqueImportTests {
  static let team = Mapping("Team", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }

  static let account: Mapping<Record> = Mapping("Account", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("email", .string)
    Attribute("number", .integer)
    Attribute("note", .string)
    ToOne("team", team)
    ToOne("friend", friend)
    ToMany(
      "devices",
      Mapping("Device") {
        Attribute("serial", .string)
        Index("serial", isUnique: true)
      })
    Index("email", isUnique: true)
    Index("team", "-number", isUnique: true)
  }

  static let friend: Mapping<Record> = Mapping("Friend", entity: "Account", primaryKey: "id") {
    Attribute("id", .integer, at: .wholeValue)
  }

  typealias Case = ImportCase

  private static func message(_ key: Int, _ other: Int, _ value: String, _ index: String = "email") -> String
  {
    #"expected an object of Account that is unique in "\#(index)", found one with the key \#(key) that has \#(value), as "#
      + "the one with the key \(other)"
  }

  static let cases: [Case] = [
    Case(
      testDescription: "two new objects", payload: #"[{"id":2,"email":"a"},{"id":1,"email":"a"},{"id":3}]"#,
      report: "Account +2 !1", errors: ["$[1]: " + message(1, 2, #""a""#)],
      dump: #"Account 2 email="a"\#nAccount 3"#),
    Case(
      testDescription: "a new object and a stored one", start: #"{"id":1,"email":"a"}"#,
      payload: #"[{"id":2,"email":"a","note":"x"}]"#, report: "Account !1",
      errors: ["$[0]: " + message(2, 1, #""a""#)], dump: #"Account 1 email="a""#),
    Case(
      testDescription: "a stored object keeps its state",
      start: #"[{"id":1,"email":"a"},{"id":2,"email":"b","note":"old"}]"#,
      payload: #"[{"id":2,"email":"a","note":"new"},{"id":3,"email":"c"}]"#, report: "Account +1 !1",
      errors: ["$[0]: " + message(2, 1, #""a""#)],
      dump: "Account 1 email=\"a\"\nAccount 2 email=\"b\" note=\"old\"\nAccount 3 email=\"c\""),
    Case(
      testDescription: "values may change their objects",
      start: #"[{"id":1,"email":"a"},{"id":2,"email":"b"}]"#,
      payload: #"[{"id":1,"email":"b"},{"id":2,"email":"a"}]"#, report: "Account ~2", errors: [],
      dump: "Account 1 email=\"b\"\nAccount 2 email=\"a\""),
    Case(
      testDescription: "each that is left out takes the value of the next",
      start: #"[{"id":1,"email":"a"},{"id":2,"email":"b"},{"id":3,"email":"c"},{"id":4,"email":"d"}]"#,
      payload: #"[{"id":1,"email":"b"},{"id":2,"email":"c"},{"id":3,"email":"d"}]"#, report: "Account !3",
      errors: [
        "$[0]: " + message(1, 2, #""b""#), "$[1]: " + message(2, 3, #""c""#),
        "$[2]: " + message(3, 4, #""d""#),
      ],
      dump:
        "Account 1 email=\"a\"\nAccount 2 email=\"b\"\nAccount 3 email=\"c\"\nAccount 4 email=\"d\""),
    Case(
      testDescription: "a relationship and a number",
      payload:
        #"[{"id":1,"team":{"id":7},"number":1},{"id":2,"team":{"id":8},"number":1},{"id":3,"team":{"id":7},"number":1}]"#,
      report: "Account +2 !1, Team +2", errors: ["$[2]: " + message(3, 1, "7, 1", "team,-number")],
      dump: "Account 1 number=1 team=7\nAccount 2 number=1 team=8\nTeam 7\nTeam 8"),
    Case(
      testDescription: "no link leads to what is left out, and one to what was stored stays",
      start: #"[{"id":1,"email":"a"},{"id":2,"email":"b"}]"#,
      payload:
        #"[{"id":5,"friend":9},{"id":6,"friend":2},{"id":9,"email":"a"},{"id":2,"email":"a"},{"id":9,"note":"x"}]"#,
      report: "Account +2 !2",
      errors: ["$[2]: " + message(9, 1, #""a""#), "$[3]: " + message(2, 1, #""a""#)],
      dump: "Account 1 email=\"a\"\nAccount 2 email=\"b\"\nAccount 5\nAccount 6 friend=2"),
    Case(
      testDescription: "an object met twice counts by what it has in the end",
      payload: #"[{"id":1,"email":"a"},{"id":2,"email":"b"},{"id":1,"email":"b"},{"id":3,"friend":1}]"#,
      report: "Account +2 !1", errors: ["$[2]: " + message(1, 2, #""b""#)],
      dump: "Account 2 email=\"b\"\nAccount 3"),
    Case(
      testDescription: "what is left out needs no place for what it conflicts with",
      payload:
        #"[{"id":1,"email":"a"},{"id":2,"email":"a","team":{"id":1},"number":1},{"id":3,"team":{"id":1},"number":1}]"#,
      report: "Account +2 !1, Team +1", errors: ["$[1]: " + message(2, 1, #""a""#)],
      dump: "Account 1 email=\"a\"\nAccount 3 number=1 team=1\nTeam 1"),
    Case(
      testDescription: "other faults come in between",
      payload: #"[{"id":0,"email":1},{"id":1,"email":"a"},{"id":2,"email":"a"},{"id":3,"email":2}]"#,
      report: "Account +1 !3",
      errors: [
        "$[0].email: expected a string, found the number 1", "$[2]: " + message(2, 1, #""a""#),
        "$[3].email: expected a string, found the number 2",
      ], dump: "Account 1 email=\"a\""),
    Case(
      testDescription: "objects without a key",
      payload:
        #"[{"id":1,"devices":[{"serial":"x"},{"serial":"y"}]},{"id":2,"devices":[{"serial":"x"},{"serial":"z"}]}]"#,
      report: "Account +2, Device +3 !1",
      errors: [
        "$[1].devices[0]: expected an object of Device that is unique in \"serial\", found one without a key that has "
          + "\"x\", as one without a key"
      ],
      dump:
        "Account 1 devices=[#1 #2]\nAccount 2 devices=[#3]\nDevice #1 serial=\"x\"\nDevice #2 serial=\"y\"\nDevice #3 serial=\"z\""
    ),
  ]

  @Test(arguments: TestSize.onStores(cases, on: .memory, others: 4))
  func skipLeavesOutTheLastDuplicates(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Self.account, holding: test.start)
    let before = try world.dump()
    let trial = try world.report(test.payload, options: ImportOptions(faults: .skip, isDryRun: true))
    try #expect(world.dump() == before)
    for size in [nil, 1, 50] where size == nil || kind != .postgres {
      let world = try World(kind, Self.account, holding: test.start)
      let report = try world.report(test.payload, inChunksOf: size, options: .skipping)
      #expect(summary(report) == test.report, "in chunks of \(size ?? 0)")
      #expect(report.errors.map { "\($0.path): \($0.message)" } == test.errors)
      try #expect(world.dump() == test.dump)
      #expect((trial.entities, trial.errors.map(\.path)) == (report.entities, report.errors.map(\.path)))
      try #expect(summary(world.report(test.payload, options: .skipping)).contains("+") == false)
    }
  }

  @Test(arguments: TestSize.onStores(cases, on: .memory, others: 4))
  func anAbortNamesTheObjectThatWasMetLast(_ kind: StoreKind, _ test: Case) throws {
    let world = try World(kind, Self.account, holding: test.start)
    let before = try world.dump()
    for size in [nil, 1] where size == nil || kind != .postgres {
      let failure = world.failure(of: test.payload, inChunksOf: size)
      if let failure {
        #expect(test.errors.contains { failure.hasPrefix($0) }, "\(failure)")
        try #expect(world.dump() == before)
      } else {
        #expect(test.errors.isEmpty)
      }
    }
  }

  /// Whatever the batches are, and whoever watches.
  @Test(arguments: TestSize.onStores(cases, on: .memory, others: 4))
  func batchesAndDelegatesDoNotMatter(_ kind: StoreKind, _ test: Case) throws {
    final class Watcher: ImportDelegate {}
    for (size, delegate) in [(1, nil), (2, Watcher())] as [(Int, Watcher?)] {
      let world = try World(kind, Self.account, holding: test.start)
      var options = ImportOptions(faults: .skip, batchSize: size, delegate: delegate)
      options.alwaysReadsAhead = true
      let report = try world.report(test.payload, options: options)
      #expect(summary(report) == test.report)
      #expect(report.errors.map { "\($0.path): \($0.message)" } == test.errors)
      try #expect(world.dump() == test.dump)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func eachCommitIsUniqueByItself(_ kind: StoreKind) throws {
    let world = try World(kind, Self.account)
    let report = try world.report(
      #"[{"id":1,"email":"a"},{"id":2,"email":"a"},{"id":3,"email":"a"},{"id":4,"email":"d"},{"id":1,"email":"b"},{"id":3,"email":"a"},{"id":2,"email":"c"}]"#,
      options: ImportOptions(faults: .skip, commitInterval: 2))
    #expect(summary(report) == "Account +4 !2")
    #expect(report.errors.map { "\($0.path)" } == ["$[1]", "$[2]"])
    try #expect(
      world.dump()
        == "Account 1 email=\"b\"\nAccount 2 email=\"c\"\nAccount 3 email=\"a\"\nAccount 4 email=\"d\"")
  }

  /// The callback receives each error once, whatever runs again.
  @Test(arguments: StoreKind.allCases)
  func everyErrorIsReportedOnce(_ kind: StoreKind) throws {
    let world = try World(kind, Self.account)
    let heard = Collector<String>()
    let options = ImportOptions(faults: .skip, maxErrors: 1, onError: { heard.add("\($0.path)") })
    let report = try world.report(
      #"[{"id":0,"email":1},{"id":1,"email":"a"},{"id":2,"email":"a"},{"id":3,"email":2},{"id":4,"email":"a"}]"#,
      options: options)
    #expect(heard.all == ["$[0].email", "$[3].email", "$[2]", "$[4]"])
    #expect(report.errorCount == 4)
    #expect(report.errors.map { "\($0.path)" } == ["$[0].email"])
  }

  @Test(arguments: StoreKind.allCases)
  func aNewUniqueIndexChecksStoredObjects(_ kind: StoreKind) throws {
    let plain = Mapping("Account", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("email", .string)
    }
    let world = try World(kind, Self.account, plain)
    _ = try Mapper(world.store).importJSON(#"[{"id":1,"email":"a"},{"id":2,"email":"a"}]"#, as: plain)
    for options in [ImportOptions(), .skipping] {
      let error = #expect(throws: UniquenessError.self) { try world.report(#"{"id":3}"#, options: options) }
      #expect(error?.keys == [1, 2])
      #expect(
        error.map { "\($0)" }
          == #"Account: "email" is unique, and the objects with the keys 1 and 2 both have "a""#)
    }
    // An object of the payload that conflicts with them is not reported: the import fails because of stored objects.
    let heard = Collector<String>()
    let options = ImportOptions(faults: .skip, onError: { heard.add("\($0)") })
    let error = #expect(throws: UniquenessError.self) {
      try world.report(#"[{"id":1,"email":"a"},{"id":4},{"id":5,"email":1}]"#, options: options)
    }
    #expect(error?.keys == [1, 2])
    #expect(heard.all.filter { $0.contains("unique") } == [])
    // Until then, mappings without the index are free.
    _ = try Mapper(world.store).importJSON(#"{"id":6,"email":"a"}"#, as: plain)
    // The payload may mend it.
    try #expect(world.load(#"[{"id":2,"email":"b"},{"id":6,"email":"c"}]"#) == "Account ~2")
    #expect(world.failure(of: #"{"id":3,"email":"a"}"#) != nil)
    #expect(throws: (any Error).self) {
      try Mapper(world.store).importJSON(#"{"id":7,"email":"a"}"#, as: plain)
    }
  }

  @Test(
    "Of two violations, every store names the first one in the order of the index",
    arguments: StoreKind.allCases)
  func firstViolation(_ kind: StoreKind) throws {
    let world = try World(kind, Self.account)
    try world.load(#"[{"id":1,"number":1,"team":{"id":9}},{"id":2,"number":2,"team":{"id":9}}]"#)
    let letters = ["x", "m", "c", "q", "k"]
    let emails = letters.enumerated().flatMap { number, letter in
      [10, 20].map { #"{"id":\#($0 + number),"email":"\#(letter)"}"# }
    }
    let failure = world.failure(of: "[\(emails.joined(separator: ","))]")
    #expect(failure?.contains(Self.message(22, 12, #""c""#)) == true, "\(failure ?? "")")
    // The greatest number comes first in the other index.
    let numbers = [1, 3, 2].flatMap { number in
      [10, 20].map { #"{"id":\#($0 + number),"number":\#(number + 4),"team":{"id":9}}"# }
    }
    let other = world.failure(of: "[\(numbers.joined(separator: ","))]")
    #expect(other?.contains("with the key 23") == true, "\(other ?? "")")
  }

  /// An import that changes no object builds the indexes that its mapping declares.
  @Test(arguments: StoreKind.allCases.filter { $0 != .remote })
  func anImportOfTheSameBuildsANewIndex(_ kind: StoreKind) throws {
    let plain = Mapping("Account", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("email", .string)
      Attribute("number", .integer)
    }
    let declaring = Mapping("Account", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("email", .string)
      Attribute("number", .integer)
      Index("-number", "email")
    }
    // LMDB tells of each 8192 objects.
    let count = TestSize.count(kind, small: 8200, others: 500, whole: 10_000)
    let world = try World(kind, plain)
    let json = "[" + (0..<count).map { #"{"id":\#($0),"email":"\#($0)"}"# }.joined(separator: ",") + "]"
    try world.load(json)
    let steps = Collector<[Int]>()
    let options = ImportOptions(onProgress: { steps.add([$0.indexedObjects, $0.objectsToIndex]) })
    let plan = try Plan(declaring)
    let report = try Mapper(world.store).importJSON(json, as: plan, options: options)
    #expect(summary(report) == "Account =\(count)")
    func names(_ store: some Store) throws -> [String] {
      try store.read(plan.schema) { try $0.indexes(of: 0).map(\.name) }
    }
    try #expect(names(world.store) == ["-number,email"])
    if kind == .lmdb { #expect(steps.all.suffix(2) == [[8192, count], [count, count]]) }
  }

  @Test(arguments: StoreKind.allCases)
  func manyConflictsTakeFewRuns(_ kind: StoreKind) throws {
    let world = try World(kind, Self.account)
    let count = kind == .postgres ? 300 : TestSize.count(kind, small: 600, others: 150, whole: 3000)
    let objects = (0..<count).map { #"{"id":\#($0),"email":"\#($0 / 3)"}"# }
    let calls = Collector<Int>()
    var options = ImportOptions(faults: .skip)
    options.onProgress = { if $0.objectsToIndex == 0 { calls.add($0.rootObjects) } }
    let report = try world.report("[" + objects.joined(separator: ",") + "]", options: options)
    #expect(summary(report) == "Account +\(count / 3) !\(count / 3 * 2)")
    #expect(calls.all.count { $0 == count } <= 5)
  }

  /// Instances that a fill or an import changes.
  @Test func instancesKeepTheirStateToo() throws {
    final class Person {
      var id = 0
      var email = ""
    }
    let mapping = Mapping(Person.self, "Person", primaryKey: "id", make: { Person() }) {
      Attribute("id", \Person.id)
      Attribute("email", \Person.email)
      Index("email", isUnique: true)
    }
    let store = MemoryStore()
    let mapper = Mapper(store)
    _ = try mapper.importJSON(#"[{"id":1,"email":"a"},{"id":2,"email":"b"}]"#, as: mapping)
    let report = try mapper.importJSON(
      #"[{"id":2,"email":"a"},{"id":3,"email":"c"}]"#, as: mapping, options: .skipping)
    #expect(report.errors.map { "\($0.path)" } == ["$[0]"])
    try #expect(store.read { try $0.objects(mapping).map(\.email) } == ["a", "b", "c"])
  }
}
