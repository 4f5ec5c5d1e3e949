import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

/// Links that wait for objects: `waits`.
@Suite struct WaitingLinkTests {
  static let key = Mapping("PersonKey", entity: "Person", primaryKey: "id") {
    Attribute("id", .integer, at: .wholeValue)
  }
  static func person(_ policy: RelationshipPolicy) -> Mapping<Record> {
    Mapping("Person", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string)
      ToOne("boss", key, policy: policy, isWeak: true, waits: true)
      ToMany("friends", key, policy: policy, isWeak: true, waits: true)
    }
  }
  /// Knows nothing of the relationships.
  static let plain = Mapping("Plain", entity: "Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var policy = RelationshipPolicy.assign
    /// Payloads with their reports.
    var steps: [(json: String, report: String)]
    var export: String
    var testDescription: String { steps.map(\.json).joined(separator: " then ") }
  }

  static let cases = [
    Case(
      steps: [(#"{"id":1,"boss":9}"#, "Person +1"), (#"{"id":9}"#, "Person +1 ~1")],
      export: #"[{"id":1,"boss":9},{"id":9}]"#),
    Case(
      steps: [(#"{"id":1,"boss":9,"friends":[8,9]}"#, "Person +1")],
      export: #"[{"id":1,"boss":9,"friends":[8,9]}]"#),
    // In one payload, in any order.
    Case(steps: [(#"[{"id":1,"boss":9},{"id":9}]"#, "Person +2")], export: #"[{"id":1,"boss":9},{"id":9}]"#),
    // Positions are kept.
    Case(
      steps: [
        (#"[{"id":1,"friends":[7,2,8,3,9]},{"id":2},{"id":3}]"#, "Person +3"),
        (#"{"id":8}"#, "Person +1 ~1"), (#"[{"id":9},{"id":7}]"#, "Person +2 ~1"),
      ],
      export: #"[{"id":1,"friends":[7,2,8,3,9]},{"id":2},{"id":3},{"id":7},{"id":8},{"id":9}]"#),
    Case(
      steps: [
        (#"[{"id":2},{"id":1,"friends":[2,9]}]"#, "Person +2"), (#"{"id":1,"friends":[2,9]}"#, "Person =2"),
        (#"{"id":1,"friends":[9,2]}"#, "Person ~1 =1"), (#"{"id":1,"name":"x"}"#, "Person ~1"),
        (#"{"id":1,"friends":[9,2]}"#, "Person =2"),
      ], export: #"[{"id":1,"name":"x","friends":[9,2]},{"id":2}]"#),
    // It takes the old target's place at once, and a new value takes its place.
    Case(
      steps: [
        (#"[{"id":2},{"id":1,"boss":2}]"#, "Person +2"), (#"{"id":1,"boss":9}"#, "Person ~1"),
      ], export: #"[{"id":1,"boss":9},{"id":2}]"#),
    Case(
      steps: [
        (#"[{"id":2},{"id":1,"boss":9}]"#, "Person +2"), (#"{"id":1,"boss":2}"#, "Person ~1 =1"),
        (#"{"id":9}"#, "Person +1"),
      ], export: #"[{"id":1,"boss":2},{"id":2},{"id":9}]"#),
    Case(
      steps: [
        (#"{"id":1,"boss":9,"friends":[8]}"#, "Person +1"),
        (#"{"id":1,"boss":null,"friends":[]}"#, "Person ~1"),
        (#"[{"id":8},{"id":9}]"#, "Person +2"),
      ], export: #"[{"id":1},{"id":8},{"id":9}]"#),
    Case(
      policy: .replace,
      steps: [
        (#"[{"id":2},{"id":1,"boss":2,"friends":[2]}]"#, "Person +2"),
        (#"{"id":1,"boss":9,"friends":[8]}"#, "Person ~1 -1"), (#"{"id":2}"#, "Person +1"),
      ], export: #"[{"id":1,"boss":9,"friends":[8]},{"id":2}]"#),
    // A merge adds it once.
    Case(
      policy: .merge,
      steps: [
        (#"[{"id":2},{"id":1,"friends":[9,2,9]}]"#, "Person +2"), (#"{"id":1,"friends":[2,9]}"#, "Person =2"),
        (#"[{"id":1,"friends":[8]},{"id":3},{"id":1,"friends":[3,9,7]}]"#, "Person +1 ~1"),
        (#"[{"id":7},{"id":9}]"#, "Person +2 ~1"),
      ], export: #"[{"id":1,"friends":[9,2,8,3,7]},{"id":2},{"id":3},{"id":7},{"id":9}]"#),
    Case(
      policy: .merge,
      steps: [
        (#"{"id":1,"friends":[9,8]}"#, "Person +1"),
        (#"[{"id":9},{"id":1,"friends":[9]}]"#, "Person +1 ~1"),
      ], export: #"[{"id":1,"friends":[9,8]},{"id":9}]"#),
    Case(
      policy: .merge,
      steps: [
        (#"{"id":1,"boss":9}"#, "Person +1"), (#"{"id":1,"boss":null}"#, "Person =1"),
        (#"{"id":9}"#, "Person +1 ~1"),
      ], export: #"[{"id":1,"boss":9},{"id":9}]"#),
  ]

  @Test(arguments: TestSize.onStores(cases, others: 6))
  func aLinkWaitsForItsObject(_ kind: StoreKind, _ example: Case) throws {
    for batch in [nil, 1] as [Int?] {
      let world = try World(kind, Self.person(example.policy))
      var options = ImportOptions(batchSize: batch)
      for (json, expected) in example.steps {
        options.isDryRun = true
        try #expect(summary(world.report(json, options: options)) == expected, "dry run of \(json)")
        options.isDryRun = false
        try #expect(summary(world.report(json, options: options)) == expected, "\(json)")
      }
      let export = try world.export()
      #expect(export == example.export)
      let copy = try World(kind, Self.person(example.policy))
      try copy.load(export)
      try #expect(copy.export() == export)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anyImportMakesTheLink(_ kind: StoreKind) throws {
    let world = try World(kind, Self.person(.assign), Self.plain)
    try world.load(#"{"id":1,"name":"Ada","boss":9,"friends":[8,9]}"#)
    try #expect(world.load(#"[{"id":9,"name":"Bo"}]"#, as: "Plain") == "Person +1 ~1")
    try #expect(world.export() == #"[{"id":1,"name":"Ada","boss":9,"friends":[8,9]},{"id":9,"name":"Bo"}]"#)
    try #expect(world.load(#"{"id":1,"name":"Ada","boss":9,"friends":[8,9]}"#) == "Person =2")
    // Deleting the target does not bring it back, and the others keep their places.
    let plan = world.plan()
    _ = try world.store.delete(plan.keys([9]))
    try world.load(#"[{"id":9},{"id":8}]"#)
    try #expect(world.export() == #"[{"id":1,"name":"Ada","friends":[8]},{"id":8},{"id":9}]"#)
  }

  @Test(arguments: StoreKind.allCases)
  func nobodyElseSeesIt(_ kind: StoreKind) throws {
    let world = try World(kind, Self.person(.assign))
    try world.load(#"[{"id":1,"boss":9,"friends":[2,9]},{"id":2}]"#)
    let plan = world.plan()
    try world.store.read(plan) { snapshot in
      try #expect(snapshot.keys(plan.where { $0["boss"] == 9 }) == [])
      try #expect(snapshot.count(plan.where { $0["friends"].count == 1 }) == 1)
      let record = try snapshot.record("Person", key: 1)
      #expect(record?.values.map(\.name) == ["id"])
      #expect(record?.targets("friends").count == 1)
    }
    #expect(throws: FilterError.self) {
      try world.store.read(plan) { try $0.count(plan.where { $0["fastmap.waiting.boss"] == 1 }) }
    }
    // The owner goes, and its links with it.
    _ = try world.store.delete(plan.keys([1]))
    try #expect(world.load(#"{"id":9}"#) == "Person +1")
    try #expect(world.export() == #"[{"id":2},{"id":9}]"#)
  }

  @Test(arguments: StoreKind.allCases)
  func aDeletedNeighbourLeavesTheOrder(_ kind: StoreKind) throws {
    let world = try World(kind, Self.person(.assign))
    try world.load(#"[{"id":1,"friends":[2,9,3]},{"id":2},{"id":3}]"#)
    _ = try world.store.delete(world.plan().keys([2]))
    try #expect(world.export() == #"[{"id":1,"friends":[9,3]},{"id":3}]"#)
    try world.load(#"{"id":9}"#)
    try #expect(world.export() == #"[{"id":1,"friends":[9,3]},{"id":3},{"id":9}]"#)
  }

  @Test(arguments: StoreKind.allCases)
  func aDelegateMakesTheSameLinks(_ kind: StoreKind) throws {
    final class Silent: ImportDelegate {}
    for example in Self.cases {
      let world = try World(kind, Self.person(example.policy))
      var options = ImportOptions()
      options.delegate = Silent()
      for (json, _) in example.steps { try world.load(json, options: options) }
      try #expect(world.export() == example.export, "\(example)")
    }
  }

  /// The payload has the target and not the owner, whose link it makes.
  @Test(arguments: StoreKind.allCases)
  func anOwnerThatIsNotInTheCompletePayloadGoes(_ kind: StoreKind) throws {
    let world = try World(kind, Self.person(.assign))
    try world.load(#"[{"id":1,"boss":9,"friends":[8]},{"id":2,"boss":9}]"#)
    let options = ImportOptions(replaces: .all, batchSize: 1)
    try #expect(world.load(#"[{"id":9},{"id":2}]"#, options: options) == "Person +1 ~1 -1")
    try #expect(world.export() == #"[{"id":2,"boss":9},{"id":9}]"#)
  }

  @Test(arguments: StoreKind.allCases)
  func pagesInAnyOrderGiveTheSameExport(_ kind: StoreKind) throws {
    var random = Random(for: "WaitingLinkTests")
    for _ in 0..<TestSize.rounds(small: 3, whole: 20) {
      let count = Int.random(in: 4...12, using: &random)
      let people = (1...count).map { id in
        let friends = (0..<Int.random(in: 0...5, using: &random)).map { _ in
          "\(Int.random(in: 1...count + 2, using: &random))"
        }
        return
          #"{"id":\#(id),"boss":\#(Int.random(in: 1...count + 2, using: &random)),"friends":[\#(friends.joined(separator: ","))]}"#
      }
      var exports: Set<String> = []
      for _ in 0..<4 {
        let world = try World(kind, Self.person(.assign))
        var rest = people.shuffled(using: &random)[...]
        while !rest.isEmpty {
          let page = rest.prefix(Int.random(in: 1...4, using: &random))
          rest = rest.dropFirst(page.count)
          var options = ImportOptions(batchSize: Bool.random(using: &random) ? 1 : nil)
          if Bool.random(using: &random) { options.commitInterval = 1 }
          try world.load("[\(page.joined(separator: ","))]", options: options)
        }
        exports.insert(try world.export())
        try #expect(world.report("[\(people.joined(separator: ","))]").isUnchanged)
      }
      #expect(exports.count == 1, "\(people)")
    }
  }

  @Test func faultsNameTheirPlace() throws {
    func fault(_ relationship: String, primaryKey: String = #""primaryKey":"id","#) -> String? {
      message {
        _ = try MappingSet(
          file:
            #"{"fastmap":1,"mappings":{"A":{\#(primaryKey)"attributes":{"id":"integer"},"relationships":{"b":\#(relationship)}},"B":{"primaryKey":"id","attributes":{"id":"integer"}}}}"#
        ).plan(for: "A")
      }
    }
    #expect(fault(#"{"mapping":"B","weak":true,"waits":true}"#) == nil)
    #expect(
      fault(#"{"mapping":"B","waits":true}"#)
        == "$.mappings.A.relationships.b.waits: only a link of a weak relationship waits for its object; any other makes the object"
    )
    #expect(
      fault(#"{"mapping":"B","weak":true,"waits":true,"keyPath":null}"#)?.hasPrefix(
        "$.mappings.A.relationships.b.waits: the target is written into its owner's object") == true)
    #expect(
      fault(#"{"mapping":"B","weak":true,"waits":true}"#, primaryKey: "")?.hasPrefix(
        "$.mappings.A.relationships.b.waits: links wait for owners with a primary key") == true)
  }
}
