import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Objects that say that they are deleted: `deletedBy`.
@Suite struct DeletedByTests {
  static let file = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "User": {
            "primaryKey": "id", "deletedBy": "deleted",
            "attributes": {"id": "integer", "name": "string", "deleted": "boolean"},
            "relationships": {
              "boss": {"mapping": "User"}, "friends": {"mapping": "User", "toMany": true},
              "seen": {"mapping": "User", "toMany": true, "weak": true}, "head": {"mapping": "Note"},
              "notes": {"mapping": "Note", "toMany": true},
              "parts": {"mapping": "Part", "toMany": true, "policy": "replace"}}},
          "Note": {"attributes": {"text": "string", "more": "string"}},
          "Part": {"primaryKey": "id", "attributes": {"id": "integer"}},
          "Doc": {
            "primaryKey": "id", "newerBy": "at", "deletedBy": "deleted_at",
            "attributes": {"id": "integer", "at": "integer", "title": "string", "deleted_at": "date"}},
          "Ticket": {
            "primaryKey": "id", "deletedBy": {"attribute": "state", "values": ["closed", "spam"]},
            "attributes": {"id": "integer", "state": "string"}},
          "Pack": {
            "primaryKey": "name", "keyedBy": "name", "deletedBy": {"attribute": "live", "values": [false]},
            "attributes": {"name": "string", "live": "boolean"}},
          "Repo": {"primaryKey": "name", "attributes": {"name": "string"}},
          "Issue": {
            "primaryKey": ["repo", "number"], "deletedBy": "gone",
            "attributes": {"number": "integer", "gone": "boolean"}, "relationships": {"repo": {"mapping": "Repo"}}},
          "Order": {
            "primaryKey": "id", "attributes": {"id": "integer"},
            "relationships": {"lines": {"mapping": "Line", "toMany": true, "policy": "merge"}}},
          "Line": {
            "primaryKey": "n", "keyScope": "parent", "deletedBy": "gone",
            "attributes": {"n": "integer", "gone": "boolean", "text": "string"}},
          "Any": {
            "entity": "Event", "primaryKey": "id", "deletedBy": "gone",
            "kinds": {"keyPath": "type", "values": {"p": "Push", "w": "Watch"}}},
          "Push": {
            "entity": "Event", "primaryKey": "id",
            "attributes": {"id": "integer", "gone": "boolean", "size": "integer"}},
          "Watch": {"entity": "Event", "primaryKey": "id", "attributes": {"id": "integer", "gone": "boolean"}}}}
        """#)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var mapping = "User"
    var stored = #"[{"id":1},{"id":2,"name":"b"}]"#
    let json: String
    let report: String
    let left: String
    var testDescription: String { "\(json) over \(stored)" }
  }

  static let cases = [
    Case(json: #"{"id":2,"deleted":true}"#, report: "User -1", left: #"[{"id":1}]"#),
    Case(json: #"[{"id":9,"deleted":true}]"#, report: "User", left: #"[{"id":1},{"id":2,"name":"b"}]"#),
    Case(
      json: #"[{"id":1,"deleted":null},{"id":2,"deleted":false}]"#, report: "User ~1 =1",
      left: #"[{"id":1},{"id":2,"name":"b","deleted":false}]"#),
    // Nothing else of it is read.
    Case(
      json: #"{"id":2,"deleted":true,"name":5,"friends":7,"boss":{"id":8},"notes":{"text":1}}"#,
      report: "User -1", left: #"[{"id":1}]"#),
    // The last occurrence counts.
    Case(
      json: #"[{"id":9,"name":"x"},{"id":9,"deleted":true}]"#, report: "User",
      left: #"[{"id":1},{"id":2,"name":"b"}]"#),
    Case(
      stored: #"[{"id":2,"name":"b","notes":[{"text":"n"}],"boss":{"id":1}}]"#,
      json: #"[{"id":2,"deleted":true},{"id":2,"friends":[{"id":1}]}]"#, report: "User ~1 =1, Note -1",
      left: #"[{"id":1},{"id":2,"friends":[{"id":1}]}]"#),
    Case(
      json: #"[{"id":2,"name":"x"},{"id":2,"deleted":true},{"id":2,"name":"y"},{"id":2,"deleted":true}]"#,
      report: "User -1", left: #"[{"id":1}]"#),
    Case(
      stored: #"[{"id":2,"notes":[{"text":"n"},{"text":"m"}],"head":{"text":"h","more":"x"}}]"#,
      json: #"[{"id":2,"deleted":true},{"id":2,"notes":[{"text":"n"}],"head":{"text":"h"}}]"#,
      report: "User ~1, Note ~1 =1 -1", left: #"[{"id":2,"head":{"text":"h"},"notes":[{"text":"n"}]}]"#),
    // In relationships it is absent.
    Case(
      json: #"{"id":1,"friends":[{"id":2,"deleted":true},{"id":3}]}"#, report: "User +1 ~1 -1",
      left: #"[{"id":1,"friends":[{"id":3}]},{"id":3}]"#),
    Case(
      json: #"{"id":1,"seen":[{"id":2,"deleted":true},{"id":3,"deleted":true}]}"#, report: "User =1 -1",
      left: #"[{"id":1}]"#),
    Case(
      stored: #"[{"id":1,"boss":{"id":2}}]"#, json: #"{"id":1,"boss":{"id":2,"deleted":true}}"#,
      report: "User ~1 -1", left: #"[{"id":1}]"#),
    Case(
      stored: #"[{"id":1,"boss":{"id":2}}]"#, json: #"{"id":1,"boss":{"id":9,"deleted":true}}"#,
      report: "User ~1", left: #"[{"id":1},{"id":2}]"#),
    // As any deletion, it takes what belongs to the object, and the links to it.
    Case(
      stored: #"[{"id":1,"boss":{"id":2}},{"id":2,"notes":[{"text":"n"}],"parts":[{"id":5}]}]"#,
      json: #"{"id":2,"deleted":true}"#, report: "User -1, Note -1, Part -1", left: #"[{"id":1}]"#),
    // A key that comes later makes nothing.
    Case(json: #"[{"id":2,"deleted":true},{"id":1,"boss":2}]"#, report: "User =1 -1", left: #"[{"id":1}]"#),
    Case(
      json: #"[{"id":9,"deleted":true},{"id":1,"friends":[9,{"id":9}]},{"id":9}]"#, report: "User =1",
      left: #"[{"id":1},{"id":2,"name":"b"}]"#),
    Case(
      json: #"[{"id":2,"deleted":true},{"id":1,"seen":[{"id":2,"name":"x"}]}]"#, report: "User =1 -1",
      left: #"[{"id":1}]"#),
    Case(
      mapping: "Doc", stored: #"[{"id":1,"at":5,"title":"a"}]"#,
      json: #"{"id":1,"at":4,"deleted_at":"2026-01-01"}"#, report: "Doc <1",
      left: #"[{"id":1,"at":5,"title":"a"}]"#),
    Case(
      mapping: "Doc", stored: #"[{"id":1,"at":5,"title":"a"}]"#,
      json: #"{"id":1,"at":5,"deleted_at":"2026-01-01"}"#, report: "Doc -1", left: "[]"),
    Case(
      mapping: "Doc", stored: #"[{"id":1,"at":5,"title":"a"}]"#,
      json: #"[{"id":1,"at":9,"deleted_at":"2026-01-01"},{"id":1,"at":7,"title":"b"}]"#, report: "Doc -1",
      left: "[]"),
    Case(
      mapping: "Doc", stored: #"[{"id":1,"at":5,"title":"a"}]"#,
      json: #"[{"id":1,"at":9,"deleted_at":"2026-01-01"},{"id":1,"at":10}]"#, report: "Doc ~1",
      left: #"[{"id":1,"at":10}]"#),
    Case(
      mapping: "Ticket", stored: #"[{"id":1,"state":"open"},{"id":2},{"id":3}]"#,
      json: #"[{"id":1,"state":"closed"},{"id":2,"state":"spam"},{"id":3,"state":"open"}]"#,
      report: "Ticket ~1 -2", left: #"[{"id":3,"state":"open"}]"#),
    Case(
      mapping: "Pack", stored: #"{"git":{"live":true},"maven":{}}"#,
      json: #"{"git":{"live":false},"maven":{"live":true},"npm":{"live":false}}"#, report: "Pack ~1 -1",
      left: #"{"maven":{"live":true}}"#),
    Case(
      mapping: "Issue", stored: #"[{"repo":{"name":"a"},"number":1},{"repo":{"name":"a"},"number":2}]"#,
      json: #"[{"repo":"a","number":1,"gone":true},{"repo":"b","number":1,"gone":true}]"#,
      report: "Issue -1", left: #"[{"number":2,"repo":{"name":"a"}}]"#),
    Case(
      mapping: "Order",
      stored: #"[{"id":1,"lines":[{"n":1,"text":"a"},{"n":2}]},{"id":2,"lines":[{"n":1}]}]"#,
      json: #"{"id":1,"lines":[{"n":1,"gone":true}]}"#, report: "Order =1, Line -1",
      left: #"[{"id":1,"lines":[{"n":2}]},{"id":2,"lines":[{"n":1}]}]"#),
    Case(
      mapping: "Any", stored: #"[{"id":1,"type":"p","size":1},{"id":2,"type":"w"},{"id":3,"type":"p"}]"#,
      json: #"[{"id":1,"gone":true},{"id":2,"type":"w","gone":true},{"id":9,"gone":true}]"#,
      report: "Event -2", left: #"[{"id":3,"type":"p"}]"#),
  ]

  private static let options = [
    ImportOptions(), ImportOptions(batchSize: 1), ImportOptions(commitInterval: 1, batchSize: 1),
  ]

  private final class Silent: ImportDelegate {}

  @Test(arguments: TestSize.onStores(cases, others: 8))
  func anObjectThatSaysSoIsDeleted(_ kind: StoreKind, _ example: Case) throws {
    for (number, options) in Self.options.enumerated() {
      let world = try World(kind, Self.file.get().plan(for: example.mapping), holding: example.stored)
      let before = try world.dump()
      var dry = options
      dry.isDryRun = true
      try #expect(world.load(example.json, options: dry).rows == example.report.rows, "\(number)")
      try #expect(world.dump() == before)
      try #expect(world.load(example.json, options: options).rows == example.report.rows, "\(number)")
      try #expect(world.export() == example.left, "\(number)")
    }
  }

  /// The first occurrence names objects that a later batch deletes.
  @Test(arguments: StoreKind.allCases)
  func anObjectThatIsDeletedLaterIsNotLinked(_ kind: StoreKind) throws {
    let json =
      #"[{"id":1,"friends":[9,{"id":2}],"boss":2,"notes":[{"text":"n"}]},{"id":9},{"id":9,"deleted":true},{"id":2,"deleted":true}]"#
    for options in Self.options {
      let world = try World(kind, Self.file.get().plan(for: "User"), holding: #"[{"id":1},{"id":2}]"#)
      try world.load(json, options: options)
      try #expect(world.export() == #"[{"id":1,"notes":[{"text":"n"}]}]"#)
      guard options.commitInterval == nil else { continue }
      try #expect(world.load(json, options: options) == "User =1, Note =1")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func replacedObjectsThatSayThatTheyAreDeletedGo(_ kind: StoreKind) throws {
    let world = try World(kind, Self.file.get().plan(for: "User"), holding: #"[{"id":1},{"id":2},{"id":3}]"#)
    var options = ImportOptions(replaces: .all)
    try #expect(world.load(#"[{"id":1},{"id":2,"deleted":true}]"#, options: options) == "User =1 -2")
    options.faults = .skip
    let report = try world.report(#"[{"deleted":true}]"#, options: options)
    #expect(summary(report) == "User !1")
    #expect(report.notes.count == 1)
  }

  /// 9 keeps 2, and 2 keeps its targets, except those that the payload deletes.
  @Test(arguments: StoreKind.allCases)
  func aDeletedObjectKeepsNothingThatThePayloadReplaces(_ kind: StoreKind) throws {
    let world = try World(kind, Self.file.get().plan(for: "User"))
    try world.load(#"[{"id":9,"boss":{"id":2,"boss":{"id":3,"boss":{"id":4}}}}]"#)
    let options = ImportOptions(replaces: .matching(try Filter("@.id < 9")))
    try #expect(world.load(#"[{"id":3,"deleted":true}]"#, options: options) == "User -2")
    try #expect(world.export() == #"[{"id":2},{"id":9,"boss":{"id":2}}]"#)
  }

  /// 1 loses its old values, and so the link to 2, which exists only later.
  @Test(arguments: StoreKind.allCases)
  func anObjectThatLivesAgainHasNoLateLink(_ kind: StoreKind) throws {
    for options in Self.options {
      let world = try World(kind, Self.file.get().plan(for: "User"))
      let json = #"[{"id":1,"seen":[{"id":2}]},{"id":1,"deleted":true},{"id":1,"name":"n"},{"id":2}]"#
      try world.load(json, options: options)
      try #expect(world.export() == #"[{"id":1,"name":"n"},{"id":2}]"#)
    }
  }

  /// The result and the counts do not depend on batches, commits, streams and delegates.
  @Test(arguments: StoreKind.allCases)
  func batchesOfAnySizeGiveTheSame(_ kind: StoreKind) throws {
    var random = Random(for: "DeletedByTests")
    func object(_ depth: Int) -> String {
      var members = ["\"id\":\(random.next(5))"]
      if random.next(3) == 0 { return "{\(members[0]),\"deleted\":true,\"name\":\"gone\"}" }
      if random.next(2) == 0 { members.append("\"name\":\"\(random.next(3))\"") }
      if random.next(4) == 0 { members.append("\"notes\":[{\"text\":\"\(random.next(2))\"}]") }
      if random.next(5) == 0 { members.append("\"head\":{\"text\":\"\(random.next(2))\"}") }
      if depth > 0, random.next(2) == 0 { members.append("\"boss\":\(object(depth - 1))") }
      if depth > 0, random.next(3) == 0 {
        members.append("\"friends\":[\(object(depth - 1)),\(object(depth - 1))]")
      }
      return "{\(members.joined(separator: ","))}"
    }
    for round in 0..<TestSize.rounds(small: 6, whole: 20) {
      let stored = "[\((0..<4).map { _ in object(1) }.joined(separator: ","))]"
      let json = "[\((0..<8).map { _ in object(2) }.joined(separator: ","))]"
      var results: [(counts: String?, text: String)] = []
      for number in 0..<4 {
        let world = try World(kind, Self.file.get().plan(for: "User"), holding: stored)
        let options = ImportOptions(
          commitInterval: [nil, 1, 2, nil][number], batchSize: [nil, 1, 3, 2][number])
        let report = try world.report(json, inChunksOf: number == 3 ? 9 : nil, options: options)
        let counts = options.commitInterval == nil ? summary(report).rows.joined(separator: ", ") : nil
        results.append((counts, try world.export()))
      }
      let texts = Set(results.map(\.text))
      let counts = Set(results.compactMap(\.counts))
      #expect(texts.count == 1 && counts.count == 1, "\(round): \(stored) \(json) \(texts) \(counts)")
    }
  }

  /// An object that has its old link again when the link's target is deleted.
  @Test(arguments: StoreKind.allCases)
  func anObjectWithItsOldLinkIsUnchangedInAnyBatches(_ kind: StoreKind) throws {
    for size in [nil, 1, 2] as [Int?] {
      let world = try World(kind, Self.file.get().plan(for: "User"))
      try world.load(#"[{"id":0,"boss":{"id":1}},{"id":2}]"#)
      let options = ImportOptions(batchSize: size)
      let report = try world.report(
        #"[{"id":0,"boss":{"id":2}},{"id":0,"boss":{"id":1}},{"id":1,"deleted":true}]"#, options: options)
      #expect(summary(report) == "User ~1 =1 -1", "\(size.map { "\($0)" } ?? "one batch")")
      try #expect(world.export() == #"[{"id":0},{"id":2}]"#)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aDelegateDoesNotSeeIt(_ kind: StoreKind) throws {
    let world = try World(kind, Self.file.get().plan(for: "User"))
    try world.load(#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#)
    let options = ImportOptions(delegate: Silent())
    let json = #"[{"id":1,"deleted":true},{"id":2,"deleted":true},{"id":2,"friends":[{"id":3}]}]"#
    try world.load(json, options: options)
    try #expect(world.export() == #"[{"id":2,"friends":[{"id":3}]},{"id":3}]"#)
  }

  private final class User {
    var id = 0
    var name: String?
    var deleted: Bool?
    var friends: [User] = []

    static let mapping: Mapping<User> = Mapping(
      User.self, "User", primaryKey: "id", deletedBy: "deleted", make: User.init
    ) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("deleted", \.deleted)
      ToMany("friends", \.friends, User.mapping)
    }
  }

  @Test func withoutAStoreItIsLeftOut() throws {
    let users = try User.mapping.objects(
      from: #"[{"id":1,"friends":[{"id":2,"deleted":true},{"id":3}]},{"id":4,"deleted":true}]"#)
    #expect((users.map(\.id), users.first?.friends.map(\.id)) == ([1], [3]))
  }

  static let refused = [
    (
      #"{"primaryKey": ["b", "n"], "attributes": {"n": "integer"}, "relationships": {"b": {"mapping": "B"}}}, "B": {"primaryKey": "id", "deletedBy": "gone", "attributes": {"id": "integer", "gone": "boolean"}}"#,
      #"an object of "B" may be deleted by its payload; name a mapping of its entity without "deletedBy""#
    ),
    (
      #"{"deletedBy": "gone", "attributes": {"id": "integer", "gone": "boolean"}}"#,
      #"$.mappings.A.deletedBy: deletedBy needs objects with a primary key; the mapping "A" has none"#
    ),
    (
      #"{"primaryKey": "id", "deletedBy": "gnoe", "attributes": {"id": "integer", "gone": "boolean"}}"#,
      #"$.mappings.A.deletedBy: no attribute named "gnoe"; did you mean "gone"?"#
    ),
    (
      #"{"primaryKey": "id", "deletedBy": "id", "attributes": {"id": "integer"}}"#,
      #"$.mappings.A.deletedBy: "id" is of the key, which names the object; expected another attribute"#
    ),
    (
      #"{"primaryKey": "id", "deletedBy": "gone", "attributes": {"id": "integer", "gone": {"type": "boolean", "default": true}}}"#,
      #"$.mappings.A.deletedBy: the default of "gone" would delete every object whose payload lacks it"#
    ),
    (
      #"{"primaryKey": "id", "deletedBy": "state", "attributes": {"id": "integer", "state": "string"}}"#,
      #"$.mappings.A.deletedBy: expected an attribute of type boolean or date, or the values that delete, "state" is a string"#
    ),
    (
      #"{"primaryKey": "id", "deletedBy": {"attribute": "state", "values": ["x", 5]}, "attributes": {"id": "integer", "state": "string"}}"#,
      #"$.mappings.A.deletedBy.values[1]: expected a string, as "state" is one"#
    ),
    (
      #"{"primaryKey": "id", "deletedBy": {"attribute": "state", "value": ["x"]}, "attributes": {"id": "integer", "state": "boolean"}}"#,
      #"did you mean "values"?"#
    ),
    (
      #"{"primaryKey": "id", "deletedBy": "gone", "attributes": {"id": "integer", "gone": {"type": "boolean", "keyPath": "@parent.gone"}}}"#,
      #"expected an attribute with one member inside the object"#
    ),
    (
      #"{"primaryKey": "id", "deletedby": "gone", "attributes": {"id": "integer", "gone": "boolean"}}"#,
      #"did you mean "deletedBy"?"#
    ),
  ]

  @Test(arguments: refused)
  func aMappingThatCannotWorkIsRefused(_ mapping: String, _ reason: String) {
    let text = message { _ = try MappingSet(file: "{\"fastmap\": 1, \"mappings\": {\"A\": \(mapping)}}") }
    #expect(text?.contains(reason) == true, "\(text ?? "none")")
  }
}

extension String {
  /// The rows of a summary with counts, sorted.
  fileprivate var rows: [String] {
    split(separator: ",").map { $0.trimmingPrefix { $0 == " " } }.map(String.init).filter { $0.contains(" ") }
      .sorted()
  }
}
