import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Objects of several kinds: `kinds`.
@Suite struct KindsTests {
  static func file(otherwise: String?) throws -> MappingSet {
    let otherwise = otherwise.map { #", "otherwise": "\#($0)""# } ?? ""
    return try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Any": {
            "entity": "Event", "primaryKey": "id",
            "kinds": {"keyPath": "meta.type", "values": {"PushEvent": "Push", "WatchEvent": "Watch"}\#(otherwise)}},
          "Push": {
            "entity": "Event", "primaryKey": "id",
            "attributes": {"id": "integer", "at": "integer", "size": {"type": "integer", "default": 1}},
            "relationships": {
              "commits": {"mapping": "Commit", "toMany": true}, "head": {"mapping": "Commit"},
              "users": {"mapping": "User", "toMany": true, "policy": "merge"}}},
          "Watch": {
            "entity": "Event", "primaryKey": "id",
            "attributes": {"id": "integer", "at": {"type": "integer", "keyPath": "time"}, "action": "string"},
            "relationships": {"by": {"mapping": "User"}}},
          "Other": {
            "entity": "Event", "primaryKey": "id",
            "attributes": {"id": "integer", "type": {"type": "string", "keyPath": "meta.type"}, "note": "string"}},
          "User": {
            "primaryKey": "id", "attributes": {"id": "integer"},
            "relationships": {"events": {"mapping": "Any", "toMany": true}, "last": {"mapping": "Watch"}}},
          "Commit": {"attributes": {"sha": "string"}}}}
        """#)
  }

  static func world(_ kind: StoreKind, otherwise: String? = nil) throws -> World {
    let file = try file(otherwise: otherwise)
    return try World(
      kind, file.plan(for: "Any"), file.plan(for: "User"), file.plan(for: "Push"), file.plan(for: "Watch"))
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var otherwise: String?
    var stored = "[]"
    var json: String
    var report = ""
    var dump = ""
    var failure: String?
    var testDescription: String { "\(json) over \(stored), otherwise \(otherwise ?? "error")" }
  }

  static let push = #"""
    {"id":1,"meta":{"type":"PushEvent"},"at":5,"size":3,"commits":[{"sha":"a"}],"head":{"sha":"h"},"users":[{"id":7}]}
    """#
  static let pushLines = #"""
    Event 1 at=5 size=3 type="PushEvent" kind="Push" commits=[#1] head=#2 users=[7]
    Commit #1 sha="a"
    Commit #2 sha="h"
    User 7
    """#
  static let unnamed = #"expected one of "PushEvent" or "WatchEvent", found"#

  static let cases = [
    Case(json: push, report: "Event +1, Commit +2, User +1", dump: pushLines),
    Case(
      json: #"{"id":2,"meta":{"type":"WatchEvent"},"time":6,"at":"x","action":"started","by":8}"#,
      report: "Event +1, User +1",
      dump: #"""
        Event 2 at=6 type="WatchEvent" kind="Watch" action="started" by=8
        User 8
        """#),
    // A stored object keeps its kind, and reads its fields only.
    Case(
      stored: push, json: #"{"id":1,"size":4,"action":"x","by":9}"#, report: "Event ~1, User",
      dump: pushLines.replacing("size=3", with: "size=4")),
    Case(
      stored: push, json: #"{"id":1,"meta":{"type":null},"at":6,"users":[{"id":8}]}"#,
      report: "Event ~1, User +1",
      dump: pushLines.replacing("at=5", with: "at=6").replacing("[7]", with: "[7 8]") + "\nUser 8"),
    Case(stored: push, json: #"{"id":1,"meta":null,"size":3}"#, report: "Event =1", dump: pushLines),
    Case(
      json: #"[{"id":3,"meta":{"type":"WatchEvent"},"action":"a"},{"id":3,"action":"b","size":9}]"#,
      report: "Event +1", dump: #"Event 3 type="WatchEvent" kind="Watch" action="b""#),
    // A change of kind.
    Case(
      stored: push, json: #"{"id":1,"meta":{"type":"WatchEvent"},"action":"started"}"#,
      report: "Event ~1, Commit -2",
      dump: #"""
        Event 1 at=5 type="WatchEvent" kind="Watch" action="started"
        User 7
        """#),
    Case(
      json:
        #"[{"id":3,"meta":{"type":"PushEvent"},"size":4},{"id":3,"meta":{"type":"WatchEvent"},"action":"b"}]"#,
      report: "Event +1", dump: #"Event 3 type="WatchEvent" kind="Watch" action="b""#),
    // A value that names no mapping.
    Case(
      json: #"{"id":4,"meta":{"type":"ForkEvent"}}"#,
      failure: #"$.meta.type: \#(unnamed) the string "ForkEvent""#),
    Case(json: #"[{"id":4,"meta":{"type":5}}]"#, failure: "$[0].meta.type: \(unnamed) the number 5"),
    Case(json: #"[{"id":4,"at":1}]"#, failure: "$[0].meta.type: \(unnamed) nothing"),
    Case(json: #"[{"id":4,"at":1,"meta":{"type":null}}]"#, failure: "$[0].meta.type: \(unnamed) nothing"),
    Case(json: #"[{"id":4,"at":1,"meta":[]}]"#, failure: "$[0].meta: expected an object, found an array"),
    Case(
      otherwise: "Other", json: #"{"id":4,"meta":{"type":"ForkEvent"},"note":"n","size":7}"#,
      report: "Event +1", dump: #"Event 4 type="ForkEvent" note="n" kind="Other""#),
    Case(
      otherwise: "Other", json: #"{"id":4,"note":"n","size":7,"by":9,"commits":[{"sha":"a"}]}"#,
      report: "Event +1, User", dump: #"Event 4 note="n" kind="Other""#),
    Case(
      otherwise: "Other", stored: push, json: #"{"id":1,"note":"n","size":7}"#, report: "Event ~1",
      dump: #"""
        Event 1 type="PushEvent" kind="Push" at=5 size=7 commits=[#1] head=#2 users=[7]
        Commit #1 sha="a"
        Commit #2 sha="h"
        User 7
        """#),
    Case(
      otherwise: "Other", json: #"{"id":4,"meta":{"type":5}}"#,
      failure: "$.meta.type: expected a string, found the number 5"),
    Case(
      otherwise: "skip",
      json:
        #"[{"id":4,"meta":{"type":"ForkEvent"},"commits":[{"sha":"a"}]},{"id":5,"at":1},{"id":6,"meta":{"type":"WatchEvent"}}]"#,
      report: "Event +1 !2", dump: #"Event 6 type="WatchEvent" kind="Watch""#),
    Case(
      otherwise: "skip", stored: push, json: #"{"id":1,"meta":{"type":"ForkEvent"},"size":9}"#,
      report: "Event !1", dump: pushLines),
    // The key alone is a reference, also at the root.
    Case(json: #"[{"id":4}]"#, report: "Event +1", dump: "Event 4 size=1"),
    Case(
      stored: #"[{"id":4}]"#, json: #"{"id":4,"meta":{"type":"WatchEvent"}}"#, report: "Event ~1",
      dump: #"Event 4 type="WatchEvent" kind="Watch""#),
    Case(stored: #"[{"id":4}]"#, json: #"{"id":4,"at":1}"#, failure: "$.meta.type: \(unnamed) nothing"),
  ]

  @Test(arguments: TestSize.onStores(cases, others: 8))
  func aValueChoosesTheMapping(_ kind: StoreKind, _ example: Case) throws {
    for batch in [nil, 1] as [Int?] {
      let world = try Self.world(kind, otherwise: example.otherwise)
      try world.load(example.stored)
      let before = try world.dump()
      let options = ImportOptions(batchSize: batch)
      if let failure = example.failure {
        let found = world.failure(of: example.json, options: options)
        #expect(found?.contains(failure) == true, "\(found ?? "none")")
        try #expect(world.dump() == before)
        continue
      }
      try #expect(world.load(example.json, options: options) == example.report, "\(batch ?? 0)")
      try #expect(world.dump() == example.dump)
      #expect(
        try world.report(example.json, options: options).entities.allSatisfy {
          $0.counts.updated == 0 || $0.counts.inserted == 0
        })
      // All kinds and all stubs come back as they are.
      let other = try Self.world(kind, otherwise: example.otherwise)
      let text = try world.export()
      try other.load(text)
      try #expect((other.export(), other.dump(of: "Event 1")) == (text, world.dump(of: "Event 1")))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func eachObjectIsWrittenByTheMappingOfItsKind(_ kind: StoreKind) throws {
    let world = try Self.world(kind, otherwise: "skip")
    try world.load(
      #"""
      {"id":7,"events":[{"id":1,"meta":{"type":"PushEvent"},"size":2},{"id":2,"meta":{"type":"WatchEvent"},"action":"a"},
       {"id":3,"meta":{"type":"ForkEvent"}},4]}
      """#, as: "User")
    try #expect(
      world.export("User") == #"""
        [{"id":7,"events":[{"id":1,"size":2,"meta":{"type":"PushEvent"}},{"id":2,"action":"a","meta":{"type":"WatchEvent"}},{"id":4}]}]
        """#)
    try #expect(
      world.export("Any") == #"""
        [{"id":1,"size":2,"meta":{"type":"PushEvent"}},{"id":2,"action":"a","meta":{"type":"WatchEvent"}},{"id":4}]
        """#)
  }

  @Test(arguments: StoreKind.allCases)
  func oneKindIsReadDeletedAndReplacedAlone(_ kind: StoreKind) throws {
    let world = try Self.world(kind)
    try world.load(
      #"""
      [{"id":1,"meta":{"type":"PushEvent"},"size":2},{"id":2,"meta":{"type":"WatchEvent"},"action":"a"},
       {"id":3,"meta":{"type":"PushEvent"},"size":4},{"id":4}]
      """#)
    let (push, all) = (world.plan("Push"), world.plan("Any"))
    try #expect(
      world.export("Push") == #"""
        [{"id":1,"size":2,"meta":{"type":"PushEvent"}},{"id":3,"size":4,"meta":{"type":"PushEvent"}}]
        """#)
    try #expect(world.store.read { try $0.count(push) } == 2)
    try #expect(world.store.read { try $0.keys(push.where(Filter("@.size > 2"))) } == [3])
    try #expect(world.store.read { try $0.keys(push.keys([2, 3])) } == [3])
    try #expect(world.store.read { try $0.keys(all.where(Filter(#"@.kind == "Watch""#))) } == [2])
    try #expect(world.store.read { try $0.keys(all.where(Filter("!@.kind"))) } == [4])
    let options = ImportOptions(replaces: .all)
    try #expect(
      world.load(#"[{"id":5,"size":6},{"id":1,"size":2}]"#, as: "Push", options: options) == "Event +1 =1 -1")
    try #expect(
      world.dump() == #"""
        Event 1 size=2 type="PushEvent" kind="Push"
        Event 2 type="WatchEvent" kind="Watch" action="a"
        Event 4 size=1
        Event 5 size=6 type="PushEvent" kind="Push"
        """#)
    #expect(
      world.failure(of: #"{"id":9,"meta":{"type":"WatchEvent"}}"#, as: "Push")?.contains(
        #"$.meta.type: expected "PushEvent", found the string "WatchEvent""#) == true)
    try #expect(world.load(#"{"id":2,"size":6}"#, as: "Push") == "Event ~1")
    try #expect(world.dump(of: "Event 2") == #"Event 2 size=6 type="PushEvent" kind="Push""#)
    try #expect(world.store.delete(push)["Event"] == 3)
    try #expect(world.dump() == "Event 4 size=1")
  }

  @Test(arguments: StoreKind.allCases)
  func aListWithAnUnwantedKindIsTheListWithoutIt(_ kind: StoreKind) throws {
    let world = try Self.world(kind, otherwise: "skip")
    try world.load(
      #"{"id":7,"events":[{"id":1,"meta":{"type":"PushEvent"}},{"id":2,"meta":{"type":"WatchEvent"}}]}"#,
      as: "User")
    try #expect(
      world.load(#"{"id":7,"events":[{"id":1,"meta":{"type":"ForkEvent"}},{"id":2}]}"#, as: "User")
        == "User ~1, Event =1 !1")
    try #expect(world.dump(of: "User 7") == "User 7 events=[2]")
  }

  @Test(arguments: StoreKind.allCases)
  func aFaultyKindIsLeftOutAndKeepsItsLinks(_ kind: StoreKind) throws {
    let world = try Self.world(kind)
    try world.load(#"{"id":7,"events":[{"id":1,"meta":{"type":"PushEvent"}}]}"#, as: "User")
    let report = try world.report(
      #"{"id":7,"events":[{"id":1,"meta":{"type":"ForkEvent"}},{"id":2,"at":1},{"id":3,"meta":{"type":"WatchEvent"}}]}"#,
      as: "User", options: ImportOptions(faults: .skip))
    #expect(report.errors.map { "\($0.path)" } == ["$.events[0].meta.type", "$.events[1].meta.type"])
    try #expect(world.dump(of: "User 7") == "User 7 events=[1 3]")
  }

  static let post = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Post": {
            "primaryKey": "id", "attributes": {"id": "integer"},
            "relationships": {
              "blocks": {"mapping": "Block", "toMany": true}, "cover": {"mapping": "Block"}}},
          "Block": {"kinds": {"keyPath": "type", "values": {"text": "Text", "image": "Image"}, "otherwise": "Text"}},
          "Text": {"entity": "Block", "attributes": {"text": "string"}},
          "Image": {
            "entity": "Block", "attributes": {"url": "string"},
            "relationships": {"caption": {"mapping": "Block", "keyPath": "about.caption"}}}}}
        """#
    ).plan(for: "Post")
  }

  @Test(arguments: StoreKind.allCases)
  func ownedObjectsAreOfSeveralKinds(_ kind: StoreKind) throws {
    let world = try World(kind, Self.post.get())
    let json = #"""
      [{"id":1,"cover":{"url":"c","type":"image"},"blocks":[{"text":"a","type":"text"},{"url":"u","type":"image","about":\#
      {"caption":{"text":"b","type":"text"}}},{"text":"d","type":"other"}]}]
      """#
    try #expect(world.load(json) == "Post +1, Block +5")
    try #expect(world.load(json) == "Post =1, Block =5")
    let text = try world.export()
    let other = try World(kind, Self.post.get(), holding: text)
    try #expect((other.export(), other.dump()) == (text, world.dump()))
    try #expect(
      world.load(
        #"{"id":1,"cover":{"text":"t","type":"text"},"blocks":[{"url":"u","type":"image"},{"text":"e"}]}"#)
        == "Post ~1, Block +2 ~1 -4")
    try #expect(
      world.dump() == #"""
        Post 1 blocks=[#2 #3] cover=#1
        Block #1 text="t" type="text" kind="Text"
        Block #2 type="image" kind="Image" url="u"
        Block #3 text="e" type="text" kind="Text"
        """#)
  }

  @Test(arguments: StoreKind.allCases)
  func aContextHasRecordsOfEachKind(_ kind: StoreKind) throws {
    let world = try Self.world(kind)
    try world.load(
      #"[{"id":1,"meta":{"type":"PushEvent"},"size":2},{"id":2,"meta":{"type":"WatchEvent"},"action":"a"}]"#)
    let (all, push) = (world.plan("Any"), world.plan("Push"))
    try world.store.withContext(for: all, world.plan("User"), push) { context in
      let events = try context.records(all)
      #expect(events.map { $0["kind"] } == ["Push", "Watch"])
      try #expect(context.records(push).map(\.key) == [1])
      events[0]["size"] = 9
      try context.save()
      try #expect(world.dump(of: "Event 1") == #"Event 1 size=9 type="PushEvent" kind="Push""#)
      let found = try context.records(from: #"{"id":1,"meta":{"type":"WatchEvent"},"action":"b"}"#, as: all)
      #expect(found[0] === events[0])
      #expect(events[0]["kind"] == "Watch")
      #expect(events[0]["size"] == nil)
    }
  }

  private static let dated = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {
          "Any": {
            "entity": "Event", "primaryKey": "id", "newerBy": "at", "indexes": [["kind", "-at"]],
            "kinds": {"keyPath": "type", "values": {"a": "A", "b": "B"}}},
          "A": {"entity": "Event", "primaryKey": "id", "attributes": {"id": "integer", "at": "integer", "one": "string"}},
          "B": {"entity": "Event", "primaryKey": "id", "attributes": {"id": "integer", "at": "integer", "two": "string"}},
          "Fan": {
            "primaryKey": "id", "attributes": {"id": "integer"},
            "relationships": {"likes": {"mapping": "Any", "weak": true}, "best": {"mapping": "B"}}}}}
        """#)
  }

  @Test(arguments: StoreKind.allCases)
  func anOlderOccurrenceChangesNoKind(_ kind: StoreKind) throws {
    let world = try World(kind, Self.dated.get().plan(for: "Any"))
    try world.load(
      #"[{"id":1,"type":"a","at":5,"one":"x"},{"id":2,"type":"b","at":7},{"id":3,"type":"a","at":9}]"#)
    try #expect(world.load(#"{"id":1,"type":"b","at":4,"two":"y"}"#) == "Event <1")
    try #expect(world.dump(of: "Event 1") == #"Event 1 at=5 one="x" type="a" kind="A""#)
    try #expect(
      world.load(
        #"[{"id":1,"type":"b","at":6,"two":"y"},{"id":1,"type":"a","at":4,"one":"z"},{"id":1,"two":"w"}]"#)
        == "Event ~1")
    try #expect(world.dump(of: "Event 1") == #"Event 1 at=6 type="b" kind="B" two="w""#)
    let query = world.plan().where(try Filter(#"@.kind == "B" && @.at > 5"#))
    try #expect(world.store.read { try $0.keys(query) } == [1, 2])
  }

  @Test(arguments: StoreKind.allCases)
  func weakAndDirectRelationshipsLeadToObjectsOfAKind(_ kind: StoreKind) throws {
    let file = try Self.dated.get()
    let world = try World(kind, file.plan(for: "Fan"), file.plan(for: "Any"))
    try #expect(
      world.load(#"{"id":1,"likes":{"id":7,"type":"a"},"best":{"id":8,"two":"t"}}"#) == "Fan +1, Event +1")
    try #expect(world.dump(of: "Event 8") == #"Event 8 type="b" kind="B" two="t""#)
    try #expect(
      world.load(#"[{"id":2,"likes":{"id":8,"two":"u"},"best":9},{"id":3,"likes":8}]"#)
        == "Fan +2, Event +1 ~1")
    try #expect(
      world.dump() == #"""
        Fan 1 best=8
        Fan 2 likes=8 best=9
        Fan 3 likes=8
        Event 8 type="b" kind="B" two="u"
        Event 9
        """#)
    #expect(world.failure(of: #"{"id":4,"best":{"id":8,"type":"a"}}"#)?.contains(#"expected "b""#) == true)
    try #expect(
      world.export() == #"""
        [{"id":1,"best":{"id":8,"two":"u","type":"b"}},{"id":2,"likes":{"id":8,"two":"u","type":"b"},"best":{"id":9}},{"id":3,"likes":{"id":8,"two":"u","type":"b"}}]
        """#)
  }
}
